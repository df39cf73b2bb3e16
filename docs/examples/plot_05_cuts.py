"""
How many features: four cuts on four shapes of scores
=====================================================

A cut chooses the number of features from the scores. No cut is correct for every shape. This
example applies each cut to scores for which the correct number is known, or for which there is
none.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs.cuts import SCORE_CUTS

rng = np.random.default_rng(3)
SHOWN = list(SCORE_CUTS)
SHAPES = {
    "two groups, 20 high scores": (
        20,
        np.r_[rng.normal(1.0, 0.05, 20), rng.normal(0.3, 0.05, 180)],
    ),
    "two groups, an outlier above": (
        21,
        np.r_[2.0, rng.normal(1.0, 0.05, 20), rng.normal(0.3, 0.05, 179)],
    ),
    "a long tail, no correct number": (None, rng.pareto(2.5, 200)),
    "noise only, no correct number": (None, rng.normal(0.5, 0.05, 200)),
}

# %%
# Top: the scores in descending order. Bottom: the number of features that each cut selects; the
# dashed line is the correct number, if there is one. With a single outlier above two groups, mean
# shift selects only the outlier. For noise it selects everything, because the scores form a single
# group.

figure, (above, below) = plt.subplots(
    2, 4, figsize=(11, 5.6), height_ratios=(1, 2), sharex=True, sharey="row", layout="constrained"
)
rows = np.arange(len(SHOWN))[::-1]
for top, dots, (title, (truth, scores)) in zip(above, below, SHAPES.items(), strict=True):
    places = np.arange(1, scores.size + 1)
    top.fill_between(places, np.sort(scores)[::-1] / scores.max(), color="#b9c6d6", lw=0)
    top.set_title(title.replace(", ", ",\n"), fontsize=10)
    sizes = [SCORE_CUTS[name](scores)[0] for name in SHOWN]
    dots.plot(sizes, rows, "o", color="#1f5fa8")
    for size, row in zip(sizes, rows, strict=True):
        dots.annotate(f"{size}", (size, row), (6, 3), textcoords="offset points", fontsize=8)
    for ax in (top, dots) if truth else ():
        ax.axvline(truth, color="black", ls="--", lw=1)
    dots.set(xscale="log", xlim=(0.8, 700), xlabel="features kept", yticks=rows)
    dots.grid(axis="y", color="#e3e6ea")
above[0].set_ylabel("score")
below[0].set_yticklabels(SHOWN)
plt.show()

# %%
# Every cut explains its choice. A fitted selector stores this sentence as ``cut_.why``.

for name, cut in SCORE_CUTS.items():
    print(f"{name}: {cut(SHAPES['two groups, 20 high scores'][1])[1]}")
