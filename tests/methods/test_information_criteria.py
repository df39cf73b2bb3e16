"""Greedy information criteria against a naive search, the published mRMR and skfeature's CMIM."""

from collections import Counter

import numpy as np
import pytest
from sklearn import config_context
from sklearn.metrics import mutual_info_score

from inffs import rank
from inffs.methods import CMIM, JMI, MIFS, MRMR
from inffs.methods.solvers.pair_counts import BinnedTable, PairCounts, discretise
from tests.methods.filter_goldens import cases, recorded, table

KEYS = ["mrmr", "mifs", "cife", "icap", "jmi", "cmim", "mri"]
every_criterion = pytest.mark.parametrize("key", KEYS)


def entropy(*columns):
    counts = np.array(list(Counter(zip(*columns, strict=True)).values()))
    return -(counts / counts.sum()) @ np.log(counts / counts.sum())


def shared(a, b):
    return entropy(a) + entropy(b) - entropy(a, b)


def given(a, b, z):
    """I(a; b | z), the mean over the values of z."""
    return sum((z == v).mean() * shared(a[z == v], b[z == v]) for v in np.unique(z))


def criterion(key, X, y, j, chosen):
    """Each criterion as its paper writes it."""
    f = X[:, j]
    relevance = mutual_info_score(f, y)
    if not chosen:
        return relevance
    pair = np.array([shared(f, X[:, k]) for k in chosen])
    in_class = np.array([given(f, X[:, k], y) for k in chosen])
    new = np.array([given(f, y, X[:, k]) for k in chosen])
    old = np.array([given(X[:, k], y, f) for k in chosen])
    joint = np.array([shared(f * 100 + X[:, k], y) for k in chosen])
    alone = np.array([shared(X[:, k], y) for k in chosen])
    return {
        "mrmr": relevance - pair.mean(),
        "mifs": relevance - pair.sum(),
        "cife": relevance - pair.sum() + in_class.sum(),
        "icap": relevance - np.maximum(pair - in_class, 0).sum(),
        "jmi": (joint - alone).mean(),
        "cmim": new.min(),
        "mri": (relevance + (new + old - alone).sum()) / (len(chosen) + 1),
    }[key]


def greedy(key, X, y, steps):
    chosen, last = [], {}
    for _ in range(steps):
        last = {j: criterion(key, X, y, j, chosen) for j in range(X.shape[1]) if j not in chosen}
        chosen.append(max(last, key=last.get))
    return chosen, last


@pytest.fixture
def discrete():
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=150)
    X = np.where(rng.random((150, 10)) < rng.uniform(0, 0.6, 10), y[:, None], 0)
    X = X + rng.integers(4, size=(150, 10))
    X[:, 5] = (X[:, 4] + rng.integers(2, size=150)) % 5  # nearly a copy
    return X, y


@every_criterion
def test_choices_and_values_of_the_papers_formula(key, discrete):
    X, y = discrete
    chosen, last = greedy(key, X, y, 6)
    selector = rank(X, y, method=key, n_features_to_select=6)
    np.testing.assert_array_equal(selector.order_[:6], chosen)
    rest = [j for j in last if j != chosen[-1]]
    np.testing.assert_allclose(selector.scores_[list(last)], list(last.values()), atol=1e-12)
    np.testing.assert_array_equal(selector.order_[6:], sorted(rest, key=last.get, reverse=True))


@pytest.mark.parametrize("name", ["a_plain", "b"])
def test_published_mrmr(name):
    case = next(c for c in cases("mrmr") if c["data"] == name)
    X, y = table(name)
    rounded = np.sign(X) * np.floor(np.abs(X) + 0.5)  # as the published program does
    bins = int(np.ptp(rounded, axis=0).max()) + 1  # every integer has a bin of its own
    selector = MRMR(bins=bins, n_features_to_select=X.shape[1]).fit(rounded, y)
    np.testing.assert_array_equal(selector.order_, case["ranking"])
    bits = selector.scores_[selector.order_] / np.log(2)
    np.testing.assert_allclose(bits[1:], case["score"][1:], atol=1e-11)
    relevance = PairCounts(BinnedTable(rounded, bins), (y > 0).astype(int)).relevance
    np.testing.assert_allclose(relevance / np.log(2), case["mi"], atol=1e-11)


def test_published_mrmr_with_its_constant_column():
    """A constant column goes to the end; kept in, the published order comes out."""
    case = next(c for c in cases("mrmr") if c["data"] == "a")
    X, y = table("a")
    rounded = np.sign(X) * np.floor(np.abs(X) + 0.5)
    bins = int(np.ptp(rounded, axis=0).max()) + 1
    selector = MRMR(n_features_to_select=25)
    selector.n_features_in_ = 25
    order = selector._search(BinnedTable(rounded, bins), [(y > 0).astype(int)]).order
    np.testing.assert_array_equal(order, case["ranking"])
    assert MRMR(bins=bins).fit(rounded, y).order_[-1] == 20


def test_cmim_as_skfeature():
    entry = recorded()["skfeature"]
    selector = CMIM(n_features_to_select=10).fit(entry["X"], entry["y"])
    np.testing.assert_array_equal(selector.order_[:10], entry["cmim"])


def test_beta_weighs_redundancy(discrete):
    X, y = discrete
    relevant = np.argsort(-PairCounts(BinnedTable(X, 10), y).relevance, kind="stable")
    np.testing.assert_array_equal(MIFS(beta=0).fit(X, y).order_, relevant)
    assert (MIFS(beta=5.0).fit(X, y).order_ != relevant).any()


def test_without_a_number_at_most_200_are_selected(rng):
    """The search orders 200 features; the size rule decides how many of them are kept."""
    X, y = rng.normal(size=(30, 230)), np.arange(30) % 2
    selector = MRMR().fit(X, y)
    asked = MRMR(n_features_to_select=200).fit(X, y)
    np.testing.assert_array_equal(selector.order_, asked.order_)
    assert selector.n_features_ <= 200
    assert MRMR().fit(X[:, :20], y).n_features_ <= 20


@every_criterion
def test_a_prefix_of_the_choices_does_not_depend_on_their_number(key, rng):
    X, y = rng.normal(size=(60, 40)), np.arange(60) % 3
    few = rank(X, y, method=key, n_features_to_select=8).order_[:8]
    many = rank(X, y, method=key, n_features_to_select=25).order_[:8]
    np.testing.assert_array_equal(few, many)


@every_criterion
def test_scale_and_shift_change_nothing(key, rng):
    X, y = rng.normal(size=(60, 20)), np.arange(60) % 3
    moved = X * 2.0 ** rng.integers(-4, 5, size=20) + 0.25
    np.testing.assert_allclose(
        rank(moved, y, method=key, n_features_to_select=5).scores_,
        rank(X, y, method=key, n_features_to_select=5).scores_,
        atol=1e-12,
    )


def test_a_copy_of_the_first_choice_is_worth_nothing_more(rng):
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 6))
    X[:, 1] += 3 * y
    X[:, 4] = X[:, 1]
    X[:, 3] += y
    assert list(CMIM(n_features_to_select=3).fit(X, y).order_[[0, -1]]) == [1, 4]
    assert MRMR(n_features_to_select=6).fit(X, y).order_[1] != 4
    assert JMI(n_features_to_select=6).fit(X, y).order_[1] != 4


def test_levels_do_not_depend_on_the_scale():
    X = np.c_[np.arange(-5, 15), 50 * np.arange(20), np.linspace(0, 1, 20), np.arange(20) % 7]
    codes, levels = discretise(X.astype(float), 10)
    np.testing.assert_array_equal(levels, [10, 10, 10, 7])
    np.testing.assert_array_equal(codes[:, 1], np.minimum(np.arange(20) * 10 // 19, 9))
    np.testing.assert_array_equal(codes[:, :3], codes[:, [1, 1, 1]])
    np.testing.assert_array_equal(codes[:, 3], X[:, 3])


def test_a_column_as_wide_as_single_precision_holds():
    X = np.array([[-3e38, 0.0], [3e38, 1.0], [1e38, 1.0], [-1e38, 0.0]], dtype=np.float32)
    codes, levels = discretise(X, 4)
    assert codes.tolist() == discretise(X.astype(float), 4)[0].tolist()
    assert levels.tolist() == [4, 2]


def test_conditional_terms_may_be_left_out(discrete):
    X, y = discrete
    table_of_pairs = PairCounts(BinnedTable(X, 10), y)
    pair, zero = table_of_pairs.with_chosen(2, False)
    again, given_class = table_of_pairs.with_chosen(2, True)
    np.testing.assert_allclose(pair, again, atol=1e-14)
    assert not zero.any()
    assert given_class.any()


@pytest.fixture
def many_labels():
    rng = np.random.default_rng(8)
    X = np.maximum(rng.normal(size=(1200, 30)), 0)
    Y = (X[:, :4] + rng.normal(size=(1200, 4)) > 0.5).astype(np.int8)
    return X, Y


def mean_of_places(selectors):
    """1 for the first and 0 for the last of every order, averaged."""
    places = [selector.ranking_ - 1 for selector in selectors]
    return 1 - np.mean(places, axis=0) / (places[0].size - 1)


@pytest.mark.parametrize("weighted", [False, True])
@every_criterion
def test_many_labels_are_the_mean_of_single_ones(key, weighted, many_labels):
    X, Y = many_labels
    weight = {"sample_weight": np.arange(1200) % 4} if weighted else {}
    fits = [rank(X, y, method=key, n_features_to_select=12, **weight) for y in [Y, *Y.T]]
    np.testing.assert_allclose(fits[0].scores_, mean_of_places(fits[1:]), atol=1e-12)


@pytest.fixture
def worked_out(monkeypatch):
    """The columns whose sums of pairs are worked out, in turn."""
    asked, kept = [], BinnedTable.pair_sums

    def noted(self, k):
        asked.extend([k] if k not in self._kept else [])
        return kept(self, k)

    monkeypatch.setattr(BinnedTable, "pair_sums", noted)
    return asked


def test_labels_share_the_sums_of_pairs(worked_out, many_labels):
    MRMR(n_features_to_select=12).fit(*many_labels)
    assert len(worked_out) == len(set(worked_out)) > 11


def test_sums_of_pairs_are_kept_as_far_as_memory_allows(worked_out, many_labels):
    X, Y = many_labels
    free = MRMR(n_features_to_select=12).fit(X, Y)
    once = len(worked_out)
    with config_context(working_memory=7 * 30 * 64 / 2**20):  # seven columns of sums
        tight = MRMR(n_features_to_select=12).fit(X, Y)
    again = Counter(worked_out[once:])
    assert sum(count == 1 for count in again.values()) >= 7
    assert max(again.values()) > 1
    np.testing.assert_array_equal(tight.order_, free.order_)
    np.testing.assert_array_equal(tight.scores_, free.scores_)


@pytest.mark.parametrize("key", ["mrmr", "mifs", "jmi", "cmim", "mri"])
def test_two_numeric_targets_put_their_columns_first(key):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 30))
    Y = X[:, [2, 5]] + rng.normal(size=(200, 2))
    assert set(rank(X, Y, method=key, bins=5, n_features_to_select=2).order_[:2]) == {2, 5}


def test_one_label_keeps_no_sums(many_labels):
    X, Y = many_labels
    table = BinnedTable(X)
    PairCounts(table, Y[:, 0]).with_chosen(3, False)
    assert not table._kept


@pytest.mark.parametrize(
    "params", [{"beta": -1.0}, {"bins": 1}, {"bins": "few"}], ids=lambda p: next(iter(p))
)
def test_parameters_out_of_range(params, labelled):
    with pytest.raises(ValueError, match=f"'{next(iter(params))}' parameter"):
        MIFS(**params).fit(*labelled)
