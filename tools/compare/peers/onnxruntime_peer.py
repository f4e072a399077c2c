"""ONNX Runtime: the graph of onnx_graph.py, its cache bound in place."""
import numpy as np
import onnxruntime

from peers.peer import SteppingPeer

GROUP = 32  # weights of an int4 group


def write_model(load, path):
    """The graph in float32, then quantised."""
    import onnx
    from peers import onnx_graph
    plain = path.with_name("f32.onnx")
    if not plain.exists():
        onnx_graph.write(load.config(), load.weights(), plain)
    if load.precision == "int8":
        from onnxruntime.quantization import QuantType, quantize_dynamic
        quantize_dynamic(plain, path, op_types_to_quantize=["MatMul"], per_channel=True, weight_type=QuantType.QInt8,
                         extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
    elif load.precision == "int4":
        from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
        quantiser = MatMulNBitsQuantizer(onnx.load(plain), block_size=GROUP, is_symmetric=True, accuracy_level=4)
        quantiser.process()
        quantiser.model.save_model_to_file(str(path))


SETTINGS = {"f32": "f32 weights and activations",
            "int8": "quantize_dynamic of MatMul: int8 weights per channel, activations per tensor on the fly",
            "int4": f"MatMulNBits: int4 weights in groups of {GROUP}, int8 activations (accuracy_level 4)"}


class Peer(SteppingPeer):
    packages = ("onnxruntime", "onnx")

    def __init__(self, load):
        self.config = load.config()
        path = load.work / f"{load.precision}.onnx"
        if not path.exists():
            write_model(load, path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = load.threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.settings = SETTINGS[load.precision] + ", GroupQueryAttention over an f32 cache in place, I/O binding"

    def logits(self, ids):
        self.start(len(ids))
        return self.run(ids, 0)

    def prefill(self, ids, positions):
        self.start(positions)
        return self.run(ids, len(ids) - 1)[0]

    def decode(self, token):
        return self.run([token], 0)[0]

    def start(self, positions):
        c = self.config
        names = [f"{layer}.{what}" for layer in range(c.layers) for what in ("key", "value")]
        shape = (1, c.heads, positions, c.head_size)
        self.cache = {name: onnxruntime.OrtValue.ortvalue_from_shape_and_type(shape, np.float32) for name in names}
        self.length = 0
        self.binding = self.session.io_binding()
        for name, value in self.cache.items():
            self.binding.bind_ortvalue_input(f"past.{name}", value)
            self.binding.bind_ortvalue_output(f"present.{name}", value)

    def run(self, ids, first_row):
        """Logits [T - first_row, vocab]."""
        start, self.length = self.length, self.length + len(ids)
        # A binding holds no reference to what is bound.
        self.inputs = {"ids": np.array([ids]), "positions": np.arange(start, self.length)[None],
                       "first_row": np.array([first_row]), "end_row": np.array([len(ids)]),
                       "last_position": np.array([self.length - 1], np.int32),
                       "total_length": np.array([self.length], np.int32)}
        for name, value in self.inputs.items():
            self.binding.bind_cpu_input(name, value)
        self.binding.bind_output("logits", "cpu")
        self.session.run_with_iobinding(self.binding)
        return self.binding.get_outputs()[-1].numpy()[0]
