"""A user's program, read by ``mypy --strict`` through the package's py.typed, and run."""

from pathlib import Path
from typing import assert_type

import numpy as np

from inffs import InfFSS, InfFSU, __version__, catalogue, open_table, write_report
from inffs.cuts import Cut, apply_cut, default_cut
from inffs.measures import dispersion
from inffs.methods import Entry, find_entry
from inffs.relations import Coupling, Decorrelation, Relation
from inffs.validation.lazy import LazyTable


def keys(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.key for entry in entries if not entry.supervised]


def on_disk(folder: Path) -> LazyTable:
    np.save(folder / "table.npy", np.random.default_rng(0).normal(size=(20, 4)))
    return open_table(folder / "table.npy")


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
    return [
        __version__, default_cut(selector), cut.why, page.name, type(relation).__name__,
        str(unsupervised.n_features_), *keys(catalogue()),
    ]  # fmt: skip
