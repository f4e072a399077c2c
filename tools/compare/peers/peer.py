"""What every peer is to the comparison.

A peer's file has one class `Peer`, whose constructor takes a Load and leaves the model ready to run. It has

    packages                        the installed packages whose versions say which peer this is
    settings                        in words, what was chosen that bears on speed or numbers
    logits(ids)                     float32 [T, vocab], in one pass
    generate(ids, count, on_token)  calls on_token with each of `count` tokens, chosen greedily, as it is there
    cached_logits(ids, start)       through the cache; where the peer shows no logits there, it has no such method
"""
import dataclasses
import importlib.metadata
import pathlib

import numpy as np

import checkpoint


class NotSupported(Exception):
    """What a peer says of a precision that it cannot run here."""


@dataclasses.dataclass(frozen=True)
class Load:
    model: pathlib.Path  # the checkpoint's folder
    work: pathlib.Path  # where the peer may keep the model in its own format
    precision: str
    threads: int

    def config(self):
        return checkpoint.read_config(self.model)

    def weights(self):
        return checkpoint.read_weights(self.model, self.config())


class SteppingPeer:
    """What the peers share that are called for each token.

    Such a peer has `prefill(ids, positions)`, which starts a sequence of at most so many positions, and
    `decode(token)`. Both return the logits of the last position, [vocab].
    """

    def generate(self, ids, count, on_token):
        logits = self.prefill(ids, len(ids) + count)
        for left in reversed(range(count)):
            token = int(np.argmax(logits))
            on_token(token)
            if left:
                logits = self.decode(token)

    def cached_logits(self, ids, start):
        """float32 [len(ids) - start + 1, vocab]: of position start - 1 from prefill, of the others from decode."""
        rows = [self.prefill(ids[:start], len(ids))]
        rows[0] = np.array(rows[0], np.float32)  # a peer may write the next logits over the last
        for token in ids[start:]:
            rows.append(np.array(self.decode(token), np.float32))
        return np.stack(rows)


def versions(peer):
    return ", ".join(f"{package} {importlib.metadata.version(package)}" for package in peer.packages)
