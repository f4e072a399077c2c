"""Runs one peer once, in a process of its own, so that its memory and threads are its own.

    measure.py REQUEST ANSWER

REQUEST and ANSWER are files of one JSON object. The request says {"action": "check" or "time", "peer", "precision",
"model", "work", "threads", ..}; what a peer prints has no bearing on the answer, which is

    of check    {"version", "settings", "logits": FILE.npy, and either "cached_logits": FILE.npy or "choice_error"}
    of time     {"prompts": {LENGTH: {"prefill_ms", "decode_tokens_per_s", "ids"}}, "peak_bytes"}
    of either   {"reason"} where the peer could not run
"""
import json
import pathlib
import resource
import sys
import time

import numpy as np

import accuracy
import peers
from peers.peer import Load, NotSupported, versions


def check(peer, request):
    """Writes the logits of request["ids"] in one pass, and those of the second half again through the cache. A peer
    that shows none there generates: the tokens it chose are held against its own logits in one pass."""
    ids, folder = request["ids"], pathlib.Path(request["folder"])
    half = len(ids) // 2
    answer = {"version": versions(peer), "settings": peer.settings, "logits": str(folder / "logits.npy")}
    np.save(answer["logits"], np.asarray(peer.logits(ids), np.float32))
    if hasattr(peer, "cached_logits"):
        answer["cached_logits"] = str(folder / "cached-logits.npy")
        np.save(answer["cached_logits"], peer.cached_logits(ids, half))
    else:
        chosen = []
        peer.generate(ids[:half], half, chosen.append)
        logits = np.asarray(peer.logits(ids[:half] + chosen), np.float32)
        answer["choice_error"] = accuracy.choice_error(logits[half - 1:-1], chosen)
    return answer


def time_prompt(peer, prompt, count):
    """Prefill until the first token is chosen, then decode, of `count` tokens in all."""
    ids, times = [], []

    def on_token(token):
        times.append(time.perf_counter())
        ids.append(token)

    start = time.perf_counter()
    peer.generate(prompt, count, on_token)
    if len(ids) != count:
        raise RuntimeError(f"got {len(ids)} tokens, expected {count}")
    return {"prefill_ms": (times[0] - start) * 1e3, "decode_tokens_per_s": (count - 1) / (times[-1] - times[0]),
            "ids": ids}


def measure(peer, request):
    """Each prompt once to warm up, then once that counts."""
    prompts = {}
    for prompt in request["prompts"]:
        time_prompt(peer, prompt, request["new"])
        prompts[str(len(prompt))] = time_prompt(peer, prompt, request["new"])
    return {"prompts": prompts, "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def main():
    request = json.loads(pathlib.Path(sys.argv[1]).read_text())
    load = Load(pathlib.Path(request["model"]), pathlib.Path(request["work"]), request["precision"],
                request["threads"])
    load.work.mkdir(parents=True, exist_ok=True)
    try:
        peer = peers.make_peer(request["peer"], load)
        answer = check(peer, request) if request["action"] == "check" else measure(peer, request)
    except ImportError as error:
        answer = {"reason": f"not installed: {error}"}
    except NotSupported as error:
        answer = {"reason": str(error)}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
