"""OpenVINO: the model of torch_gpt2.py, converted, its cache kept in the compiled model's state."""
import numpy as np
import openvino
import openvino.opset13 as opset

from peers.peer import SteppingPeer

GROUP = 32  # weights of an int4 group


def traced_model(config, weights):
    """A torch module of (ids [1, T], positions [T], beam [1], past keys and values) -> logits, keys and values."""
    import torch
    from peers import torch_gpt2

    class WithPast(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = torch_gpt2.build(config, weights)

        def forward(self, ids, positions, beam, *past):
            present = []

            def attend(layer, q, k, v):
                # The reordering of beams is the pattern by which OpenVINO knows a cache.
                keys = torch.cat((past[2 * layer].index_select(0, beam), k), 2)
                values = torch.cat((past[2 * layer + 1].index_select(0, beam), v), 2)
                present.extend((keys, values))
                mask = torch.arange(keys.shape[2])[None] <= positions[:, None]
                return torch.nn.functional.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
            return self.model(ids, positions, attend, last_only=False), *present

    c = config
    past = [torch.zeros(1, c.heads, 2, c.head_size)] * (2 * c.layers)
    first = torch.zeros(1, dtype=torch.int)
    return WithPast().eval(), (torch.zeros(1, 3, dtype=torch.long), torch.arange(2, 5), first, *past)


def convert(config, weights):
    """OpenVINO's model, with the cache as state."""
    from openvino._offline_transformations import apply_make_stateful_transformation
    module, example = traced_model(config, weights)
    model = openvino.convert_model(module, example_input=example)
    names = ["ids", "positions", "beam"] + [f"past.{i}" for i in range(2 * config.layers)]
    for port, name in zip(model.inputs, names):
        port.get_tensor().set_names({name})
    for i, port in enumerate(model.outputs):
        port.get_tensor().set_names({f"present.{i - 1}" if i else "logits"})
    cache = openvino.PartialShape([1, config.heads, -1, config.head_size])
    shapes = {"ids": openvino.PartialShape([1, -1]), "positions": openvino.PartialShape([-1]),
              "beam": openvino.PartialShape([1])}
    model.reshape({name: shapes.get(name, cache) for name in names})
    apply_make_stateful_transformation(model, {f"past.{i}": f"present.{i}" for i in range(2 * config.layers)})
    start_states_empty(model, config)
    return model


def start_states_empty(model, config):
    """Attention over a state is fused with it only where the state says how it starts."""
    shape = opset.constant([1, config.heads, 0, config.head_size], dtype=np.int64)
    for node in model.get_ops():
        if node.get_type_name() == "ReadValue":
            node.set_arguments([opset.broadcast(opset.constant(0, dtype=np.float32), shape)])
    model.validate_nodes_and_infer_types()


def write_model(load, path):
    model = convert(load.config(), load.weights())
    if load.precision in ("int8", "int4"):
        import nncf
        kind = {"int8": {"mode": nncf.CompressWeightsMode.INT8_ASYM},
                "int4": {"mode": nncf.CompressWeightsMode.INT4_SYM, "group_size": GROUP}}[load.precision]
        model = nncf.compress_weights(model, **kind)
    openvino.save_model(model, path, compress_to_fp16=False)


SETTINGS = {"f32": "f32 weights and activations", "bf16": "bf16 weights and activations",
            "int8": "NNCF INT8_ASYM weights per channel", "int4": f"NNCF INT4_SYM weights in groups of {GROUP}"}


class Peer(SteppingPeer):
    packages = ("openvino",)

    def __init__(self, load):
        path = load.work / f"{'f32' if load.precision == 'bf16' else load.precision}.xml"
        if not path.exists():
            write_model(load, path)
        hint = "bf16" if load.precision == "bf16" else "f32"
        cache = {"KV_CACHE_PRECISION": "f32"} if load.precision == "f32" else {}
        compiled = openvino.Core().compile_model(path, "CPU", cache | {
            "INFERENCE_NUM_THREADS": load.threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": hint})
        self.request = compiled.create_infer_request()
        chosen = {key: compiled.get_property(key) for key in ("KV_CACHE_PRECISION", "DYNAMIC_QUANTIZATION_GROUP_SIZE")}
        self.settings = (f"{SETTINGS[load.precision]}, inference precision {hint}, KV cache "
                         f"{chosen['KV_CACHE_PRECISION'].get_type_name()}, dynamic quantisation in groups of "
                         f"{chosen['DYNAMIC_QUANTIZATION_GROUP_SIZE']}")

    def logits(self, ids):
        self.request.reset_state()
        self.length = 0
        return self.run(ids)

    def prefill(self, ids, positions):
        return self.logits(ids)[-1]

    def decode(self, token):
        return self.run([token])[0]

    def run(self, ids):
        start, self.length = self.length, self.length + len(ids)
        result = self.request.infer({"ids": np.array([ids]), "positions": np.arange(start, self.length),
                                     "beam": np.array([0], np.int32)}, share_inputs=True, share_outputs=True)
        return result["logits"][0]
