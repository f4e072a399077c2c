"""What is compared, row by row: first that each computes the model's logits, then how fast, in turns."""
import dataclasses
import pathlib
import sys

import numpy as np

import accuracy
import children
import peers
import prompts
import tandem

BUSY_WARNING = 0.05  # of the machine, taken by others during a run


def say(text):
    print(f"compare: {text}", file=sys.stderr, flush=True)


@dataclasses.dataclass(frozen=True)
class Setup:
    """What all rows share."""
    tandem: tandem.Tandem
    model: pathlib.Path
    vocab: int
    work: pathlib.Path  # for converted models
    lengths: list
    new: int

    def ids(self, length):
        return prompts.random_ids(length, self.vocab)

    def request(self, row, action):
        return {"action": action, "peer": row["peer"], "precision": row["precision"], "model": str(self.model),
                "work": str(self.work / row["peer"]), "threads": self.tandem.threads}


def list_rows(setup, chosen, precisions):
    """Tandem and the chosen peers, by precision."""
    ours = setup.tandem.precisions()
    rows = []
    for precision in precisions:
        programs = [("tandem", tandem.NAME)] if precision in ours else []
        programs += [(name, peers.PEERS[name].name) for name in chosen if precision in peers.PEERS[name].precisions]
        rows += [{"peer": key, "name": name, "precision": precision, "runs": []} for key, name in programs]
    return rows


def check_tandem(setup, row, expected):
    """The logits through the cache, a token at a time, and for narrow precisions those of one pass."""
    path, ids = setup.work / "logits.safetensors", setup.ids(prompts.CHECKED)
    row["version"], row["settings"] = setup.tandem.version(), "compiled"
    return max(accuracy.logits_error(setup.tandem.logits(setup.model, ids, row["precision"], path, via), expected)
               for via in ("prefill", "decode"))


def check_peer(setup, row, expected):
    ids = setup.ids(prompts.CHECKED)
    answer = children.measure(setup.request(row, "check") | {"ids": ids, "folder": str(setup.work)}, setup.work)
    row["version"], row["settings"] = answer["version"], answer["settings"]
    error = accuracy.logits_error(np.load(answer["logits"]), expected)
    if "choice_error" in answer:
        return max(error, answer["choice_error"])
    cached = np.load(answer["cached_logits"])
    return max(error, accuracy.logits_error(cached, expected[-len(cached):]))


def check(setup, rows):
    """Gives each row its version, settings and error, or the reason why it is not timed."""
    ids = setup.ids(prompts.CHECKED)
    expected = setup.tandem.logits(setup.model, ids, "f32", setup.work / "logits.safetensors")
    for row in rows:
        try:
            row["error"] = (check_tandem if row["peer"] == "tandem" else check_peer)(setup, row, expected)
            tolerance = accuracy.TOLERANCE[row["precision"]]
            if not row["error"] <= tolerance:
                row["reason"] = f"other logits: got an error of {row['error']:.1e}, expected at most {tolerance:.0e}"
        except (children.RunFailed, ValueError) as failure:
            row["reason"] = str(failure)
        say(f"{row['precision']} {row['name']}: {row.get('reason') or 'error {:.1e}'.format(row['error'])}")


def run_row(setup, row, machine):
    """One run; `machine` gets the best that any run found of it."""
    if row["peer"] != "tandem":
        request = setup.request(row, "time") | {"new": setup.new, "prompts": [setup.ids(n) for n in setup.lengths]}
        return children.measure(request, setup.work)
    run, found = setup.tandem.bench(setup.model, row["precision"], setup.lengths, setup.new)
    for key, value in found.items():
        if value is not None:
            machine[key] = max(machine[key], value) if key in machine else value
    return run


def measure(setup, rows, repeats, machine):
    """Adds a run to each row in every round."""
    for number in range(1, repeats + 1):
        for row in rows:
            if "reason" in row:
                continue
            try:
                row["runs"].append(run_row(setup, row, machine))
            except children.RunFailed as failure:
                row["reason"] = str(failure)
                say(f"{row['precision']} {row['name']}: {failure}")
                continue
            others = row["runs"][-1]["others"]
            if others > BUSY_WARNING:
                say(f"warning: {row['precision']} {row['name']}: other work took {others:.0%} of the machine")
        say(f"round {number} of {repeats} done")
