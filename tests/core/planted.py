"""A table with a known truth for the cuts."""

import numpy as np


def planted(informative, shift, seed, T=60, n=1000):
    """Half of the samples shifted in the first columns."""
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :informative] += shift * y[:, None]
    return X, y
