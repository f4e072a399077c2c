#!/usr/bin/env python3
"""The default model's perplexity on text that it was not trained on: 95 windows of its context.

    perplexity.py BIN VIA MODE
"""
import sys

from tandem import DATA, DEFAULT_MODEL, Checks, Tools, read_json


def main():
    tools, checks, via, mode = Tools(sys.argv[1]), Checks(), sys.argv[2], sys.argv[3]
    expected = read_json(DEFAULT_MODEL / "expected.json")["heldout"]
    got = tools.json("eval", "--file", DATA / "heldout.txt", "--via", via, "--mode", mode)
    what = f"{mode}, via {via}"
    checks.equal(got["tokens"], expected["tokens"] + 1, f"{what}: tokens, of which the first is not predicted")
    checks.equal(f"{got['perplexity']:.4f}", f"{expected['perplexity']:.4f}", f"{what}: perplexity")
    checks.equal(f"{got['mean_nll']:.5f}", f"{expected['mean_nll']:.5f}", f"{what}: mean_nll")
    checks.finish()


if __name__ == "__main__":
    main()
