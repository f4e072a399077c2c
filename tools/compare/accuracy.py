"""Whether logits are those of the model: how far they may be from Tandem's in f32.

The error of a row of logits is the root mean square of the differences, over the spread (standard deviation) of the
row; of all rows the worst counts. Logits of another model have an error of 1.4.

What each precision may err, for twelve layers of weights with a normal distribution:

    f32     1e-3. Orders of summation differ by 1e-6; but llama.cpp looks GELU up in a table of f16, whose rounding of
            3e-4 adds up over twelve layers to 1e-3.
    others  What rounding adds to one product, times 7: one after the other stand 4 x 12 + 1 products, whose errors are
            independent. In bf16 2^-9 for each operand is 0.003. In int8 a step is 4/127 of the spread of a channel's
            weights, its error 1/sqrt(12) of that, and the activations', which have longer tails, about twice as much:
            0.018. In int4 a step is a seventh of the largest of 32 weights, which is 2.1 times their spread: 0.09.
"""
import numpy as np

TOLERANCE = {"f32": 1e-3, "bf16": 0.02, "int8": 0.13, "int4": 0.6}


def logits_error(logits, expected):
    """Of logits [T, vocab] against the expected ones."""
    if logits.shape != expected.shape:
        raise ValueError(f"logits: got shape {logits.shape}, expected {expected.shape}")
    if not np.isfinite(logits).all():
        return float("inf")
    difference = np.sqrt(((logits - expected) ** 2).mean(-1))
    return float((difference / expected.std(-1)).max())


def choice_error(logits, ids):
    """How far the chosen ids [T] are from the best, by logits [T, vocab] of the positions that chose them."""
    chosen = logits[np.arange(len(ids)), ids]
    return float(((logits.max(-1) - chosen) / logits.std(-1)).max())
