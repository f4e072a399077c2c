#!/usr/bin/env python3
"""What oneDNN itself says (ONEDNN_VERBOSE) of a compiled run: every primitive is created before the first token, none is
a reorder, and decoding, whose kernels are our own, executes none.

    decode_work.py BIN
"""
import os
import pathlib
import sys
import tempfile

from tandem import DEFAULT_MODEL, Checks, Tools, ToolFailed

VERBOSE = os.environ | {"ONEDNN_VERBOSE": "all", "DNNL_VERBOSE": "2"}


def work(tools, *args, tool="tandem"):
    """Lines of oneDNN's log, by what they are of: {"create": .., "exec": .., "reorder": ..}."""
    done = tools.run(*args, tool=tool, env=VERBOSE)
    if done.returncode != 0:
        raise ToolFailed(done.stderr.decode())
    lines = [line.split(",") for line in done.stdout.decode().splitlines() if line.startswith("onednn_verbose")]
    kinds = {"create": 0, "exec": 0, "reorder": 0}
    for line in lines:
        for kind in kinds:
            kinds[kind] += any(part.startswith(kind) for part in line)
    return kinds


def check_steps(tools, checks, what, *args, tool="tandem"):
    with checks.attempt(what):
        few, many = (work(tools, *args, "-n", count, tool=tool) for count in (2, 22))
        checks.equal(many, few, f"{what}: twenty steps more")
        checks.equal(many["reorder"], 0, f"{what}: reorders")
        checks.that(many["create"] > 0, f"{what}: got no primitives, expected the test to see those of prefill")


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        prompts, artifact = scratch / "prompts.txt", scratch / "m.tandem"
        prompts.write_text("ROMEO: what is it that you say to me\nA\nThe king\n")
        tools.output("compile", "-o", artifact, "--batch", 3)
        greedy = ("--greedy", "--ignore-eos")
        check_steps(tools, checks, "one prompt", "run", DEFAULT_MODEL, "--ids", "1,2,3", *greedy)
        check_steps(tools, checks, "three prompts", "run", DEFAULT_MODEL, "--prompts", prompts, *greedy)
        check_steps(tools, checks, "an artifact", artifact, "--prompts", prompts, *greedy, tool="tandem-run")
    checks.finish()


if __name__ == "__main__":
    main()
