#!/usr/bin/env python3
"""Folders, prompts and limits that do not do: each ends with one line that names file, key or tensor, and no output.

    bad_model.py BIN REFERENCE
"""
import json
import pathlib
import shutil
import sys
import tempfile

import numpy as np

from tandem import CELLS, DEFAULT_MODEL, Checks, Tools, comma, read_json, read_safetensors, write_safetensors


def without(name):
    return lambda folder: (folder / name).unlink()


def text(name, contents):
    return lambda folder: (folder / name).write_bytes(contents)


def config(**changes):
    """config.json with keys changed, or taken out where the value is ..."""

    def change(folder):
        keys = read_json(folder / "config.json") | changes
        (folder / "config.json").write_text(json.dumps({k: v for k, v in keys.items() if v is not ...}))

    return change


def tensors(change):
    """model.safetensors with its dictionary of arrays changed."""

    def rewrite(folder):
        path = folder / "model.safetensors"
        arrays = {name: array.copy() for name, array in read_safetensors(path).items()}
        change(arrays)
        path.unlink()
        write_safetensors(path, arrays)

    return rewrite


def renamed(old, new):
    return tensors(lambda arrays: arrays.update({new: arrays.pop(old)}))


def reshaped(name, *shape):
    return tensors(lambda arrays: arrays.update({name: np.zeros(shape, "<f4")}))


def cut(name, keep):
    """A file of `keep` bytes of it, from the end if negative."""
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:keep])


def header(entry):
    data = json.dumps({"wte.weight": entry}).encode()
    return text("model.safetensors", len(data).to_bytes(8, "little") + data + bytes(16))


FC, WTE = "transformer.h.1.mlp.c_fc.weight", "transformer.wte.weight"

# What is done to a copy of `base` (32 wide, 4 heads, 3 layers, 97 tokens), and what the line has to name.
FOLDERS = [
    ("no config", without("config.json"), ["config.json"]),
    ("empty config", text("config.json", b""), ["config.json"]),
    ("half a config", cut("config.json", 100), ["config.json"]),
    ("config that is a list", text("config.json", b"[1]"), ["config.json"]),
    ("config of zero bytes", text("config.json", bytes(100)), ["config.json"]),
    ("config with a huge number", text("config.json", b'{"n_embd": 1e999}'), ["config.json"]),
    ("config nested deeply", text("config.json", b"[" * 100000), ["config.json"]),
    ("another family", config(model_type="llama"), ["model_type", "llama", "gpt2"]),
    ("another architecture", config(architectures=["GPT2ForTokenClassification"]),
     ["architectures", "GPT2ForTokenClassification", "GPT2LMHeadModel"]),
    ("quantized weights", config(quantization_config={"bits": 4}), ["quantization_config"]),
    ("no width", config(n_embd=...), ["wte.weight", "97, 32", "97, 768"]),  # GPT-2's own counts
    ("a width that is text", config(n_embd="wide"), ["n_embd", "wide"]),
    ("a width of 0", config(n_embd=0), ["n_embd", "0"]),
    ("a negative width", config(n_embd=-32), ["n_embd", "-32"]),
    ("a huge vocabulary", config(vocab_size=1 << 62), ["vocab_size"]),
    ("layers without end", config(n_layer=1000000), ["n_layer"]),
    ("a width that heads do not divide", config(n_head=5), ["n_head", "5", "32"]),
    ("no heads", config(n_head=0), ["n_head", "0"]),
    ("an unknown activation", config(activation_function="swish2"), ["activation_function", "swish2", "gelu_new"]),
    ("a negative epsilon", config(layer_norm_epsilon=-1), ["layer_norm_epsilon", "-1"]),
    ("a flag that is text", config(scale_attn_weights="yes"), ["scale_attn_weights", "yes"]),
    ("more layers than weights", config(n_layer=4), ["h.3."]),
    ("fewer layers than weights", config(n_layer=2), ["h.2.", "2"]),
    ("another vocabulary", config(vocab_size=98), ["wte.weight", "97", "98"]),
    ("another context", config(n_positions=128), ["wpe.weight", "64", "128"]),
    ("no weights", without("model.safetensors"), ["model.safetensors"]),
    ("empty weights", text("model.safetensors", b""), ["model.safetensors"]),
    ("a header cut", cut("model.safetensors", 200), ["model.safetensors"]),
    ("weights cut", cut("model.safetensors", -1000), ["model.safetensors"]),
    ("a last byte cut", cut("model.safetensors", -1), ["model.safetensors"]),
    ("a header without end", text("model.safetensors", b"\xff" * 64), ["model.safetensors"]),
    ("a header that is not JSON", text("model.safetensors", b"\x08" + bytes(7) + b"nonsense"), ["model.safetensors"]),
    ("an unknown dtype", header({"dtype": "F7", "shape": [4], "data_offsets": [0, 16]}), ["model.safetensors"]),
    ("offsets backwards", header({"dtype": "F32", "shape": [4], "data_offsets": [16, 0]}), ["wte.weight"]),
    ("offsets past the end", header({"dtype": "F32", "shape": [400], "data_offsets": [0, 1600]}), ["wte.weight"]),
    ("a shape past 2^64", header({"dtype": "F32", "shape": [1 << 40, 1 << 40], "data_offsets": [0, 16]}),
     ["wte.weight"]),
    ("a missing tensor", renamed(FC, "transformer.h.1.mlp.c_x.weight"), ["h.1.mlp.c_fc.weight"]),
    ("a tensor transposed", reshaped(FC, 128, 32), [FC, "128, 32", "32, 128"]),
    ("a tensor of another rank", reshaped(WTE, 97 * 32), [WTE, "97, 32"]),
    ("a tensor too many", tensors(lambda arrays: arrays.update(odd=np.zeros(3, "<f4"))), ["odd"]),
    ("a broken index", lambda folder: (without("model.safetensors")(folder),
                                       text("model.safetensors.index.json", b"{")(folder)), ["index.json"]),
    ("broken sampling defaults", text("generation_config.json", b"{"), ["generation_config.json"]),
    ("a temperature that is text", text("generation_config.json", b'{"temperature": "hot"}'),
     ["generation_config.json", "temperature"]),
    ("an end token that is text", text("generation_config.json", b'{"eos_token_id": "end"}'),
     ["generation_config.json", "eos_token_id"]),
]



def grown_vocabulary(folder):
    """A token more than the model has."""
    vocabulary = read_json(folder / "vocab.json")
    text("vocab.json", json.dumps(vocabulary | {"zzzz": len(vocabulary)}).encode())(folder)


# The same to a copy of the default model, whose text is asked for.
TOKENIZERS = [
    ("no vocabulary", without("vocab.json"), ["vocab.json"]),
    ("no merges", without("merges.txt"), ["merges.txt"]),
    ("a broken vocabulary", cut("vocab.json", 500), ["vocab.json"]),
    ("an id twice", text("vocab.json", b'{"a": 0, "b": 0}'), ["vocab.json"]),
    ("a token too many", grown_vocabulary, ["tokenizer", "1025", "vocab_size", "1024"]),
    ("a merge of three", text("merges.txt", b"#version: 0.2\na b c\n"), ["merges.txt", "line 2"]),
    ("a merge of nothing known", text("merges.txt", b"#version: 0.2\nqqq zzz\n"), ["merges.txt", "qqq"]),
]


def check_folders(tools, checks, scratch, source, mistakes, command):
    for what, damage, names in mistakes:
        folder = scratch / "model"
        shutil.copytree(source, folder)
        damage(folder)
        checks.refused(tools.run(command[0], folder, *command[1:]), what, names=[folder, *names])
        shutil.rmtree(folder)


def check_prompts(tools, checks, base):
    long, fits = comma([1] * 65), comma([1] * 64)
    for mode, cache in CELLS:
        options = ["--mode", mode, "--kv-cache", cache]
        for what, args, names in (("an unknown id", ["--ids", "1,97"], ["token 1", "97", "96"]),
                                  ("a prompt too long", ["--ids", long],
                                   ["prompt: got 65", "64 (the model's positions)"]),
                                  ("a prompt past --context", ["--ids", fits, "--context", 63],
                                   ["prompt: got 64", "63 (--context)"]),
                                  ("too little memory", ["--ids", "1", "--memory-limit", 9999], ["memory", "9999"]),
                                  ("text without a tokenizer", ["--prompt", "a"], ["--ids"])):
            checks.refused(tools.run("run", base, *args, *options), f"{what}, {mode}, cache {cache}", names=names)
        for what, args in (("an empty prompt", ["--prompt", ""]), ("an empty input", [])):
            checks.refused(tools.run("run", DEFAULT_MODEL, *args, *options), f"{what}, {mode}, cache {cache}",
                           names=["prompt"])
    checks.refused(tools.run("eval", DEFAULT_MODEL, "--text", ""), "eval of nothing", names=["text"])
    checks.refused(tools.run("eval", base, "--text", "a"), "eval of text without a tokenizer", names=["--ids"])
    checks.refused(tools.run("tokenize", base, "--text", "a"), "tokenize without a tokenizer", names=["vocab.json"])
    for via in ("forward", "prefill", "decode"):
        checks.refused(tools.run("eval", base, "--ids", "1,2,97", "--via", via), f"eval of an unknown id via {via}",
                       names=["token 2", "97"])


def check_memory_limit(tools, checks, base):
    """What is planned is enough, and a byte less is refused before anything runs."""
    planned = tools.generate(base, [1, 2], 3)["planned_bytes"]
    got = tools.generate(base, [1, 2], 3, "--memory-limit", planned)
    checks.equal(got["peak_bytes"], planned, "the planned memory as the limit: peak_bytes")
    done = tools.run("run", base, "--ids", "1,2", "--memory-limit", planned - 1)
    checks.refused(done, "a byte less than planned", names=["memory", planned - 1])
    checks.equal(tools.json("info", base)["planned_bytes"], planned, "info: planned_bytes")


def roughened(arrays):
    """Weights that f32 is too coarse for: a norm takes thousands away again, and scores are far apart, so that the
    last bits of one program's sums become another's logits."""
    for name, array in arrays.items():
        if name.endswith("attn.c_proj.bias"):
            array += 3000
        if name.endswith("attn.c_attn.weight"):
            array[:, :64] *= 10  # queries and keys


def check_verify(tools, checks, scratch, base):
    """A difference is an error, beside the table that shows it."""
    folder = shutil.copytree(base, scratch / "model")
    tensors(roughened)(folder)
    for options in ([], ["--json"]):
        done = tools.run("verify", folder, *options)
        over = b'"ok":false' if options else b"OVER"
        checks.that(over in done.stdout, f"verify {options}: got {done.stdout[:200]!r}, expected a difference in it")
        done.stdout = None
        checks.refused(done, f"verify {options} of rough weights", names=[folder, "at position", "by op", "expected at most"])
    shutil.rmtree(folder)


def check_grown_vocabulary(tools, checks, scratch):
    """A tokenizer larger than the model is in the way of text alone."""
    folder = shutil.copytree(DEFAULT_MODEL, scratch / "model")
    grown_vocabulary(folder)
    with checks.attempt("a larger tokenizer"):
        checks.equal(tools.generate(folder, [1, 2], 5)["ids"], tools.generate(DEFAULT_MODEL, [1, 2], 5)["ids"],
                     "a larger tokenizer: --ids")
    checks.refused(tools.run("eval", folder, "--text", "a"), "eval with a larger tokenizer", names=["vocab_size"])
    shutil.rmtree(folder)


def main():
    tools, checks, base = Tools(sys.argv[1]), Checks(), pathlib.Path(sys.argv[2]) / "base"
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check_folders(tools, checks, scratch, base, FOLDERS, ["run", "--ids", "1"])
        check_folders(tools, checks, scratch, DEFAULT_MODEL, TOKENIZERS, ["run", "--prompt", "a"])
        check_verify(tools, checks, scratch, base)
        check_grown_vocabulary(tools, checks, scratch)
        (scratch / "empty").mkdir()
        checks.refused(tools.run("run", scratch / "empty", "--ids", "1"), "an empty folder", names=["config.json"])
        done = tools.run("init", "gpt2", "-o", DEFAULT_MODEL)
        checks.refused(done, "init over a folder with files", names=[DEFAULT_MODEL])
    checks.refused(tools.run("run", base / "config.json", "--ids", "1"), "a file for a folder", names=["config.json"])
    check_prompts(tools, checks, base)
    check_memory_limit(tools, checks, base)
    checks.finish()


if __name__ == "__main__":
    main()
