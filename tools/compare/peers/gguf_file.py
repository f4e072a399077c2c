"""Writes a checkpoint as a GGUF file in float32, which llama.cpp then quantises by its own rules."""
import numpy as np

# GGUF's names of what a layer holds.
LAYER_NAMES = {"ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm",
               "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
NAMES = {"wte.weight": "token_embd.weight", "wpe.weight": "position_embd.weight", "ln_f.weight": "output_norm.weight",
         "ln_f.bias": "output_norm.bias"}


def gguf_name(name):
    if name in NAMES:
        return NAMES[name]
    _, layer, rest = name.split(".", 2)
    module, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{LAYER_NAMES[module]}.{kind}"


def gguf_tensors(weights):
    """Arrays by GGUF's names. Weights are [in, out] in a checkpoint and [out, in] there; a GGUF without an output
    matrix uses the embedding."""
    return {gguf_name(name): np.ascontiguousarray(array.T) if ".c_" in name and array.ndim == 2 else array
            for name, array in weights.items()}


def write(config, weights, path):
    import gguf
    writer = gguf.GGUFWriter(path, "gpt2")
    writer.add_vocab_size(config.vocab)
    writer.add_context_length(config.positions)
    writer.add_embedding_length(config.width)
    writer.add_feed_forward_length(config.inner)
    writer.add_block_count(config.layers)
    writer.add_head_count(config.heads)
    writer.add_layer_norm_eps(config.epsilon)
    writer.add_tokenizer_model("no_vocab")
    for name, array in gguf_tensors(weights).items():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
