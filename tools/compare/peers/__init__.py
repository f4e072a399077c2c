"""The peers: which there are, and in which precisions each runs. A peer's own packages are imported when it is made,
in a process of its own."""
import dataclasses
import importlib


@dataclasses.dataclass(frozen=True)
class PeerEntry:
    module: str  # in this folder
    name: str  # as the table has it
    precisions: tuple


PEERS = {
    "numpy": PeerEntry("numpy_peer", "NumPy", ("f32",)),
    "torch": PeerEntry("torch_peer", "PyTorch eager", ("f32", "bf16", "int8")),
    "torch-compile": PeerEntry("torch_compile_peer", "torch.compile", ("f32", "bf16", "int8", "int4")),
    "transformers": PeerEntry("transformers_peer", "transformers", ("f32", "bf16")),
    "onnxruntime": PeerEntry("onnxruntime_peer", "ONNX Runtime", ("f32", "int8", "int4")),
    "llama.cpp": PeerEntry("llama_cpp_peer", "llama.cpp", ("f32", "bf16", "int8", "int4")),
    "ctranslate2": PeerEntry("ctranslate2_peer", "CTranslate2", ("f32", "bf16", "int8")),
    "openvino": PeerEntry("openvino_peer", "OpenVINO", ("f32", "bf16", "int8", "int4")),
}


def make_peer(name, load):
    """The peer of that name, ready to run what `load` (a peers.peer.Load) says."""
    return importlib.import_module(f"peers.{PEERS[name].module}").Peer(load)
