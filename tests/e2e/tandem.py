"""What the end-to-end tests share: running the tools of one build, reading and writing safetensors, and counting
what went wrong.

A test is a script `NAME.py BIN ..`, BIN the folder of the build's binaries. It goes on past a failed check, so that one
run shows every fault, and its exit status is 1 if there was one.
"""
import contextlib
import json
import pathlib
import subprocess
import sys

import numpy as np

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
DEFAULT_MODEL = MODELS / "shakespeare"
VIAS = ("forward", "prefill", "decode")
MODES = ("eager", "compiled")
CELLS = [(mode, cache) for mode in MODES for cache in ("on", "off")]

# Of the largest logit's size: what f32 may differ from float64, and one program from another.
TOLERANCE = 2e-5
# Below this distance of the two best logits, f32 may rightly choose the other token.
SMALLEST_GAP = 1e-3


class ToolFailed(Exception):
    """A tool that should have done its work did not."""


class Tools:
    """The binaries in one folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()

    def run(self, *args, tool="tandem", **options):
        """The finished process; its output as bytes. `options` are subprocess.run's."""
        command = [self.folder / tool, *(arg if isinstance(arg, bytes) else str(arg) for arg in args)]
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "timeout": 850} | options
        if "input" in options:
            del options["stdin"]
        return subprocess.run(command, stderr=subprocess.PIPE, **options)

    def output(self, *args, **options):
        """The bytes that a run writes, which has to succeed in silence."""
        done = self.run(*args, **options)
        if done.returncode != 0 or done.stderr:
            raise ToolFailed(f"{shown(args)}: status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def json(self, *args, **options):
        """The one document that a run with --json writes."""
        return json.loads(self.output(*args, "--json", **options).decode())

    def logits(self, folder, model, ids, *options):
        """float32 [tokens, vocab] by `tandem eval`, written below `folder`."""
        path = pathlib.Path(folder) / "logits.safetensors"
        path.unlink(missing_ok=True)
        self.output("eval", model, "--ids", comma(ids), "--logits", path, *options)
        return read_safetensors(path)["logits"]

    def generate(self, model, ids, count, *options, **rest):
        """What `run --json` says of the most probable continuation."""
        return self.json("run", model, "--ids", comma(ids), "--greedy", "-n", count, *options, **rest)


class Checks:
    """Counts checks, and prints those that fail."""

    def __init__(self):
        self.number = self.failures = 0

    def that(self, holds, what):
        self.number += 1
        if not holds:
            self.failures += 1
            print(f"FAILED {what}", flush=True)
        return holds

    def equal(self, got, expected, what):
        return self.that(got == expected, f"{what}: got {got!r:.600}, expected {expected!r:.600}")

    def close(self, got, expected, what):
        """Arrays within TOLERANCE of the largest expected size; shows the worst element."""
        if got.shape != expected.shape:
            return self.that(False, f"{what}: got shape {got.shape}, expected {expected.shape}")
        errors = np.abs(np.asarray(got, np.float64) - expected)
        errors[np.isnan(errors)] = np.inf
        budget = TOLERANCE * np.abs(expected).max()
        worst = np.unravel_index(errors.argmax(), errors.shape)
        return self.that(errors[worst] <= budget,
                         f"{what}: at {tuple(map(int, worst))}: got {got[worst]}, expected {expected[worst]} "
                         f"within {budget:.2e}")

    def refused(self, done, what, status=1, names=()):
        """A run that ends with `status`, nothing on standard output, and one line on standard error, which starts with
        `error: ` and holds each of `names`."""
        lines = done.stderr.decode(errors="replace").splitlines()
        shows = "; ".join(lines)[:400]
        self.equal(done.returncode, status, f"{what}: status (said: {shows})")
        self.that(len(lines) == 1 and lines[0].startswith("error: "), f"{what}: got {shows!r}, expected one error line")
        for name in names:
            self.that(str(name) in shows, f"{what}: got {shows!r}, expected it to name {name}")
        if done.stdout is not None:
            self.equal(done.stdout, b"", f"{what}: standard output")

    @contextlib.contextmanager
    def attempt(self, what):
        """Counts a tool's failure within as a failed check."""
        try:
            yield
        except ToolFailed as failed:
            self.that(False, f"{what}: {failed}")

    def finish(self):
        print(f"{self.number} checks, {self.failures} failed")
        sys.exit(1 if self.failures or not self.number else 0)


def shown(args):
    return " ".join(str(arg)[:60] for arg in args)


def comma(ids):
    return ",".join(map(str, ids))


def read_json(path):
    return json.loads(pathlib.Path(path).read_text())


def read_safetensors(path):
    """name -> array, mapped; F32 only."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            if entry["dtype"] != "F32":
                raise ValueError(f"{path}: {name}: got {entry['dtype']}, expected F32")
            arrays[name] = np.memmap(path, "<f4", "r", 8 + length + entry["data_offsets"][0], tuple(entry["shape"]))
    return arrays


def write_safetensors(path, arrays):
    """name -> float32 array, in the order given."""
    header, offset = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(np.ascontiguousarray(array, "<f4").tobytes() for array in arrays.values())
    pathlib.Path(path).write_bytes(len(text).to_bytes(8, "little") + text + data)
