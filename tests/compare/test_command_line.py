"""What the command line takes, and the one line that refuses the rest."""
import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import arguments
import checkpoint
import compare


def refusal(*values):
    """(status, standard error) of a refused command line."""
    stderr = io.StringIO()
    with contextlib.redirect_stderr(stderr):
        try:
            arguments.parse(values)
        except SystemExit as end:
            return end.code, stderr.getvalue()
    raise AssertionError(f"{values}: got taken, expected refused")


class ArgumentsTest(unittest.TestCase):
    def test_defaults(self):
        options = arguments.parse([])
        self.assertEqual((options.prompt_lengths, options.new, options.repeats), ([32, 512], 32, 5))
        self.assertEqual(options.threads, len(os.sched_getaffinity(0)))
        self.assertFalse(options.force or options.write_docs)

    def test_lists(self):
        options = arguments.parse(["--peers", "numpy,openvino", "--precisions", "f32", "--prompt-lengths", "8,9"])
        self.assertEqual((options.peers, options.precisions), (["numpy", "openvino"], ["f32"]))
        self.assertEqual(options.prompt_lengths, [8, 9])

    def test_refusals(self):
        for values, said in ((["--peers", "numpy,onnx"], "--peers: got 'onnx', expected numpy, "),
                             (["--precisions", "f8"], "--precisions: got 'f8', expected f32, bf16, int8, int4"),
                             (["--prompt-lengths", "8,x"], "--prompt-lengths: got 'x', expected a whole number"),
                             (["--repeats", "0"], "--repeats: got '0', expected a whole number from 1 on"),
                             (["-n", "1"], "-n: got 1, expected at least 2"),
                             (["--fast"], "unrecognized arguments: --fast")):
            status, error = refusal(*values)
            self.assertEqual(status, 2)
            self.assertRegex(error, r"^error: [^\n]*\n$")
            self.assertIn(said, error)


class PrepareTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.config = {"model_type": "gpt2", "vocab_size": 9, "n_positions": 40, "n_embd": 4, "n_layer": 1, "n_head": 1,
                       "n_inner": None, "layer_norm_epsilon": 1e-5}
        self.write(self.config)
        (self.folder / "model.safetensors").write_bytes(b"")

    def write(self, config):
        (self.folder / "config.json").write_text(json.dumps(config))

    def options(self, *values):
        return arguments.parse(["--model", str(self.folder), "--output", str(self.folder / "out"), "--tandem",
                                "/bin/true", "--prompt-lengths", "8", *values])

    def test_a_model_as_it_should_be(self):
        setup = compare.prepare(self.options("-n", "32"))
        self.assertEqual((setup.model, setup.vocab, len(setup.ids(8))), (self.folder, 9, 8))
        self.assertTrue(setup.work.is_dir())

    def test_another_model_in_the_same_folder_is_converted_again(self):
        before = checkpoint.stamp(self.folder)
        self.assertEqual(before, checkpoint.stamp(self.folder))
        (self.folder / "model.safetensors").write_bytes(b"more")
        self.assertNotEqual(before, checkpoint.stamp(self.folder))

    def test_more_tokens_than_the_model_has_positions(self):
        with self.assertRaisesRegex(compare.CannotCompare, "new tokens of 41 in all, expected at most 40"):
            compare.prepare(self.options("-n", "33"))

    def test_no_program(self):
        with self.assertRaisesRegex(compare.CannotCompare, "/none: got no program, expected Tandem"):
            compare.prepare(self.options("--tandem", "/none"))

    def test_a_variant_that_not_every_peer_knows(self):
        self.write(self.config | {"activation_function": "relu"})
        with self.assertRaisesRegex(checkpoint.CheckpointError, "activation_function: got 'relu', expected 'gelu_new'"):
            compare.prepare(self.options())

    def test_a_size_is_missing(self):
        del self.config["n_head"]
        self.write(self.config)
        with self.assertRaisesRegex(checkpoint.CheckpointError, "got no 'n_head', expected one"):
            compare.prepare(self.options())

    def test_main_says_one_line(self):
        stderr = io.StringIO()
        values = ["compare", "--results", str(self.folder / "none.json")]
        with contextlib.redirect_stderr(stderr), mock.patch("sys.argv", values):
            self.assertEqual(compare.main(), 1)
        self.assertRegex(stderr.getvalue(), r"^error: .*none\.json.*\n$")


if __name__ == "__main__":
    unittest.main()
