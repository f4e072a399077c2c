#!/usr/bin/env python3
"""Compiling holds the packed weights and one tensor, and into a file no more than one tensor, packed and not.

    compile_memory.py BIN
"""
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

from tandem import Checks, Tools, write_safetensors

# What else a larger model takes: its programs and arena, pages that are mapped beside those that are read.
SLACK = 24 << 20


def shapes(config):
    """name -> shape of every parameter."""
    d = config["n_embd"]
    out = {"wte.weight": (config["vocab_size"], d), "wpe.weight": (config["n_positions"], d)}
    for i in range(config["n_layer"]):
        layer = {"ln_1.weight": (d,), "ln_1.bias": (d,), "attn.c_attn.weight": (d, 3 * d), "attn.c_attn.bias": (3 * d,),
                 "attn.c_proj.weight": (d, d), "attn.c_proj.bias": (d,), "ln_2.weight": (d,), "ln_2.bias": (d,),
                 "mlp.c_fc.weight": (d, 4 * d), "mlp.c_fc.bias": (4 * d,), "mlp.c_proj.weight": (4 * d, d),
                 "mlp.c_proj.bias": (d,)}
        out |= {f"h.{i}.{name}": shape for name, shape in layer.items()}
    return out | {"ln_f.weight": (d,), "ln_f.bias": (d,)}


def write_model(folder, vocab, embed, layers):
    """The bytes of all its tensors and of the largest."""
    config = {"model_type": "gpt2", "vocab_size": vocab, "n_positions": 64, "n_embd": embed, "n_layer": layers,
              "n_head": 4, "eos_token_id": 0, "bos_token_id": 0}
    all_shapes = shapes(config)
    child = os.fork()  # what it takes must not count as ours: a process starts with its parent's peak
    if child == 0:
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(config))
        rng = np.random.default_rng(1)
        write_safetensors(folder / "model.safetensors",
                          {name: rng.standard_normal(shape, np.float32) * np.float32(0.02)
                           for name, shape in all_shapes.items()})
        os._exit(0)
    os.waitpid(child, 0)
    sizes = [4 * math.prod(shape) for shape in all_shapes.values()]
    return sum(sizes), max(sizes)


def peak(tools, *args):
    """The most bytes that a run had in memory, mapped files included."""
    command = [tools.folder / "tandem", *map(str, args)]
    # What AddressSanitizer keeps of freed memory is nothing of the compiler's.
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"ASAN_OPTIONS": options})
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{args}: status {child.returncode}")
    if usage.ru_maxrss <= resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
        raise SystemExit("got a run that takes less memory than this script, whose peak hides it")
    return usage.ru_maxrss * 1024


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        write_model(scratch / "small", 64, 32, 1)
        weights, largest = write_model(scratch / "large", 8192, 512, 8)
        # AddressSanitizer notes an eighth of the bytes that are touched: those of the source, and those packed.
        slack = SLACK + (weights // 4 if "ASAN_OPTIONS" in os.environ else 0)
        assert weights > 4 * largest + 2 * SLACK  # else a second copy would not show
        ways = {"in memory": (lambda model: ["run", model, "--ids", 1, "-n", 2, "--greedy"], weights + largest),
                "into a file": (lambda model: ["compile", model, "-o", scratch / "m.tandem"], 2 * largest)}
        for way, (command, most) in ways.items():
            grown = peak(tools, *command(scratch / "large")) - peak(tools, *command(scratch / "small"))
            checks.that(grown <= most + slack,
                        f"compiling {way}: got {grown} bytes more than for a small model, expected {most} and at most "
                        f"{slack} beside")
    checks.finish()


if __name__ == "__main__":
    main()
