"""A user's program, read by ``mypy --strict`` through the package's py.typed, and run."""

from pathlib import Path
from typing import assert_type

import numpy as np

from inffs import (
    BestOf,
    Consensus,
    Constrained,
    InfFS,
    InfFSC,
    InfFSS,
    InfFSU,
    StabilitySelection,
    __version__,
    catalogue,
    open_table,
    write_report,
)
from inffs.cuts import Cut, apply_cut, default_cut
from inffs.measures import dispersion
from inffs.methods import (
    CFS,
    ECFS,
    Entry,
    FisherScore,
    MutualInformation,
    ReliefF,
    find_entry,
)
from inffs.relations import Coupling, Decorrelation, Relation
from inffs.validation.lazy import LazyTable


def keys(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.key for entry in entries if not entry.supervised]


def on_disk(folder: Path) -> LazyTable:
    np.save(folder / "table.npy", np.random.default_rng(0).normal(size=(20, 4)))
    return open_table(folder / "table.npy")


def selectors() -> list[object]:
    """Public selectors with every parameter, as a type checker sees them."""
    unsupervised = InfFSU(
        alpha=0.3, n_features_to_select=4, regularization="markov", factor=0.8,
        series="exponential", memory_limit=8, solver="exact", n_landmarks=16, random_state=0,
        missing="ignore",
    )  # fmt: skip
    supervised = InfFSS(
        weights=(0.5, 0.5, 0.0), n_features_to_select="knee", bins=5, missing="ignore"
    )
    paths = InfFSC(curves=False, pairs=True, n_features_to_select=0.2, missing="refuse")
    general = InfFS(
        Coupling(), n_features_to_select=2, regularization="spectral", factor=0.5,
        series="geometric", memory_limit="auto", missing="refuse",
    )  # fmt: skip
    filters = [
        FisherScore(n_features_to_select=3, missing="ignore"),
        MutualInformation(bins="auto", n_features_to_select=3, missing="ignore"),
        ECFS(alpha=0.5, n_features_to_select=3, missing="refuse"),
        CFS(n_features_to_select=3, missing="refuse"),
    ]
    constrained = Constrained(
        supervised, include=["x0"], exclude="x1*", max_correlation=0.9,
        feature_groups={"a": [2, 3]}, group_score="mean", min_features=1, max_features=9,
    )  # fmt: skip
    assert_type(constrained.min_features, int | None)
    stable = StabilitySelection(
        ReliefF(), max_false=2.0, threshold=0.9, n_per_half=5, pairs=10, assumption="r-concave",
        n_features_to_select="auto", n_jobs=1, random_state=0,
    )  # fmt: skip
    return [
        unsupervised, supervised, paths, general, *filters, constrained, stable,
        Consensus(["fisher", "mi"], how="median", n_features_to_select=2, n_jobs=1),
        BestOf([supervised, paths], n_features_to_select=2),
    ]  # fmt: skip


def main(folder: Path) -> list[str]:
    """What the program found, as lines."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 2
    selector = InfFSS(n_features_to_select=2, weights=(0.4, 0.4, 0.2)).fit(X, y)
    unsupervised = InfFSU(alpha=0.5).fit(on_disk(folder))
    relation: Relation = 0.5 * Coupling() + 0.5 * Decorrelation("spearman")
    cut = apply_cut("knee", dispersion(X), selector=None, X=None, y=None)
    page = write_report(selector, X, y, folder / "report.html", folds=0)
    assert_type(cut, Cut)
    assert_type(cut.size, int)
    assert_type(page, Path)
    assert_type(__version__, str)
    assert_type(find_entry("fisher").cost, str)
    assert len(selectors()) == 12
    return [
        __version__, default_cut(selector), cut.why, page.name, type(relation).__name__,
        str(unsupervised.n_features_), *keys(catalogue()),
    ]  # fmt: skip
