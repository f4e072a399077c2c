#!/usr/bin/env python3
"""Buckets: what `info` says of them, and those that --plan-for chooses for a list of prompt lengths.

    buckets.py BIN
"""
import pathlib
import sys
import tempfile

from tandem import Checks, Tools, comma

READING = 32  # rows whose arithmetic takes as long as reading the weights, as runtime/Bucket.h has it


def cost(plan):
    """By the formula of runtime/BucketPlan.h, from what the plan says of each length; without the programs."""
    return sum(one["count"] * sum(rows + READING for rows in one["runs"]) for one in plan["lengths"])


def check_info(tools, checks, scratch):
    checks.equal(tools.json("info")["buckets"], {"prefill": [8, 32, 128, 256], "decode": [1], "head": [1]}, "info")
    got = tools.json("info", "--buckets", "16,5,16", "--batch", 6)["buckets"]
    checks.equal(got, {"prefill": [5, 16], "decode": [1, 2, 4, 6], "head": [1]}, "info of other buckets")
    got = tools.json("info", "--kv-cache", "off")["buckets"]
    checks.equal(got, {"forward": [16, 24, 32, 48, 64, 96, 128, 192, 256], "head": [1]}, "info without a cache")
    text = tools.output("info", "--buckets", "16,5").decode()
    checks.that('"prefill":[5,16]' in text, f"info as text: got {text!r}")
    artifact = scratch / "m.tandem"
    tools.output("compile", "-o", artifact, "--buckets", "24", "--batch", 2)
    got = tools.json("info", artifact)["buckets"]
    checks.equal(got, {"prefill": [24], "decode": [1, 2], "head": [1, 64]}, "info of an artifact")


def check_plan(tools, checks, scratch):
    lengths = [40] * 50 + [100] * 20 + [7] * 5 + [200]
    file = scratch / "lengths.txt"
    file.write_text("".join(f"{length}\n" for length in lengths))
    document = tools.json("info", "--plan-for", file)
    plan = document["bucket_plan"]
    checks.equal(document["buckets"]["prefill"], plan["buckets"], "the plan's buckets are compiled")
    checks.equal([(one["length"], one["count"]) for one in plan["lengths"]], [(7, 5), (40, 50), (100, 20), (200, 1)],
                 "lengths and counts")
    for one in plan["lengths"]:
        checks.equal(one["padded_rows"], one["count"] * (sum(one["runs"]) - one["length"]), f"padding of {one}")
        checks.that(set(one["runs"]) <= set(plan["buckets"]), f"got {one}, expected runs of the plan's buckets")
    programs = plan["cost"] - cost(plan)
    checks.that(programs > 0 and programs % len(plan["buckets"]) == 0, f"the cost of programs: got {programs}")
    table = tools.output("info", "--plan-for", file).decode()
    for text in ("length   count  padded rows", f"--buckets {comma(plan['buckets'])}", str(plan["cost"])):
        checks.that(text in table, f"info's table: got {table!r}, expected {text!r}")
    table = table[table.index("length "):]
    # Elsewhere the table is on standard error, and the buckets are those that were chosen.
    model = scratch / "planned.tandem"
    for args in (["compile", "-o", model], ["run", "--ids", "1,2,3", "-n", 2], ["eval", "--ids", "1,2,3"],
                 ["dump", "--stage", "specialized", "--function", "prefill"], ["verify", "--context", 200],
                 ["bench", "--repeat", 1, "-n", 1, "--prompt-lengths", 3, "--modes", "compiled"]):
        done = tools.run(*args, "--plan-for", file)
        checks.equal(done.returncode, 0, f"{args[0]} with --plan-for: status")
        checks.equal(done.stderr.decode(), table, f"{args[0]} with --plan-for: standard error")
        if args[0] == "dump":
            got = [rows for rows in range(1, 257) if b"@prefill_%d(" % rows in done.stdout]
            checks.equal(got, plan["buckets"], "dump with --plan-for: programs")
    checks.equal(tools.json("info", model)["buckets"]["prefill"], plan["buckets"], "compile with --plan-for: buckets")
    return file


def check_refused(tools, checks, scratch, file):
    for what, content, names in (("a word", "8\nten\n", ["line 2", "'ten'"]), ("zero", "0\n", ["line 1", "'0'"]),
                                 ("a fraction", "8\n8\n1.5\n", ["line 3", "'1.5'"]), ("too long", "257\n", ["257", "256"]),
                                 ("an empty line", "8\n\n9\n", ["line 2"]), ("nothing", "", ["lines"])):
        bad = scratch / "bad.txt"
        bad.write_text(content)
        for command in (["info"], ["run", "--ids", "1"]):
            checks.refused(tools.run(*command, "--plan-for", bad), f"lengths: {what}", names=[bad, *names])
    checks.refused(tools.run("info", "--context", 100, "--plan-for", file), "past --context", names=["200", "100"])
    checks.refused(tools.run("info", "--plan-for", file, "--buckets", "8"), "with --buckets", 2,
                   ["--plan-for", "--buckets"])
    checks.refused(tools.run("info", "--plan-for", "/nowhere/x"), "no such file", names=["/nowhere/x"])
    checks.refused(tools.run("run", scratch / "planned.tandem", "--ids", "1", "--plan-for", file), "an artifact",
                   names=["--plan-for"])


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check_info(tools, checks, scratch)
        file = check_plan(tools, checks, scratch)
        check_refused(tools, checks, scratch, file)
    checks.finish()


if __name__ == "__main__":
    main()
