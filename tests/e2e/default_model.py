#!/usr/bin/env python3
"""The model that ships with the project: its known greedy text, sampling, and every way in which generation ends.

    default_model.py BIN
"""
import json
import pathlib
import shutil
import sys
import tempfile

from tandem import CELLS, DEFAULT_MODEL, Checks, Tools, comma, read_json


def check_greedy(tools, checks, case):
    count = len(case["greedy"])
    for mode, cache in CELLS:
        what = f"{case['text'][:12]!r}, {mode}, cache {cache}"
        options = ("--prompt", case["text"], "--greedy", "-n", count, "--mode", mode, "--kv-cache", cache)
        got = tools.json("run", *options)
        checks.equal(got["prompt_ids"], case["prompt"], f"{what}: prompt_ids")
        checks.equal(got["ids"], case["greedy"], f"{what}: ids")
        checks.equal(got["text"], case["greedy_text"], f"{what}: text")
        checks.equal(got["finish"], "length", f"{what}: finish")
        for field in ("prefill_ms", "decode_tokens_per_s", "compile_ms"):
            checks.that(got[field] > 0, f"{what}: {field}: got {got[field]}, expected some")
        planned = got["peak_bytes"] if mode == "compiled" else None
        checks.equal(got["planned_bytes"], planned, f"{what}: planned_bytes")
        checks.equal(tools.output("run", *options).decode(), case["greedy_text"] + "\n", f"{what}: without --json")
    checks.equal(tools.json("run", "--greedy", "-n", count, input=case["text"].encode())["ids"], case["greedy"],
                 "prompt on standard input")
    with tempfile.NamedTemporaryFile() as file:
        file.write(case["text"].encode())
        file.flush()
        checks.equal(tools.json("run", DEFAULT_MODEL, "--prompt-file", file.name, "--greedy", "-n", count)["ids"],
                     case["greedy"], "--prompt-file")


def check_sampling(tools, checks, case):
    """generation_config.json asks for sampling; the seed decides, and not the way of running."""

    def sampled(*options):
        return tools.json("run", "--ids", comma(case["prompt"]), "-n", 40, *options)["ids"]

    first = sampled("--seed", 7)
    checks.that(first != case["greedy"][:40], "sampled: got the greedy tokens")
    checks.equal(sampled("--seed", 7), first, "the same seed again")
    checks.that(sampled("--seed", 8) != first, "another seed: got the same tokens")
    checks.equal(sampled(), sampled("--seed", 0), "no seed, which means 0")
    for mode, cache in CELLS:
        checks.equal(sampled("--seed", 7, "--mode", mode, "--kv-cache", cache), first, f"seed 7, {mode}, cache {cache}")
    checks.equal(sampled("--top-k", 1), case["greedy"][:40], "--top-k 1")
    checks.equal(sampled("--top-p", 1e-6), case["greedy"][:40], "--top-p of nearly 0")
    checks.equal(sampled("--temperature", 1e-3), case["greedy"][:40], "--temperature of nearly 0")
    checks.that(sampled("--temperature", 5) != sampled("--temperature", 0.5), "--temperature: got no difference")
    checks.equal(sampled("--seed", 8, "--seed", 7), first, "--seed twice, of which the last counts")


def with_end_token(folder, token):
    """The default model in `folder`, where `token` ends a text."""
    shutil.copytree(DEFAULT_MODEL, folder)
    path = folder / "generation_config.json"
    path.write_text(json.dumps(read_json(path) | {"eos_token_id": token}))
    return folder


def check_stop(tools, checks, case, scratch):
    end = case["greedy"].index(13)  # the first full stop
    for token, name in ((13, "one"), ([1023, 13], "two")):
        model = with_end_token(scratch / name, token)
        for mode, cache in CELLS:
            what = f"{name} end tokens, {mode}, cache {cache}"
            options = ("--mode", mode, "--kv-cache", cache)
            got = tools.generate(model, case["prompt"], 48, *options)
            checks.equal(got["ids"], case["greedy"][:end + 1], f"{what}: ids")
            checks.equal(got["finish"], "stop", f"{what}: finish")
            checks.equal(got["text"], "I am a brief, and I'll be a brief", f"{what}: text, without the end token")
            got = tools.generate(model, case["prompt"], 48, "--ignore-eos", *options)
            checks.equal((got["ids"], got["finish"]), (case["greedy"], "length"), f"{what}: --ignore-eos")
        shown = tools.output("run", model, "--ids", comma(case["prompt"]), "--greedy")
        checks.equal(shown.decode(), "I am a brief, and I'll be a brief\n", f"{name} end tokens: without --json")


def check_context(tools, checks, case):
    """A context of `positions`: the last position's token gives one more, for which there is no place."""
    prompt, positions = case["prompt"], 12
    room = positions - len(prompt) + 1
    for mode, cache in CELLS:
        what = f"{mode}, cache {cache}"
        with checks.attempt(what):
            options = ("--context", positions, "--mode", mode, "--kv-cache", cache)
            for count, finish in ((48, "context"), (room + 1, "context"), (room, "length"), (0, "length")):
                got = tools.generate(DEFAULT_MODEL, prompt, count, *options)
                checks.equal(got["ids"], case["greedy"][:min(count, room)], f"{what}: {count} ids")
                checks.equal(got["finish"], finish, f"{what}: finish after {count}")
            full = prompt + case["greedy"][:positions - len(prompt)]
            got = tools.generate(DEFAULT_MODEL, full, 5, *options)
            checks.equal((got["ids"], got["finish"]), ([case["greedy"][room - 1]], "context"), f"{what}: a full prompt")
    done = tools.run("run", "--ids", comma(prompt), "--greedy", "--context", positions)
    checks.equal(done.returncode, 0, "a full context: status")
    checks.that(b"context" in done.stderr, f"a full context: got {done.stderr!r}, expected a word on it")


def check_unapplied(tools, checks, case, scratch):
    """What generation_config.json asks for and nobody does is said, where it would change the text."""
    model = shutil.copytree(DEFAULT_MODEL, scratch / "unapplied")
    path = model / "generation_config.json"
    path.write_text(json.dumps(read_json(path) | {"repetition_penalty": 1.2, "min_p": 0.1, "num_beams": 1}))
    artifact = scratch / "unapplied.tandem"
    tools.output("compile", model, "-o", artifact)
    for tool, command, name in (("tandem", ["run", model], path), ("tandem", ["run", artifact], artifact),
                                ("tandem-run", [artifact], artifact)):
        for options, keys in (([], ["repetition_penalty: got 1.2", "min_p: got 0.1"]),
                              (["--greedy"], ["repetition_penalty: got 1.2"])):
            done = tools.run(*command, "--prompt", case["text"], "-n", 3, *options, tool=tool)
            what = f"{tool} {command[-1].name} {options}: settings not applied"
            checks.equal(done.returncode, 0, f"{what}: status")
            expected = "".join(f"warning: {name}: {key}, not applied\n" for key in keys)
            checks.equal(done.stderr.decode(), expected, what)


def check_smaller_tokenizer(tools, checks, scratch):
    """An id without a token is U+FFFD in text that grows and in the document alike; detokenize refuses it."""
    model, count = shutil.copytree(DEFAULT_MODEL, scratch / "smaller"), 300
    vocabulary = {token: id for token, id in read_json(model / "vocab.json").items() if id < count}
    (model / "vocab.json").write_text(json.dumps(vocabulary))
    merges = (model / "merges.txt").read_text().splitlines()
    kept = [line for line in merges if all(token in vocabulary for token in (*line.split(" "), line.replace(" ", "")))]
    (model / "merges.txt").write_text("\n".join(kept) + "\n")
    options = ("--prompt", "a", "-n", 40, "--temperature", 100, "--top-k", 0, "--ignore-eos")
    got = tools.json("run", model, *options)
    unknown = [id for id in got["ids"] if id >= count]
    checks.that(unknown, "a smaller tokenizer: got no id without a token")
    checks.that(got["text"].count("\N{REPLACEMENT CHARACTER}") >= len(unknown), f"a smaller tokenizer: {got['text']!r}")
    checks.equal(tools.output("run", model, *options).decode(), got["text"] + "\n",
                 "a smaller tokenizer: streamed text")
    checks.refused(tools.run("detokenize", model, "--ids", count), "detokenize of an id without a token",
                   names=[count])


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    cases = read_json(DEFAULT_MODEL / "expected.json")["cases"]
    for case in cases:
        check_greedy(tools, checks, case)
    check_sampling(tools, checks, cases[0])
    check_context(tools, checks, cases[0])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check_stop(tools, checks, cases[0], scratch)
        check_unapplied(tools, checks, cases[0], scratch)
        check_smaller_tokenizer(tools, checks, scratch)
    checks.finish()


if __name__ == "__main__":
    main()
