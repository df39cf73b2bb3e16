"""Curves and pairs on conditional paths: golden orders, explicit bases, forms of the table."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata

from inffs import InfFSC, open_table
from inffs.graph import unit_profiles
from inffs.graph.curves import curves_of

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


def naive_basis(x, z):
    """Cosines of the ranks, orthogonal to z and to each other, the short ones dropped."""
    T = x.size
    u, found = (rankdata(x) - 0.5) / T, [z]
    for k in range(2, 6):
        c = np.cos(k * np.pi * u)
        c = c - c.mean()
        for one in found:
            c = c - (c @ one) * one
        if np.linalg.norm(c) >= np.sqrt(T / 2) / 4:
            found.append(c / np.linalg.norm(c))
    return np.array(found[1:]).reshape(-1, T)


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
    error = np.abs(curves.strengths(E) - np.sqrt(truth))
    assert (error <= curves.rounding * np.linalg.norm(E)).all()


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


@pytest.mark.parametrize("name", ["ring", "xor", "three_classes"])
def test_rows_columns_units_and_classes_do_not_matter(name, rng):
    X, y = golden_table(name)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    plain = InfFSC(n_features_to_select=6).fit(X, y)
    units = 10.0 ** rng.integers(-5, 6, X.shape[1])
    other = InfFSC(n_features_to_select=6).fit((X * units)[rows][:, columns], y.max() - y[rows])
    found = columns[other.order_[:6]]
    assert sorted(kinds(other)) == sorted(kinds(plain))
    assert set(found) == set(plain.order_[:6])


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


def test_pairs_are_skipped_above_the_budget(monkeypatch):
    X, y = golden_table("xor")
    monkeypatch.setattr("inffs.inf_fs_c.BUDGET", 1.0)
    skipped = InfFSC(n_features_to_select=2).fit(X, y)
    assert "skipped" in skipped.pair_search_
    assert "pair" not in kinds(skipped)
    assert kinds(InfFSC(pairs=True, n_features_to_select=2).fit(X, y)) == ["pair", "pair"]


def test_pairs_takes_three_values(rng):
    with pytest.raises(ValueError, match="pairs must be True, False or 'auto'"):
        InfFSC(pairs="often").fit(rng.normal(size=(20, 4)), np.arange(20) % 2)
