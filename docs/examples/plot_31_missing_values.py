"""
Ranking with missing values
===========================

Ten of 200 columns are associated with the class, and values are missing at random. This example
compares three options: ignore missing values (``missing="ignore"``), fill in medians, or drop
incomplete samples.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.impute import SimpleImputer

from inffs import InfFSS
from inffs.validation.missing import FewValuesWarning

tables = 20
warnings.simplefilter("ignore", FewValuesWarning)


def make(seed, share, every=1):
    """The table with a share of the values missing in every column, or in every second one."""
    rng = np.random.default_rng([seed, 7])
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 200))
    X[:, :10] += y[:, None] * np.linspace(0.7, 1.2, 10)
    gaps = rng.random(X.shape) < share
    X[:, ::every] = np.where(gaps, np.nan, X)[:, ::every]
    return X, y


def best(X, y, missing="refuse"):
    selector = InfFSS((0.5, 0.5, 0), n_features_to_select=10, missing=missing)
    return selector.fit(X, y).order_[:10]


def best_of_imputed(X, y):
    return best(SimpleImputer(strategy="median").fit_transform(X), y)


def best_of_whole_rows(X, y):
    whole = ~np.isnan(X).any(axis=1)
    if np.bincount(y[whole], minlength=2).min() < 2:
        return np.full(10, 200)  # too few samples are left
    return best(X[whole], y[whole])


def mean_over_tables(way, share, counts, **params):
    return np.mean([counts(way(*make(seed, share, **params))) for seed in range(tables)])


ways = {
    "ignore": lambda X, y: best(X, y, "ignore"),
    "median": best_of_imputed,
    "incomplete samples dropped": best_of_whole_rows,
}

# %%
# All columns have the same share of missing values. Ignoring and filling in lose little until a
# quarter of the values is missing. Dropping incomplete samples fails at the first percent.

shares = [0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6]
found = {
    name: [mean_over_tables(way, share, lambda order: order < 10) for share in shares]
    for name, way in ways.items()
}
for name, values in found.items():
    print(f"{name}: " + ", ".join(f"{one:.0%}" for one in values))

# %%
# Every second column has missing values, so half of the ten best columns should be incomplete. If
# missing values are ignored, incomplete columns score higher by chance. Filled in with medians,
# they score lower.

thinned = [0, 0.2, 0.4, 0.6, 0.8]
tilt = {
    name: [mean_over_tables(ways[name], share, lambda order: order % 2 == 0, every=2)
           for share in thinned]
    for name in ("ignore", "median")
}  # fmt: skip
for name, values in tilt.items():
    print(f"{name}: " + ", ".join(f"{one:.0%}" for one in values))

# %%
# Left: the share of the ten associated columns found. Right: the share of incomplete columns among
# the ten best; the line marks the expected half.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
styles = dict(zip(ways, [("o-", "#2a6fdb"), ("s--", "#c2410c"), ("v:", "gray")], strict=True))
for axis, x, lines in ((left, shares, found), (right, thinned, tilt)):
    for name, values in lines.items():
        style, color = styles[name]
        axis.plot(100 * np.array(x), values, style, color=color, label=name)
left.set_xscale("symlog", linthresh=0.5)
left.set_xticks([0, 0.5, 1, 2, 5, 10, 20, 40], ["0", "0.5", "1", "2", "5", "10", "20", "40"])
left.set(
    xlabel="values missing in every column (%)",
    ylabel="share of the ten columns found",
    ylim=(0, 1),
)
left.legend(frameon=False)
right.axhline(0.5, color="gray", linewidth=0.8)
right.set(xlabel="values missing in every second column (%)", ylim=(0, 1))
right.set_ylabel("incomplete columns among the ten best")
plt.show()
