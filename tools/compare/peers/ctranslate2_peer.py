"""CTranslate2: the checkpoint in its own format; weights are quantised as it loads."""
import ctranslate2
import numpy as np
from ctranslate2.specs import common_spec, transformer_spec

from peers.peer import NotSupported

COMPUTE = {"f32": "float32", "bf16": "bfloat16", "int8": "int8_float32"}


def set_norm(spec, weights, name):
    spec.gamma, spec.beta = weights[name + ".weight"], weights[name + ".bias"]


def set_linear(spec, weights, name):
    spec.weight, spec.bias = np.ascontiguousarray(weights[name + ".weight"].T), weights[name + ".bias"]


def write_model(config, weights, folder):
    """The vocabulary is the ids as text, since the checkpoint may have none."""
    spec = transformer_spec.TransformerDecoderModelSpec.from_config(config.layers, config.heads, pre_norm=True,
                                                                    activation=common_spec.Activation.GELUTanh)
    decoder = spec.decoder
    decoder.scale_embeddings = False
    decoder.embeddings.weight = weights["wte.weight"]
    decoder.position_encodings.encodings = weights["wpe.weight"]
    decoder.projection.weight = weights["wte.weight"]
    set_norm(decoder.layer_norm, weights, "ln_f")
    for number, layer in enumerate(decoder.layer):
        h = f"h.{number}."
        set_norm(layer.self_attention.layer_norm, weights, h + "ln_1")
        set_linear(layer.self_attention.linear[0], weights, h + "attn.c_attn")
        set_linear(layer.self_attention.linear[1], weights, h + "attn.c_proj")
        set_norm(layer.ffn.layer_norm, weights, h + "ln_2")
        set_linear(layer.ffn.linear_0, weights, h + "mlp.c_fc")
        set_linear(layer.ffn.linear_1, weights, h + "mlp.c_proj")
    spec.register_vocabulary([str(number) for number in range(config.vocab)])
    spec.config.bos_token = spec.config.eos_token = spec.config.unk_token = "0"
    spec.config.layer_norm_epsilon = config.epsilon
    spec.validate()
    spec.optimize()
    folder.mkdir()
    spec.save(str(folder))


class Peer:
    packages = ("ctranslate2",)

    def __init__(self, load):
        compute = COMPUTE[load.precision]
        supported = ctranslate2.get_supported_compute_types("cpu")
        if compute not in supported:
            known = ", ".join(sorted(supported))
            raise NotSupported(f"compute type: got {compute}, expected one of {known} on this CPU")
        folder = load.work / "model"
        if not folder.exists():
            write_model(load.config(), load.weights(), folder)
        self.generator = ctranslate2.Generator(str(folder), device="cpu", compute_type=compute, inter_threads=1,
                                               intra_threads=load.threads)
        self.settings = f"compute type {compute}, generate_batch()"

    def logits(self, ids):
        return np.array(self.generator.forward_batch([[str(token) for token in ids]]))[0]

    def generate(self, ids, count, on_token):
        def on_step(step):
            on_token(step.token_id)
            return False
        self.generator.generate_batch([[str(token) for token in ids]], min_length=count, max_length=count,
                                      include_prompt_in_result=False, callback=on_step)
