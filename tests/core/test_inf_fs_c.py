"""Conditional paths: against the golden orders, the formula with explicit inverses, invariances."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer

from inffs import InfFSC, open_table
from tests.core.naive_paths import NaivePaths, naive_axes, naive_profiles

GOLDEN = Path(__file__).parent.parent / "golden"
ORDERS = json.loads((GOLDEN / "conditional_paths.json").read_text())


# --- the definition, written out ----------------------------------------------------------------


def make_table(kind, rng):
    """(X, y) of the kinds of tables that break greedy selections."""
    T, n = {"tiny": (5, 4), "wide": (30, 2500), "many classes": (80, 60)}.get(kind, (60, 80))
    y = np.arange(T) % {"tiny": 2, "many classes": 8}.get(kind, 3)
    X = rng.normal(size=(T, n)) * rng.uniform(0.01, 100, n)
    X[:, : n // 4] += rng.normal(size=(y.max() + 1, n // 4))[y] * X[:, : n // 4].std(axis=0)
    if kind == "tied":
        X = np.round(X / X.std(axis=0))
    if kind == "binary":
        X = (X > 0).astype(float)
    if kind == "duplicated":
        X = np.hstack([X, -3 * X[:, :15], X[:, :15] + 1])
    if kind == "multilabel":
        y = (rng.normal(size=(T, 4)) + X[:, :4] / X[:, :4].std(axis=0) > 0).astype(int)
    if kind == "continuous":
        y = X[:, :3] @ (1 / X[:, :3].std(axis=0)) + rng.normal(size=T)
    return X, y


KINDS = [
    "random", "tied", "binary", "duplicated", "tiny", "wide", "many classes", "multilabel",
    "continuous",
]  # fmt: skip
every_kind = pytest.mark.parametrize("kind", KINDS)


def ranked(X, y):
    """Paths as long as by default, without the cross-validation of the size."""
    return InfFSC(n_features_to_select=min(200, X.shape[1])).fit(X, y)


def as_lists(selector):
    return [path.features.tolist() for path in selector.paths_]


def gains(selector):
    return np.array([each.gain for path in selector.paths_ for each in path.selected])


@every_kind
@pytest.mark.parametrize("seed", range(4))
def test_the_formula_with_explicit_inverses(kind, seed):
    X, y = make_table(kind, np.random.default_rng(seed))
    X = X[:, np.ptp(X, axis=0) > 0]
    count = min(X.shape[1], 60)
    selector = InfFSC(curves=False, pairs=False, n_features_to_select=count).fit(X, y)
    expected = NaivePaths(X, y, count).paths
    assert as_lists(selector) == [[each.feature for each in path] for path in expected]
    truth = [each.gain for path in expected for each in path]
    np.testing.assert_allclose(gains(selector), truth, rtol=1e-10, atol=1e-13)
    alone = ((naive_profiles(X).T @ naive_axes(y)) ** 2).sum(axis=1)
    rest = selector.order_[count:]
    assert (np.diff(alone[rest]) <= 1e-12).all()


@pytest.mark.parametrize("name", ORDERS)
def test_golden_orders(name):
    golden = ORDERS[name]
    X, y = golden_table(golden["table"])
    selector = InfFSC(curves=False, pairs=False, n_features_to_select=golden["b"]).fit(X, y)
    assert selector.order_[: golden["b"]].tolist() == golden["order"]
    lengths = [len(path) for path in selector.paths_]
    constant = np.count_nonzero(np.ptp(X, axis=0) == 0)  # the prototype counts each as a path
    assert lengths + [1] * constant == golden["path_lengths"]


def golden_table(name):
    if name == "made":
        with np.load(GOLDEN / "conditional_paths.npz") as table:
            return table["X"], table["y"]
    table = json.loads((GOLDEN / "supervised_tables.json").read_text())[name]
    return np.array(table["X"], dtype=float), np.array(table["y"])


def test_first_three_of_the_demo():
    data = load_breast_cancer()
    best = InfFSC(n_features_to_select=3).fit(data.data, data.target).order_[:3]
    names = ["worst perimeter", "worst concave points", "worst texture"]
    assert data.feature_names[best].tolist() == names


# --- what must not matter -----------------------------------------------------------------------


@every_kind
def test_scales_signs_and_samples_do_not_matter(kind, rng):
    X, y = make_table(kind, rng)
    plain = InfFSC(n_features_to_select=0.5).fit(X, y)
    samples = rng.permutation(len(X))
    factors = rng.choice([-1, 1], X.shape[1]) * 10.0 ** rng.integers(-8, 9, X.shape[1])
    for other in (InfFSC(n_features_to_select=0.5).fit(X[samples], y[samples]),
                  InfFSC(n_features_to_select=0.5).fit(X * factors, y)):  # fmt: skip
        assert as_lists(other) == as_lists(plain)
        np.testing.assert_allclose(other.scores_, plain.scores_, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("kind", ["random", "wide", "many classes", "multilabel", "continuous"])
def test_order_of_the_columns_does_not_matter(kind, rng):
    X, y = make_table(kind, rng)
    columns = rng.permutation(X.shape[1])
    plain = InfFSC(n_features_to_select=0.3).fit(X, y)
    other = InfFSC(n_features_to_select=0.3).fit(X[:, columns], y)
    np.testing.assert_array_equal(columns[other.order_], plain.order_)
    np.testing.assert_allclose(other.scores_, plain.scores_[columns], rtol=1e-10)


def test_names_and_order_of_the_classes_do_not_matter(rng):
    X, y = make_table("many classes", rng)
    names = np.array(list("hgfedcba"))
    plain, other = ranked(X, y), ranked(X, names[y])
    assert as_lists(other) == as_lists(plain)
    for ours, theirs in zip(plain.paths_, other.paths_, strict=True):
        for one, two in zip(ours.selected, theirs.selected, strict=True):
            np.testing.assert_allclose(two.signal, one.signal[::-1], rtol=1e-9, atol=1e-12)


def test_two_classes_are_a_label_and_a_target(rng):
    X, y = make_table("random", rng)
    y = (y > 0).astype(int)
    plain = ranked(X, y)
    assert as_lists(ranked(X, y[:, None] * np.array([[1, 0]]))) == as_lists(plain)
    assert as_lists(ranked(X, 0.3 + 2.5 * y)) == as_lists(plain)


def test_a_copy_waits_until_its_path_has_nothing_else(rng):
    """In every path the copies of its features, if any, stand behind all others."""
    X, y = make_table("duplicated", rng)
    original = np.r_[np.arange(80), np.arange(15), np.arange(15)]
    met = 0
    for path in ranked(X, y).paths_:
        seen = original[path.features]
        copies = np.array([feature in seen[:place] for place, feature in enumerate(seen)])
        assert (np.diff(copies.astype(int)) >= 0).all()
        met += copies.sum()
    assert met > 0


# --- forms of the table --------------------------------------------------------------------------


def sparse_table(rng):
    X, y = make_table("random", rng)
    X[np.abs(X) < X.std(axis=0)] = 0.0
    X[:, 7] = 0.0
    return X, y


def on_disk(X, folder):
    np.save(folder / "X.npy", X)
    return open_table(folder / "X.npy")


def dask_array(X, folder):
    return pytest.importorskip("dask.array").from_array(X, chunks=(X.shape[0], 30))


FORMS = {
    "csr": lambda X, _: sparse.csr_matrix(X),
    "csc": lambda X, _: sparse.csc_array(X),
    "NPY on disk": on_disk,
    "dask": dask_array,
    "pandas": lambda X, _: pd.DataFrame(X).add_prefix("f"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_paths(form, rng, tmp_path):
    X, y = sparse_table(rng)
    size = "auto" if form == "csr" else None
    plain = InfFSC(n_features_to_select=size).fit(X, y)
    other = InfFSC(n_features_to_select=size).fit(FORMS[form](X, tmp_path), y)
    assert as_lists(other) == as_lists(plain)
    np.testing.assert_array_equal(other.order_, plain.order_)
    np.testing.assert_allclose(other.scores_, plain.scores_, rtol=1e-11, atol=1e-15)
    assert other.n_features_ == plain.n_features_
    if form in ("NPY on disk", "pandas"):
        np.testing.assert_array_equal(other.scores_, plain.scores_)


def test_single_precision_tables(rng):
    X, y = sparse_table(rng)
    X = X.astype(np.float32)
    assert as_lists(ranked(X, y)) == as_lists(ranked(X.astype(float), y))


def test_profiles_in_single_precision(rng, monkeypatch):
    """What tables of more than a gigabyte get: the same selected, gains to float32."""
    X, y = make_table("wide", rng)
    exact = InfFSC(n_features_to_select=40).fit(X, y)
    monkeypatch.setattr("inffs.inf_fs_c._EXACT_VALUES", 0)
    single = InfFSC(n_features_to_select=40).fit(X, y)
    assert as_lists(single) == as_lists(exact)
    np.testing.assert_allclose(gains(single), gains(exact), rtol=1e-5)


# --- what is told --------------------------------------------------------------------------------


def test_what_a_pick_adds_is_shared_out_among_the_classes(rng):
    X, y = make_table("many classes", rng)
    for path in InfFSC(curves=False, pairs=False).fit(X, y).paths_:
        for each in path.selected:
            assert each.signal.shape == (8,)
            assert each.signal @ each.signal == pytest.approx(each.gain, rel=1e-10)


def test_signal_has_the_sign_of_the_class_mean(rng):
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 30))
    X[:, 3] += 5 * (y == 2)
    each = ranked(X, y).paths_[0].selected[0]
    assert each.feature == 3
    assert each.signal[2] > 0 > max(each.signal[:2])
    assert np.argmax(each.signal**2) == 2


def test_paths_go_on_above_the_noise_and_end_below(rng):
    X, y = make_table("random", rng)
    paths = ranked(X, y).paths_
    assert all(each.evidence >= each.noise for path in paths for each in path.selected[1:])
    assert [path.noise is None for path in paths] == [False] * (len(paths) - 1) + [True]


def test_scores_are_the_gains_and_the_rest_lies_below(rng):
    X, y = make_table("random", rng)
    selector = InfFSC(n_features_to_select=12).fit(X, y)
    np.testing.assert_array_equal(selector.scores_[selector.order_[:12]], gains(selector))
    rest = selector.scores_[selector.order_[12:]]
    assert (np.diff(rest) <= 0).all()
    assert rest[0] <= gains(selector).min()


def test_explain_names_the_feature_that_makes_another_redundant(rng):
    y = np.arange(90) % 2
    X = rng.normal(size=(90, 12))
    X[:, 4] += 2 * y
    X[:, 9] = X[:, 4] + 0.1 * rng.normal(size=90)
    frame = pd.DataFrame(X).add_prefix("gene ")
    selector = InfFSC(n_features_to_select=1).fit(frame, y)
    best = int(selector.order_[0])
    other = 13 - best
    told = selector.explain(f"gene {other}")
    assert (told.redundant_with, told.path, told.step) == (best, None, None)
    assert told.redundant_share > 0.9
    assert f"'gene {best}'" in str(told)
    assert selector.explain(best).step == 1
    with pytest.raises(ValueError, match="'gene 99'"):
        selector.explain("gene 99")
    with pytest.raises(ValueError, match="0 to 11"):
        selector.explain(12)
    for feature in (1.5, 1.0, True, None, [0, 1], "gene *"):
        with pytest.raises(ValueError, match="feature"):
            selector.explain(feature)
    assert selector.explain(np.int64(best)).feature == best


def test_explain_of_a_constant_column(rng):
    X, y = sparse_table(rng)
    found = InfFSC().fit(X, y).explain(7)
    assert (found.alone, found.path, found.place) == (0.0, None, X.shape[1])
    assert found.why


@pytest.mark.parametrize(
    ("y", "sentence"),
    [(np.full(20, 0.5), "y is 0.5 in every row"), (np.ones((20, 3), dtype=int), "No column of y")],
)
def test_targets_without_variation(y, sentence, rng):
    with pytest.raises(ValueError, match=sentence):
        InfFSC().fit(rng.normal(size=(20, 5)), y)


# --- how many features ---------------------------------------------------------------------------


def test_automatic_size_keeps_features_that_are_associated_only_together(rng):
    """Column 1 is the class hidden in a nuisance, column 0 the nuisance: alone it says nothing."""
    y = np.arange(300) % 2
    X = rng.normal(size=(300, 400))
    X[:, 1] = 2.0 * y + 2.0 * X[:, 0]
    selector = InfFSC().fit(X, y)
    assert selector.explain(0).alone < 0.02
    assert selector.order_[:2].tolist() == [1, 0]
    assert 2 <= selector.n_features_ <= 4


@pytest.mark.parametrize("cut", ["fdr", "predict"])
def test_cuts_that_ask_the_labels_take_numbers(cut, rng):
    X, y = make_table("continuous", rng)
    assert 1 <= InfFSC(n_features_to_select=cut).fit(X, y).n_features_ < X.shape[1]


def test_stability_cut_of_a_continuous_target(rng):
    X = rng.normal(size=(80, 25))
    y = X[:, :3].sum(axis=1) + 0.1 * rng.normal(size=80)
    selector = InfFSC(n_features_to_select="stability").fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2]
