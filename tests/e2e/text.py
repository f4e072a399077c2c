#!/usr/bin/env python3
"""Text in and out of the tools: bytes of every kind there and back, and documents that any JSON reader takes.

    text.py BIN
"""
import json
import math
import random
import sys
import tempfile

from tandem import DATA, DEFAULT_MODEL, Checks, Tools, comma, read_json

END, END_ID = "<|endoftext|>", 1023

TEXTS = ["a", " ", "\n", "\n\n \t ", "ROMEO:\nO, I'll be gone.", "don't we'VE I'm", "1234567890 3.14",
         "naïve café – “so”", "日本語のテキスト", "Привет, мир", "مرحبا", "👩‍👩‍👧‍👦 family", "e\u0301 combining", "a\r\nb\rc",
         "\u00a0\u2003\u3000wide", "\0nul\0", f"{END}", f"one{END}two{END}{END}", "<|endoftext", "x" * 5000,
         " " * 3000, "🙂" * 200]

BYTES = [bytes(range(256)), b"\xff", b"a\xc3", b"\xc3\xa9\xc3", b"\xed\xa0\x80 surrogate", b"\xf0\x9f\x99",
         b"\xc0\x80", b"\x80" * 50, "🙂".encode()[:3] + b"x", random.Random(1).randbytes(2000)]


def check_round_trip(tools, checks):
    """text -> ids -> the same bytes, from standard input, and from an argument or a file where it can be one."""
    for contents in [text.encode() for text in TEXTS] + BYTES:
        what = f"{contents[:24]!r}.."
        ids = tools.json("tokenize", input=contents)["ids"]
        checks.equal(tools.output("tokenize", input=contents).decode(), comma(ids) + "\n", f"{what}: without --json")
        checks.equal(tools.output("detokenize", "--ids", comma(ids)), contents, f"{what}: there and back")
        checks.equal(tools.output("detokenize", input=comma(ids).encode() + b"\n"), contents, f"{what}: ids on input")
        plain = tools.json("tokenize", "--no-special", input=contents)["ids"]
        checks.equal(tools.output("detokenize", "--ids", comma(plain)), contents, f"{what}: --no-special, and back")
        got = tools.json("detokenize", "--ids", comma(ids))["text"]
        checks.equal(got, contents.decode(errors="replace"), f"{what}: detokenize --json")
        with tempfile.NamedTemporaryFile() as file:
            file.write(contents)
            file.flush()
            checks.equal(tools.json("tokenize", "--file", file.name)["ids"], ids, f"{what}: --file")
        if b"\0" not in contents:
            checks.equal(tools.json("tokenize", "--text", contents)["ids"], ids, f"{what}: --text")
    checks.equal(tools.json("tokenize", "--text", f"a{END}b")["ids"].count(END_ID), 1, f"{END}: as one token")
    checks.equal(tools.json("tokenize", "--no-special", "--text", f"a{END}b")["ids"].count(END_ID), 0,
                 f"{END}: as text")
    checks.equal(tools.json("tokenize", input=b"")["ids"], [], "no text: ids")
    checks.equal(tools.json("detokenize", input=b"")["text"], "", "no ids: text")
    held = (DATA / "heldout.txt").read_bytes()
    ids = tools.json("tokenize", "--file", DATA / "heldout.txt")["ids"]
    checks.equal(len(ids), read_json(DEFAULT_MODEL / "expected.json")["heldout"]["tokens"] + 1, "heldout.txt: tokens")
    checks.equal(tools.output("detokenize", input=comma(ids).encode()), held, "heldout.txt: there and back")


def check_vectors(tools, checks):
    """The default model's own vectors, through the command."""
    vectors = json.loads((DATA / "tokenizer" / "shakespeare.json").read_text())
    vectors = vectors["texts"] if isinstance(vectors, dict) else vectors
    for vector in vectors:
        special = "ids_with_special" in vector
        expected = vector["ids_with_special"] if special else vector["ids"]
        got = tools.json("tokenize", input=vector["text"].encode())["ids"]
        checks.equal(got, expected, f"{vector['text'][:40]!r}: ids")


def check_generation(tools, checks):
    """Prompts that are not UTF-8; what streams is what the document says."""
    for contents in BYTES[:6]:
        prompt = contents[:60]
        options = ("-n", 20, "--temperature", 3, "--seed", 5)
        got = tools.json("run", *options, input=prompt)
        ids = tools.json("tokenize", input=prompt)["ids"]
        checks.equal(got["prompt_ids"], ids, f"{prompt[:24]!r}: prompt_ids")
        streamed = tools.output("run", *options, input=prompt).decode()
        checks.equal(streamed, got["text"] + "\n", f"{prompt[:24]!r}: streamed text")
    # A temperature this high picks bytes in the middle of characters.
    for seed in range(10):
        options = ("--ids", "1", "-n", 60, "--temperature", 1000, "--top-k", 0, "--seed", seed, "--ignore-eos")
        got = tools.json("run", *options)
        whole = tools.output("detokenize", "--ids", comma(got["ids"])).decode(errors="replace")
        checks.equal(got["text"], whole, f"seed {seed}: text")
        checks.equal(tools.output("run", *options).decode(), whole + "\n", f"seed {seed}: streamed text")


SPREAD = {"min", "median", "max"}
FIELDS = {
    "run": {"prompt_ids", "ids", "text", "finish", "prefill_ms", "decode_tokens_per_s", "compile_ms", "peak_bytes",
            "planned_bytes"},
    "eval": {"tokens", "perplexity", "mean_nll"}, "tokenize": {"ids"}, "detokenize": {"text"},
    "bench": {"machine", "cells"}, "verify": {"ok", "checks"},
    "info": {"parameters", "weights_bytes", "kv_bytes_per_token", "planned_bytes"}}
MACHINE = {"cpu", "threads", "read_gb_per_s", "f32_gflops", "bf16_gflops", "int8_gops"}
CELL = {"mode", "kv_cache", "precision", "prompt", "new", "compile_ms", "prefill_ms", "decode_tokens_per_s",
        "decode_fraction_of_bandwidth", "prefill_fraction_of_peak", "peak_bytes", "ids"}


def check_documents(tools, checks):
    """The fields that scripts rely on."""

    def document(*args):
        got = tools.json(*args)
        checks.that(FIELDS[args[0]] <= set(got), f"{args[0]}: got fields {sorted(got)}")
        return got

    document("run", "--ids", "1,2", "-n", 2)
    got = document("eval", "--ids", "1,2,3")
    checks.equal(got["tokens"], 3, "eval: tokens")
    checks.that(math.isclose(got["perplexity"], math.exp(got["mean_nll"]), rel_tol=1e-9), "eval: perplexity: not e^nll")
    checks.equal(document("eval", "--ids", "1")["perplexity"], None, "eval of one token: perplexity")
    document("tokenize", "--text", "a")
    document("detokenize", "--ids", "1")
    info = document("info")
    checks.equal(info["kv_bytes_per_token"], 6 * 2 * 192 * 4, "info: kv_bytes_per_token")
    checks.equal(info["parameters"], 6 * (12 * 192 ** 2 + 13 * 192) + (1024 + 256 + 2) * 192, "info: parameters")
    got = document("verify")
    checks.that(got["ok"] and got["checks"], "verify: got no checks, or not ok")
    for check in got["checks"]:
        checks.that({"name", "max_error", "budget", "where"} <= set(check), f"verify: got fields {sorted(check)}")
    got = document("bench", "--repeat", 2, "-n", 3, "--prompt-lengths", "4,20")
    checks.that(MACHINE <= set(got["machine"]), f"bench: machine: got fields {sorted(got['machine'])}")
    cells = [(cell["mode"], cell["kv_cache"], cell["prompt"]) for cell in got["cells"]]
    checks.equal(sorted(cells), sorted((mode, cache, length) for mode in ("eager", "compiled")
                                       for cache in (False, True) for length in (4, 20)), "bench: cells")
    for cell in got["cells"]:
        checks.that(CELL <= set(cell), f"bench: cell: got fields {sorted(cell)}")
        checks.that(SPREAD <= set(cell["prefill_ms"]) and SPREAD <= set(cell["decode_tokens_per_s"]), "bench: spreads")
        same = [other["ids"] for other in got["cells"] if other["prompt"] == cell["prompt"]]
        checks.that(all(ids == cell["ids"] and len(ids) == 3 for ids in same), f"bench: got ids {same}, expected equal")


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    check_round_trip(tools, checks)
    check_vectors(tools, checks)
    check_generation(tools, checks)
    check_documents(tools, checks)
    checks.finish()


if __name__ == "__main__":
    main()
