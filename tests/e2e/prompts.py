#!/usr/bin/env python3
"""Many prompts at once: each line of the file becomes what its prompt becomes alone.

    prompts.py BIN REFERENCE
"""
import json
import pathlib
import sys
import tempfile

import numpy as np

from tandem import CELLS, DEFAULT_MODEL, Checks, Tools, comma, read_json

FIELDS = ("prompt_ids", "ids", "text", "finish")
SAMPLED = ("--temperature", "1.5", "--top-k", "40", "--seed", "11")
WAYS = {"greedy": ("--greedy",), "sampled": SAMPLED}
TEXTS = ["ROMEO:", "To be, or not", "a", "The king is", "O", "Enter HAMLET and the rest of them, all at once.",
         "JULIET:\t", "What", "If it were done", "Now"]


def prompts_for(model):
    """Of many lengths, some so long that the context ends them."""
    config = read_json(model / "config.json")
    random, positions = np.random.default_rng(3), config["n_positions"]
    lengths = [5, 1, positions, positions - 2, 17, 3, 33, 9, 2, positions - 7, 12]
    return [random.integers(0, config["vocab_size"], length).tolist() for length in lengths]


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def documents(tools, *args, **options):
    return [json.loads(line) for line in tools.output(*args, "--json", **options).decode().splitlines()]


def fields(document):
    return {name: document[name] for name in FIELDS}


def check_same(checks, got, expected, what):
    checks.equal(len(got), len(expected), f"{what}: lines")
    for i, (one, alone) in enumerate(zip(got, expected)):
        checks.equal(fields(one), fields(alone), f"{what}: line {i + 1}")


def check_ids(tools, checks, scratch, model):
    prompts = prompts_for(model)
    file = write_lines(scratch / "ids.txt", map(comma, prompts))
    artifacts = {}
    for batch in (1, 3, 8):
        artifacts[batch] = scratch / f"batch-{batch}.tandem"
        tools.output("compile", model, "-o", artifacts[batch], "--batch", batch)
    for way, options in WAYS.items():
        options = (*options, "-n", 20)
        for mode, cache in CELLS:
            cell = (*options, "--mode", mode, "--kv-cache", cache)
            alone = [tools.json("run", model, "--ids", comma(ids), *cell) for ids in prompts]
            for batch in (1, 3, 8) if cache == "on" else (8,):
                what = f"{model.name}, {way}, {mode}, cache {cache}, {batch} at a time"
                got = documents(tools, "run", model, "--prompts", file, "--batch", batch, *cell)
                check_same(checks, got, alone, what)
                for one in got if mode == "compiled" else []:
                    checks.equal(one["peak_bytes"], one["planned_bytes"], f"{what}: peak_bytes")
        for batch, artifact in artifacts.items():  # also more sequences than the largest decode program has rows
            for tool, command in (("tandem", ["run"]), ("tandem-run", [])):
                got = documents(tools, *command, artifact, "--prompts", file, *options, tool=tool)
                check_same(checks, got, alone, f"{tool}, {artifact.name}, {way}")
    done = tools.run("run", model, "--prompts", file, "--greedy", "-n", 4)
    alone = [tools.generate(model, ids, 4) for ids in prompts]
    checks.equal(done.stdout.decode().splitlines(), [comma(one["ids"]) for one in alone], "ids without --json")
    full = [f"line {i + 1}: stopped: the context is full" for i, one in enumerate(alone) if one["finish"] == "context"]
    checks.equal((done.returncode, done.stderr.decode().splitlines()), (0, full), "the ends of the context")


def check_text(tools, checks, scratch):
    file = write_lines(scratch / "text.txt", TEXTS)
    for way, options in WAYS.items():
        options = (*options, "-n", 24)
        alone = [tools.json("run", "--prompt", text, *options) for text in TEXTS]
        check_same(checks, documents(tools, "run", "--prompts", file, *options), alone, way)
        expected = "\n".join(f"==> line {i + 1} <==\n{one['text']}\n" for i, one in enumerate(alone))
        checks.equal(tools.output("run", "--prompts", file, *options).decode(), expected, f"{way}: text")
    # A text that ends early, by its own stop token, leaves the others as they are.
    folder = scratch / "stops"
    folder.mkdir()
    for path in DEFAULT_MODEL.iterdir():
        (folder / path.name).symlink_to(path)
    stop = alone[4]["ids"][5]
    (folder / "generation_config.json").unlink()
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [stop]}))
    alone = [tools.json("run", folder, "--prompt", text, *options) for text in TEXTS]
    checks.that(any(one["finish"] == "stop" for one in alone), "a stop token: got none that stops")
    checks.that(any(one["finish"] == "length" for one in alone), "a stop token: got none that goes on")
    check_same(checks, documents(tools, "run", folder, "--prompts", file, *options), alone, "a stop token")
    for line_end in ("\r\n", "\n"):
        file.write_bytes(line_end.join(TEXTS[:2]).encode())
        check_same(checks, documents(tools, "run", "--prompts", file, "-n", 3, "--greedy"),
                   [tools.json("run", "--prompt", text, "-n", 3, "--greedy") for text in TEXTS[:2]],
                   f"lines that end with {line_end!r}")


def check_refused(tools, checks, scratch, model):
    long = comma([1] * 65)
    for what, content, names in (("an empty line", "1,2\n\n3\n", ["line 2", "empty"]),
                                 ("an empty file", "", ["lines"]), ("no id", "1\n2,x\n", ["line 2", "'x'"]),
                                 ("an unknown id", "1\n2\n3,97\n", ["line 3", "97", "96"]),
                                 ("a prompt too long", f"1\n{long}\n", ["line 2", "65", "64"]),
                                 ("text without a tokenizer", "Once upon\n", ["line 1"])):
        file = scratch / "bad.txt"
        file.write_text(content)
        for json_option in ([], ["--json"]):
            done = tools.run("run", model, "--prompts", file, *json_option)
            checks.refused(done, f"prompts: {what}", names=[file, *names])
    checks.refused(tools.run("run", model, "--prompts", scratch / "none.txt"), "no such file", names=["none.txt"])
    file = write_lines(scratch / "good.txt", ["1", "2"])
    for other in (["--ids", "1"], ["--prompt", "a"], ["--prompt-file", file]):
        checks.refused(tools.run("run", model, "--prompts", file, *other), f"prompts and {other[0]}", 2,
                       ["--prompts", other[0]])
    for batch in ("0", "9", "two"):
        done = tools.run("run", model, "--prompts", file, "--batch", batch)
        checks.refused(done, f"--batch {batch}", 2, ["--batch", batch])
    checks.refused(tools.run("run", model, "--ids", "1", "--batch", 2), "--batch alone", 2, ["--batch", "--prompts"])


def check_memory_limit(tools, checks, scratch, model):
    """Every sequence takes its part of the cache; fewer at a time may fit where more do not."""
    file = write_lines(scratch / "limit.txt", map(comma, prompts_for(model)))
    run = ("run", model, "--prompts", file, "-n", 3, "--greedy")
    whole = documents(tools, *run)
    planned = whole[0]["planned_bytes"]
    checks.equal(documents(tools, *run, "--memory-limit", planned)[0]["peak_bytes"], planned, "as planned: peak_bytes")
    done = tools.run(*run, "--memory-limit", planned - 1)
    checks.refused(done, "a byte less than planned", names=["memory", planned, planned - 1])
    check_same(checks, documents(tools, *run, "--batch", 4, "--memory-limit", planned - 1), whole, "four at a time")
    artifact = scratch / "batch-8.tandem"
    done = tools.run(artifact, *run[2:], "--memory-limit", 9999, tool="tandem-run")
    checks.refused(done, "an artifact", names=["memory", 9999])


def check_eager_growth(tools, checks, scratch, model):
    """Eager takes memory while it runs: past the limit it stops, with what was printed until then."""
    file = write_lines(scratch / "growth.txt", ["1,2,3", "4", comma([5] * 60)])
    run = ("run", model, "--prompts", file, "-n", 3, "--greedy", "--mode", "eager", "--batch", 2)
    whole = documents(tools, *run)
    first, last = whole[0]["peak_bytes"], whole[-1]["peak_bytes"]
    checks.that(first < last, f"eager growth: got {first} and {last} bytes, expected a longer prompt to take more")
    checks.equal(documents(tools, *run, "--memory-limit", last)[-1]["peak_bytes"], last, "eager: the peak as the limit")
    done = tools.run(*run, "--json", "--memory-limit", last - 1)
    lines = done.stderr.decode().splitlines()
    checks.equal((done.returncode, len(lines)), (1, 1), "eager growth past the limit: status, lines")
    for name in ("error: memory: ", str(last - 1)):
        checks.that(name in lines[0], f"eager growth past the limit: got {lines[0]!r}, expected it to name {name}")
    printed = [json.loads(line) for line in done.stdout.decode().splitlines()]
    checks.that(len(printed) < len(whole), "eager growth past the limit: got all lines, expected fewer")
    check_same(checks, printed, whole[:len(printed)], "eager growth past the limit")
    run = ("run", model, "--ids", comma([5] * 60), "-n", 3, "--greedy", "--mode", "eager")
    peak = tools.json(*run)["peak_bytes"]
    checks.equal(tools.json(*run, "--memory-limit", peak)["peak_bytes"], peak, "one eager prompt: the peak as the limit")
    done = tools.run(*run, "--json", "--memory-limit", peak - 1)
    checks.refused(done, "one eager prompt past the limit", names=["memory", peak - 1])


def main():
    tools, checks, base = Tools(sys.argv[1]), Checks(), pathlib.Path(sys.argv[2]) / "base"
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check_ids(tools, checks, scratch, base)
        check_text(tools, checks, scratch)
        check_refused(tools, checks, scratch, base)
        check_memory_limit(tools, checks, scratch, base)
        check_eager_growth(tools, checks, scratch, base)
    checks.finish()


if __name__ == "__main__":
    main()
