"""Writes GPT-2 as an ONNX graph for ONNX Runtime: its own fused ops for attention and GELU, and a KV cache that is
written in place, which is what its generation models use."""
import numpy as np
import onnx
from onnx import TensorProto, helper

MICROSOFT = "com.microsoft"


class GraphWriter:
    def __init__(self, config, weights):
        self.config, self.weights = config, weights
        self.nodes, self.initializers, self.stored = [], [], set()

    def op(self, kind, inputs, outputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, outputs, **attributes))
        return outputs[0]

    def store(self, name, array):
        if name not in self.stored:
            self.stored.add(name)
            self.initializers.append(onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def weight(self, name):
        return self.store(name, self.weights[name])

    def norm(self, name, x):
        return self.op("LayerNormalization", [x, self.weight(name + ".weight"), self.weight(name + ".bias")],
                       [name + ".out"], epsilon=self.config.epsilon)

    def linear(self, name, x):
        product = self.op("MatMul", [x, self.weight(name + ".weight")], [name + ".product"])
        return self.op("Add", [product, self.weight(name + ".bias")], [name + ".out"])

    def attention(self, layer, x):
        qkv = self.linear(f"h.{layer}.attn.c_attn", x)
        inputs = [qkv, "", "", f"past.{layer}.key", f"past.{layer}.value", "last_position", "total_length"]
        outputs = [f"h.{layer}.attn.out", f"present.{layer}.key", f"present.{layer}.value"]
        self.op("GroupQueryAttention", inputs, outputs, domain=MICROSOFT, num_heads=self.config.heads,
                kv_num_heads=self.config.heads)
        return self.linear(f"h.{layer}.attn.c_proj", outputs[0])

    def mlp(self, layer, x):
        hidden = self.linear(f"h.{layer}.mlp.c_fc", x)
        hidden = self.op("FastGelu", [hidden], [f"h.{layer}.mlp.gelu"], domain=MICROSOFT)
        return self.linear(f"h.{layer}.mlp.c_proj", hidden)

    def forward(self):
        tokens = self.op("Gather", [self.weight("wte.weight"), "ids"], ["tokens"])
        places = self.op("Gather", [self.weight("wpe.weight"), "positions"], ["places"])
        x = self.op("Add", [tokens, places], ["embedded"])
        for layer in range(self.config.layers):
            h = f"h.{layer}"
            x = self.op("Add", [x, self.attention(layer, self.norm(h + ".ln_1", x))], [h + ".attended"])
            x = self.op("Add", [x, self.mlp(layer, self.norm(h + ".ln_2", x))], [h + ".out"])
        head = self.store("head.weight", self.weights["wte.weight"].T)
        # Of the rows from first_row on: all of them, or the last one alone.
        rows = [self.norm("ln_f", x), "first_row", "end_row", self.store("row_axis", np.array([1]))]
        self.op("MatMul", [self.op("Slice", rows, ["chosen"]), head], ["logits"])


def cache_values(config, kind):
    """The names and types of past or present keys and values."""
    shape = [1, config.heads, "room", config.head_size]
    return [helper.make_tensor_value_info(f"{kind}.{layer}.{what}", TensorProto.FLOAT, shape)
            for layer in range(config.layers) for what in ("key", "value")]


def write(config, weights, path):
    """Inputs: ids and positions [1, T]; last_position [1], of the new ones; total_length, of the sequence; first_row
    and end_row, of the T that get logits; past.<layer>.key and .value [1, heads, room, head_size]."""
    writer = GraphWriter(config, weights)
    writer.forward()
    scalars = {"last_position": (TensorProto.INT32, [1]), "total_length": (TensorProto.INT32, [1]),
               "first_row": (TensorProto.INT64, [1]), "end_row": (TensorProto.INT64, [1]),
               "ids": (TensorProto.INT64, [1, "T"]), "positions": (TensorProto.INT64, [1, "T"])}
    inputs = [helper.make_tensor_value_info(name, *kind) for name, kind in scalars.items()]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "rows", config.vocab])
    graph = helper.make_graph(writer.nodes, "gpt2", inputs + cache_values(config, "past"),
                              [logits] + cache_values(config, "present"), writer.initializers)
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20),
                                                                   helper.make_opsetid(MICROSOFT, 1)])
    onnx.save(model, path)
