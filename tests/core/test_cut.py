"""Cuts on scores whose right answer is known."""

import itertools

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from inffs import InfFSU
from inffs.cuts import SCORE_CUTS, Cut, Histogram, Knee, MeanShift, apply_cut, default_cut
from inffs.cuts.by_scores import Grid, _uppermost_group, plug_in_bandwidth
from inffs.methods import FisherScore


@pytest.fixture
def two_groups(rng):
    scores = np.concatenate([rng.normal(2, 0.1, 40), rng.normal(0, 0.1, 360)])
    return rng.permutation(scores)


def test_two_groups_are_parted(two_groups):
    size, why = MeanShift()(two_groups)
    assert size == 40
    assert "40" in why


def test_knee_of_a_bent_line():
    scores = np.concatenate([np.linspace(10, 1, 20), np.linspace(0.95, 0, 180)])
    assert abs(Knee()(scores)[0] - 20) <= 1


def test_knee_is_the_point_farthest_below_the_chord(rng):
    for _ in range(20):
        falling = np.sort(2 + rng.gamma(1.0, size=50))[::-1]
        chord = [falling[0] + (falling[-1] - falling[0]) * k / 49 for k in range(50)]
        below = [high - low for high, low in zip(chord, falling, strict=True)]
        assert Knee()(rng.permutation(falling))[0] == max(range(50), key=below.__getitem__)
        assert Knee()(falling * 2.0**-30 + 1.0)[0] == Knee()(falling)[0]  # far from 0
    assert Knee()(np.array([3.0, 2.9, 2.8, 0.0]))[0] == 1  # never below the chord


def test_histogram_counts_bins_over_the_mean():
    scores = np.array([0.0, 0.0, 0.0, 0.1, 1.0, 1.0, 2.0, 4.0])
    # four bins of width 1, an edge to the lower bin: counts 6, 1, 0, 1 against a mean of 2
    assert Histogram()(scores)[0] == 1
    # counts 4, 2, 1, 1: the second bin holds the mean count, not more
    assert Histogram()(np.array([0.0, 0.5, 0.5, 1.0, 1.5, 2.0, 2.5, 4.0]))[0] == 1


@pytest.mark.parametrize(("n", "bins"), [(2, 1), (9, 4), (200, 100)])
def test_histogram_has_a_bin_for_two_scores(n, bins, rng):
    assert f" of {bins} equal bins" in Histogram()(rng.normal(size=n))[1]


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


@pytest.mark.parametrize("name", SCORE_CUTS)
@pytest.mark.parametrize("scores", [[3.0], [2.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
def test_few_scores(name, scores):
    cut = apply_cut(name, np.array(scores))
    assert 1 <= cut.size <= len(scores)


@pytest.mark.parametrize("name", SCORE_CUTS)
@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_scale_does_not_matter(name, scale, two_groups):
    assert SCORE_CUTS[name](two_groups * scale)[0] == SCORE_CUTS[name](two_groups)[0]


@pytest.mark.parametrize("name", SCORE_CUTS)
def test_where_the_scores_lie_does_not_matter(name, two_groups):
    assert SCORE_CUTS[name](two_groups + 2.0)[0] == SCORE_CUTS[name](two_groups)[0]


def test_cuts_are_equal_by_what_they_say():
    said = {"name": "permuted", "size": 3, "why": "Tested."}
    assert Cut(**said, q_values=np.ones(5)) == Cut(**said, q_values=np.zeros(5))
    assert repr(Cut(**said, q_values=np.ones(5))) == repr(Cut(**said))


@pytest.mark.parametrize(
    ("asked", "hint"),
    [("histgram", r"\. Did you mean histogram\? Give"), ("xyz", r"\. Give a number")],
)
def test_unknown_cut(asked, hint):
    with pytest.raises(ValueError, match=f"n_features_to_select='{asked}' is no cut{hint}"):
        apply_cut(asked, np.arange(5.0))


@pytest.mark.parametrize("cut", [*SCORE_CUTS.values(), Cut("given", 3, "Asked for.")], ids=repr)
def test_cuts_cannot_be_changed(cut):
    with pytest.raises(AttributeError):
        cut.size = 5


@pytest.mark.parametrize("cut", SCORE_CUTS.values(), ids=SCORE_CUTS)
def test_an_instance_keeps_one_score_and_equal_ones_together(cut):
    for scores in ([2.0], [3.0] * 5, [0.0, 0.0]):
        assert cut(np.array(scores))[0] == len(scores)


def test_the_uppermost_of_three_groups_is_that_of_the_best_split(rng):
    scores = np.round(rng.gamma(1.0, size=30), 1)  # with ties
    falling = np.sort(scores)[::-1]
    best = min(
        itertools.combinations(range(1, 30), 2),
        key=lambda ends: sum(
            part.var() * part.size for part in np.split(falling, ends) if part.size
        ),
    )
    assert _uppermost_group(scores - scores.min(), 3) == best[0]


@pytest.mark.parametrize("level", [1e-30, 1.0, 7.0, 1e30])
def test_scores_equal_to_rounding_are_all_kept(level):
    def size(spread):
        scores = level * (1 + spread * np.array([0.0, 0.0, 1.0, 2.0, 0.5]))
        return apply_cut("knee", scores).size

    assert (size(4e-16), size(1e-3), size(1.0)) == (5, 1, 1)


def test_middle_is_the_middle_of_three(two_groups):
    kept = (two_groups - two_groups.min()) / np.ptp(two_groups)
    sizes = [*(SCORE_CUTS[name](two_groups)[0] for name in ("histogram", "knee"))]
    sizes.append(_uppermost_group(kept, 3))
    size, why = SCORE_CUTS["middle"](two_groups)
    assert size == sorted(sizes)[1]
    assert all(str(each) in why for each in sizes)


def test_auto_is_the_default_of_the_kind(labelled):
    X, y = labelled
    for selector, labels in ((InfFSU(), False), (FisherScore(), True)):
        assert selector.fit(X, y).cut_.name == default_cut(labels)


def test_a_rule_of_the_user_gets_the_scores_of_varying_features(labelled):
    X, _ = labelled

    def half(scores):
        assert scores.shape == (11,)  # the constant column is not in the graph
        return scores.size // 2, "Half of them."

    cut = InfFSU(0.2, n_features_to_select=half).fit(X).cut_
    assert cut == Cut("half", 5, "Half of them.")


@pytest.mark.parametrize("size", [1, 11, np.int64(4)])
def test_a_rule_of_the_user_may_keep_any_number(size, labelled):
    selector = InfFSU(n_features_to_select=lambda _: size).fit(labelled[0])
    assert (selector.cut_.name, selector.cut_.size) == ("<lambda>", size)


@pytest.mark.parametrize("size", [0, 12, "many", 2.5])
def test_a_rule_of_the_user_out_of_range(size, labelled):
    with pytest.raises(ValueError, match="between 1 and 11"):
        InfFSU(n_features_to_select=lambda _: size).fit(labelled[0])


def test_none_keeps_all_features(labelled):
    selector = InfFSU(n_features_to_select=None).fit(labelled[0])
    assert selector.cut_.name == "all"
    assert selector.support_.all()
