#!/usr/bin/env python3
"""A graph that a person wrote as a model, and files that do not do.

    graphs.py BIN
"""
import pathlib
import re
import shutil
import sys
import tempfile

import numpy as np

from tandem import DATA, MODES, VIAS, Checks, Tools, comma, write_safetensors

GRAPH = DATA / "graphs" / "plain.mlir"
LENGTHS = (1, 9, 40)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def norm(x, gain, shift):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-4) * gain + shift


def graph_logits(w, ids):
    """What GRAPH says, in float64: [T, 61]."""
    w = {name: np.asarray(array, np.float64) for name, array in w.items()}
    T = len(ids)
    x = w["words"][ids] + w["places"][np.arange(T)]
    later = np.triu(np.full((T, T), -np.inf), 1)

    def by_head(rows):
        return rows.reshape(T, 3, 8).transpose(1, 0, 2)

    for layer in ("lower.", "upper."):
        n = norm(x, w[layer + "calm.gain"], w[layer + "calm.shift"])
        q = by_head(0.35 * (n @ w[layer + "ask"] + w[layer + "ask.bias"]))
        k = by_head(n @ w[layer + "offer"])
        v = by_head(n @ w[layer + "give"] + w[layer + "give.bias"])
        mixed = (softmax(q @ k.transpose(0, 2, 1) + later) @ v).transpose(1, 0, 2).reshape(T, 24)
        x = x + mixed @ w[layer + "join"] + w[layer + "join.bias"]
        n = norm(x, w[layer + "settle.gain"], w[layer + "settle.shift"])
        wide = np.maximum(n @ w[layer + "widen"].T + w[layer + "widen.bias"], 0)
        x = x + wide @ w[layer + "narrow"] + w[layer + "narrow.bias"]
    return norm(x, w["last.gain"], w["last.shift"]) @ w["speak"]


def graph_weights(text):
    """Random weights of every parameter that the graph declares."""
    rng = np.random.default_rng(5)
    shapes = {"row": (24,), "square": (24, 24)}
    weights = {}
    for name, alias, sizes in re.findall(r"tandem\.parameter @(\S+) : (?:!(\w+)|tensor<([\dx]+)xf32>)", text):
        shape = shapes[alias] if alias else tuple(map(int, sizes.split("x")))
        spread = 1 if name in ("words", "places") else shape[0] ** -0.5
        weights[name] = ((1 if name.endswith("gain") else 0) + spread * rng.standard_normal(shape)).astype("<f4")
    return weights


def stating(attributes, text):
    """The text with attributes of its module, which begins behind the aliases."""
    at = text.index("tandem.parameter")
    return f"{text[:at]}module attributes {{{attributes}}} {{\n{text[at:]}}}\n"


def write_graph(folder, text, weights, beside="net.safetensors"):
    (folder / "net.mlir").write_text(text)
    write_safetensors(folder / beside, weights)
    return folder / "net.mlir"


def check_written_graph(tools, checks, scratch):
    """Every program of GRAPH against float64, from each place that its weights may have."""
    text = GRAPH.read_text()
    weights = graph_weights(text)
    rng = np.random.default_rng(6)
    prompts = [rng.integers(0, 61, length).tolist() for length in LENGTHS]
    (scratch / "graph").mkdir()
    net = write_graph(scratch / "graph", text, weights)
    for ids in prompts:
        expected = graph_logits(weights, ids)
        for mode in MODES:
            for via in VIAS:
                what = f"written graph: {len(ids)} tokens, {mode}, via {via}"
                with checks.attempt(what):
                    checks.close(tools.logits(scratch, net, ids, "--mode", mode, "--via", via), expected, what)
    info = tools.json("info", net)
    for key, value in {"name": "net", "layers": 2, "heads": 3, "embed": 24, "inner": 40, "vocab": 61, "positions": 40,
                       "parameters": sum(map(np.size, weights.values())), "kv_bytes_per_token": 2 * 2 * 24 * 4}.items():
        checks.equal(info[key], value, f"written graph: info: {key}")
    with checks.attempt("written graph: run"):
        got = tools.generate(net, prompts[1], 8)
        ids = list(prompts[1])
        for _ in range(8):
            ids.append(int(graph_logits(weights, ids)[-1].argmax()))
        checks.equal(got["ids"], ids[9:], "written graph: the most probable continuation")
    fused = tools.output("dump", net, "--stage", "fused", "--function", "decode").decode()
    for op in ("matmul", "softmax", "activation %"):
        checks.that(f"tandem.{op}" not in fused, f"written graph: got a tandem.{op} that was not fused")
    for output in (net, net.with_suffix(".safetensors")):
        done = tools.run("eval", net, "--ids", "1", "--logits", output)
        checks.refused(done, f"written graph: logits over {output.name}", names=["--logits", output])
    compiled = scratch / "graph" / "net.tandem"
    tools.output("compile", net, "-o", compiled)
    args = [compiled, "--ids", comma(prompts[1]), "--greedy", "-n", 8]
    checks.equal(tools.json(*args, tool="tandem-run")["ids"], got["ids"], "written graph: tandem-run")
    check_places(tools, checks, scratch, text, weights, prompts[1])


def check_places(tools, checks, scratch, text, weights, ids):
    """Weights in model.safetensors, or where the module says; a program attribute that says what else is inferred."""
    stated = ('@net(%tokens: !ids {tandem.name = "tokens"}, %positions: !ids {tandem.name = "positions"}) -> '
              '(tensor<?x61xf32> {tandem.name = "logits"}) attributes {tandem.program = #tandem.program<model, '
              'positions = 20>} {')
    stated = text.replace("@net(%tokens: !ids, %positions: !ids) -> tensor<?x61xf32> {", stated)
    elsewhere = stating('tandem.weights = "../far/w.safetensors", tandem.eos_tokens = array<i64: 7>', stated)
    (scratch / "far").mkdir()
    write_safetensors(scratch / "far" / "w.safetensors", weights)
    for name, graph, beside, positions in (("own", text, "net.safetensors", 40),
                                           ("folder", stated, "model.safetensors", 20),
                                           ("far", elsewhere, "other.safetensors", 20)):
        folder = scratch / f"at-{name}"
        folder.mkdir()
        net = write_graph(folder, graph, weights, beside)
        with checks.attempt(f"weights at {name}"):
            checks.close(tools.logits(scratch, net, ids), graph_logits(weights, ids), f"weights at {name}")
            checks.equal(tools.json("info", net)["positions"], positions, f"weights at {name}: positions")
            shown = tools.json("info", net, "--context", 12)["positions"]
            checks.equal(shown, 12, f"weights at {name}: positions with --context 12")


def replaced(old, new):
    return lambda text: text.replace(old, new, 1)


def inside(attributes):
    return lambda text: stating(attributes, text)


HEAD = "-> tensor<?x61xf32> {"
MANY, HUGE = 1 << 60, f"{1 << 32}x{1 << 32}"

# What is done to GRAPH's text, and what the line has to name.
GRAPHS = [
    ("an unknown op", replaced("tandem.softmax", "tandem.hardmax"), ["net.mlir:", "tandem.hardmax"]),
    ("a syntax error", replaced("%word = ", "%word == "), ["net.mlir:"]),
    ("an empty file", lambda text: "", ["net.mlir", "functions", "none"]),
    ("half a file", lambda text: text[:len(text) // 2], ["net.mlir:"]),
    ("bytes that are no text", lambda text: "\0\1\2" * 50, ["net.mlir:"]),
    ("brackets without end", lambda text: "module attributes {a = " + "[" * 100000, ["net.mlir:1", "nested"]),
    ("an op of another dialect", replaced("return", "%c = arith.constant 1 : i32\n  return"), ["arith.constant"]),
    ("another shape", replaced("-> tensor<?x61xf32>\n", "-> tensor<?x60xf32>\n"), ["net.mlir:", "61", "60"]),
    ("a weight nobody declares", replaced("tandem.weight @speak", "tandem.weight @shout"), ["tandem.weight", "@shout"]),
    ("another weight's name", replaced("parameter @lower.ask :", "parameter @lower.asks :"), ["@lower.ask"]),
    ("positions nobody says", replaced("%places, %positions :", "%places, %tokens :"), ["@net", "positions = "]),
    ("positions without number",
     replaced(HEAD, HEAD[:-1] + f"attributes {{tandem.program = #tandem.program<model, positions = {MANY}>}} {{"),
     ["net.mlir:", MANY]),
    ("a parameter without end", replaced("@spare : tensor<4x", f"@spare : tensor<{HUGE}x"), ["net.mlir:", HUGE]),
    ("rows that see later rows", replaced("tandem.softmax %lower.hidden", "tandem.softmax %lower.scores"),
     ["net.mlir:", "tandem.softmax", "causal"]),
    ("heads for rows", replaced("1, 0, 2>} : (!heads)", "1, 2, 0>} : (!heads)"), ["net.mlir:", "tandem.transpose"]),
    ("a stage that does not exist", inside('tandem.stage = "baked"'), ["tandem.stage", "baked", "scheduled"]),
    ("a stage it is not at", inside('tandem.stage = "planned"'), ["tandem.stage", "planned", "buffers"]),
]


def check_bad_files(tools, checks, scratch):
    first = "tandem.parameter @words"
    text = GRAPH.read_text().replace(first, "tandem.parameter @spare : tensor<4xf32>\n" + first)
    weights = graph_weights(text)
    folder = scratch / "bad"
    for what, edit, names in GRAPHS:
        folder.mkdir()
        net = write_graph(folder, edit(text), weights)
        checks.that(edit(text) != text, f"{what}: got the text as it was")
        checks.refused(tools.run("eval", net, "--ids", "1,2", "--via", "decode"), what, names=["net.mlir", *names])
        shutil.rmtree(folder)
    without = {name: array for name, array in weights.items() if name != "upper.join"}
    wrong = weights | {"upper.join": np.zeros((24, 23), "<f4")}
    for what, arrays, names in (("a missing weight", without, ["upper.join", "24, 24"]),
                                ("a weight of another shape", wrong, ["upper.join", "24, 23", "24, 24"])):
        folder.mkdir()
        net = write_graph(folder, text, arrays)
        checks.refused(tools.run("run", net, "--ids", "1"), what, names=["net.safetensors", *names])
        shutil.rmtree(folder)
    folder.mkdir()
    (folder / "net.mlir").write_text(text)
    done = tools.run("run", folder / "net.mlir", "--ids", "1")
    checks.refused(done, "no weights", names=["net.mlir", "net.safetensors", "model.safetensors"])
    with checks.attempt("a dump needs no weights"):
        tools.output("dump", folder / "net.mlir")
    checks.refused(tools.run("run", folder / "none.mlir", "--ids", "1"), "no file", names=["none.mlir"])
    done = tools.run("tokenize", folder / "net.mlir", "--text", "a")
    checks.refused(done, "no tokenizer", names=["net.mlir", "vocab.json"])
    shutil.rmtree(folder)


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    with tempfile.TemporaryDirectory() as scratch:
        check_written_graph(tools, checks, pathlib.Path(scratch))
        check_bad_files(tools, checks, pathlib.Path(scratch))
    checks.finish()


if __name__ == "__main__":
    main()
