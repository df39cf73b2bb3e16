"""Cuts on scores whose right answer is known."""

import itertools

import numpy as np
import pytest
from inffs.cuts.groups import two_gaussians
from scipy.stats import gaussian_kde
from sklearn.mixture import GaussianMixture

from inffs import InfFSU
from inffs.cuts import (
    SCORE_CUTS,
    BrokenStick,
    Cut,
    Gap,
    Histogram,
    Jenks,
    Knee,
    MeanShift,
    Mixture,
    Otsu,
    SecondDifference,
    apply_cut,
    default_cut,
    quick_cut,
    runner_up,
)
from inffs.cuts.density import Grid, diffusion_bandwidth, plug_in_bandwidth
from inffs.methods import FisherScore


@pytest.fixture
def two_groups(rng):
    scores = np.concatenate([rng.normal(2, 0.1, 40), rng.normal(0, 0.1, 360)])
    return rng.permutation(scores)


PARTING = [
    Gap(),
    Otsu(),
    Jenks(2),
    Mixture(),
    SecondDifference(),
    MeanShift(),
    MeanShift(bandwidth="isj"),
    MeanShift(variable=False, bandwidth=0.1),
]


@pytest.mark.parametrize("cut", PARTING, ids=repr)
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


def test_otsu_tells_the_share_of_variance_between_the_groups(rng):
    scores = rng.gamma(1.0, size=200)
    size, why = Otsu()(scores)
    falling = np.sort(scores)[::-1]
    inside = falling[:size].var() * size + falling[size:].var() * (200 - size)
    assert f"({1 - inside / (scores.var() * 200):.0%} of it lies between them)" in why
    # groups 9, 8 and 1, 0: 64 of 65 parts of the variance
    assert "(98% of it lies between them)" in Otsu()(np.array([8.0, 1.0, 0.0, 9.0]))[1]


def test_mixture_tells_the_weights(two_groups):
    assert "(weights 0.90 and 0.10)" in Mixture()(two_groups)[1]


def test_natural_breaks_are_the_best_of_all(rng):
    scores = np.round(rng.gamma(1.0, size=30), 1)  # with ties
    falling = np.sort(scores)[::-1]
    best = min(
        itertools.combinations(range(1, 30), 2),
        key=lambda ends: sum(
            part.var() * part.size for part in np.split(falling, ends) if part.size
        ),
    )
    assert Jenks(3)(scores)[0] == best[0]


def test_two_natural_groups_are_otsu_s(rng):
    scores = rng.gamma(1.0, size=400)
    assert Jenks(2)(scores)[0] == Otsu()(scores)[0]
    many = np.concatenate([rng.normal(0, 0.1, 9000), rng.normal(1, 0.1, 1000)])
    assert Jenks(2)(many)[0] == Otsu()(many)[0] == 1000


def test_two_gaussians_are_scikit_learn_s(rng):
    values = np.concatenate([rng.normal(0, 1, 3000), rng.normal(6, 0.5, 1000)])
    grid = Grid.of(values)
    ours = two_gaussians(grid.points, grid.counts, 3.0)
    theirs = GaussianMixture(2, random_state=0, tol=1e-7).fit(values[:, None])
    order = theirs.means_.ravel().argsort()
    np.testing.assert_allclose(ours.means, theirs.means_.ravel()[order], atol=0.01)
    np.testing.assert_allclose(ours.weights, theirs.weights_[order], atol=0.002)
    deviations = np.sqrt(theirs.covariances_.ravel()[order])
    np.testing.assert_allclose(ours.deviations, deviations, atol=0.02)
    assert ours.better


def test_one_gaussian_is_not_parted(rng):
    size, why = Mixture()(np.exp(rng.normal(0, 0.5, 200)))
    assert size == 200
    assert why.startswith("One Gaussian")
    grid = Grid.of(rng.normal(size=2000))
    assert not two_gaussians(grid.points, grid.counts, 0.0).better


def test_second_difference_of_a_bent_line():
    scores = np.concatenate([np.linspace(10, 5, 20), np.linspace(0.95, 0, 180)])
    assert SecondDifference()(scores)[0] == 20
    assert "slows down most after the best one." in SecondDifference()(scores[[0, 50, 60]])[1]
    assert "no bend" in SecondDifference()(scores[:2])[1]


def test_broken_stick_counts_the_long_pieces():
    # pieces of a stick in five: 0.457, 0.257, 0.157, 0.09, 0.04
    assert BrokenStick()(np.array([0.5, 0.3, 0.1, 0.1, 0.0]))[0] == 2
    assert BrokenStick()(np.array([0.5, 0.2, 0.2, 0.1, 0.0]))[0] == 1
    pieces = np.array([sum(1 / j for j in range(k, 6)) / 5 for k in range(1, 6)])
    np.testing.assert_allclose(pieces.sum(), 1.0)
    assert BrokenStick()(np.append(pieces[:3] * 1.01, [0.1, 0.0]))[0] == 4


def test_broken_stick_keeps_one_where_no_piece_is_long():
    assert BrokenStick()(np.array([1.0, 0.9, 0.9, 0.9, 0.0]))[0] == 1


def test_gap_is_the_widest(rng):
    scores = rng.gamma(1.0, size=200)
    falling = np.sort(scores)[::-1]
    assert Gap()(scores)[0] == 1 + int(np.argmax(falling[:-1] - falling[1:]))


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
    assert Histogram(bins=2)(scores)[0] == 1
    counts = np.array([3, 0, 3, 0, 1, 1, 1, 1])
    scores = np.repeat(np.arange(8) + 0.5, counts)
    scores[0], scores[-1] = 0.0, 8.0
    assert Histogram(bins=8)(scores)[0] == 2
    # counts 4, 2, 1, 1: the second bin holds the mean count, not more
    assert Histogram()(np.array([0.0, 0.5, 0.5, 1.0, 1.5, 2.0, 2.5, 4.0]))[0] == 1


@pytest.mark.parametrize(("n", "bins"), [(2, 1), (9, 4), (200, 100)])
def test_histogram_has_a_bin_for_two_scores(n, bins, rng):
    assert f" of {bins} equal bins" in Histogram()(rng.normal(size=n))[1]


def test_plug_in_bandwidth_on_gaussian_data(rng):
    """For a Gaussian the best bandwidth is 1.06 n^(-1/5); the plug-in finds it within 10 %."""
    scores = rng.normal(size=20_000)
    assert plug_in_bandwidth(Grid.of(scores)) == pytest.approx(1.06 * 20_000**-0.2, rel=0.1)


def test_diffusion_bandwidth_follows_the_modes_not_their_distance(rng):
    """1.06 n^(-1/5) for a Gaussian; for two far apart what each of them alone would get."""
    scores = rng.normal(size=20_000)
    best = 1.06 * 20_000**-0.2
    assert diffusion_bandwidth(Grid.of(scores)) == pytest.approx(best, rel=0.1)
    apart = np.concatenate([scores[:10_000], scores[10_000:] + 30])
    assert diffusion_bandwidth(Grid.of(apart)) == pytest.approx(1.06 * 10_000**-0.2, rel=0.15)


def test_unknown_bandwidth():
    with pytest.raises(ValueError, match="give plug-in, isj or a number"):
        MeanShift(bandwidth="silverman")(np.arange(5.0))


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
    cut = apply_cut(name, np.array(scores), selector=None, X=None, y=None)
    assert 1 <= cut.size <= len(scores)


@pytest.mark.parametrize("name", SCORE_CUTS)
@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_scale_does_not_matter(name, scale, two_groups):
    assert SCORE_CUTS[name](two_groups * scale)[0] == SCORE_CUTS[name](two_groups)[0]


@pytest.mark.parametrize("name", SCORE_CUTS)
def test_where_the_scores_lie_does_not_matter(name, two_groups):
    assert SCORE_CUTS[name](two_groups + 2.0)[0] == SCORE_CUTS[name](two_groups)[0]


def test_equal_scores_are_never_parted_by_otsu(rng):
    scores = np.array([5.0, 5.0, 1.0, 1.0, 1.0, 0.9])
    assert Otsu()(scores)[0] == 2
    for _ in range(200):
        falling = np.sort(rng.integers(0, 6, size=rng.integers(2, 30)) / 7)[::-1]
        if np.ptp(falling) > 0:
            size = Otsu()(falling)[0]
            assert falling[size - 1] > falling[size]


@pytest.mark.parametrize("level", [1e-30, 1.0, 7.0, 1e30])
def test_scores_equal_to_rounding_are_all_kept(level):
    def cut(spread):
        scores = level * (1 + spread * np.array([0.0, 0.0, 1.0, 2.0, 0.5]))
        return apply_cut("gap", scores, selector=None, X=None, y=None)

    assert cut(4e-16) == Cut("gap", 5, "All scores are equal: nothing tells the features apart.")
    assert cut(1e-9).size == 1
    assert cut(1e-3).size == 1


def test_one_mode_is_one_cluster():
    size, why = MeanShift(variable=False, bandwidth=0.5)(np.linspace(0.0, 3.0, 200))
    assert size == 200
    assert why == "Mean shift finds one cluster of scores only, so every feature is kept."


def test_jenks_parts_three_groups_if_not_told_otherwise(rng):
    scores = np.concatenate([rng.normal(place, 0.1, 20) for place in (0, 3, 5)])
    assert SCORE_CUTS["jenks"](scores)[0] == 20
    assert Jenks(2)(scores)[0] == 40
    assert Jenks(4)(scores)[1].startswith("Of 4 groups of scores")


def test_cuts_are_equal_by_what_they_say():
    said = {"name": "permuted", "size": 3, "why": "Tested."}
    assert Cut(**said, q_values=np.ones(5)) == Cut(**said, q_values=np.zeros(5))
    assert repr(Cut(**said, q_values=np.ones(5))) == repr(Cut(**said))


@pytest.mark.parametrize(
    ("asked", "hint"),
    [("histgram", r"\. Did you mean histogram\? Give"), ("xyz", r"\.  Give a number")],
)
def test_unknown_cut(asked, hint):
    with pytest.raises(ValueError, match=f"n_features_to_select='{asked}' is no cut{hint}"):
        apply_cut(asked, np.arange(5.0), selector=None, X=None, y=None)


def test_mean_shift_by_its_three_names(two_groups):
    grid = Grid.of((two_groups - two_groups.min()) / np.ptp(two_groups))
    plug_in, isj = f"{plug_in_bandwidth(grid):.3g}", f"{diffusion_bandwidth(grid):.3g}"
    assert f"(pilot bandwidth {plug_in} of" in SCORE_CUTS["mean-shift"](two_groups)[1]
    assert f"(bandwidth {plug_in} of" in SCORE_CUTS["mean-shift-fixed"](two_groups)[1]
    assert f"(bandwidth {isj} of" in SCORE_CUTS["mean-shift-isj"](two_groups)[1]


@pytest.mark.parametrize("cut", [*SCORE_CUTS.values(), Cut("given", 3, "Asked for.")], ids=repr)
def test_cuts_cannot_be_changed(cut):
    with pytest.raises(AttributeError):
        cut.size = 5


def test_middle_is_the_middle_and_names_the_three(two_groups):
    sizes = {name: SCORE_CUTS[name](two_groups)[0] for name in ("histogram", "jenks", "knee")}
    size, why = SCORE_CUTS["middle"](two_groups)
    assert size == sorted(sizes.values())[1]
    assert all(f"{name} keeps {kept}" in why for name, kept in sizes.items())


def test_auto_is_the_default_of_the_kind(labelled):
    X, y = labelled
    for selector in (InfFSU(), FisherScore()):
        assert selector.fit(X, y).cut_.name == default_cut(selector)
        assert default_cut(selector) != runner_up(selector)
        assert {quick_cut(selector), runner_up(selector)} <= set(SCORE_CUTS)


def test_own_cut_gets_everything(labelled):
    X, _ = labelled

    def half(scores, *, selector, X, y):
        assert selector.alpha == 0.2
        assert X.shape == (40, 11)  # the constant column is not in the graph
        assert y is None
        return scores.size // 2, "Half of them."

    cut = InfFSU(0.2, n_features_to_select=half).fit(X).cut_
    assert cut == Cut("half", 5, "Half of them.")


@pytest.mark.parametrize("size", [1, 11, np.int64(4)])
def test_own_cut_may_keep_any_number(size, labelled):
    selector = InfFSU(n_features_to_select=lambda scores, **_: size).fit(labelled[0])
    assert selector.cut_ == Cut("<lambda>", size, "The cut <lambda> said so.")


@pytest.mark.parametrize("size", [0, 12, "many", 2.5])
def test_own_cut_out_of_range(size, labelled):
    with pytest.raises(ValueError, match="must return a number of features between 1 and 11"):
        InfFSU(n_features_to_select=lambda scores, **_: size).fit(labelled[0])


@pytest.mark.parametrize("cut", SCORE_CUTS.values(), ids=SCORE_CUTS)
def test_an_instance_keeps_one_score_and_equal_ones_together(cut):
    for scores in ([2.0], [3.0] * 5, [0.0, 0.0]):
        assert cut(np.array(scores))[0] == len(scores)
