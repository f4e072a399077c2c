"""Who is compared, who is left out and why, and in which order runs follow; of a Tandem and peers that we make up."""
import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import numpy as np

import children
import rounds

EXPECTED = np.random.default_rng(5).normal(size=(16, 30)).astype(np.float32)


class FakeTandem:
    threads = 2

    def precisions(self):
        return ("f32", "bf16")

    def version(self):
        return "tandem 9"

    def logits(self, model, ids, precision, path, via="prefill"):
        return EXPECTED

    def bench(self, model, precision, lengths, new):
        return {"others": 0.0}, {"cpu": "Some CPU", "read_gb_per_s": 10.0, "bf16_gflops": None}


class RoundsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.setup_ = rounds.Setup(FakeTandem(), pathlib.Path("model"), 30, self.folder, [4], 2)
        self.enterContext(contextlib.redirect_stderr(io.StringIO()))
        self.asked = []

    def rows(self, *peers, precisions=("f32",)):
        return rounds.list_rows(self.setup_, peers, precisions)

    def answer(self, errors):
        """Stands for children.measure: peers answer with logits that are off by `errors` times the spread."""
        def measure(request, folder):
            self.asked.append((request["action"], request["peer"]))
            error = errors[request["peer"]]
            if isinstance(error, str):
                raise children.RunFailed(error)
            if request["action"] == "time":
                return {"others": 0.0}
            logits = EXPECTED + error * EXPECTED.std(-1, keepdims=True)
            np.save(folder / "a.npy", logits)
            np.save(folder / "b.npy", logits[7:])
            return {"version": "1", "settings": "", "logits": folder / "a.npy", "cached_logits": folder / "b.npy"}
        return mock.patch.object(children, "measure", measure)

    def test_rows_are_those_that_each_program_has(self):
        rows = self.rows("numpy", "onnxruntime", precisions=("f32", "bf16", "int8"))
        self.assertEqual([(row["precision"], row["name"]) for row in rows],
                         [("f32", "Tandem"), ("f32", "NumPy"), ("f32", "ONNX Runtime"), ("bf16", "Tandem"),
                          ("int8", "ONNX Runtime")])

    def test_who_computes_something_else_is_not_timed(self):
        rows = self.rows("numpy", "torch")
        with self.answer({"numpy": 5e-4, "torch": 2e-3}):
            rounds.check(self.setup_, rows)
            rounds.measure(self.setup_, rows, 1, {})
        self.assertRegex(rows[2]["reason"], "other logits: got an error of 2.0e-03, expected at most 1e-03")
        self.assertEqual([len(row["runs"]) for row in rows], [1, 1, 0])

    def test_who_cannot_run_has_a_reason(self):
        rows = self.rows("numpy", "torch")
        with self.answer({"numpy": "got signal 11", "torch": 0}):
            rounds.check(self.setup_, rows)
        self.assertEqual(rows[1]["reason"], "got signal 11")
        self.assertNotIn("reason", rows[2])

    def test_programs_take_turns(self):
        rows = self.rows("numpy", "torch")
        with self.answer({"numpy": 0, "torch": 0}):
            rounds.measure(self.setup_, rows, 2, {})
        self.assertEqual(self.asked, [("time", "numpy"), ("time", "torch")] * 2)

    def test_the_machine_is_as_good_as_its_best(self):
        machine = {"read_gb_per_s": 12.0}
        rounds.measure(self.setup_, self.rows(), 1, machine)
        self.assertEqual(machine, {"cpu": "Some CPU", "read_gb_per_s": 12.0})


class ChildrenTest(unittest.TestCase):
    def test_output_and_others(self):
        text, others = children.run(["/bin/sh", "-c", "echo $OMP_NUM_THREADS"], 3)
        self.assertEqual(text, "3\n")
        self.assertGreaterEqual(others, 0)

    def test_failures_are_one_line(self):
        for script, reason in (("echo x; echo why >&2; exit 1", "why"), ("exit 1", "it said nothing"),
                               ("kill -SEGV $$", "got signal 11")):
            with self.assertRaisesRegex(children.RunFailed, f"^{reason}$"):
                children.run(["/bin/sh", "-c", script], 1)


if __name__ == "__main__":
    unittest.main()
