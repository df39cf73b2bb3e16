"""Rank one table with known truth by every method, for the picture and facts of its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

GROUPS = ("signals", "noisy copies", "columns of loud noise", "columns of noise")
_ONE = ("signal", "noisy copy", "column of loud noise", "column of noise")
_SIZES = (6, 6, 6, 22)
_COLOURS = ("#2a6fdb", "#7fb0f5", "#c2410c", "#b8c0cc")


def known_table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """120 x 40, two classes: X, y and the group of every column."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 60)
    group = np.repeat(np.arange(4), _SIZES)
    X = rng.normal(size=(120, 40))
    X[:, group == 0] += 1.2 * y[:, None]
    X[:, group == 1] = X[:, group == 0] + 0.5 * rng.normal(size=(120, 6))
    X[:, group == 2] *= 3
    order = rng.permutation(40)
    return X[:, order], y, group[order]


def fit(entry: Any, X: np.ndarray, y: np.ndarray) -> Any:
    selector = entry.estimator(n_features_to_select=10)
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    return selector.fit(X, y)


def scales_matter(entry: Any) -> bool:
    """Does the ranking change when every column is multiplied by a number of its own?"""
    X, y, _ = known_table()
    factors = np.exp(np.random.default_rng(2).uniform(-1, 1, size=X.shape[1]))
    return not np.array_equal(fit(entry, X, y).order_, fit(entry, X * factors, y).order_)


def draw(entry: Any, path: Path) -> str:
    """Draw the 40 places of the ranking, coloured by type of column, and return a sentence."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    X, y, group = known_table()
    places = group[fit(entry, X, y).order_]
    figure, ax = pyplot.subplots(figsize=(7, 1.1), layout="constrained")
    ax.bar(np.arange(1, 41), 1, width=0.9, color=[_COLOURS[g] for g in places])
    ax.set(xlim=(0.4, 40.6), yticks=[], xlabel="place in the ranking")
    ax.spines[["left", "right", "top", "bottom"]].set_visible(False)
    handles = [Patch(color=c, label=name) for c, name in zip(_COLOURS, GROUPS, strict=True)]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    counts = np.bincount(places[:12], minlength=4)
    found = [f"{n} {(_ONE if n == 1 else GROUPS)[g]}" for g, n in enumerate(counts) if n]
    return f"The first 12 columns are {', '.join(found)}."
