"""The command line of compare.py."""
import argparse
import os
import pathlib

import peers

PRECISIONS = ("f32", "bf16", "int8", "int4")
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"error: {message}\n")


def whole_number(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"got '{text}', expected a whole number from 1 on")
    return int(text)


def whole_numbers(text):
    return [whole_number(part) for part in text.split(",")]


def at_least_two(text):
    if whole_number(text) < 2:
        raise argparse.ArgumentTypeError(f"got {text}, expected at least 2: the first token comes of prefill")
    return int(text)


def names(choices):
    def parse(text):
        for name in text.split(","):
            if name not in choices:
                raise argparse.ArgumentTypeError(f"got '{name}', expected {', '.join(choices)}")
        return text.split(",")
    return parse


def parse(arguments):
    parser = Parser(prog="compare", description="Compares Tandem with its peers on one GPT-2, in speed and in numbers.")
    threads = len(os.sched_getaffinity(0))
    parser.add_argument("--model", type=pathlib.Path, metavar="DIR",
                        help="a checkpoint in Hugging Face layout [random weights of GPT-2 of 124M]")
    parser.add_argument("--tandem", type=pathlib.Path, metavar="FILE", default=ROOT / "build/bin/tandem",
                        help="the program to compare [build/bin/tandem]")
    parser.add_argument("--peers", type=names(tuple(peers.PEERS)), metavar="NAME,..", default=list(peers.PEERS),
                        help=f"which of {', '.join(peers.PEERS)} [all]")
    parser.add_argument("--precisions", type=names(PRECISIONS), metavar="NAME,..", default=list(PRECISIONS),
                        help=f"which of {', '.join(PRECISIONS)} [all]")
    parser.add_argument("--prompt-lengths", type=whole_numbers, metavar="N,..", default=[32, 512],
                        help="tokens of the prompts [32,512]")
    parser.add_argument("-n", dest="new", type=at_least_two, metavar="N", default=32, help="new tokens a run [32]")
    parser.add_argument("--repeats", type=whole_number, metavar="N", default=5, help="rounds [5]")
    parser.add_argument("--threads", type=whole_number, metavar="N", default=threads,
                        help=f"threads of each program [all cores: {threads}]")
    parser.add_argument("--output", type=pathlib.Path, metavar="DIR", default=ROOT / "build/compare",
                        help="for results.json, compare.md, compare.svg and converted models [build/compare]")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE",
                        help="write table and plot of this results.json, and measure nothing")
    parser.add_argument("--write-docs", action="store_true", help="write docs/compare.md and docs/compare.svg, too")
    parser.add_argument("--force", action="store_true", help="measure though the machine is busy")
    return parser.parse_args(arguments)
