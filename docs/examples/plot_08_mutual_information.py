"""
My own relation, 3: mutual information between features
=======================================================

Rank correlation detects monotone associations only. A relation can be any function of two blocks of
columns. Here it is one minus the normalised mutual information, which also detects a parabola.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs import InfFS
from inffs.relations import Decorrelation, Pairwise

BINS = 6


def bin_codes(columns):
    """Equally filled bins, 0 ... BINS - 1."""
    places = columns.argsort(axis=0).argsort(axis=0)
    return places * BINS // columns.shape[0]


def unlike(left, right):
    """1 - I(f; g) / log(BINS) for every pair of columns of two blocks."""
    T = left.shape[0]
    first = np.eye(BINS)[bin_codes(left)]
    second = np.eye(BINS)[bin_codes(right)]
    joint = np.einsum("tia,tjb->ijab", first, second) / T
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(joint > 0, joint * np.log(joint * BINS**2), 0.0)
    return np.clip(1 - terms.sum(axis=(2, 3)) / np.log(BINS), 0, 1)


rng = np.random.default_rng(0)
T = 300
base = rng.normal(size=T)
X = rng.normal(size=(T, 12))
X[:, 0] = base
X[:, 1] = base**2 + 0.1 * rng.normal(size=T)  # follows from column 0, but not monotonically

# %%
# Both graphs prefer features that are weakly associated with the others. Columns 0 and 1 (orange)
# contain the same information. Mutual information detects this and puts both last; rank correlation
# does not.

kinds = {
    "rank correlation": InfFS(Decorrelation()).fit(X),
    "mutual information": InfFS(Pairwise(unlike, blocks=True)).fit(X),
}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for ax, (name, selector) in zip(axes, kinds.items(), strict=True):
    colours = np.where(selector.order_ < 2, "#c2410c", "#b8c0cc")
    falling = selector.scores_[selector.order_]
    ax.bar([f"x{j}" for j in selector.order_], falling, color=colours)
    ax.set(title=name, ylim=(0.9 * falling.min(), 1.02 * falling.max()), ylabel="score")
    print(name, "ranks x0 and x1:", selector.ranking_[:2])
plt.show()
