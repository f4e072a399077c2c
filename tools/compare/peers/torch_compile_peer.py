"""PyTorch through torch.compile: the model of torch_gpt2.py over a cache of fixed size.

Weights are frozen into the compiled program, so that they are packed once.
"""
import os

import numpy as np
import torch
import torch._inductor.config as inductor
from torch.nn.functional import pad, scaled_dot_product_attention

from peers import torch_gpt2
from peers.peer import SteppingPeer

GROUP = 32  # weights of an int4 group
INT4_ROWS = 64  # an int4 matrix has a multiple of so many rows; the head is padded


class Steps(torch.nn.Module):
    """The two programs. `cache` is [layers, 2, 1, heads, positions, head_size]."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def prefill(self, ids, cache):
        def attend(layer, q, k, v):
            cache[layer, 0, :, :, :k.shape[2]] = k
            cache[layer, 1, :, :, :v.shape[2]] = v
            return torch_gpt2.causal(layer, q, k, v)
        return self.model(ids, torch.arange(ids.shape[1]), attend)

    def decode(self, token, position, cache):
        mask = (torch.arange(cache.shape[4]) <= position)[None]

        def attend(layer, q, k, v):
            cache[layer, 0].index_copy_(2, position, k)
            cache[layer, 1].index_copy_(2, position, v)
            return scaled_dot_product_attention(q, cache[layer, 0], cache[layer, 1], attn_mask=mask)
        return self.model(token, position, attend)


def quantise(model, precision):
    """Quantises the weights of every Linear in place; says how."""
    from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_
    if precision == "int8":
        quantize_(model, Int8DynamicActivationInt8WeightConfig())
        return "int8 weights per channel, activations per row on the fly"
    from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig
    rows = model.head.out_features
    model.head.weight = torch.nn.Parameter(pad(model.head.weight, (0, 0, 0, -rows % INT4_ROWS)), requires_grad=False)
    quantize_(model, PrototypeInt4WeightOnlyConfig(group_size=GROUP))
    return f"int4 weights in groups of {GROUP}, bf16 activations"


class Peer(SteppingPeer):
    packages = ("torch",)

    def __init__(self, load):
        torch.set_num_threads(load.threads)
        self.config = load.config()
        self.dtype = torch.bfloat16 if load.precision in ("bf16", "int4") else torch.float32
        self.model = torch_gpt2.build(self.config, load.weights(), self.dtype)
        how = f"{load.precision} weights and activations"
        if load.precision in ("int8", "int4"):
            self.packages = ("torch", "torchao")
            how = quantise(self.model, load.precision)
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(load.work / "inductor")
        inductor.freezing = True
        steps = Steps(self.model)
        self.prefill_step = torch.compile(steps.prefill, dynamic=False)
        self.decode_step = torch.compile(steps.decode, dynamic=False)
        self.settings = f"{how}, frozen, a program for each length, cache of fixed size"

    @torch.no_grad()
    def logits(self, ids):
        logits = self.model(torch.tensor([ids]), torch.arange(len(ids)), torch_gpt2.causal, last_only=False)
        return logits[0, :, :self.config.vocab].float().numpy()

    @torch.no_grad()
    def prefill(self, ids, positions):
        c = self.config
        self.cache = torch.zeros((c.layers, 2, 1, c.heads, positions, c.head_size), dtype=self.dtype)
        self.position = torch.tensor([len(ids)])
        return self.row(self.prefill_step(torch.tensor([ids]), self.cache))

    @torch.no_grad()
    def decode(self, token):
        logits = self.decode_step(torch.tensor([[token]]), self.position, self.cache)
        self.position += 1
        return self.row(logits)

    def row(self, logits):
        return np.asarray(logits[0, -1, :self.config.vocab].float())
