"""A GPT-2 checkpoint in Hugging Face layout, as NumPy arrays."""
import dataclasses
import hashlib
import json
import pathlib

# The parameters of layer i are `h.<i>.<name>`. Weights are stored [in, out].
LAYER_PARAMETERS = tuple(f"{module}.{kind}" for module in ("ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc",
                                                           "mlp.c_proj") for kind in ("weight", "bias"))


class CheckpointError(Exception):
    """A folder that holds no GPT-2 which every peer can run."""


@dataclasses.dataclass(frozen=True)
class Config:
    vocab: int
    positions: int
    width: int
    layers: int
    heads: int
    inner: int
    epsilon: float

    @property
    def head_size(self):
        return self.width // self.heads


def read_config(folder):
    """The sizes of the model in `folder`; refuses variants of GPT-2 that some peer cannot express."""
    path = pathlib.Path(folder) / "config.json"
    try:
        fields = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: {error}") from error
    expected = {"model_type": "gpt2", "activation_function": "gelu_new", "scale_attn_weights": True,
                "scale_attn_by_inverse_layer_idx": False, "tie_word_embeddings": True}
    for key, value in expected.items():
        if fields.get(key, value) != value:
            raise CheckpointError(f"{path}: {key}: got {fields[key]!r}, expected {value!r}")
    try:
        width = fields["n_embd"]
        return Config(fields["vocab_size"], fields["n_positions"], width, fields["n_layer"], fields["n_head"],
                      fields.get("n_inner") or 4 * width, fields["layer_norm_epsilon"])
    except KeyError as error:
        raise CheckpointError(f"{path}: got no {error}, expected one") from error


def parameter_names(config):
    """The names of all parameters, in the order of the model."""
    layers = [f"h.{i}.{name}" for i in range(config.layers) for name in LAYER_PARAMETERS]
    return ["wte.weight", "wpe.weight", *layers, "ln_f.weight", "ln_f.bias"]


def read_weights(folder, config):
    """float32 arrays by name, without the prefix `transformer.`"""
    from safetensors.numpy import load_file
    path = pathlib.Path(folder) / "model.safetensors"
    stored = {name.removeprefix("transformer."): array for name, array in load_file(path).items()}
    missing = [name for name in parameter_names(config) if name not in stored]
    if missing:
        raise CheckpointError(f"{path}: got no tensor {missing[0]}, expected one")
    return {name: stored[name].astype("float32", copy=False) for name in parameter_names(config)}


def stamp(folder):
    """A short name that changes when the checkpoint does, or what converts it: the result is kept under that name."""
    folder, here = pathlib.Path(folder).resolve(), pathlib.Path(__file__).parent
    weights = (folder / "model.safetensors").stat()
    texts = [f"{folder} {weights.st_size} {weights.st_mtime_ns}", (folder / "config.json").read_text(),
             *(path.read_text() for path in sorted(here.glob("peers/*.py"))), (here / "requirements.txt").read_text()]
    return f"{folder.name}-{hashlib.sha256(chr(0).join(texts).encode()).hexdigest()[:12]}"
