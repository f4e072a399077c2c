#!/usr/bin/env python3
"""bf16, int8 and int4: every program within its budgets of f32, how well the default model still predicts, and what
a file compiled in one says and does.

    precisions.py BIN REFERENCE
"""
import pathlib
import sys
import tempfile

from tandem import DATA, DEFAULT_MODEL, Checks, Tools, read_json

# How much larger perplexity may be than in f32, and how much smaller the weights have to be: the tables of positions
# and all vectors stay f32, and so does nothing else.
BOUNDS = {"bf16": (0.005, 0.54), "int8": (0.005, 0.31), "int4": (0.03, 0.19)}
TYPES = {"f32": {"f32"}, "bf16": {"f32", "bf16"}, "int8": {"f32", "qint8"}, "int4": {"f32", "qint4"}}


# Its scores are so large that softmax makes much of what eight bits leave out: more than budgets count
# (docs/decisions/0007-error-budgets.md).
ENLARGING = {"unscaled-attention"}


def check_budgets(tools, checks, folders, precision):
    for folder in folders:
        if folder.name in ENLARGING and precision != "bf16":
            continue
        with checks.attempt(f"{folder.name} in {precision}"):
            got = tools.json("verify", folder, "--precision", precision)
            for check in got["checks"]:
                checks.that(check["max_error"] <= check["budget"], f"{folder.name}, {precision}: {check['name']}")
            apart = [check for check in got["checks"] if check["name"].startswith("compiled prefill")]
            checks.that(any(check["max_error"] > 1e-5 for check in apart), f"{folder.name}: got f32 for {precision}")


def check_quality(tools, checks, precision):
    expected = read_json(DEFAULT_MODEL / "expected.json")["heldout"]["perplexity"]
    got = tools.json("eval", "--file", DATA / "heldout.txt", "--precision", precision)["perplexity"]
    print(f"{precision}: perplexity {got:.4f}, {100 * (got / expected - 1):+.3f} % of f32's {expected:.4f}")
    checks.that(got <= expected * (1 + BOUNDS[precision][0]), f"{precision}: got perplexity {got}, f32 has {expected}")


def check_size(tools, checks, precision):
    wide, got = tools.json("info"), tools.json("info", "--precision", precision)
    checks.equal(got["precision"], precision, f"{precision}: info: precision")
    checks.equal(set(got["weights_bytes_by_type"]), TYPES[precision], f"{precision}: info: types of weights")
    share = got["weights_bytes"] / wide["weights_bytes"]
    checks.that(share <= BOUNDS[precision][1], f"{precision}: got weights of {share:.3f} of f32's bytes")


def check_artifact(tools, checks, precision, scratch):
    path = scratch / f"{precision}.tandem"
    tools.output("compile", DEFAULT_MODEL, "-o", path, "--precision", precision)
    run = ["--prompt", "ROMEO:", "-n", 20, "--greedy"]
    checks.equal(tools.json("run", path, *run)["ids"],
                 tools.json("run", DEFAULT_MODEL, *run, "--precision", precision)["ids"], f"{precision}: ids of a file")
    checks.equal(tools.json("info", path)["precision"], precision, f"{precision}: info of a file")
    checks.refused(tools.run("run", path, *run, "--precision", precision), f"{precision}: with a file",
                   names=["--precision", path.name])
    planned = scratch / f"{precision}.mlir"
    planned.write_bytes(tools.output("dump", DEFAULT_MODEL, "--precision", precision))
    checks.equal(tools.json("run", planned, *run)["ids"], tools.json("run", path, *run)["ids"],
                 f"{precision}: ids of a planned dump")
    checks.refused(tools.run("run", planned, *run, "--precision", "f32"), f"{precision}: of a planned dump",
                   names=["--precision", "planned"])


def check_modes(tools, checks, precision):
    """Eager goes the same way, in the same numbers."""
    run = ["run", "--prompt", "ROMEO:", "-n", 12, "--greedy", "--precision", precision]
    checks.equal(tools.json(*run, "--mode", "eager")["ids"], tools.json(*run)["ids"], f"{precision}: eager ids")
    got = tools.json("bench", "--precisions", f"f32,{precision}", "--repeat", 1, "-n", 2, "--prompt-lengths", 5)
    checks.equal({cell["precision"] for cell in got["cells"]}, {"f32", precision}, f"{precision}: bench: cells")


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    folders = sorted(path.parent for path in pathlib.Path(sys.argv[2]).glob("*/config.json"))
    with tempfile.TemporaryDirectory() as scratch:
        for precision in BOUNDS:
            check_budgets(tools, checks, [*folders, DEFAULT_MODEL], precision)
            for check in (check_quality, check_size, check_modes):
                with checks.attempt(f"{precision}: {check.__name__}"):
                    check(tools, checks, precision)
            with checks.attempt(f"{precision}: artifact"):
                check_artifact(tools, checks, precision, pathlib.Path(scratch))
    checks.refused(tools.run("run", "--ids", "1", "--precision", "fp8"), "precision fp8", names=["fp8", "bf16"], status=2)
    checks.finish()


if __name__ == "__main__":
    main()
