#!/usr/bin/env python3
"""Mistakes on the command line: each ends with one line that names what is wrong, and no output.

    bad_command_line.py BIN
"""
import re
import sys
import tempfile

from tandem import Checks, Tools

WRONG, FAULTY = 2, 1  # the command line is wrong; its input or the run is at fault

# Arguments, the status, and what the line has to name.
MISTAKES = [
    ([], WRONG, ["command"]),
    (["frobnicate"], WRONG, ["frobnicate"]),
    (["--frob"], WRONG, ["--frob"]),
    (["run", "--frob"], WRONG, ["--frob"]),
    (["run", "--frob=1"], WRONG, ["--frob"]),
    (["run", "one", "two"], WRONG, ["two"]),
    (["run", "one", "two", "three"], WRONG, ["two", "MODEL"]),
    (["run", ""], WRONG, ["MODEL"]),
    (["run", "/nowhere/model"], FAULTY, ["/nowhere/model", "folder", ".tandem"]),
    (["run", "/nowhere/m.tandem"], FAULTY, ["/nowhere/m.tandem"]),
    (["run", "/dev/null"], FAULTY, ["/dev/null", "a file", "folder", ".tandem"]),
    (["run", "--json=maybe"], WRONG, ["--json", "maybe"]),
    (["run", "--prompt", "a", "--ids", "1"], WRONG, ["--prompt", "--ids"]),
    (["run", "--prompt", "a", "--prompt-file", "b"], WRONG, ["--prompt", "--prompt-file"]),
    (["run", "-n"], WRONG, ["-n N"]),
    (["run", "-n", "010"], WRONG, ["-n", "010"]),
    (["run", "-n", "-1"], WRONG, ["-1"]),
    (["run", "-n", "many"], WRONG, ["many"]),
    (["run", "-n", "1.5"], WRONG, ["1.5"]),
    (["run", "-n", "99999999999999999999"], WRONG, ["99999999999999999999"]),
    (["run", "--ids"], WRONG, ["--ids"]),
    (["run", "--ids", ""], WRONG, ["--ids"]),
    (["run", "--ids", ","], WRONG, ["--ids"]),
    (["run", "--ids", "1,,2"], WRONG, ["--ids", "2"]),
    (["run", "--ids", "1,2,"], WRONG, ["--ids", "3"]),
    (["run", "--ids", "1 2"], WRONG, ["--ids", "1 2"]),
    (["run", "--ids", "1,two"], WRONG, ["--ids", "two"]),
    (["run", "--ids", "0x10"], WRONG, ["--ids", "0x10"]),
    (["run", "--ids", "1,-2"], WRONG, ["--ids", "-2"]),
    (["run", "--ids", "1,2.0"], WRONG, ["--ids", "2.0"]),
    (["run", "--ids", "99999999999"], WRONG, ["--ids", "99999999999"]),
    (["run", "--ids", "1\n2"], WRONG, ["--ids"]),
    (["run", "--ids", "1", "--seed", "-1"], WRONG, ["--seed", "-1"]),
    (["run", "--ids", "1", "--seed", "x"], WRONG, ["--seed", "x"]),
    (["run", "--ids", "1", "--temperature", "0"], WRONG, ["--temperature", "0"]),
    (["run", "--ids", "1", "--temperature", "-1"], WRONG, ["--temperature", "-1"]),
    (["run", "--ids", "1", "--temperature", "nan"], WRONG, ["--temperature", "nan"]),
    (["run", "--ids", "1", "--temperature", "inf"], WRONG, ["--temperature", "inf"]),
    (["run", "--ids", "1", "--temperature="], WRONG, ["--temperature"]),
    (["run", "--ids", "1", "--top-k", "1.5"], WRONG, ["--top-k", "1.5"]),
    (["run", "--ids", "1", "--temperature", "hot"], WRONG, ["--temperature", "hot"]),
    (["run", "--ids", "1", "--top-k", "-1"], WRONG, ["--top-k", "-1"]),
    (["run", "--ids", "1", "--top-p", "1.5"], WRONG, ["--top-p", "1.5"]),
    (["run", "--ids", "1", "--top-p", "nan"], WRONG, ["--top-p", "nan"]),
    (["run", "--mode", "jit"], WRONG, ["--mode", "jit", "eager", "compiled"]),
    (["run", "--mode"], WRONG, ["--mode"]),
    (["run", "--kv-cache", "maybe"], WRONG, ["--kv-cache", "maybe", "on", "off"]),
    (["run", "--threads", "0"], WRONG, ["--threads", "0"]),
    (["run", "--threads", "two"], WRONG, ["--threads", "two"]),
    (["run", "--context", "0"], WRONG, ["--context", "0"]),
    (["run", "--context", "-5"], WRONG, ["--context", "-5"]),
    (["run", "--context", "257", "--ids", "1"], FAULTY, ["--context", "257", "256"]),
    (["run", "--buckets", "0"], WRONG, ["--buckets", "0"]),
    (["run", "--buckets", "16,x"], WRONG, ["--buckets", "x"]),
    (["run", "--buckets", "16,-4"], WRONG, ["--buckets", "-4"]),
    (["run", "--memory-limit", "0"], WRONG, ["--memory-limit", "0"]),
    (["run", "--memory-limit", "lots"], WRONG, ["--memory-limit", "lots"]),
    (["run", "--memory-limit", "99999999999999999999", "--ids", "1"], WRONG, ["--memory-limit"]),
    (["run", "--disable-pass", "fuse-all", "--ids", "1"], WRONG, ["--disable-pass", "fuse-all", "fuse-linear"]),
    (["run", "--disable-pass", "bufferize", "--ids", "1"], WRONG, ["--disable-pass", "bufferize", "fuse-linear"]),
    (["run", "--disable-pass", "fuse-all", "--mode", "eager", "--ids", "1"], WRONG, ["fuse-all"]),
    (["run", "--print-after", "fuse-all", "--ids", "1"], WRONG, ["--print-after", "fuse-all", "bufferize"]),
    (["run", "--print-after", "cse", "one", "two"], WRONG, ["two"]),
    (["run", "--prompt-file", ""], WRONG, ["--prompt-file"]),
    (["run", "--prompt-file"], WRONG, ["--prompt-file"]),
    (["run", "--prompt-file", "/nowhere/x.txt"], FAULTY, ["/nowhere/x.txt"]),
    (["run", "--prompt-file", "/"], FAULTY, ["/"]),
    (["eval", "--via", "magic", "--ids", "1"], WRONG, ["--via", "magic", "forward"]),
    (["eval", "--file", "/nowhere/x.txt"], FAULTY, ["/nowhere/x.txt"]),
    (["eval", "--file", ""], WRONG, ["--file"]),
    (["eval", "--logits", ""], WRONG, ["--logits"]),
    (["eval", "--logits"], WRONG, ["--logits"]),
    (["dump", "--stage", "baked"], WRONG, ["--stage", "baked", "imported", "laid-out", "planned"]),
    (["dump", "--stage"], WRONG, ["--stage"]),
    (["dump", "--function", "main"], WRONG, ["--function", "main", "decode"]),
    (["dump", "--stage", "imported", "--function", "decode"], WRONG, ["--function", "decode", "forward"]),
    (["compile"], WRONG, ["-o"]),
    (["compile", "-o"], WRONG, ["-o"]),
    (["compile", "-o", ""], WRONG, ["--output", ".tandem"]),
    (["compile", "-o", "/nowhere/m.bin"], WRONG, ["--output", "m.bin", ".tandem"]),
    (["compile", "-o", "/nowhere/m.tandem", "/nowhere/model"], FAULTY, ["/nowhere/model"]),
    (["init", "gpt2", "-o", ""], WRONG, ["--output"]),
    (["init"], WRONG, ["NAME"]),
    (["init", "gpt2"], WRONG, ["-o"]),
    (["init", "gpt5", "-o", "/nowhere/gpt5"], WRONG, ["gpt5", "distilgpt2"]),
    (["init", "gpt2", "-o", "/dev/null/gpt2"], FAULTY, ["/dev/null/gpt2"]),
    (["bench", "--modes", "jit"], WRONG, ["--modes", "jit", "eager"]),
    (["bench", "--kv-cache", "maybe"], WRONG, ["--kv-cache", "maybe", "on"]),
    (["bench", "--repeat", "0"], WRONG, ["--repeat", "0"]),
    (["bench", "--prompt-lengths", "0"], WRONG, ["--prompt-lengths", "0"]),
    (["bench", "--prompt-lengths", "999", "--repeat", "1"], FAULTY, ["999", "256"]),
    (["bench", "--prompt-lengths", "4,"], WRONG, ["--prompt-lengths"]),
    (["bench", "-n", "-1"], WRONG, ["-1"]),
    (["tokenize", "--frob"], WRONG, ["--frob"]),
    (["detokenize", "--ids", "1,x"], WRONG, ["x"]),
    (["tokenize", "/nowhere/model", "--text", "a"], FAULTY, ["/nowhere/model", "folder"]),
    (["detokenize", "--ids", "1", "--file", "/dev/null"], WRONG, ["--ids", "--file"]),
    (["detokenize", "--ids", "5000"], FAULTY, ["5000", "1024"]),
    (["info", "--context", "257"], FAULTY, ["--context", "257", "256"]),
    (["verify", "/nowhere/model"], FAULTY, ["/nowhere/model"]),
]

RUNNER_MISTAKES = [
    ([], WRONG, ["MODEL"]),
    (["--frob"], WRONG, []),
    ([""], WRONG, ["MODEL"]),
    (["m.tandem", "two"], WRONG, ["two"]),
    (["m.tandem", "--top-k", "-1"], WRONG, ["--top-k", "-1"]),
    (["m.tandem", "--frob"], WRONG, ["--frob"]),
    (["m.tandem", "--mode", "eager"], WRONG, ["--mode"]),
    (["/nowhere/m.tandem", "--ids", "1"], FAULTY, ["/nowhere/m.tandem"]),
    (["/", "--ids", "1"], FAULTY, ["/"]),
    (["/dev/null", "--ids", "1"], FAULTY, ["/dev/null"]),
]


def check_artifact_options(tools, checks, folder):
    """What a compiled file cannot be asked for."""
    path = f"{folder}/m.tandem"
    tools.output("compile", "-o", path, "--threads", 1)
    for command, names in ((["run", path, "--ids", 1, "--mode", "eager"], ["--mode", "eager"]),
                           (["run", path, "--ids", 1, "--threads", 7], ["threads", "7", "1"]),
                           (["run", path, "--ids", 1, "--memory-limit", 1000], ["memory", "1000"]),
                           (["bench", path, "--modes", "eager"], [path, "--modes", "eager"]),
                           (["dump", path, "--stage", "fused"], [path, "--stage", "fused"]), (["verify", path], [path]),
                           (["compile", path, "-o", f"{folder}/n.tandem"], [path])):
        checks.refused(tools.run(*command), " ".join(map(str, command)), names=names)


def check_output(tools, checks):
    """A full disk under standard output is an error, too."""
    for command in (["--help"], ["run", "--help"], ["--version"], ["run", "--ids", "1", "-n", "3"],
                    ["run", "--ids", "1", "--json"], ["dump", "--stage", "imported"],
                    ["info"], ["eval", "--ids", "1,2"], ["tokenize", "--text", "a"], ["detokenize", "--ids", "1"]):
        with open("/dev/full", "wb") as full:
            checks.refused(tools.run(*command, stdout=full), f"{' '.join(command)} > /dev/full")


def main():
    tools, checks = Tools(sys.argv[1]), Checks()
    for tool, mistakes in (("tandem", MISTAKES), ("tandem-run", RUNNER_MISTAKES)):
        for args, status, names in mistakes:
            done = tools.run(*args, tool=tool)
            what = f"{tool} {' '.join(args)!r}"
            checks.refused(done, what, status, names)
            if status == WRONG:
                checks.that(b"got" in done.stderr and b"expected" in done.stderr, f"{what}: said {done.stderr!r}")
            checks.that(not re.search(rb"\d{25}", done.stderr), f"{what}: got a number that nobody reads")
    for args in (["--help"], *([name, "--help"] for name in ("run", "eval", "dump", "compile", "bench", "init"))):
        checks.that(b"Usage" in tools.output(*args), f"{args}: got no usage")
    for tool in ("tandem", "tandem-run"):
        said = tools.output("--version", tool=tool).decode()
        checks.that(re.fullmatch(rf"{tool} [0-9.]+\noneDNN 3[0-9.]+\n", said), f"{tool} --version: got {said!r}")
    for option in ("--disable-pass", "--print-after"):
        checks.that(b"fuse-linear" in tools.output("run", "--help").split(option.encode())[1], f"{option}: no names")
    with tempfile.TemporaryDirectory() as folder:
        check_artifact_options(tools, checks, folder)
    check_output(tools, checks)
    checks.finish()


if __name__ == "__main__":
    main()
