#!/usr/bin/env python3
"""Dumps of every stage, run as models: as they are, edited, and damaged.

    run_dumps.py BIN REFERENCE
"""
import pathlib
import re
import sys
import tempfile

import numpy as np

from tandem import DEFAULT_MODEL, VIAS, Checks, Tools, read_json

STAGES = ["imported", "specialized", "fused", "typed", "laid-out", "scheduled", "planned"]
FOLDERS = ["base", "untied-head", "relu-narrow-mlp", "odd-sizes", "sharded", "bare-names-with-buffers"]


def dump(tools, model, stage, path):
    path.write_bytes(tools.output("dump", model, "--stage", stage, "--threads", 2))
    return path


def check_dumps(tools, checks, folder, scratch):
    """Each stage, dumped and run, gives the folder's logits; from each, each later one can be dumped."""
    ids = read_json(folder / "expected.json")["cases"][2]["prompt"]
    expected = {via: tools.logits(scratch, folder, ids, "--via", via, "--threads", 2).copy() for via in VIAS}
    for stage in STAGES:
        what = f"{folder.name}: {stage}"
        path = dump(tools, folder, stage, scratch / f"{stage}.mlir")
        for via in VIAS:
            with checks.attempt(f"{what}, via {via}"):
                got = tools.logits(scratch, path, ids, "--via", via, "--threads", 2)
                checks.close(got, expected[via], f"{what}, via {via}")
                if stage == "planned":
                    checks.that((got == expected[via]).all(), f"{what}, via {via}: got other bits than the folder's")
        if stage in STAGES[:2]:
            got = tools.logits(scratch, path, ids, "--via", "decode", "--mode", "eager")
            checks.close(got, expected["decode"], f"{what}, eager")
        else:
            done = tools.run("eval", path, "--ids", "1", "--mode", "eager")
            checks.refused(done, f"{what}, eager", names=[path, "specialized", stage])
    text = {stage: (scratch / f"{stage}.mlir").read_bytes() for stage in STAGES}
    for i, stage in enumerate(STAGES):
        for later in STAGES[i:]:
            got = tools.output("dump", scratch / f"{stage}.mlir", "--stage", later, "--threads", 2)
            checks.that(got == text[later], f"{folder.name}: {later} from {stage}: got other text than from the folder")
        for earlier in STAGES[:i]:
            done = tools.run("dump", scratch / f"{stage}.mlir", "--stage", earlier)
            checks.refused(done, f"{folder.name}: {earlier} from {stage}", names=[earlier, stage])


def check_unmarked(tools, checks, folder, scratch):
    """A stage is recognised where the module does not say it."""
    ids = read_json(folder / "expected.json")["cases"][2]["prompt"]
    expected = tools.logits(scratch, folder, ids).copy()
    for stage in STAGES:
        path = dump(tools, folder, stage, scratch / "unmarked.mlir")
        text = path.read_text()
        path.write_text(re.sub(r'tandem\.stage = "[^"]*", ', "", text, count=1))
        checks.that(path.read_text() != text, f"unmarked: {stage}: got no tandem.stage in the dump")
        with checks.attempt(f"unmarked: {stage}"):
            checks.close(tools.logits(scratch, path, ids), expected, f"unmarked: {stage}")


def with_another_scale(text, function):
    """The text with the first scale of an attention changed in a function."""
    start = text.index(f"@{function}(")
    return text[:start] + re.sub(r"(factor|scale) = 0\.3535\d+", r"\1 = 0.5", text[start:], count=1)


def check_verify(tools, checks, folder, scratch):
    """Programs that were derived before hold against the folder's model; what was changed in them is found, by name."""
    for stage in STAGES[1:]:
        path = dump(tools, folder, stage, scratch / "verified.mlir")
        with checks.attempt(f"verify: {stage}"):
            got = tools.json("verify", path, "--threads", 2)
            checks.equal(got["ok"], True, f"verify: {stage}: ok")
            names = {op["name"] for check in got["checks"] for op in check.get("ops", [])}
            checks.that("h.2.mlp.c_proj (add 2)" in names, f"verify: {stage}: got no ops by name: {sorted(names)[:9]}")
        for function in ("decode_1", "prefill_32", "forward_32"):
            path.write_text(with_another_scale(dump(tools, folder, stage, path).read_text(), function))
            done = tools.run("verify", path, "--threads", 2)
            checks.equal(done.returncode, 1, f"verify: {stage}, {function} edited: status")
            line = done.stderr.decode()
            checks.that(line.startswith("error: ") and "h.0.attn" in line and line.count("\n") == 1,
                        f"verify: {stage}, {function} edited: got {line!r}, expected it to name h.0.attn")


def check_edits(tools, checks, folder, scratch):
    """A module does what its text says: one scale that was changed changes the logits behind it."""
    ids = read_json(folder / "expected.json")["cases"][2]["prompt"]
    for stage in STAGES:
        path = dump(tools, folder, stage, scratch / "edited.mlir")
        before = tools.logits(scratch, path, ids, "--via", "decode").copy()
        text = path.read_text()
        edited = with_another_scale(text, "forward" if stage == "imported" else "decode_1")
        checks.that(edited != text, f"edited: {stage}: got no scale to change")
        path.write_text(edited)
        with checks.attempt(f"edited: {stage}"):
            after = tools.logits(scratch, path, ids, "--via", "decode")
            checks.that((before[0] == after[0]).all(), f"edited: {stage}: got other logits where there is one position")
            checks.that(np.abs(before - after).max() > 1e-3, f"edited: {stage}: got the same logits")
            prefilled = tools.logits(scratch, path, ids, "--via", "prefill")
            isBehind = stage == "imported"  # the other programs are still to be derived
            checks.equal(bool(np.abs(before - prefilled).max() > 1e-3), isBehind, f"edited: {stage}: prefill changed")


def check_text(tools, checks, scratch):
    """A dump of a model with a tokenizer and sampling defaults has them still; one of decode alone decodes."""
    path = dump(tools, DEFAULT_MODEL, "laid-out", scratch / "shakespeare.mlir")
    tokenize = ["--text", "ROMEO:"]
    checks.equal(tools.json("tokenize", path, *tokenize), tools.json("tokenize", DEFAULT_MODEL, *tokenize), "tokenize")
    run = ["--prompt", "ROMEO:", "-n", 12, "--seed", 3, "--threads", 2]
    got, expected = tools.json("run", path, *run), tools.json("run", DEFAULT_MODEL, *run)
    for key in ("ids", "text", "finish"):
        checks.equal(got[key], expected[key], f"run: {key}")
    path.write_bytes(tools.output("dump", DEFAULT_MODEL, "--function", "decode", "--threads", 2))
    evaluate = ["eval", path, "--ids", "1,2"]
    checks.refused(tools.run(*evaluate), "prefill by decode alone", names=["prefill"])
    checks.equal(tools.json(*evaluate, "--via", "decode")["tokens"], 2, "decode alone: tokens")
    done = tools.run(*evaluate, "--via", "decode", "--threads", 4)
    checks.refused(done, "more threads than planned for", names=["threads", 4, 2])


def changed(pattern, by):
    """The first match in the text changed."""
    return lambda text: re.sub(pattern, by, text, count=1, flags=re.M)


VIEW = r"memref\.view %arg0\[%c\w+\]\[\] : memref<\d+xi8, #transient> to "

# What is done to the planned dump of a folder's decode program, and what the line has to name.
PLANS = [
    ("a place past the end", changed(r"arith\.constant \d+ : index", "arith.constant 99999936 : index"), ["99999936"]),
    ("a place of no element", changed(r"arith\.constant 0 : index", "arith.constant 2 : index"), ["2"]),
    ("a parameter past the others", changed(r" at 0$", " at 9"), ["9"]),
    ("a place of two rows", changed(f"({VIEW})memref<1x", r"\1memref<2x"), [".mlir:", "type"]),
    ("buffers without a place", changed(VIEW, "memref.alloc() : "), [".mlir:", "memref.alloc"]),
    ("a cache of fewer layers", changed("layers = 3", "layers = 2"), [".mlir:", "layer"]),
]


def check_bad_plans(tools, checks, folder, scratch):
    """PLANS; and options that come too late."""
    path = scratch / "bad.mlir"
    plan = tools.output("dump", folder, "--function", "decode", "--threads", 2, "--no-comments").decode()
    for what, edit, names in PLANS:
        path.write_text(edit(plan))
        checks.that(edit(plan) != plan, f"{what}: got the text as it was")
        checks.refused(tools.run("eval", path, "--ids", "1,2", "--via", "decode"), what, names=names)
    path.write_text(plan.replace("tandem.threads = 2", "tandem.threads = 7"))
    done = tools.run("eval", path, "--ids", "1,2", "--via", "decode", "--threads", 7)
    checks.refused(done, "more threads than there is scratch for", names=["scratch", 7])
    dump(tools, folder, "fused", path)
    for option, names in ((["--context", 8], ["--context", "imported"]), (["--buckets", 16], ["--buckets", "imported"]),
                          (["--disable-pass", "fuse-linear"], ["fuse-linear", "schedule"])):
        checks.refused(tools.run("run", path, "--ids", "1", *option), f"fused, {option[0]}", names=names)


def main():
    tools, checks, reference = Tools(sys.argv[1]), Checks(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name in FOLDERS:
            check_dumps(tools, checks, reference / name, scratch)
        for check in (check_unmarked, check_edits, check_verify, check_bad_plans):
            check(tools, checks, reference / "base", scratch)
        check_text(tools, checks, scratch)
    checks.finish()


if __name__ == "__main__":
    main()
