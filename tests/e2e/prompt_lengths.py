#!/usr/bin/env python3
"""Prompts of every length: whole buckets, padded last chunks, several chunks, the full context. The logits of a start
of a prompt must be the first rows of the whole prompt's, and the first new token must be what they say.

    prompt_lengths.py BIN REFERENCE
"""
import pathlib
import sys
import tempfile

import numpy as np

from tandem import DEFAULT_MODEL, MODES, SMALLEST_GAP, VIAS, Checks, Tools, read_json


def prompt_for(model):
    """As many tokens as the model has positions, and no two lengths alike."""
    config = read_json(model / "config.json")
    return np.random.default_rng(5).integers(0, config["vocab_size"], config["n_positions"]).tolist()


def check_logits(tools, checks, scratch, model, lengths, *options):
    """`lengths` tokens of a prompt against the same rows of the eager forward's logits; returns those."""
    ids = prompt_for(model)
    whole = tools.logits(scratch, model, ids, "--via", "forward", "--mode", "eager").copy()
    for via in VIAS:
        for length in lengths if via != "decode" else lengths[-1:]:
            got = tools.logits(scratch, model, ids[:length], "--via", via, *options)
            checks.close(got, whole[:length], f"{model.name}: {length} tokens via {via} {options}")
    return whole


def check_next(tools, checks, model, lengths, whole, *options):
    """The head runs once a prompt, on the row of its last token."""
    ids = prompt_for(model)
    for length in lengths:
        second, best = np.sort(whole[length - 1])[-2:]
        if best - second >= SMALLEST_GAP:
            got = tools.generate(model, ids[:length], 1, *options)["ids"]
            checks.equal(got, [int(whole[length - 1].argmax())], f"{model.name}: after {length} tokens {options}")


def main():
    tools, checks, reference = Tools(sys.argv[1]), Checks(), pathlib.Path(sys.argv[2])
    odd, base = reference / "odd-sizes", reference / "base"
    with tempfile.TemporaryDirectory() as scratch:
        every = list(range(1, 38))
        for mode in MODES:
            whole = check_logits(tools, checks, scratch, odd, every, "--mode", mode)
            check_next(tools, checks, odd, every, whole, "--mode", mode)
        check_next(tools, checks, odd, [1, 15, 16, 17, 36, 37], whole, "--kv-cache", "off")
        # Buckets that divide neither the context nor each other, the cache's blocks, and a bucket past the context.
        for buckets, lengths in (("5,7", [1, 4, 5, 6, 7, 8, 12, 13, 32, 33, 64]), ("64", [1, 33, 63, 64]),
                                 ("1", [1, 2, 33]), ("16,100", [15, 16, 17, 33, 63, 64])):
            whole = check_logits(tools, checks, scratch, base, lengths, "--buckets", buckets)
            check_next(tools, checks, base, lengths, whole, "--buckets", buckets)
        lengths = [1, 16, 17, 63, 64, 65, 81, 255, 256]
        whole = check_logits(tools, checks, scratch, DEFAULT_MODEL, lengths)
        check_next(tools, checks, DEFAULT_MODEL, lengths, whole)
    checks.finish()


if __name__ == "__main__":
    main()
