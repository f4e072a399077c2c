"""Compares Tandem with its peers on one GPT-2: that they compute the same, and how fast.

tools/compare/run calls it with the packages it needs; README.md beside it says what it does.
"""
import datetime
import json
import os
import shutil
import sys

import arguments
import checkpoint
import children
import idle
import rounds
import table
import tandem

BUSY_LIMIT, WATCHED_S = 0.05, 2.0  # of the machine, and how long it is watched before anything starts


class CannotCompare(Exception):
    """The one line that says why."""


def refuse_busy_machine(force, busy_share=idle.busy_share):
    """The share that is busy with other work before we start."""
    busy = busy_share(WATCHED_S)
    if busy <= BUSY_LIMIT:
        return busy
    text = f"got a machine that is {busy:.0%} busy, expected at most {BUSY_LIMIT:.0%}"
    if not force:
        raise CannotCompare(f"{text}; --force measures all the same")
    rounds.say(f"warning: {text}: the figures will be worth little")
    return busy


def prepare(options):
    """The model, made where none is given, and what all rows share."""
    if not os.access(options.tandem, os.X_OK):
        raise CannotCompare(f"{options.tandem}: got no program, expected Tandem; `make build` builds it")
    program = tandem.Tandem(options.tandem, options.threads)
    model = options.model or options.output / "gpt2"
    if options.model is None and not (model / "config.json").exists():
        rounds.say("writing GPT-2 of 124M with random weights")
        program.init("gpt2", model)
    config = checkpoint.read_config(model)
    longest = max(options.prompt_lengths) + options.new
    if longest > config.positions:
        raise CannotCompare(f"{model}: got a prompt and new tokens of {longest} in all, expected at most "
                            f"{config.positions}")
    work = options.output / "work" / checkpoint.stamp(model)
    work.mkdir(parents=True, exist_ok=True)
    return rounds.Setup(program, model, config.vocab, work, options.prompt_lengths, options.new)


def compare(options):
    busy = refuse_busy_machine(options.force)
    setup, machine = prepare(options), {}
    rows = rounds.list_rows(setup, options.peers, options.precisions)
    rounds.check(setup, rows)
    rounds.measure(setup, rows, options.repeats, machine)
    if not machine:
        raise CannotCompare("tandem: got no run to compare with, expected one")
    return {"date": datetime.date.today().isoformat(), "model": setup.model.name, "machine": machine,
            "threads": options.threads, "prompt_lengths": options.prompt_lengths, "new": options.new,
            "repeats": options.repeats, "busy_before": busy, "rows": rows}


def write(results, options):
    import plot
    options.output.mkdir(parents=True, exist_ok=True)
    written = options.output / "compare.md", options.output / "compare.svg"
    written[0].write_text("# Tandem and its peers\n\n![Tokens a second](compare.svg)\n\n" + table.report(results))
    plot.draw(results, written[1])
    print(table.report(results), end="")
    if options.write_docs:
        for path in written:
            shutil.copy(path, arguments.ROOT / "docs")


def main():
    options = arguments.parse(sys.argv[1:])
    try:
        if options.results:
            results = json.loads(options.results.read_text())
        else:
            options.output.mkdir(parents=True, exist_ok=True)
            results = compare(options)
            (options.output / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        write(results, options)
    except (CannotCompare, checkpoint.CheckpointError, children.RunFailed, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
