#!/usr/bin/env python3
"""`verify`: every program against eager, op by op, within budgets that are neither broken nor empty; and by pass.

    verify.py BIN REFERENCE
"""
import pathlib
import sys

from tandem import DEFAULT_MODEL, Checks, Tools

# A budget of which no op ever takes this share would let a fault pass.
LEAST_SHARE = 0.02
KINDS = ("eager prefill", "compiled forward", "compiled prefill", "eager decode", "compiled decode of",
         "compiled decode against prefill")
OPS = {"h.0.ln_1 (layer_norm)", "h.0.attn.c_attn (add)", "h.0.attn (matmul 2)", "h.0.attn.c_proj (add 2)",
       "h.0.mlp.act (activation)", "h.0.mlp.c_proj (add 2)", "ln_f (layer_norm)"}


def share(check):
    return check["max_error"] / check["budget"] if check["max_error"] else 0


def check_programs(tools, checks, folder):
    """All comparisons are there, hold, and come near their budgets somewhere. Returns the largest shares."""
    got = tools.json("verify", folder)
    checks.equal(got["ok"], True, f"{folder.name}: ok")
    for kind in KINDS:
        checks.that(any(check["name"].startswith(kind) for check in got["checks"]), f"{folder.name}: no {kind}")
    by_op = [check for check in got["checks"] if check["name"].endswith(", by op")]
    ops = [op for check in by_op for op in check["ops"]]
    for check in got["checks"] + ops:
        checks.that(check["max_error"] <= check["budget"], f"{folder.name}: {check['name']}: {share(check):.2f}")
    for check in by_op:
        checks.that(OPS <= {op["name"] for op in check["ops"]}, f"{folder.name}: {check['name']}: too few ops")
    logits = max(share(check) for check in got["checks"] if not check["name"].endswith(", by op"))
    most = max(ops, key=share)
    print(f"{folder.name}: of its budget an op takes {share(most):.3f} at most ({most['name']}), logits {logits:.3f}")
    return share(most), logits


def check_bisection(tools, checks, folder):
    got = tools.json("verify", folder, "--bisect")
    checks.equal(got["ok"], True, f"{folder.name}: bisect: ok")
    names = [check["name"] for check in got["checks"]]
    checks.equal((names[0], names[-1]), ("specialize-phases", "plan-memory"), f"{folder.name}: bisect: passes")
    for check in got["checks"]:
        checks.that(check["max_error"] <= check["budget"] > 0, f"{folder.name}: after {check['name']}")


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    folders = sorted(path.parent for path in pathlib.Path(sys.argv[2]).glob("*/config.json"))
    shares = []
    for folder in [*folders, DEFAULT_MODEL]:
        with checks.attempt(f"{folder.name}: verify"):
            shares.append(check_programs(tools, checks, folder))
    for i, what in enumerate(("ops", "logits")):
        most = max((share[i] for share in shares), default=0)
        checks.that(most >= LEAST_SHARE, f"budgets of {what}: got a largest share of {most}, expected {LEAST_SHARE}")
    for name in ("base", "inverse-layer-scale"):
        with checks.attempt(f"{name}: bisect"):
            check_bisection(tools, checks, pathlib.Path(sys.argv[2]) / name)
    checks.finish()


if __name__ == "__main__":
    main()
