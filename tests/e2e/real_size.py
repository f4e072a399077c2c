#!/usr/bin/env python3
"""A GPT-2 of 124M parameters: rows of the logits against float64, for prompts of many chunks, through every program.

    real_size.py BIN REAL_SIZE MODE
"""
import pathlib
import sys
import tempfile

from tandem import VIAS, Checks, Tools, read_json, read_safetensors


def main():
    tools, checks, folder, mode = Tools(sys.argv[1]), Checks(), pathlib.Path(sys.argv[2]), sys.argv[3]
    expected = read_safetensors(folder / "expected.safetensors")
    with tempfile.TemporaryDirectory() as scratch:
        for i, case in enumerate(read_json(folder / "expected.json")["cases"]):
            for via in VIAS:
                got = tools.logits(scratch, folder, case["prompt"], "--mode", mode, "--via", via)
                what = f"{len(case['prompt'])} tokens, {mode}, via {via}"
                checks.equal(len(got), len(case["prompt"]), f"{what}: rows")
                checks.close(got[case["rows"]], expected[f"logits.{i}"], what)
    checks.finish()


if __name__ == "__main__":
    main()
