"""The token ids that every program gets."""
import numpy as np

CHECKED = 16  # tokens of the text whose logits are compared


def random_ids(count, vocab):
    """The prompt that `tandem bench` makes of so many tokens."""
    return [int(value) % vocab for value in np.random.RandomState(7).randint(0, 2**32, count, np.uint32)]
