"""GPT-2 in PyTorch. How keys and values are kept is the caller's: it passes `attend`, which gets q, k and v of the new
positions, each [1, heads, T, head_size], and returns the attention's result of the same shape."""
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.ln_1 = nn.LayerNorm(width, eps=config.epsilon)
        self.attn_in = nn.Linear(width, 3 * width)
        self.attn_out = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width, eps=config.epsilon)
        self.mlp_in = nn.Linear(width, config.inner)
        self.gelu = nn.GELU(approximate="tanh")
        self.mlp_out = nn.Linear(config.inner, width)

    def forward(self, x, attend):
        """x [1, T, width]"""
        q, k, v = self.attn_in(self.ln_1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.attn_out(attend(q, k, v).transpose(1, 2).flatten(2))
        return x + self.mlp_out(self.gelu(self.mlp_in(self.ln_2(x))))


class Gpt2(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.wte = nn.Embedding(config.vocab, config.width)
        self.wpe = nn.Embedding(config.positions, config.width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.ln_f = nn.LayerNorm(config.width, eps=config.epsilon)
        self.head = nn.Linear(config.width, config.vocab, bias=False)

    def forward(self, ids, positions, attend, last_only=True):
        """Logits [1, 1 or T, vocab] of ids [1, T]; `attend` also gets the layer's number."""
        x = self.wte(ids) + self.wpe(positions)
        for number, layer in enumerate(self.layers):
            x = layer(x, lambda q, k, v, number=number: attend(number, q, k, v))
        return self.head(self.ln_f(x[:, -1:] if last_only else x))


# The names of the checkpoint, where they differ.
RENAMED = {"h.": "layers.", "attn.c_attn": "attn_in", "attn.c_proj": "attn_out", "mlp.c_fc": "mlp_in",
           "mlp.c_proj": "mlp_out"}


def build(config, weights, dtype=torch.float32):
    """The model with those weights; head and embedding share theirs."""
    with torch.device("meta"):
        model = Gpt2(config)
    state = {}
    for name, array in weights.items():
        transposed = array.T if ".c_" in name and name.endswith(".weight") else array
        for old, new in RENAMED.items():
            name = name.replace(old, new)
        state[name] = torch.from_numpy(transposed.copy()).to(dtype)
    state["head.weight"] = state["wte.weight"]
    model.load_state_dict(state, assign=True)
    return model.eval().requires_grad_(False)


def causal(number, q, k, v):
    """Attention of a sequence that starts here and is not kept."""
    return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
