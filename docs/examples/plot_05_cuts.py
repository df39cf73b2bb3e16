"""
How many features: every cut on four shapes of scores
=====================================================

A cut reads the scores and says where the ranking ends. None is right for every shape: here each is
applied to scores whose right answer is known by construction.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs.cuts import SCORE_CUTS

rng = np.random.default_rng(3)
SHOWN = [name for name in SCORE_CUTS if not name.startswith("mean-shift-")]
SHAPES = {
    "two groups, 20 stand out": (
        20,
        np.r_[rng.normal(1.0, 0.05, 20), rng.normal(0.3, 0.05, 180)],
    ),
    "two groups, an outlier above": (
        21,
        np.r_[2.0, rng.normal(1.0, 0.05, 20), rng.normal(0.3, 0.05, 179)],
    ),
    "a long tail, no right answer": (None, rng.pareto(2.5, 200)),
    "nothing but noise, no right answer": (None, rng.normal(0.5, 0.05, 200)),
}

# %%
# Above the scores, best first; below where each cut ends them. The dashed line is the right answer
# where there is one. The widest gap is fooled by the outlier; the histogram rule counts bins, not
# features, and does not look for groups at all; mean shift keeps nearly everything where the scores
# form one cloud.

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
# Every cut says why. This is what a fitted selector keeps as ``cut_.why``.

for name, cut in SCORE_CUTS.items():
    print(f"{name}: {cut(SHAPES['two groups, 20 stand out'][1])[1]}")
