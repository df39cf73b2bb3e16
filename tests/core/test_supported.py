"""The cut that a check supports."""

import numpy as np
import pytest
from inffs.cuts.supported import Evidence

from inffs import Consensus, InfFSS, InfFSSCV, StabilitySelection, open_table
from inffs.cuts import CUTS, Cut, Supported, apply_cut
from inffs.cuts.samples import distinct_samples
from inffs.evaluation.quality import agreement
from inffs.methods import CMIM, ECFS, MRMR, FisherScore, LassoUnhinged, ReliefF, find_entry

ASKED = {"n_features_to_select": "supported"}


def planted(informative, shift, seed, T=60, n=1000):
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :informative] += shift * y[:, None] * rng.choice([-1.0, 1.0], size=informative)
    return X, y


def evidence(prior, *folds, forced=False):
    sizes = np.array([1, 5, 20, 100])
    return Evidence(Cut("knee", prior, ".", forced=forced), sizes, np.array(folds), 0.5, sizes / 10)


@pytest.mark.parametrize("method", [InfFSS, FisherScore, ReliefF])
def test_planted_features_are_kept_and_little_else(method):
    recall, noise = [], []
    for seed in range(5):
        X, y = planted(20, 2.0, seed)
        kept = method(**ASKED).fit(X, y).get_support(indices=True)
        recall.append(np.count_nonzero(kept < 20) / 20)
        noise.append(np.mean(kept >= 20))
    assert np.mean(recall) >= 0.6
    assert np.mean(noise) <= 0.25


def test_a_method_may_say_where_the_check_begins():
    """Sixty weak features: one of them does clearly worse than many, 40 do as well as the best."""
    X, y = planted(60, 1.0, 0, T=120)
    scores = FisherScore().fit(X, y).scores_
    for begin, stays in ((1, False), (40, True)):
        first = Cut("own", begin, "Mine.", np.full(1000, 0.5))
        cut = apply_cut(Supported(first=first), scores, selector=FisherScore(), X=X, y=y)
        assert cut.name == "supported"
        assert cut.why.startswith("Mine. In a check")
        assert (cut.size == begin) == stays
        assert cut.q_values is first.q_values


def test_noise_is_claimed_seldom():
    """Of 40 tables of noise few have a claim: permuted promises 0.1, and the check must agree."""
    cuts = [FisherScore(**ASKED).fit(*planted(0, 0.0, seed, n=300)).cut_ for seed in range(40)]
    assert np.mean([cut.forced for cut in cuts]) >= 0.8
    assert all(cut.size == 1 and "guessing" in cut.why for cut in cuts if cut.forced)


def test_the_prior_stays_unless_it_is_clearly_worse():
    even = [[0.6, 0.8, 0.8, 0.9], [0.6, 0.9, 0.9, 0.8], [0.5, 0.8, 0.9, 0.9]]
    assert evidence(20, *even).choose() == 20
    assert evidence(100, *even).choose() == 100
    assert evidence(1, *even).choose() == 5
    falling = [[0.9, 0.9, 0.9, 0.5], [0.8, 0.9, 0.9, 0.6], [0.9, 0.9, 0.8, 0.6]]
    assert evidence(100, *falling).choose() == 20


def test_where_nothing_stands_out_the_best_size_is_taken_and_has_to_beat_guessing():
    even = [[0.8, 0.8, 0.9, 0.9], [0.6, 0.9, 0.9, 0.9]]
    assert evidence(1, *even, forced=True).choose() == 20
    found = [evidence(1, *even).beats_guessing(size) for size in (1, 5, 20, 100)]
    assert found == [False, False, False, True]


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_agreement_is_measured_against_shuffled_answers(classes):
    rng = np.random.default_rng(classes)
    truth = rng.choice(
        classes, size=60, p=np.arange(1, classes + 1) / (classes * (classes + 1) / 2)
    )
    answers = np.where(rng.random(60) < 0.5, truth, rng.integers(classes, size=60))
    shuffled = [np.sum(truth == rng.permutation(answers)) for _ in range(20_000)]
    expected = (np.sum(truth == answers) - np.mean(shuffled)) / np.std(shuffled)
    assert agreement(truth, answers, classes) == pytest.approx(expected, rel=0.02)
    assert agreement(truth, np.full(60, truth[0]), classes) == pytest.approx(0, abs=1e-9)


def test_too_many_features_are_cut_down_where_the_check_says_so():
    """The knee of a ranking by dispersion takes loud noise in; two features do better."""
    X, y = planted(2, 4.0, 0, T=60, n=400)
    X[:, 200:] *= 3
    selector = InfFSS((0.5, 0.0, 0.5), n_features_to_select=Supported()).fit(X, y)
    loud = apply_cut("knee", selector.scores_, selector=None, X=None, y=None).size
    assert selector.n_features_ < loud / 3
    assert selector.support_[:2].all()


def test_classes_that_no_single_feature_separates():
    """Six classes, coarse values: little stands out alone, but together they predict."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(6, 300)) * 0.9
    y = np.arange(60) % 6
    X = np.clip(np.round(centres[y] + rng.normal(size=(60, 300))), -1, 1)
    cut = FisherScore(**ASKED).fit(X, y).cut_
    assert not cut.forced
    assert cut.size >= 20


@pytest.mark.parametrize(("method", "most"), [(FisherScore, 5), (ReliefF, 10)])
def test_at_most_ten_fits(method, most):
    X, y = planted(10, 2.0, 0, n=60)
    fits = []

    class Counted(method):
        def _score(self, *table, **weights):
            fits.append(1)
            return super()._score(*table, **weights)

    Counted(**ASKED).fit(X, y)
    assert 1 < len(fits) <= 1 + most


def test_what_cannot_be_checked_is_not():
    X, y = planted(3, 3.0, 1, T=8, n=30)
    assert FisherScore(**ASKED).fit(X, y).cut_.name in ("knee", "permuted")
    rare = np.r_[np.arange(28) % 2, [2, 2]]
    assert (
        FisherScore(**ASKED).fit(planted(3, 1.0, 2, T=30, n=30)[0], rare).cut_.name != "supported"
    )


def test_several_labels_sparse_tables_and_orders_without_heights():
    from scipy import sparse

    X, y = planted(8, 3.0, 3, n=60)
    both = np.stack([y, (X[:, 0] > 0).astype(int)], axis=1)
    assert InfFSS(**ASKED).fit(X, both).cut_.name == "supported"
    assert InfFSS(**ASKED).fit(sparse.csr_array(X), y).cut_.name == "supported"
    greedy = CMIM(**ASKED).fit(X, y)
    assert greedy.n_features_ < 60


def test_the_same_table_gives_the_same_cut():
    X, y = planted(5, 1.0, 4, n=200)
    first, second = (FisherScore(**ASKED).fit(X, y).cut_ for _ in range(2))
    assert first == second
    assert CUTS["supported"] == Supported()


@pytest.mark.parametrize("method", [InfFSS, FisherScore, MRMR])
def test_numbers_are_checked_by_the_share_that_is_explained(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 200))
    y = 3 * X[:, 0] - 3 * X[:, 1] + 3 * X[:, 2] + 0.5 * rng.normal(size=80)
    selector = method().fit(X, y)
    assert selector.cut_.name == "supported"
    assert selector.support_[:3].all()
    assert selector.n_features_ <= 10
    assert "R2 0." in selector.cut_.why


def test_a_greedy_search_is_followed_for_200_choices_only():
    X, y = planted(5, 3.0, 0, n=400)
    asked = []

    class Watched(CMIM):
        def _score(self, X, y):
            asked.append(self.n_features_to_select)
            return super()._score(X, y)

    cut = Watched().fit(X, y).cut_
    assert cut.name == "supported"
    assert asked == ["auto"] + 5 * [200]


def test_auto_is_the_supported_size_wherever_labels_can_be_checked():
    X, y = planted(5, 3.0, 1, n=60)
    for key in ("fisher", "ecfs", "svm-rfe", "ilfs", "jmi"):
        assert find_entry(key).estimator().fit(X, y).cut_.name == "supported"


def test_of_many_samples_a_thousand_is_checked():
    X, y = planted(3, 1.0, 0, T=3000, n=12)
    seen = []

    class Watched(FisherScore):
        def rank_checked(self, X, y):
            seen.append(len(y))
            return super().rank_checked(X, y)

    assert Watched().fit(X, y).support_[:3].all()
    assert len(seen) == 5
    assert {*seen} <= {799, 800}


def test_selectors_inside_others_are_not_checked(monkeypatch):
    X, y = planted(5, 3.0, 1, n=60)
    monkeypatch.setattr(Supported, "evidence", lambda *_: pytest.fail("was checked"))
    both = Consensus(["fisher", "mrmr", "relieff"], n_features_to_select=5).fit(X, y)
    assert [each.cut_.name for each in both.selectors_] == ["knee", "own", "knee"]
    StabilitySelection(FisherScore(), n_per_half=None, pairs=2, random_state=0).fit(X, y)
    InfFSSCV(weight_grid=2, n_features_to_select=5).fit(X, y)


@pytest.mark.parametrize("method", [InfFSS, FisherScore, ECFS, LassoUnhinged])
def test_a_table_on_disk_keeps_what_it_keeps_in_memory(method, tmp_path, monkeypatch):
    X, y = planted(8, 1.5, 5, n=500)
    X[7] = X[5]
    np.save(tmp_path / "X.npy", X)
    monkeypatch.setattr("inffs.cuts.samples._VALUES", 60 * 64)
    monkeypatch.setattr("inffs.cuts.supported._MOST", 50)
    here = method().fit(X, y).cut_
    assert here.name == "supported"
    assert method().fit(open_table(tmp_path / "X.npy"), y).cut_ == here
    if method is InfFSS:
        weight = {"sample_weight": np.arange(60) % 3.0}
        lazy = method().fit(open_table(tmp_path / "X.npy"), y, **weight).cut_
        assert lazy == method().fit(X, y, **weight).cut_


def test_copies_and_weights_are_one_and_the_order_of_samples_is_none():
    X, y = planted(5, 1.5, 3, n=40)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weight)
    here = FisherScore().fit(X, y, sample_weight=weight.astype(float)).cut_
    assert here == FisherScore().fit(X[rows], y[rows]).cut_
    assert here.name == "supported"
    moved = np.random.default_rng(1).permutation(60)
    samples, again = (distinct_samples(X[o], y[o], None, True) for o in (np.arange(60), moved))
    np.testing.assert_array_equal(samples.rows, moved[again.rows])
    assert samples.weight is None
