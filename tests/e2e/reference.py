#!/usr/bin/env python3
"""The twelve small checkpoints with answers worked out in float64, in both modes and through every program.

    reference.py BIN REFERENCE logits|tokens
"""
import pathlib
import sys
import tempfile

from tandem import CELLS, MODES, SMALLEST_GAP, VIAS, Checks, Tools, read_json, read_safetensors

NUM_CASES = 12


def check_logits(tools, checks, folder, scratch):
    """Every prompt's logits through every program."""
    expected = read_safetensors(folder / "expected.safetensors")
    for i, case in enumerate(read_json(folder / "expected.json")["cases"]):
        for mode in MODES:
            for via in VIAS:
                what = f"{folder.name}: prompt {i} of {len(case['prompt'])}, {mode}, via {via}"
                with checks.attempt(what):
                    got = tools.logits(scratch, folder, case["prompt"], "--mode", mode, "--via", via)
                    checks.close(got, expected[f"logits.{i}"], what)


def check_tokens(tools, checks, folder, _):
    """The greedy continuation in the four cells, and what memory each says that it took."""
    for i, case in enumerate(read_json(folder / "expected.json")["cases"]):
        for mode, cache in CELLS:
            what = f"{folder.name}: prompt {i}, {mode}, cache {cache}"
            with checks.attempt(what):
                got = tools.generate(folder, case["prompt"], 12, "--ignore-eos", "--mode", mode, "--kv-cache", cache)
                checks.equal(got["prompt_ids"], case["prompt"], f"{what}: prompt_ids")
                checks.equal(got["finish"], "length", f"{what}: finish")
                if case["smallest_top2_gap"] >= SMALLEST_GAP:
                    checks.equal(got["ids"], case["greedy"], f"{what}: ids")
                planned = got["peak_bytes"] if mode == "compiled" else None
                checks.equal(got["planned_bytes"], planned, f"{what}: planned_bytes")
                checks.that(got["peak_bytes"] > 0, f"{what}: peak_bytes: got {got['peak_bytes']}, expected some")


def main():
    tools, checks, theme = Tools(sys.argv[1]), Checks(), sys.argv[3]
    check = {"logits": check_logits, "tokens": check_tokens}[theme]
    folders = sorted(path.parent for path in pathlib.Path(sys.argv[2]).glob("*/config.json"))
    checks.equal(len(folders), NUM_CASES, "checkpoints")
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders:
            check(tools, checks, folder, scratch)
    checks.finish()


if __name__ == "__main__":
    main()
