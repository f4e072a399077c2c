#!/usr/bin/env python3
"""One small checkpoint with every set of instructions that the processor has, and the refusal of all others.

    cpu_levels.py BIN REFERENCE
"""
import os
import pathlib
import sys
import tempfile

from reference import check_logits
from tandem import Checks, Tools

# What each level adds, in Linux's names.
ADDED_FLAGS = {"v2": {"sse4_2"}, "v3": {"avx2", "fma"}, "v4": {"avx512bw", "avx512cd", "avx512dq", "avx512vl"}}


def processor_flags():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return set(next(line for line in lines if line.startswith("flags")).split())


def main():
    tools, checks, flags = Tools(sys.argv[1]), Checks(), processor_flags()
    folder = min(path.parent for path in pathlib.Path(sys.argv[2]).glob("*/config.json"))
    with tempfile.TemporaryDirectory() as scratch:
        for level, added in ADDED_FLAGS.items():
            os.environ["TANDEM_CPU_LEVEL"] = level
            if added <= flags:
                check_logits(tools, checks, folder, scratch)
            else:
                checks.refused(tools.run("info"), f"{level}, which the processor lacks", 2, ("TANDEM_CPU_LEVEL", level))
    for name in ("v5", "V3", "", "avx2"):
        os.environ["TANDEM_CPU_LEVEL"] = name
        checks.refused(tools.run("info"), f"level '{name}'", 2, ("TANDEM_CPU_LEVEL", f"'{name}'", "v2, v3 or v4"))
        checks.equal(tools.run("--version").returncode, 0, f"level '{name}': --version")
    checks.finish()


if __name__ == "__main__":
    main()
