"""Curves and pairs on conditional paths: golden orders, explicit bases, forms of the table."""

import json
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from inffs import InfFSC, open_table
from inffs.graph import unit_profiles
from inffs.graph.curves import curves_of
from inffs.graph.pairs import best_pair
from tests.core.naive_paths import NaivePaths, naive_basis

GOLDEN = Path(__file__).parent.parent / "golden"
ORDERS = json.loads((GOLDEN / "curves_and_pairs.json").read_text())
MADE = [name for name in ORDERS if name != "madelon"]


def golden_table(name):
    with np.load(GOLDEN / "curves_and_pairs.npz") as tables:
        return tables[f"{name}_X"], tables[f"{name}_y"]


def kinds(selector):
    return [kind for path in selector.paths_ for kind in path.kinds]


@pytest.mark.parametrize("name", MADE)
def test_golden_orders_and_kinds(name):
    golden = ORDERS[name]
    selector = InfFSC(n_features_to_select=golden["b"]).fit(*golden_table(name))
    assert selector.order_[: golden["b"]].tolist() == golden["order"]
    assert kinds(selector)[: golden["b"]] == golden["kinds"]


def columns_of_every_kind(rng, T=90):
    X = rng.normal(size=(T, 9))
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = X[:, 2] > 0
    X[:, 3] = np.where(np.abs(X[:, 3]) > 1, X[:, 3], 0.0)
    X[:, 4] = np.arange(T) == 7
    X[:, 5] = X[:, 0]
    X[:, 6] *= 1e-200
    X[:, 7] = np.exp(4 * X[:, 7])
    X[:, 8] = np.where(rng.random(T) < 0.5, 0.0, rng.exponential(size=T) + 1)
    return X


# --- the definition, written out ----------------------------------------------------------------


def curved_table(kind, rng):
    """X, y and weights or None: a ring of columns 0 and 1, a product of columns 2 and 3, a line."""
    T, n = {"tiny": (9, 4), "wide": (120, 40)}.get(kind, (240, 14))
    X = rng.normal(size=(T, n))
    ring, product, noise = np.hypot(X[:, 0], X[:, 1]), X[:, 2] * X[:, 3], rng.normal(size=T)
    signal = ring / ring.std() + 1.5 * product + 0.3 * noise
    y = np.searchsorted(np.quantile(signal, [0.3, 0.6]), signal)
    if kind == "product":
        y = (product + 0.3 * noise > 0).astype(int)
    if kind == "multi-label":
        y = np.stack([ring > 1.2, product > 0, noise + X[:, 1] > 0], axis=1).astype(int)
    if kind in ("continuous", "weighted, continuous"):
        y = signal + 0.5 * X[:, 1]
    if kind == "tied":
        X = np.round(2 * X) / 2
    if kind == "binary":
        X[:, ::3] = X[:, ::3] > 0
    if kind == "duplicated":
        X = np.hstack([X, -2 * X[:, :5], X[:, :3] + 1])
    weight = rng.integers(1, 4, T) / 2 if kind.startswith("weighted") else None
    return X, y, weight


CURVED = [
    "classes", "product", "multi-label", "continuous", "tied", "binary", "duplicated", "tiny",
    "wide", "weighted", "weighted, continuous",
]  # fmt: skip
every_curved_kind = pytest.mark.parametrize("kind", CURVED)


@every_curved_kind
@pytest.mark.parametrize("seed", range(5))
def test_the_definition_written_out(kind, seed):
    X, y, weight = curved_table(kind, np.random.default_rng(seed))
    count = X.shape[1] - 2
    fitted = InfFSC(pairs=True, n_features_to_select=count).fit(X, y, sample_weight=weight)
    expected = NaivePaths(X, y, count, curves=True, pairs=True, weight=weight).paths
    assert [path.features.tolist() for path in fitted.paths_] == [
        [each.feature for each in path] for path in expected
    ]
    ours = [each for path in fitted.paths_ for each in path.selected]
    theirs = [each for path in expected for each in path]
    assert [each.kind for each in ours] == [each.kind for each in theirs]
    for value in ("evidence", "gain", "noise"):
        found, truth = ([getattr(each, value) for each in selected] for selected in (ours, theirs))
        np.testing.assert_allclose(found, truth, rtol=1e-10, atol=1e-13)


def test_the_tables_written_out_have_every_kind_of_pick():
    found = set()
    for kind in CURVED:
        X, y, weight = curved_table(kind, np.random.default_rng(0))
        found |= set(kinds(InfFSC(n_features_to_select=4).fit(X, y, sample_weight=weight)))
    assert found == {"line", "curve", "pair"}


@pytest.mark.skipif("INFFS_DATA" not in os.environ, reason="INFFS_DATA names no folder")
def test_golden_order_of_madelon():
    table = np.genfromtxt(
        Path(os.environ["INFFS_DATA"]) / "raw" / "MADELON" / "madelon_train.csv",
        delimiter=",", skip_header=1,
    )  # fmt: skip
    golden = ORDERS["madelon"]
    selector = InfFSC(n_features_to_select=golden["b"]).fit(table[:, :-1], table[:, -1] > 0)
    assert selector.order_[: golden["b"]].tolist() == golden["order"]
    assert kinds(selector)[: golden["b"]] == golden["kinds"]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_bases_written_out(form, rng):
    X = columns_of_every_kind(rng)
    profiles = unit_profiles(form(X), "clipped", np.float64)
    curves = curves_of(form(X), profiles)
    E = rng.normal(size=(len(X), 3))
    expected = [naive_basis(X[:, i], profiles.row(i)) for i in range(X.shape[1])]
    for i, basis in enumerate(expected):
        np.testing.assert_allclose(curves.basis(i), basis, atol=1e-10)
    truth = np.array([((basis @ E) ** 2).sum() for basis in expected])
    everything = np.arange(X.shape[1])
    np.testing.assert_allclose(curves.evidence(E, everything), truth, rtol=1e-10)
    norms = np.linalg.norm(curves.products(E).reshape(E.shape[1], -1, 4), axis=(0, 2))
    error = np.abs(norms - np.sqrt(truth))
    assert (error <= curves.rounding * np.linalg.norm(E)).all()


@pytest.mark.parametrize("T", [5, 6, 12, 90])
def test_products_are_as_precise_as_they_say(T, rng):
    X = rng.normal(size=(T, 40))
    X[:, :10] = np.exp(3 * X[:, :10])  # long tails: few values make up the profile
    X[:, 10:20] = np.round(X[:, 10:20])
    curves = curves_of(X, unit_profiles(X, "clipped", np.float64))
    E = rng.normal(size=(T, 2))
    products = curves.products(E).reshape(2, 40, 4)
    exact = curves.evidence(E, np.arange(40))
    error = np.abs(np.linalg.norm(products, axis=(0, 2)) - np.sqrt(exact))
    assert error.max() <= curves.rounding * np.linalg.norm(E)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weights_are_repeated_samples(form, rng):
    X = columns_of_every_kind(rng)
    E, weight = rng.normal(size=(len(X), 2)), rng.integers(1, 4, len(X))
    again, everything = np.repeat(np.arange(len(X)), weight), np.arange(X.shape[1])
    repeated = curves_of(X[again], unit_profiles(X[again], "clipped", np.float64))
    weight = weight.astype(float)
    profiles = unit_profiles(form(X), "clipped", np.float64, weight)
    weighted = curves_of(form(X), profiles, weight)
    np.testing.assert_allclose(
        weighted.evidence(E * np.sqrt(weight)[:, None], everything),
        repeated.evidence(E[again], everything),
        rtol=1e-9,
    )


@pytest.mark.parametrize(("name", "kind"), [("ring", "curve"), ("xor", "pair")])
def test_weights_and_missing_values_keep_what_is_found(name, kind, rng):
    X, y = golden_table(name)
    X[rng.random(X.shape) < 0.02] = np.nan
    weight = rng.uniform(0.5, 1.5, len(X))
    selector = InfFSC(n_features_to_select=2, missing="ignore").fit(X, y, sample_weight=weight)
    assert set(selector.order_[:2]) == set(ORDERS[name]["truth"])
    assert kinds(selector)[:2] == [kind, kind]


FORMS = {
    "csr": lambda X, _: sparse.csr_array(X),
    "float32": lambda X, _: X.astype(np.float32),
    "NPY on disk": lambda X, folder: (np.save(folder / "X", X), open_table(folder / "X.npy"))[1],
    "dask": lambda X, _: pytest.importorskip("dask.array").from_array(X, chunks=(len(X), 17)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["ring", "xor", "three_classes"])
def test_every_form_gives_the_same_picks(form, name, tmp_path):
    X, y = golden_table(name)
    X = X.astype(np.float32).astype(float)
    plain = InfFSC(n_features_to_select=8).fit(X, y)
    other = InfFSC(n_features_to_select=8).fit(FORMS[form](X, tmp_path), y)
    np.testing.assert_array_equal(other.order_, plain.order_)
    assert kinds(other) == kinds(plain)
    np.testing.assert_allclose(other.scores_, plain.scores_, rtol=1e-9, atol=1e-13)


# --- what must not matter -----------------------------------------------------------------------


def as_lists(selector, columns=None):
    """Features and kinds, path by path, in the numbers of the original columns."""
    selected = [[(each.feature, each.kind) for each in path.selected] for path in selector.paths_]
    if columns is None:
        return selected
    return [[(int(columns[feature]), kind) for feature, kind in path] for path in selected]


@every_curved_kind
def test_units_signs_and_order_of_rows_and_columns_do_not_matter(kind, rng):
    X, y, weight = curved_table(kind, rng)

    def fit(*given, sample_weight):
        selector = InfFSC(pairs=True, n_features_to_select=min(6, X.shape[1]))
        return selector.fit(*given, sample_weight=sample_weight)

    plain = fit(X, y, sample_weight=weight)
    rows = rng.permutation(len(X))
    other = fit(X[rows], y[rows], sample_weight=None if weight is None else weight[rows])
    assert as_lists(other) == as_lists(plain)
    units = rng.choice([-1, 1], X.shape[1]) * 2.0 ** rng.integers(-30, 31, X.shape[1])
    other = fit(X * units, y, sample_weight=weight)
    assert as_lists(other) == as_lists(plain)
    np.testing.assert_allclose(other.scores_, plain.scores_, rtol=1e-9, atol=1e-13)
    if kind == "duplicated":
        return  # equal features stand in the order of their columns
    columns = rng.permutation(X.shape[1])
    other = fit(X[:, columns], y, sample_weight=weight)
    found, expected = as_lists(other, columns), as_lists(plain)
    assert [sorted(path) for path in found] == [sorted(path) for path in expected]


@pytest.mark.parametrize("name", MADE)
def test_order_and_names_of_the_classes_do_not_matter(name):
    X, y = golden_table(name)
    plain = InfFSC(n_features_to_select=8).fit(X, y)
    names = np.array(["zebra", "ant", "mole"])
    assert as_lists(InfFSC(n_features_to_select=8).fit(X, names[y])) == as_lists(plain)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_curves_depend_on_ranks_alone(form, rng):
    """With the same straight profiles, monotone maps of the columns change nothing."""
    X = np.where(rng.random((80, 6)) < 0.5, 0.0, rng.normal(size=(80, 6)))
    profiles = unit_profiles(form(X), "clipped", np.float64)
    plain, mapped = (curves_of(form(each), profiles) for each in (X, np.sign(X) * np.abs(X) ** 3))
    for i in range(6):
        np.testing.assert_array_equal(mapped.basis(i), plain.basis(i))


def test_constant_columns_change_nothing(rng):
    X, y, _ = curved_table("classes", rng)
    plain = InfFSC(n_features_to_select=6).fit(X, y)
    other = InfFSC(n_features_to_select=6).fit(np.insert(X, [0, 5], 3.3, axis=1), y)
    columns = np.insert(np.arange(X.shape[1]), [0, 5], -1)
    assert as_lists(other, columns) == as_lists(plain)
    assert set(other.order_[-2:]) == set(np.flatnonzero(columns < 0))


def test_a_column_of_two_values_has_no_curve(rng):
    X = (rng.random((60, 3)) < [0.1, 0.5, 0.9]).astype(float)
    curves = curves_of(X, unit_profiles(X, "clipped", np.float64))
    assert [len(curves.basis(i)) for i in range(3)] == [0, 0, 0]


def test_a_sparse_table_stays_sparse():
    """2,600 x 20,000: much less memory than the dense table of 416 megabytes would take."""
    X = sparse.random_array((2600, 20_000), density=0.01, format="csc", rng=0)
    tracemalloc.start()
    InfFSC(n_features_to_select=5).fit(X, np.arange(2600) % 2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2600 * 20_000 * 8 / 4


def test_what_is_said_of_curves_and_pairs():
    ring, xor = (
        InfFSC(n_features_to_select=2).fit(*golden_table(name)) for name in ("ring", "xor")
    )
    curve, pair = ring.explain(int(ring.order_[0])), xor.explain(int(xor.order_[0]))
    assert curve.kind == "curve"
    assert "curved" in curve.why
    assert (pair.kind, pair.partner) == ("pair", int(xor.order_[1]))
    assert f"together with feature {xor.order_[1]}" in pair.why
    assert "1 pair" in xor.pair_search_


def test_paths_as_a_frame():
    pd = pytest.importorskip("pandas")
    X, y = golden_table("xor")
    table = pd.DataFrame(X, columns=[f"g{i}" for i in range(X.shape[1])])
    selector = InfFSC(n_features_to_select=3).fit(table, y)
    frame = selector.path_frame()
    names = table.columns[selector.order_[:3]].tolist()
    assert frame["feature"].tolist() == names
    assert frame["kind"].tolist()[:2] == ["pair", "pair"]
    assert frame["partner"].tolist()[:2] == names[1::-1]
    selected = [each for path in selector.paths_ for each in path.selected]
    assert frame["gain"].tolist() == [each.gain for each in selected]


def test_pairs_are_skipped_above_the_budget(monkeypatch):
    X, y = golden_table("xor")
    monkeypatch.setattr("inffs.inf_fs_c.BUDGET", 1.0)
    skipped = InfFSC(n_features_to_select=2).fit(X, y)
    assert "skipped" in skipped.pair_search_
    assert "pair" not in kinds(skipped)
    assert kinds(InfFSC(pairs=True, n_features_to_select=2).fit(X, y)) == ["pair", "pair"]


def test_pairs_are_not_searched_where_none_can_pass(rng, monkeypatch):
    """Two samples leave no freedom to a product."""
    monkeypatch.setattr("inffs.conditional.best_pair", None)
    X, y = rng.normal(size=(2, 50)), np.array([0, 1])
    selector = InfFSC(pairs=True, n_features_to_select=5).fit(X, y)
    assert "pair" not in kinds(selector)


NOISE = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skewed": lambda rng, shape: np.exp(2 * rng.normal(size=shape)),
    "rare counts": lambda rng, shape: rng.poisson(0.15, shape).astype(float),
}
TARGETS = {
    "balanced": lambda rng, T: np.arange(T) % 2,
    "4 of 48": lambda rng, T: (np.arange(T) < T // 12).astype(int),
    "five classes": lambda rng, T: np.arange(T) % 5,
    "skewed": lambda rng, T: np.exp(2 * rng.normal(size=T)),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("noise", NOISE)
def test_noise_has_few_curves_and_pairs(noise, target):
    """The first feature of pure noise is a curve or a pair in about 5 % of the tables each."""
    found = {"line": 0, "curve": 0, "pair": 0}
    for seed in range(40):
        rng = np.random.default_rng([seed, 48])
        X, y = NOISE[noise](rng, (48, 150)), TARGETS[target](rng, 48)
        found[kinds(InfFSC(pairs=True, n_features_to_select=1).fit(X, y))[0]] += 1
    assert found["curve"] <= 8  # more has a probability of 0.06 % at 5 %
    assert found["pair"] <= 8


def test_pairs_takes_three_values(rng):
    with pytest.raises(ValueError, match=r"'pairs' parameter of InfFSC.*Got 'often'"):
        InfFSC(pairs="often").fit(rng.normal(size=(20, 4)), np.arange(20) % 2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_axes", [1, 3])
def test_the_best_pair_is_that_of_all_pairs(n_axes, weighted):
    rng = np.random.default_rng(n_axes)
    X = np.round(rng.normal(size=(90, 300)), 1)
    weight = rng.integers(0, 3, 90).astype(float) if weighted else np.ones(90)
    profiles = unit_profiles(X, "clipped", np.float64, weight)
    E = rng.normal(size=(90, n_axes)) * np.sqrt(weight)[:, None]
    share = np.divide(1, np.sqrt(weight), out=np.zeros(90), where=weight > 0)
    i, j = np.triu_indices(300, 1)
    product = profiles.rows[i] * profiles.rows[j] * share
    evidence = ((product @ E) ** 2).sum(axis=1) / (product**2).sum(axis=1)
    best = evidence.argmax()
    for level in (0.0, 0.5 * evidence[best], evidence[best] * (1 - 1e-9)):
        found = best_pair(profiles, E, weight, level)
        assert found[:2] == (i[best], j[best])
        assert found[2] == pytest.approx(evidence[best], rel=1e-12)
    assert best_pair(profiles, E, weight, evidence[best] * (1 + 1e-9)) is None
