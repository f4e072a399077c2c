"""The one peer that needs no package: in one pass and through its cache it is the oracle's model."""
import unittest

import numpy as np

import accuracy
import checkpoint
import make_reference
import prompts
from peers import numpy_peer

CONFIG = checkpoint.Config(vocab=50, positions=20, width=12, layers=2, heads=3, inner=48, epsilon=1e-5)
FIELDS = {"vocab_size": 50, "n_positions": 20, "n_embd": 12, "n_layer": 2, "n_head": 3, "n_inner": None,
          "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "scale_attn_weights": True,
          "scale_attn_by_inverse_layer_idx": False}


class Load:
    def __init__(self):
        self.exact = make_reference.weights(FIELDS, np.random.default_rng(3), tied=True)

    def config(self):
        return CONFIG

    def weights(self):
        return {name: array.astype(np.float32) for name, array in self.exact.items()}


class NumpyPeerTest(unittest.TestCase):
    def setUp(self):
        load = Load()
        self.peer, self.ids = numpy_peer.Peer(load), prompts.random_ids(16, CONFIG.vocab)
        rounded = {name: array.astype(np.float64) for name, array in load.weights().items()}
        self.expected = make_reference.logits(FIELDS, rounded, np.array(self.ids))

    def test_one_pass(self):
        self.assertLess(accuracy.logits_error(self.peer.logits(self.ids), self.expected), 1e-5)

    def test_through_the_cache(self):
        logits = self.peer.cached_logits(self.ids, 8)
        self.assertEqual(logits.shape, (9, CONFIG.vocab))
        self.assertLess(accuracy.logits_error(logits, self.expected[7:]), 1e-5)

    def test_generates_what_is_most_likely(self):
        tokens = []
        self.peer.generate(self.ids[:8], 5, tokens.append)
        logits = self.peer.logits(self.ids[:8] + tokens)
        self.assertEqual(tokens, logits[7:-1].argmax(-1).tolist())


class PromptTest(unittest.TestCase):
    def test_is_the_prompt_of_bench(self):
        self.assertEqual(prompts.random_ids(3, 50257), [15718, 20896, 46414])


if __name__ == "__main__":
    unittest.main()
