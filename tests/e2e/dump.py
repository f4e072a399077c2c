#!/usr/bin/env python3
"""The forms of a dump agree: comments, documents and graphs say the same of one module, at every stage.

    dump.py BIN
"""
import json
import re
import shutil
import subprocess
import sys
from collections import Counter

from tandem import Checks, Tools

LAYERS = 6
NODE = re.compile(r'n(\d+) \[label="([^"]*)"(, \w+=("[^"]*"|\w+))*\];')
EDGE = re.compile(r'n(\d+) -> n(\d+) \[(label="[^"]*"|color=\w+, arrowsize=0.5)\];')
OTHER = re.compile(r'digraph module \{|(node|edge) \[.*\];|subgraph "cluster_[\w.]+" \{|'
                   r'label="[^"]*";( color=\w+;)?|\}')


def stages(tools):
    """As the command line knows them."""
    said = tools.run("dump", "--stage", "none").stderr.decode()
    return re.split(r"\W*,\W*", re.search(r"imported[^.]*planned", said)[0])


def total(works, field):
    sums = Counter()
    for work in works:
        sums.update(work[field])
    return dict(sums)


def check_document(checks, what, document, text):
    names = [function["name"] for function in document["functions"]]
    checks.equal(names, re.findall(r"func\.func @(\w+)", text), f"{what}: functions")
    checks.equal([parameter["name"] for parameter in document["parameters"]],
                 re.findall(r"tandem\.parameter @(\S+)", text), f"{what}: parameters")
    for function in document["functions"]:
        where = f"{what}: {function['name']}"
        working = [op for op in function["ops"] if "flop" in op]
        checks.equal(function["working_ops"], len(working), f"{where}: working_ops")
        checks.equal(function["flop"], sum(op["flop"] for op in working), f"{where}: flop")
        for field in ("bytes_read", "bytes_written"):
            checks.equal(function[field], total(working, field), f"{where}: {field}")
        known = {argument["value"] for argument in function["arguments"]}
        for op in function["ops"]:
            for operand in op["operands"] + op["destinations"]:
                name = operand["value"]
                checks.that(name in known or name.split("#")[0] in known, f"{where}: {op['op']}: {name} is not defined")
            known |= {result["value"] for result in op["results"]}
        if "arena_bytes" in function:
            bound, size = function["arena_lower_bound_bytes"], function["arena_bytes"]
            checks.that(0 <= bound <= size, f"{where}: got a lower bound of {bound}, expected at most {size}")


def check_comments(tools, checks, what, options, plain, document):
    text = tools.output("dump", *options).decode()
    lines = [re.sub(r"  // .*", "", line) for line in text.splitlines() if not line.strip().startswith("//")]
    checks.equal("\n".join(lines).strip(), plain.strip(), f"{what}: without its comments")
    counted = len(re.findall(r"^ {8}// ", text, re.MULTILINE))
    checks.equal(counted, sum(function["working_ops"] for function in document["functions"]), f"{what}: comments")


def check_graph(tools, checks, what, options, document):
    """Well-formed, every op in it once, and a way from the first argument to each output."""
    text = tools.output("dump", *options, "--format", "dot").decode()
    nodes, readers = {}, {}
    for line in map(str.strip, text.splitlines()):
        if node := NODE.fullmatch(line):
            nodes[node[1]] = node[2].split("\\n")
        elif edge := EDGE.fullmatch(line):
            checks.that(edge[1] in nodes and edge[2] in nodes, f"{what}: dot: {line}: got an unknown node")
            readers.setdefault(edge[1], set()).add(edge[2])
        else:
            checks.that(OTHER.fullmatch(line), f"{what}: dot: got {line!r}")
    checks.equal(text.count("{"), text.count("}"), f"{what}: dot: braces")
    ops = Counter((op["op"], op["where"])
                  for function in document["functions"] for op in function["ops"] if "flop" in op)
    drawn = Counter((label[0], label[1]) for label in nodes.values() if len(label) > 1)
    missing = {op: count for op, count in ops.items() if op[1] and drawn[op] != count}
    checks.that(not missing, f"{what}: dot: got other boxes for {list(missing)[:5]}")
    starts = [number for number, label in nodes.items() if label[0] in ("tokens", "hidden")]
    reached, todo = set(), [start for start in starts if start in readers]
    while todo:
        node = todo.pop()
        if node not in reached:
            reached.add(node)
            todo += readers.get(node, ())
    ends = [number for number, label in nodes.items() if label[0] in ("hidden", "logits") and number not in readers]
    checks.that(ends, f"{what}: dot: got no output")
    checks.that(all(end in reached for end in ends), f"{what}: dot: got an output that no input reaches")
    if shutil.which("dot"):
        done = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, timeout=600)
        checks.that(done.returncode == 0 and b"</svg>" in done.stdout, f"{what}: dot: {done.stderr.decode()[:300]}")


def check_differences(tools, checks):
    for stage in stages(tools):
        same = tools.output("dump", "--diff", stage, stage, "--format", "json").decode()
        same = json.loads(same)
        checks.that(all(not function["changes"] and not function["moved"] for function in same["functions"]) and
                    not same["parameters"], f"--diff {stage} {stage}: got changes")
    options = ("--diff", "specialized", "fused", "--function", "decode", "--format", "json")
    diff = json.loads(tools.output("dump", *options).decode())
    (function,) = diff["functions"]
    ops = {name: (pair["before"]["count"], pair["after"]["count"]) for name, pair in function["ops"].items()}
    for name, counts in {"matmul": (6 * LAYERS + 1, 0), "softmax": (LAYERS, 0), "linear": (0, 4 * LAYERS + 1),
                         "cached_attention": (0, LAYERS), "kv_append": (LAYERS, LAYERS)}.items():
        checks.equal(ops[name], counts, f"--diff specialized fused: {name}")
    for layer in range(LAYERS):
        (change,) = [change for change in function["changes"] if change["where"] == f"h.{layer}.attn"]
        checks.equal(change["added"], {"cached_attention": 1}, f"--diff specialized fused: h.{layer}.attn")
        checks.equal(change["removed"].get("matmul"), 2, f"--diff specialized fused: h.{layer}.attn")
        checks.that(change["bytes_after"] < change["bytes_before"], f"h.{layer}.attn: got bytes {change}")
    # One row instead of eight: an eighth of the products, and no other op but the head's.
    diff = json.loads(tools.output("dump", "--stage", "fused", "--diff", "prefill_8", "decode", "--format",
                                   "json").decode())
    (function,) = diff["functions"]
    checks.equal((function["before"], function["after"]), ("prefill_8", "decode_1"), "--diff prefill_8 decode: names")
    attention = function["ops"]["cached_attention"]
    checks.equal(attention["before"]["flop"], 8 * attention["after"]["flop"], "--diff prefill_8 decode: FLOP")
    checks.equal([change["added"] for change in function["changes"] if change["added"]], [{"linear": 1}],
                 "--diff prefill_8 decode: added")


def check_refusals(tools, checks):
    for status, options, names in (
            (2, ["--diff", "fused", "decode_1"], ["--diff", "decode_1", "specialized"]),
            (1, ["--diff", "decode_1", "decode_9"], ["--diff", "decode_9", "prefill_8", "decode_1"]),
            (2, ["--diff", "fused"], ["--diff"]),
            (2, ["--diff", "fused", "planned", "--stage", "fused"], ["--stage", "--diff"]),
            (2, ["--diff", "fused", "planned", "--format", "dot"], ["--format", "dot"]),
            (2, ["--no-comments", "--format", "json"], ["--no-comments", "json"]),
            (2, ["--no-comments", "--diff", "fused", "planned"], ["--no-comments", "--diff"])):
        checks.refused(tools.run("dump", *options), " ".join(options), status=status, names=names)


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    for stage in stages(tools):
        for phase in ("forward",) if stage == "imported" else ("forward", "prefill", "decode", "head"):
            options = ("--stage", stage, "--function", phase)
            what = " ".join(options)
            plain = tools.output("dump", *options, "--no-comments").decode()
            document = json.loads(tools.output("dump", *options, "--format", "json").decode())
            checks.equal(document["stage"], stage, f"{what}: stage")
            check_document(checks, what, document, plain)
            check_comments(tools, checks, what, options, plain, document)
            check_graph(tools, checks, what, options, document)
    check_differences(tools, checks)
    check_refusals(tools, checks)
    checks.finish()


if __name__ == "__main__":
    main()
