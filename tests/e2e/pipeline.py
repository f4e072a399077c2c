#!/usr/bin/env python3
"""What is left out, or run otherwise, changes the programs and not the numbers.

    pipeline.py BIN REFERENCE
"""
import pathlib
import sys
import tempfile

from tandem import VIAS, Checks, Tools, read_json, read_safetensors

PASSES = ["fuse-attention", "fuse-linear", "merge-projections", "fuse-embedding", "fuse-add-layer-norm",
          "assign-layouts", "schedule"]
CHOICES = [*(["--disable-pass", name] for name in PASSES),
           [word for name in PASSES for word in ("--disable-pass", name)],
           ["--threads", 1], ["--threads", 1, "--mode", "eager"], ["--context", 33],
           ["--context", 30, "--mode", "eager"]]


def main():
    tools, checks, reference = Tools(sys.argv[1]), Checks(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("base", "inverse-layer-scale"):
            folder = reference / name
            case = read_json(folder / "expected.json")["cases"][2]
            expected = read_safetensors(folder / "expected.safetensors")["logits.2"]
            for choice in CHOICES:
                for via in VIAS if name == "base" else ("prefill", "decode"):
                    what = f"{name}, via {via}, {' '.join(map(str, choice))}"
                    with checks.attempt(what):
                        got = tools.logits(scratch, folder, case["prompt"], "--via", via, *choice)
                        checks.close(got, expected, what)
        folder = reference / "base"
        ids = read_json(folder / "expected.json")["cases"][0]["prompt"]
        for option, word in ((["--print-after", "fuse-linear"], b"tandem.linear"), (["--timing"], b"fuse-linear")):
            done = tools.run("run", folder, "--ids", ids[0], "-n", 1, "--json", *option)
            checks.equal(done.returncode, 0, f"{option}: status")
            checks.that(word in done.stderr or word.title() in done.stderr or b"FuseLinear" in done.stderr,
                        f"{option}: got no {word.decode()} on standard error")
            checks.equal(done.stdout.count(b"\n"), 1, f"{option}: lines of standard output")
    checks.finish()


if __name__ == "__main__":
    main()
