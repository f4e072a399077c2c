#!/usr/bin/env python3
"""The compiled file: it generates what the folder does, with no compiler near, and a damaged one is refused.

    artifact.py BIN REFERENCE
"""
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from tandem import DEFAULT_MODEL, VIAS, Checks, Tools, comma, read_json, read_safetensors

RUNNERS = (("tandem", ["run"]), ("tandem-run", []))


def compiled(tools, model, path, *options):
    tools.output("compile", model, "-o", path, *options)
    return path


def check_same(tools, checks, reference, scratch):
    """Without the folder that it was made of: the weights are inside."""
    for name in ("base", "odd-sizes", "bf16", "untied-head", "sharded"):
        folder = shutil.copytree(reference / name, scratch / name)
        artifact = compiled(tools, folder, scratch / f"{name}.tandem")
        cases, logits = read_json(folder / "expected.json")["cases"], read_safetensors(folder / "expected.safetensors")
        shutil.rmtree(folder)
        for i, case in enumerate(cases):
            for tool, command in RUNNERS:
                for cache in ("on", "off"):
                    got = tools.json(*command, artifact, "--ids", comma(case["prompt"]), "--greedy", "--ignore-eos",
                                     "-n", 12, "--kv-cache", cache, tool=tool)
                    what = f"{tool} {artifact.name}: prompt {i}, cache {cache}"
                    checks.equal(got["ids"], case["greedy"], f"{what}: ids")
                    checks.equal(got["peak_bytes"], got["planned_bytes"], f"{what}: peak_bytes")
            for via in VIAS:
                got = tools.logits(scratch, artifact, case["prompt"], "--via", via)
                checks.close(got, logits[f"logits.{i}"], f"{artifact.name}: prompt {i}, via {via}")


def check_text(tools, checks, scratch):
    """The tokenizer and the sampling defaults are inside, too."""
    artifact = compiled(tools, DEFAULT_MODEL, scratch / "default.tandem")
    case = read_json(DEFAULT_MODEL / "expected.json")["cases"][0]
    sampled = tools.output("run", "--prompt", case["text"], "-n", 30, "--seed", 3)
    for tool, command in RUNNERS:
        got = tools.output(*command, artifact, "--prompt", case["text"], "--greedy", "-n", 48, tool=tool)
        checks.equal(got.decode(), case["greedy_text"] + "\n", f"{tool}: text")
        got = tools.output(*command, artifact, "--prompt", case["text"], "-n", 30, "--seed", 3, tool=tool)
        checks.equal(got, sampled, f"{tool}: sampled text")
    checks.equal(tools.json("tokenize", artifact, "--text", case["text"])["ids"], case["prompt"], "tokenize")
    checks.equal(tools.json("info", artifact)["parameters"], tools.json("info")["parameters"], "info: parameters")
    short = compiled(tools, DEFAULT_MODEL, scratch / "short.tandem", "--context", 40, "--buckets", "8")
    got = tools.json(short, "--prompt", case["text"], "--greedy", tool="tandem-run")
    checks.equal((got["ids"], got["finish"]), (case["greedy"][:38], "context"), "compiled with --context 40")
    cells = tools.json("bench", artifact, "--repeat", 1, "-n", 2, "--prompt-lengths", "4")["cells"]
    checks.equal([cell["mode"] for cell in cells], ["compiled", "compiled"], "bench: modes")
    return artifact


def check_no_compiler(tools, checks):
    """tandem-run neither loads MLIR or LLVM nor has any of it inside."""
    for tool, has in (("tandem-run", False), ("tandem", True)):  # the second shows that the test can see it
        path = tools.folder / tool
        loaded = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        checks.equal("libMLIR" in loaded or "libLLVM" in loaded, has, f"{tool}: libraries of MLIR or LLVM")
        binary = path.read_bytes()
        checks.equal(any(name in binary for name in (b"N4mlir", b"N4llvm")), has, f"{tool}: names of MLIR or LLVM")


def regions(whole):
    """What an artifact is made of: name -> first and last byte of each piece."""
    count = struct.unpack_from("<I", whole, 12)[0]
    header, entry, block = 32, 32, 1 << 20
    table = [struct.unpack_from("<16sQQ", whole, header + i * entry) for i in range(count)]
    end = header + count * entry
    pieces = {"header": (0, header - 1), "table": (header, end - 1)}
    begin, end = end, end + 8 * sum(-(-size // block) for _, _, size in table)
    pieces["checksums"] = (begin, end - 1)
    for name, offset, size in table:
        name = name.rstrip(b"\0").decode()
        if offset > end:
            pieces[f"padding before {name}"] = (end, offset - 1)
        pieces[name] = (offset, offset + size - 1)
        end = offset + size
    return pieces


def check_damaged(tools, checks, artifact, scratch):
    whole, bad = artifact.read_bytes(), scratch / "bad.tandem"
    pieces = regions(whole)
    expected = "header table checksums origin program generation tokenizer module constants".split()
    checks.equal([name for name in pieces if "padding" not in name], expected, "pieces of an artifact")
    checks.that("padding before constants" in pieces, "padding: got none, expected some")
    checks.equal(pieces["constants"], (pieces["constants"][0] // 4096 * 4096, len(whole) - 1), "place of the constants")
    lengths = {0, 1, 7, 8, 31, len(whole) // 3, len(whole) - 4096, len(whole) - 1}
    lengths |= {first + more for first, _ in pieces.values() for more in (0, 1)}
    damages = [(f"cut to {length} bytes", whole[:length]) for length in sorted(lengths)]
    damages += [("with a byte more", whole + b"\0"), ("with a page more", whole + bytes(4096))]
    places = {place for first, last in pieces.values() for place in (first, (first + last) // 2, last)}
    for place in sorted(places | set(range(0, 32, 4))):
        flipped = bytearray(whole)
        flipped[place] ^= 0x10
        damages.append((f"with byte {place} flipped", bytes(flipped)))
    for what, contents in damages:
        bad.write_bytes(contents)
        for tool, command in RUNNERS:
            done = tools.run(*command, bad, "--ids", "1", "-n", 1, tool=tool)
            checks.refused(done, f"{tool}: an artifact {what}", names=[bad])
    for tool, command in RUNNERS:
        done = tools.run(*command, scratch / "none.tandem", "--ids", "1", tool=tool)
        checks.refused(done, f"{tool}: a missing artifact", names=["none.tandem"])


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))


def check_nothing_half_written(tools, checks, scratch):
    """What fails leaves every folder as it was."""
    place = scratch / "place"
    place.mkdir()
    kept = place / "kept.tandem"
    kept.write_bytes(b"as it was")
    (place / "folder.tandem").mkdir()
    before = sorted(place.iterdir())
    # Python ignores SIGXFSZ and hands that on: a write past the limit fails, as on a full disk.
    full = {"preexec_fn": limited, "restore_signals": False}
    runs = [("to a missing folder", ["compile", "-o", place / "none" / "m.tandem"], {}, ["none"]),
            ("to a folder's name", ["compile", "-o", place / "folder.tandem"], {}, ["folder.tandem"]),
            ("to a full disk", ["compile", "-o", kept], full, ["kept.tandem"]),
            ("of a missing model", ["compile", place / "no-model", "-o", kept], {}, ["no-model"]),
            ("of logits to a full disk", ["eval", "--text", "a b c d e f g h i j k l m n o p q r s t u v", "--logits",
                                          place / "l.safetensors"], full, ["l.safetensors"]),
            ("of logits to a missing folder", ["eval", "--text", "a", "--logits", place / "none" / "l"], {}, ["none"]),
            ("of logits of an unknown id", ["eval", "--ids", "1,2,5000", "--logits", place / "l"], {}, ["5000"])]
    if os.geteuid() != 0:  # to root no folder is closed
        place.chmod(0o555)
        runs.append(("to a closed folder", ["compile", "-o", place / "m.tandem"], {}, ["m.tandem"]))
    for what, args, options, names in runs:
        checks.refused(tools.run(*args, **options), f"writing {what}", names=names)
        checks.equal(sorted(place.iterdir()), before, f"writing {what}: files")
    checks.equal(kept.read_bytes(), b"as it was", "the file that was there")
    place.chmod(0o755)
    compiled(tools, DEFAULT_MODEL, kept)
    checks.equal(sorted(place.iterdir()), before, "compiling over a file: files")


def check_inputs_kept(tools, checks, artifact, scratch):
    """No output replaces what is read, whatever it is called."""
    model = shutil.copytree(DEFAULT_MODEL, scratch / "inputs")
    (model / "generation_config.json").unlink()
    (scratch / "link").symlink_to(model)
    (scratch / "link.safetensors").symlink_to(model / "model.safetensors")
    os.link(model / "config.json", scratch / "hard")
    (scratch / "text").write_text("a b c")
    copy = shutil.copy(artifact, scratch / "copy.tandem")
    (scratch / "other.tandem").symlink_to(copy)
    (scratch / "config.tandem").symlink_to(model / "config.json")
    contents = {path: path.read_bytes() for path in [*model.iterdir(), scratch / "text", copy]}
    for args, output in ((["eval", model], model / "model.safetensors"),
                         (["eval", model], scratch / "link.safetensors"),
                         (["eval", model], scratch / "link" / "vocab.json"), (["eval", model], scratch / "hard"),
                         (["eval", model], model / "generation_config.json"),  # not there, but would be read
                         (["eval", copy], copy), (["eval", copy], scratch / "other.tandem"),
                         (["eval", model, "--file", scratch / "text"], scratch / "text")):
        text = [] if "--file" in args else ["--text", "a b"]
        checks.refused(tools.run(*args, *text, "--logits", output), f"{args[1].name}: --logits {output}",
                       names=["--logits", output])
    checks.refused(tools.run("compile", model, "-o", scratch / "config.tandem"), "compile over config.json",
                   names=["-o", "config.tandem", "config.json"])
    checks.equal({path: path.read_bytes() for path in [*model.iterdir(), scratch / "text", copy]}, contents, "inputs")
    tools.logits(model, model, [1, 2])  # beside the inputs is no matter


def written_bytes(process):
    """How much it has written by now."""
    fields = dict(line.split(": ") for line in pathlib.Path(f"/proc/{process.pid}/io").read_text().splitlines())
    return int(fields["wchar"])


def check_killed(tools, checks, scratch):
    """A writer that is stopped half way leaves nothing, so that the folder is as good as new."""
    place = scratch / "killed"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        command = [tools.folder / "tandem", "init", "gpt2-xl", "-o", place]  # 6 GB: there is time
        # A shell's background job ignores some signals, and hands that on.
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=None if number == signal.SIGKILL
                                   else lambda number=number: signal.signal(number, signal.SIG_DFL))
        while process.poll() is None and written_bytes(process) < 1 << 22:
            time.sleep(0.001)
        process.send_signal(number)
        said = process.communicate()[1]
        checks.equal((process.returncode, said), (-number, b""), f"init until {number.name}: status, and what it said")
        checks.equal(sorted(place.iterdir()), [], f"init until {number.name}: files")
    (place / "model.safetensors.partial-1").touch()  # as a file system may leave it that has no files without a name
    tools.output("init", "distilgpt2", "-o", place)
    checks.that((place / "config.json").exists(), "init over what a killed one left")
    shutil.rmtree(place)


def main():
    tools, checks, reference = Tools(sys.argv[1]), Checks(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check_no_compiler(tools, checks)
        check_same(tools, checks, reference, scratch)
        artifact = check_text(tools, checks, scratch)
        check_damaged(tools, checks, artifact, scratch)
        check_nothing_half_written(tools, checks, scratch)
        check_inputs_kept(tools, checks, artifact, scratch)
        check_killed(tools, checks, scratch)
    checks.finish()


if __name__ == "__main__":
    main()
