#!/usr/bin/env python3
"""What a compiled file says of itself, what it keeps of the compiler, and that processes share its weights.

    artifact_origin.py BIN REFERENCE
"""
import array
import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import termios
import time

from tandem import DEFAULT_MODEL, MODELS, Checks, Tools, read_json


def compiled(tools, model, path, *options):
    tools.output("compile", model, "-o", path, *options)
    return path


def check_records(tools, checks, scratch):
    version = re.search(r"project\(Tandem VERSION (\S+)", (MODELS.parent / "CMakeLists.txt").read_text())[1]
    options = ("--context", 100, "--batch", 3, "--threads", 2, "--buckets", "16,64", "--disable-pass", "schedule")
    artifact = compiled(tools, DEFAULT_MODEL, scratch / "records.tandem", *options)
    got = tools.json("info", artifact)
    expected = {"format_version": 3, "tandem_version": version, "source": "shakespeare",
                "instruction_sets": ["cx16", "lahf_lm", "lm", "pni", "popcnt", "sse4_1", "sse4_2", "ssse3"],
                "disabled_passes": ["schedule"], "context": 100, "batch": 3, "threads": 2}
    checks.equal({key: got.get(key) for key in expected}, expected, "info of an artifact")
    checks.equal(got["buckets"]["prefill"], [16, 64], "info of an artifact: buckets")
    checks.that("fuse-linear" in got["passes"] and "schedule" not in got["passes"], f"info: passes: {got['passes']}")
    checks.that(re.fullmatch("[0-9a-f]{16}", got["source_hash"]), f"info: source_hash: {got['source_hash']}")
    folder = tools.json("info", *options)
    for key in ("programs", "buckets", "planned_bytes"):  # an artifact also has those that give every row, or use no cache
        del folder[key]
    batch = tools.json("info", artifact, "--batch", 3)
    checks.equal({key: batch[key] for key in folder}, folder, "info of an artifact and of its folder")
    checks.equal(batch["planned_bytes"], got["batch_planned_bytes"], "info: batch_planned_bytes")
    text = tools.output("info", artifact).decode()
    for key in expected | {"source_hash": 0, "passes": 0, "batch_planned_bytes": 0}:
        checks.that(re.search(f"^{key} ", text, re.M), f"info: got no line {key}, expected one")
    for tool, command in (("tandem", ["run"]), ("tandem-run", [])):
        done = tools.run(*command, artifact, "--ids", 1, "--threads", 3, tool=tool)
        checks.refused(done, f"{tool}: more threads than planned", names=["threads", "got 3", "the 2 it was compiled"])


def check_source_hash(tools, checks, reference, scratch):
    """It depends on every byte that the model is made of, and on nothing else."""
    def hash_of(folder):
        return tools.json("info", compiled(tools, folder, scratch / "hash.tandem"))["source_hash"]

    original = hash_of(DEFAULT_MODEL)
    seen = {original}
    folder = shutil.copytree(DEFAULT_MODEL, scratch / "another-name")
    (folder / "notes.txt").write_text("no part of the model")
    checks.equal(hash_of(folder), original, "hash of a copy")
    changes = {"config.json": b"\n", "generation_config.json": b"\n", "vocab.json": b"\n", "merges.txt": b"\n"}
    for name, more in changes.items():
        path = folder / name
        before = path.read_bytes()
        path.write_bytes(before + more)
        seen.add(hash_of(folder))
        path.write_bytes(before)
    weights = bytearray((folder / "model.safetensors").read_bytes())
    for place in (-1, -len(weights) // 2):
        weights[place] ^= 1
        (folder / "model.safetensors").write_bytes(weights)
        seen.add(hash_of(folder))
    checks.equal(len(seen), 1 + len(changes) + 2, "hashes of as many sources")
    shards = shutil.copytree(reference / "sharded", scratch / "shards")
    before = hash_of(shards)
    last = max(shards.glob("*.safetensors"), key=lambda path: (path.name != "expected.safetensors", path.name))
    weights = bytearray(last.read_bytes())
    weights[-1] ^= 1
    last.write_bytes(weights)
    checks.that(hash_of(shards) != before, "hash of a changed shard: got the same, expected another")


def check_module(tools, checks, scratch):
    """It keeps the module that its programs were lowered from."""
    artifact = compiled(tools, DEFAULT_MODEL, scratch / "module.tandem", "--threads", 2)
    for function in ("all", "decode", "head"):
        expected = tools.output("dump", "--threads", 2, "--function", function)
        expected = re.sub(rb', tandem\.weights = "[^"]*"', b"", expected)  # a file does not say where it was made
        got = tools.output("dump", artifact, "--function", function)
        checks.that(got == expected, f"dump of an artifact: {function}: got another text than of its folder")
    refusals = [(["--stage", "fused"], ["--stage", "fused", "planned"]), (["--context", 9], ["--context"]),
                (["--buckets", 16], ["--buckets"])]
    for options, names in refusals:
        done = tools.run("dump", artifact, *options)
        checks.refused(done, f"dump of an artifact with {options}", names=[artifact, *names])


def mapping(process, artifact):
    """Bytes by kind, of all that a process has mapped of a file."""
    sums, inside = {}, False
    for line in pathlib.Path(f"/proc/{process.pid}/smaps").read_text().splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            inside = line.endswith(str(artifact))
        elif inside and (found := re.match(r"(\w+): +(\d+) kB", line)):
            sums[found[1]] = sums.get(found[1], 0) + int(found[2]) * 1024
    return sums


@contextlib.contextmanager
def stopped_in_midst(tools, artifact, prompt):
    """A process that has a session, has written some tokens, and cannot write more."""
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    filler = 4096 - 64
    os.write(write, b" " * filler)
    process = subprocess.Popen([tools.folder / "tandem-run", artifact, "--prompt", prompt, "--greedy", "-n", "200"],
                               stdout=write, stdin=subprocess.DEVNULL)
    os.close(write)
    try:
        waiting = array.array("i", [0])
        for _ in range(6000):
            fcntl.ioctl(read, termios.FIONREAD, waiting)
            if waiting[0] > filler or process.poll() is not None:
                break
            time.sleep(0.01)
        yield process
        text = b""
        while piece := os.read(read, 4096):
            text += piece
        process.wait()
        process.text = text[filler:]
    finally:
        os.close(read)
        process.kill()
        process.wait()


def check_shared(tools, checks, scratch):
    """Two processes have the weights in memory once, and neither has a copy."""
    artifact = compiled(tools, DEFAULT_MODEL, scratch / "shared.tandem")
    case = read_json(DEFAULT_MODEL / "expected.json")["cases"][0]
    weights = tools.json("info", artifact)["weights_bytes"]
    with stopped_in_midst(tools, artifact, case["text"]) as first, \
            stopped_in_midst(tools, artifact, case["text"]) as second:
        for process in (first, second):
            sums = mapping(process, artifact)
            # Dirty: not yet on disk, since the file was written just now.
            shared = sums["Shared_Clean"] + sums["Shared_Dirty"]
            checks.that(shared >= weights, f"mapped weights of {weights} bytes: got {sums}")
            checks.equal((sums["Private_Clean"], sums["Private_Dirty"], sums["Anonymous"]), (0, 0, 0),
                         "copies of mapped pages")
    for process in (first, second):
        checks.that(process.text.startswith(case["greedy_text"].encode()), f"text: got {process.text[:80]}")


def main():
    tools, checks, reference = Tools(sys.argv[1]), Checks(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check_records(tools, checks, scratch)
        check_source_hash(tools, checks, reference, scratch)
        check_module(tools, checks, scratch)
        check_shared(tools, checks, scratch)
    checks.finish()


if __name__ == "__main__":
    main()
