"""Cuts on scores whose right answer is known."""

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from inffs import InfFSU
from inffs._density import Grid, plug_in_bandwidth
from inffs.cut import CUTS, Cut, Gap, Histogram, Knee, MeanShift, Otsu, apply_cut


@pytest.fixture
def two_groups(rng):
    scores = np.concatenate([rng.normal(2, 0.1, 40), rng.normal(0, 0.1, 360)])
    return rng.permutation(scores)


@pytest.mark.parametrize("cut", [Gap(), Otsu(), MeanShift()])
def test_two_groups_are_parted(cut, two_groups):
    size, why = cut(two_groups)
    assert size == 40
    assert "40" in why


def test_mean_shift_climbs_to_the_same_mode(two_groups):
    """Plain mean shift, point by point, with the fixed plug-in bandwidth."""
    scores = (two_groups - two_groups.min()) / np.ptp(two_groups)
    bandwidth = plug_in_bandwidth(Grid.of(scores))
    place = scores.copy()
    for _ in range(2000):
        weights = np.exp(-0.5 * ((place[:, None] - scores) / bandwidth) ** 2)
        place = weights @ scores / weights.sum(axis=1)
    expected = np.count_nonzero(np.abs(place - place[scores.argmax()]) < bandwidth / 2)
    assert MeanShift(variable=False)(two_groups)[0] == expected


def test_otsu_is_the_best_of_all_splits(rng):
    scores = rng.gamma(1.0, size=200)
    falling = np.sort(scores)[::-1]
    inside = [falling[:k].var() * k + falling[k:].var() * (200 - k) for k in range(1, 200)]
    assert Otsu()(scores)[0] == 1 + int(np.argmin(inside))


def test_gap_is_the_widest(rng):
    scores = rng.gamma(1.0, size=200)
    falling = np.sort(scores)[::-1]
    assert Gap()(scores)[0] == 1 + int(np.argmax(falling[:-1] - falling[1:]))


def test_knee_of_a_bent_line():
    scores = np.concatenate([np.linspace(10, 1, 20), np.linspace(0.95, 0, 180)])
    assert abs(Knee()(scores)[0] - 20) <= 1


def test_histogram_counts_bins_over_the_mean():
    scores = np.array([0.0, 0.0, 0.0, 0.1, 1.0, 1.0, 2.0, 4.0])
    # four bins of width 1, an edge to the lower bin: counts 6, 1, 0, 1 against a mean of 2
    assert Histogram()(scores)[0] == 1
    assert Histogram(bins=2)(scores)[0] == 1
    counts = np.array([3, 0, 3, 0, 1, 1, 1, 1])
    scores = np.repeat(np.arange(8) + 0.5, counts)
    scores[0], scores[-1] = 0.0, 8.0
    assert Histogram(bins=8)(scores)[0] == 2


def test_plug_in_bandwidth_on_gaussian_data(rng):
    """For a Gaussian the best bandwidth is 1.06 n^(-1/5); the plug-in finds it within 10 %."""
    scores = rng.normal(size=20_000)
    assert plug_in_bandwidth(Grid.of(scores)) == pytest.approx(1.06 * 20_000**-0.2, rel=0.1)


def test_grid_density_is_the_kernel_density(rng):
    scores = np.concatenate([rng.normal(size=500), rng.normal(5, 0.5, 300)])
    grid = Grid.of(scores)
    density = grid.smooth(np.full(grid.size, 0.3))
    kernel = gaussian_kde(scores, bw_method=0.3 / scores.std(ddof=1))
    np.testing.assert_allclose(density, kernel(grid.points), atol=2e-4)


def test_sample_point_density_has_each_score_at_its_own_bandwidth(rng):
    scores = rng.normal(size=300)
    grid = Grid.of(scores)
    bandwidths = 0.1 + 0.4 * (grid.points - grid.points[0]) / np.ptp(grid.points)
    naive = np.zeros(grid.size)
    for point, count, bandwidth in zip(grid.points, grid.counts, bandwidths, strict=True):
        bell = np.exp(-0.5 * ((grid.points - point) / bandwidth) ** 2)
        naive += count * bell / (bandwidth * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(grid.smooth(bandwidths), naive / 300, rtol=0.02, atol=1e-3)


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("scores", [[3.0], [2.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
def test_few_scores(name, scores):
    cut = apply_cut(name, np.array(scores), selector=None, X=None, y=None)
    assert 1 <= cut.size <= len(scores)


@pytest.mark.parametrize("name", CUTS)
@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_scale_does_not_matter(name, scale, two_groups):
    assert CUTS[name](two_groups * scale)[0] == CUTS[name](two_groups)[0]


def test_equal_scores_are_never_parted_by_otsu():
    scores = np.array([5.0, 5.0, 1.0, 1.0, 1.0, 0.9])
    assert Otsu()(scores)[0] == 2


def test_own_cut_gets_everything(labelled):
    X, _ = labelled

    def half(scores, *, selector, X, y):
        assert selector.alpha == 0.2
        assert X.shape == (40, 11)  # the constant column is not in the graph
        assert y is None
        return scores.size // 2, "Half of them."

    cut = InfFSU(0.2, n_features_to_select=half).fit(X).cut_
    assert cut == Cut("half", 5, "Half of them.")


@pytest.mark.parametrize("size", [0, 12, "many", 2.5])
def test_own_cut_out_of_range(size, labelled):
    with pytest.raises(ValueError, match="must return a number of features between 1 and 11"):
        InfFSU(n_features_to_select=lambda scores, **_: size).fit(labelled[0])
