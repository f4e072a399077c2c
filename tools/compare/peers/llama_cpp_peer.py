"""llama.cpp, by the C functions that llama-cpp-python binds."""
import ctypes

import llama_cpp
import numpy as np

from peers import gguf_file
from peers.peer import SteppingPeer

# What llama-quantize calls each precision.
FILE_TYPES = {"bf16": ("BF16", llama_cpp.LLAMA_FTYPE_MOSTLY_BF16),
              "int8": ("Q8_0", llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0),
              "int4": ("Q4_0", llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0)}


@llama_cpp.llama_log_callback
def silence(level, text, user_data):
    """llama.cpp's log says nothing that an error does not."""


def write_model(load, path):
    plain = load.work / "f32.gguf"
    if not plain.exists():
        gguf_file.write(load.config(), load.weights(), plain)
    if path == plain:
        return
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.nthread = FILE_TYPES[load.precision][1], load.threads
    status = llama_cpp.llama_model_quantize(bytes(plain), bytes(path), ctypes.byref(params))
    if status != 0:
        raise RuntimeError(f"llama_model_quantize: got status {status}, expected 0")


def context_params(config, load):
    params = llama_cpp.llama_context_default_params()
    params.n_ctx = params.n_batch = config.positions
    params.n_threads = params.n_threads_batch = load.threads
    if load.precision == "f32":
        params.type_k = params.type_v = llama_cpp.GGML_TYPE_F32
    return params


class Peer(SteppingPeer):
    packages = ("llama-cpp-python",)

    def __init__(self, load):
        llama_cpp.llama_log_set(silence, None)
        llama_cpp.llama_backend_init()
        self.config = load.config()
        path = load.work / f"{load.precision}.gguf"
        if not path.exists():
            write_model(load, path)
        params = llama_cpp.llama_model_default_params()
        self.model = llama_cpp.llama_model_load_from_file(bytes(path), params)
        if not self.model:
            raise RuntimeError(f"{path}: llama.cpp could not load it")
        self.context = llama_cpp.llama_init_from_model(self.model, context_params(self.config, load))
        weights, cache = ("F32", "f32") if load.precision == "f32" else (FILE_TYPES[load.precision][0], "f16")
        self.settings = (f"{weights} weights, {cache} cache, GELU from a table of f16, flash attention and repacking "
                         f"where llama.cpp chooses them, built for this CPU")

    def logits(self, ids):
        self.start()
        return self.run(ids, range(len(ids)))

    def prefill(self, ids, positions):
        self.start()
        return self.run(ids, [len(ids) - 1])[0]

    def decode(self, token):
        return self.run([token], [0])[0]

    def start(self):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        self.length = 0

    def run(self, ids, wanted):
        """Logits [len(wanted), vocab] of the wanted ones of the new positions."""
        batch = llama_cpp.llama_batch_init(len(ids), 0, 1)
        batch.n_tokens = len(ids)
        for i, token in enumerate(ids):
            batch.token[i], batch.pos[i], batch.logits[i] = token, self.length + i, i in wanted
            batch.n_seq_id[i], batch.seq_id[i][0] = 1, 0
        status = llama_cpp.llama_decode(self.context, batch)
        llama_cpp.llama_batch_free(batch)
        if status != 0:
            raise RuntimeError(f"llama_decode: got status {status}, expected 0")
        self.length += len(ids)
        rows = llama_cpp.llama_get_logits(self.context)
        return np.ctypeslib.as_array(rows, shape=(len(wanted), self.config.vocab))
