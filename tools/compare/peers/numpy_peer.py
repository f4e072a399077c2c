"""GPT-2 in NumPy, float32, with a KV cache: what a straightforward program reaches on a good BLAS."""
import math

import numpy as np

from peers.peer import SteppingPeer


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Peer(SteppingPeer):
    packages = ("numpy",)
    settings = "f32, OpenBLAS of the wheel, preallocated cache"

    def __init__(self, load):
        self.config, self.weights = load.config(), load.weights()

    def logits(self, ids):
        return self.output(self.hidden(ids, len(ids)))

    def prefill(self, ids, positions):
        return self.output(self.hidden(ids, positions)[-1:])[0]

    def decode(self, token):
        return self.output(self.run([token]))[0]

    def hidden(self, ids, positions):
        """[T, width] of a sequence that starts here."""
        c = self.config
        self.cache = np.empty((c.layers, 2, c.heads, positions, c.head_size), np.float32)
        self.length = 0
        return self.run(ids)

    def run(self, ids):
        start, self.length = self.length, self.length + len(ids)
        w = self.weights
        x = w["wte.weight"][ids] + w["wpe.weight"][start:self.length]
        for layer in range(self.config.layers):
            h = f"h.{layer}."
            x = x + self.linear(h + "attn.c_proj", self.attention(layer, start, self.norm(h + "ln_1", x)))
            x = x + self.linear(h + "mlp.c_proj", gelu(self.linear(h + "mlp.c_fc", self.norm(h + "ln_2", x))))
        return self.norm("ln_f", x)

    def output(self, hidden):
        return hidden @ self.weights["wte.weight"].T

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(self.config.epsilon))
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def attention(self, layer, start, x):
        """x [T, width] of positions from `start` on, over all that the cache then holds."""
        c, T = self.config, len(x)
        qkv = self.linear(f"h.{layer}.attn.c_attn", x)
        q, k, v = qkv.reshape(T, 3, c.heads, c.head_size).transpose(1, 2, 0, 3)  # each [heads, T, head_size]
        self.cache[layer, 0, :, start:self.length] = k
        self.cache[layer, 1, :, start:self.length] = v
        k, v = self.cache[layer, :, :, :self.length]
        scores = q @ k.transpose(0, 2, 1) * np.float32(1 / math.sqrt(c.head_size))
        if T > 1:
            later = np.arange(self.length) > np.arange(start, self.length)[:, None]
            scores[:, later] = -np.inf
        return (softmax(scores) @ v).transpose(1, 0, 2).reshape(T, c.width)
