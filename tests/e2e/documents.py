#!/usr/bin/env python3
"""What the documents show is what the tools print: every command that has output beside it is run.

    documents.py BIN DOCUMENT

A command is an indented line `build/bin/NAME ..`. The fenced blocks after it show lines of its output, in order and
without gaps: `...` alone on a line stands for lines left out, `…` in a line for text left out, and indentation is as it
likes. A block without a comment leaves the output's comments out. After `$ build/bin/NAME ..` the whole output stands
in the same indented block, in as many lines as it likes.
"""
import dataclasses
import pathlib
import re
import shlex
import sys

from tandem import Checks, Tools

COMMAND = re.compile(r"    (\$ )?build/bin/(tandem\S*) (.*)")


@dataclasses.dataclass
class Shown:
    """A command, and the blocks of lines that a document shows of its output."""
    tool: str
    arguments: str
    whole: bool
    line: int
    blocks: list = dataclasses.field(default_factory=list)


def read_document(path):
    commands, fenced = [], None
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fenced = None if fenced is not None else []
            if fenced is not None and commands and not commands[-1].whole:
                commands[-1].blocks.append(fenced)
        elif fenced is not None:
            fenced.append(line)
        elif match := COMMAND.fullmatch(line):
            commands.append(Shown(match[2], match[3], bool(match[1]), number))
            if match[1]:
                commands[-1].blocks.append([])
        elif commands and commands[-1].whole and number == commands[-1].line + 1 + len(commands[-1].blocks[0]):
            if line.startswith("    "):
                commands[-1].blocks[0].append(line)
    return [command for command in commands if command.blocks]


def pattern(line):
    return re.compile(".*".join(map(re.escape, line.strip().split("…"))))


def find(block, output):
    """None where the block's lines are in the output; else the line of the block that is not."""
    furthest = block[0]
    runs = [[]]
    for line in block:
        if line.strip() == "...":
            runs.append([])
        else:
            runs[-1].append(line)
    at = 0
    for run in filter(None, runs):
        patterns = [pattern(line) for line in run]
        for start in range(at, len(output) - len(run) + 1):
            matched = next((i for i, p in enumerate(patterns) if not p.fullmatch(output[start + i].strip())), len(run))
            if matched == len(run):
                at = start + len(run)
                break
            if matched:
                furthest = f"{run[matched]}\n   where it prints\n{output[start + matched]}"
        else:
            return furthest
    return None


def lines_for(block, output):
    """The lines of the output that a block can show."""
    if any("//" in line for line in block):
        return output.splitlines()
    return [line.split("  //")[0] for line in output.splitlines() if not line.strip().startswith("//")]


def squeezed(text):
    return re.sub(r"\s", "", text)


def main():
    tools, checks, path = Tools(sys.argv[1]), Checks(), pathlib.Path(sys.argv[2])
    commands = read_document(path)
    checks.that(commands, f"{path}: got no command with output")
    for command in commands:
        done = tools.run(*shlex.split(command.arguments), tool=command.tool)
        output = (done.stdout + done.stderr).decode()
        what = f"{path.name}:{command.line}: {command.tool} {command.arguments}"
        for block in command.blocks:
            if command.whole:
                expected = pattern(squeezed("".join(block)))
                checks.that(expected.fullmatch(squeezed(output)), f"{what}: prints\n{output}")
            else:
                missing = find(block, lines_for(block, output))
                checks.that(missing is None, f"{what}: does not print\n{missing}")
    checks.finish()


if __name__ == "__main__":
    main()
