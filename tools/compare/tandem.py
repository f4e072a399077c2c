"""Tandem itself, by its commands."""
import json
import re

import children

NAME = "Tandem"


class Tandem:
    def __init__(self, binary, threads):
        self.binary, self.threads = binary, threads

    def output(self, *arguments):
        """(standard output, the share of the machine that was busy with other work)."""
        return children.run([self.binary, *(str(argument) for argument in arguments)], self.threads)

    def version(self):
        return ", ".join(self.output("--version")[0].split("\n")[:2])

    def precisions(self):
        """Those that `bench` knows."""
        found = re.search(r"--precisions (\S+)", self.output("bench", "--help")[0])
        return tuple(found.group(1).split(",")) if found else ("f32",)

    def init(self, name, folder):
        self.output("init", name, "-o", folder)

    def logits(self, model, ids, precision, path, via="prefill"):
        """float32 [T, vocab], written to `path`; `via` decode is through the cache, a token at a time."""
        from safetensors.numpy import load_file
        options = [] if precision == "f32" else ["--precision", precision]
        self.output("eval", model, "--ids", ",".join(map(str, ids)), "--via", via, "--threads", self.threads,
                    "--logits", path, *options)
        return load_file(path)["logits"]

    def bench(self, model, precision, lengths, new):
        """A run, as measure.py answers it, and the machine as `bench` found it."""
        text, others = self.output("bench", model, "--modes", "compiled", "--kv-cache", "on", "--precisions", precision,
                                   "--prompt-lengths", ",".join(map(str, lengths)), "-n", new, "--repeat", 1,
                                   "--threads", self.threads, "--json")
        document = json.loads(text)
        prompts = {str(cell["prompt"]): {"prefill_ms": cell["prefill_ms"]["median"],
                                         "decode_tokens_per_s": cell["decode_tokens_per_s"]["median"],
                                         "ids": cell["ids"]} for cell in document["cells"]}
        peak = max(cell["peak_bytes"] for cell in document["cells"])
        return {"prompts": prompts, "peak_bytes": peak, "others": others}, document["machine"]
