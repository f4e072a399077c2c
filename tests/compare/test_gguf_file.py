"""Names and shapes of a GGUF's tensors."""
import unittest

import numpy as np

import checkpoint
from peers import gguf_file

CONFIG = checkpoint.Config(vocab=7, positions=5, width=4, layers=2, heads=2, inner=6, epsilon=1e-5)
IN_OUT = {"attn.c_attn": (4, 12), "attn.c_proj": (4, 4), "mlp.c_fc": (4, 6), "mlp.c_proj": (6, 4)}


def weights():
    shapes = {"wte.weight": (7, 4), "wpe.weight": (5, 4)}
    for name in checkpoint.parameter_names(CONFIG)[2:]:
        module, kind = name.split(".", 2)[-1].rsplit(".", 1) if name.startswith("h.") else name.split(".")
        sizes = IN_OUT.get(module, (4, 4))
        shapes[name] = sizes if kind == "weight" and module in IN_OUT else sizes[1:]
    return {name: np.random.default_rng(1).normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


class GgufTest(unittest.TestCase):
    def test_names(self):
        self.assertEqual(gguf_file.gguf_name("wte.weight"), "token_embd.weight")
        self.assertEqual(gguf_file.gguf_name("wpe.weight"), "position_embd.weight")
        self.assertEqual(gguf_file.gguf_name("ln_f.bias"), "output_norm.bias")
        self.assertEqual(gguf_file.gguf_name("h.11.attn.c_attn.weight"), "blk.11.attn_qkv.weight")
        self.assertEqual(gguf_file.gguf_name("h.0.mlp.c_proj.bias"), "blk.0.ffn_down.bias")

    def test_a_parameter_of_every_kind_has_a_name_of_its_own(self):
        names = [gguf_file.gguf_name(name) for name in checkpoint.parameter_names(CONFIG)]
        self.assertEqual(len(set(names)), 2 + 2 * 12 + 2)

    def test_matrices_are_transposed_and_embeddings_are_not(self):
        given = weights()
        tensors = gguf_file.gguf_tensors(given)
        self.assertEqual(tensors["blk.1.attn_qkv.weight"].shape, (12, 4))
        np.testing.assert_array_equal(tensors["blk.1.attn_output.weight"], given["h.1.attn.c_proj.weight"].T)
        np.testing.assert_array_equal(tensors["token_embd.weight"], given["wte.weight"])
        np.testing.assert_array_equal(tensors["blk.0.ffn_up.bias"], given["h.0.mlp.c_fc.bias"])

    def test_rows_lie_together(self):
        self.assertTrue(all(array.flags.c_contiguous for array in gguf_file.gguf_tensors(weights()).values()))


if __name__ == "__main__":
    unittest.main()
