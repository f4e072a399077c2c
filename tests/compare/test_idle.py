"""How busy the machine is, of ticks that we make up."""
import contextlib
import io
import unittest

import compare
import idle

STAT = "cpu  100 20 30 4000 50 6 7 8 900 90\ncpu0 1 2 3 4 5 6 7 8 9 10\n"


def sequence(*values):
    values = iter(values)
    return lambda: next(values)


class IdleTest(unittest.TestCase):
    def test_waiting_is_idle_and_stolen_time_is_busy(self):
        busy = 100 + 20 + 30 + 6 + 7 + 8
        self.assertEqual(idle.read_ticks(STAT), (busy, busy + 4000 + 50))

    def test_this_machine_counts(self):
        busy, total = idle.read_ticks()
        self.assertLess(0, busy)
        self.assertLess(busy, total)

    def test_busy_share_is_that_of_the_time_watched(self):
        waited = []
        share = idle.busy_share(2, sequence((500, 1000), (550, 1400)), waited.append)
        self.assertEqual((share, waited), (0.125, [2]))

    def test_what_is_ours_is_not_others(self):
        second = idle.TICKS_PER_S
        with idle.watch_others(sequence((0, 0), (3 * second, 4 * second)), sequence(10.0, 11.0)) as watched:
            pass
        self.assertAlmostEqual(watched["others"], 0.5)

    def test_never_less_than_nothing(self):
        with idle.watch_others(sequence((0, 0), (1, 100)), sequence(0.0, 5.0)) as watched:
            pass
        self.assertEqual(watched["others"], 0)


class BusyMachineTest(unittest.TestCase):
    def test_idle(self):
        self.assertEqual(compare.refuse_busy_machine(False, lambda seconds: 0.02), 0.02)

    def test_busy(self):
        with self.assertRaisesRegex(compare.CannotCompare, "40% busy, expected at most 5%; --force"):
            compare.refuse_busy_machine(False, lambda seconds: 0.4)

    def test_forced(self):
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr):
            self.assertEqual(compare.refuse_busy_machine(True, lambda seconds: 0.4), 0.4)
        self.assertIn("warning: got a machine that is 40% busy", stderr.getvalue())


if __name__ == "__main__":
    unittest.main()
