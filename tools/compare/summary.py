"""Medians, spreads and ratios of the rows of a comparison.

A row is one program in one precision: {"name", "precision", "runs": [{"prompts": {LENGTH: {MEASURE: number}}}]}, and
"reason" where it was not measured.
"""
import dataclasses
import statistics

PREFILL, DECODE = "prefill_ms", "decode_tokens_per_s"


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    least: float
    most: float


def measured(rows):
    return [row for row in rows if "reason" not in row]


def spread(row, measure, length):
    values = [run["prompts"][str(length)][measure] for run in row["runs"]]
    return Spread(statistics.median(values), min(values), max(values))


def times_faster(tandem, other, measure, length):
    """How many times faster Tandem is than the other row, by their medians."""
    ours, theirs = spread(tandem, measure, length).median, spread(other, measure, length).median
    return theirs / ours if measure == PREFILL else ours / theirs


def row_of(rows, name, precision):
    """The measured row, or None."""
    return next((row for row in measured(rows) if (row["name"], row["precision"]) == (name, precision)), None)
