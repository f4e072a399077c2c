"""The table, its numbers and its foot, of results that we make up."""
import unittest

import summary
import table


def run(prefill, decode, others=0.0):
    return {"prompts": {"32": {"prefill_ms": prefill, "decode_tokens_per_s": decode, "ids": []}}, "peak_bytes": 1,
            "others": others}


def row(name, precision, *runs, **more):
    return {"peer": name, "name": name, "precision": precision, "version": "1.0", "settings": "plain", "error": 2e-6,
            "runs": list(runs)} | more


def results(*rows):
    return {"date": "2020-02-20", "model": "gpt2", "machine": {"cpu": "Some CPU", "threads": 2, "read_gb_per_s": 51.2,
                                                               "f32_gflops": 340.0, "bf16_gflops": None},
            "threads": 2, "prompt_lengths": [32], "new": 16, "repeats": 3, "busy_before": 0.0, "rows": list(rows)}


OURS = row("Tandem", "f32", run(10, 100), run(8, 120), run(9, 90))
PEER = row("Peer", "f32", run(18, 50), run(20, 40), run(30, 60, others=0.031))


class SummaryTest(unittest.TestCase):
    def test_spread(self):
        self.assertEqual(summary.spread(OURS, summary.DECODE, 32), summary.Spread(100, 90, 120))

    def test_the_median_of_two_lies_between(self):
        self.assertEqual(summary.spread(row("x", "f32", run(1, 10), run(3, 30)), summary.PREFILL, 32).median, 2)

    def test_less_time_and_more_tokens_are_faster(self):
        self.assertAlmostEqual(summary.times_faster(OURS, PEER, summary.PREFILL, 32), 20 / 9)
        self.assertAlmostEqual(summary.times_faster(OURS, PEER, summary.DECODE, 32), 2)


class TableTest(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual([table.number(x) for x in (0.1234, 9.87, 12.345, 99.94, 123.4)],
                         ["0.12", "9.87", "12.3", "99.9", "123"])

    def test_rows(self):
        lines = table.table(results(OURS, PEER)).split("\n")
        self.assertEqual(lines[0], "| precision | program | prefill of 32, ms | decode after 32, tokens/s | error |")
        self.assertEqual(lines[2], "| f32 | Tandem | 9.00 (8.00 to 10.0) | 100 (90.0 to 120) | 2.0e-06 |")
        self.assertEqual(lines[3], "| f32 | Peer | 20.0 (18.0 to 30.0) **2.22x** | 50.0 (40.0 to 60.0) **2.00x** | "
                                   "2.0e-06 |")

    def test_no_ratio_without_tandem_in_that_precision(self):
        self.assertNotIn("**", table.table(results(OURS, row("Peer", "int8", run(1, 2)))))

    def test_what_was_not_measured_stands_in_the_foot_alone(self):
        report = table.report(results(OURS, row("Peer", "f32", reason="not installed: no module")))
        self.assertIn("Not measured:\n\n- f32, Peer: not installed: no module\n", report)
        self.assertNotIn("| f32 | Peer", report)

    def test_foot(self):
        foot = table.foot(results(OURS, PEER))
        self.assertIn("Machine: Some CPU, 2 threads, 51 GB/s read, 340 f32 GFLOP/s. 2020-02-20.", foot)
        self.assertIn("Medians (least to most) of 3 rounds", foot)
        self.assertIn("Other work took at most 3% of the machine", foot)
        self.assertIn("- f32, Peer: 1.0; plain", foot)
        self.assertNotIn("Not measured", foot)


if __name__ == "__main__":
    unittest.main()
