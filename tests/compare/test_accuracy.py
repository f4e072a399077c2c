"""Errors of logits: what they are of, and that another model's are over every tolerance."""
import unittest

import numpy as np

import accuracy


class LogitsErrorTest(unittest.TestCase):
    expected = np.array([[0.0, 2.0], [0.0, 4.0]])  # rows with a spread of 1 and 2

    def test_same_logits_have_none(self):
        self.assertEqual(accuracy.logits_error(self.expected.copy(), self.expected), 0)

    def test_the_worst_row_counts_in_units_of_its_spread(self):
        logits = self.expected + [[0.1, -0.1], [0.4, 0.4]]
        self.assertAlmostEqual(accuracy.logits_error(logits, self.expected), 0.2)

    def test_no_number_is_an_error_without_bound(self):
        self.assertEqual(accuracy.logits_error(self.expected + [[np.nan, 0], [0, 0]], self.expected), np.inf)

    def test_other_shapes_are_refused(self):
        with self.assertRaisesRegex(ValueError, r"got shape \(1, 2\), expected \(2, 2\)"):
            accuracy.logits_error(self.expected[:1], self.expected)

    def test_unrelated_logits_are_over_every_tolerance(self):
        one, other = np.random.default_rng(0).normal(size=(2, 16, 1000))
        self.assertGreater(accuracy.logits_error(one, other), max(accuracy.TOLERANCE.values()))


class ChoiceErrorTest(unittest.TestCase):
    logits = np.array([[0.0, 2.0], [0.0, 4.0]])

    def test_the_best_has_none(self):
        self.assertEqual(accuracy.choice_error(self.logits, [1, 1]), 0)

    def test_another_has_its_distance(self):
        self.assertEqual(accuracy.choice_error(self.logits, [1, 0]), 2)


if __name__ == "__main__":
    unittest.main()
