"""The promise of ``permuted`` where the ranking does not follow the p-values."""

import numpy as np
import pytest
from inffs.cuts.permutation import most_by_chance
from scipy.stats import false_discovery_control

from inffs.cuts import PermutedLabels


def table_of_p_values(rng, n=1000, good=60, late=0):
    """Scores and p-values: good features first, some of them as good by p-value but ranked last."""
    p = rng.random(n)
    p[:good] = 1e-6 * rng.random(good)
    scores = -p
    scores[:late] -= 2.0
    return scores, p


@pytest.mark.parametrize("late", [0, 20, 40])
def test_good_features_that_rank_last_make_no_room_for_chance_ones(late, rng):
    shares, sizes = [], []
    for _ in range(300):
        scores, p = table_of_p_values(rng, late=late)
        found = int(np.count_nonzero(false_discovery_control(p) <= 0.1))
        sizes.append(PermutedLabels()._largest_size(scores, p, found))
        kept = np.argsort(-scores, kind="stable")[: sizes[-1]]
        shares.append(np.mean(kept >= 60))
    assert np.mean(shares) <= 0.1 + 2 * np.std(shares) / np.sqrt(300)
    assert np.mean(sizes) >= 60 - late  # every good one before them


def test_most_by_chance_is_the_least_over_all_p_values(rng):
    p = np.round(rng.random(80) ** 4, 3)
    order = rng.permutation(80)[:50]
    for size, got in enumerate(most_by_chance(p, order), start=1):
        kept = p[order[:size]]
        levels = [t for t in np.sort(p)[:50] if t >= kept[-1]]
        least = min((80 * t + np.count_nonzero(kept > t) for t in levels), default=size)
        assert got == pytest.approx(min(size, least))


def test_where_the_ranking_follows_the_p_values_the_cut_is_benjamini_and_hochberg(rng):
    scores, p = table_of_p_values(rng)
    found = int(np.count_nonzero(false_discovery_control(p) <= 0.1))
    assert PermutedLabels()._largest_size(scores, p, found) == found
