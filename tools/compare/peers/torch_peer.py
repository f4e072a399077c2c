"""PyTorch, eagerly: the model of torch_gpt2.py over a preallocated cache."""
import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from peers import torch_gpt2
from peers.peer import SteppingPeer


class SlicedCache:
    """Keys and values of one sequence; attention reads those that are there."""

    def __init__(self, config, positions, dtype):
        shape = (config.layers, 2, 1, config.heads, positions, config.head_size)
        self.values = torch.empty(shape, dtype=dtype)
        self.length = 0

    def attend(self, layer, q, k, v):
        end = self.length + q.shape[2]
        self.values[layer, 0, :, :, self.length:end] = k
        self.values[layer, 1, :, :, self.length:end] = v
        keys, values = self.values[layer, :, :, :, :end]
        return scaled_dot_product_attention(q, keys, values, is_causal=q.shape[2] > 1)


class Peer(SteppingPeer):
    packages = ("torch",)

    def __init__(self, load):
        torch.set_num_threads(load.threads)
        self.config = load.config()
        self.dtype = torch.bfloat16 if load.precision == "bf16" else torch.float32
        self.model = torch_gpt2.build(self.config, load.weights(), self.dtype)
        self.settings = f"{load.precision} weights and activations, scaled_dot_product_attention, preallocated cache"
        if load.precision == "int8":
            per_channel = {torch.nn.Linear: torch.ao.quantization.per_channel_dynamic_qconfig}
            self.model = torch.ao.quantization.quantize_dynamic(self.model, per_channel)
            engine = torch.backends.quantized.engine
            self.settings = f"quantize_dynamic of every Linear: int8 weights per channel, engine {engine}, f32 cache"

    @torch.inference_mode()
    def logits(self, ids):
        tokens = torch.tensor([ids])
        return self.model(tokens, torch.arange(len(ids)), torch_gpt2.causal, last_only=False)[0].float().numpy()

    def prefill(self, ids, positions):
        self.cache = SlicedCache(self.config, positions, self.dtype)
        return self.run(ids)

    def decode(self, token):
        return self.run([token])

    @torch.inference_mode()
    def run(self, ids):
        start = self.cache.length
        positions = torch.arange(start, start + len(ids))
        logits = self.model(torch.tensor([ids]), positions, self.cache.attend)
        self.cache.length += len(ids)
        return np.asarray(logits[0, -1].float())
