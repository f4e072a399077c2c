"""Runs programs one at a time, each in a process of its own, and watches what else the machine does meanwhile."""
import json
import os
import pathlib
import subprocess
import sys

import idle

MEASURE = pathlib.Path(__file__).with_name("measure.py")
LONGEST_S = 1800
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class RunFailed(Exception):
    """A program that did not do its work; the text says why, in one line."""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def run(command, threads):
    """(what the program printed, the share of the machine that was busy with other work)."""
    environment = os.environ | {name: str(threads) for name in THREAD_VARIABLES}
    with idle.watch_others() as watched:
        try:
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=LONGEST_S, check=False)
        except subprocess.TimeoutExpired:
            raise RunFailed(f"got no end after {LONGEST_S} s") from None
        except OSError as error:
            raise RunFailed(str(error)) from None
    if done.returncode < 0:
        raise RunFailed(f"got signal {-done.returncode}")
    if done.returncode != 0:
        raise RunFailed(last_line(done.stderr))
    return done.stdout, watched["others"]


def measure(request, folder):
    """The answer of measure.py to a request, with "others", the share of the machine that was busy with other work."""
    asked, answered = folder / "request.json", folder / "answer.json"
    asked.write_text(json.dumps(request))
    answered.unlink(missing_ok=True)
    _, others = run([sys.executable, MEASURE, asked, answered], request["threads"])
    answer = json.loads(answered.read_text())
    if "reason" in answer:
        raise RunFailed(answer["reason"])
    return answer | {"others": others}
