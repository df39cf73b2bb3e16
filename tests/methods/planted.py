"""Standardised tables in which a few features fall into clusters and the others are noise."""

import numpy as np


def planted(T, n, informative, shift=2.5, seed=0):
    """Three clusters of T samples; returns X and the indices of the informative features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(T, n))
    where = rng.permutation(n)[:informative]
    centres = rng.normal(size=(3, informative))
    centres = (centres - centres.mean(axis=0)) / centres.std(axis=0)
    X[:, where] += shift * centres[np.arange(T) % 3]
    return (X - X.mean(axis=0)) / X.std(axis=0), where


def chance_to_rank_above(scores, where):
    """Share of pairs (informative, noise) in which the informative feature scores higher."""
    noise = np.delete(scores, where)
    good = scores[where][:, None]
    return np.mean((good > noise) + 0.5 * (good == noise))
