#!/usr/bin/env python3
"""Writes a GPT-2 of the real size (124M parameters), with known answers.

    make_real_size.py OUT            writes OUT/ as make_reference.py writes a case

The parameters are random and have GPT-2's initial spread. The answers are make_reference.py's oracle's: float64, no
cache. Only a few rows of each prompt's logits are kept:

    expected.json          {"cases": [{"prompt": [token ids], "rows": [positions]}, ..]}
    expected.safetensors   logits.<i>: float32 [rows, vocab_size]

Takes about a minute on two cores, 2 GB of memory, and 0.5 GB of disk.
"""
import json
import os
import pathlib
import sys

# OpenBLAS: one set of kernels on every CPU, and not those that old releases
# picked for CPUs that were newer than they.
os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")

import numpy as np

import make_reference as oracle

SEED, LENGTHS, SAMPLED = 124, (600, 1024), 6
CONFIG = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 50257, "n_positions": 1024,
          "n_ctx": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12, "n_inner": None,
          "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "scale_attn_weights": True,
          "scale_attn_by_inverse_layer_idx": False, "reorder_and_upcast_attn": False, "bos_token_id": 50256,
          "eos_token_id": 50256, "tie_word_embeddings": True, "torch_dtype": "float32"}


def shapes(config):
    """name -> shape of every parameter."""
    d = config["n_embd"]
    out = {"wte.weight": (config["vocab_size"], d), "wpe.weight": (config["n_positions"], d)}
    for i in range(config["n_layer"]):
        h = f"h.{i}."
        out |= {h + "ln_1.weight": (d,), h + "ln_1.bias": (d,),
                h + "attn.c_attn.weight": (d, 3 * d), h + "attn.c_attn.bias": (3 * d,),
                h + "attn.c_proj.weight": (d, d), h + "attn.c_proj.bias": (d,),
                h + "ln_2.weight": (d,), h + "ln_2.bias": (d,),
                h + "mlp.c_fc.weight": (d, 4 * d), h + "mlp.c_fc.bias": (4 * d,),
                h + "mlp.c_proj.weight": (4 * d, d), h + "mlp.c_proj.bias": (d,)}
    return out | {"ln_f.weight": (d,), "ln_f.bias": (d,)}


def parameters(config, rng):
    """name -> float32 array: normal 0.02, layer norms' weights around 1."""
    out = {}
    for name, shape in shapes(config).items():
        a = rng.standard_normal(shape, np.float32) * np.float32(0.02)
        out[name] = a + 1 if name.split(".")[-2].startswith("ln_") and name.endswith(".weight") else a
    return out


class InFloat64(dict):
    """Parameters that turn float64 when they are used: the whole model in float64 would take 1 GB."""

    def __getitem__(self, name):
        return super().__getitem__(name).astype(np.float64)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    w = parameters(CONFIG, rng)
    (out / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")
    oracle.save(out / "model.safetensors", {"transformer." + name: ("F32", a) for name, a in w.items()},
                {"format": "pt"})
    cases, arrays = [], {}
    for i, length in enumerate(LENGTHS):
        ids = rng.integers(0, CONFIG["vocab_size"], length)
        between = rng.choice(np.arange(1, length - 1), SAMPLED - 2, replace=False)
        rows = [0, *sorted(between.tolist()), length - 1]
        arrays[f"logits.{i}"] = ("F32", oracle.logits(CONFIG, InFloat64(w), ids)[rows].astype("<f4"))
        cases.append({"prompt": ids.tolist(), "rows": rows})
    (out / "expected.json").write_text(json.dumps({"cases": cases}, indent=1) + "\n")
    oracle.save(out / "expected.safetensors", arrays)


if __name__ == "__main__":
    main()
