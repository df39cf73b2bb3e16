"""
How many features: every cut on four shapes of scores
=====================================================

A cut reads the scores and says where the ranking ends. None is right for every shape: here each is
applied to scores whose right answer is known by construction.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs.cut import CUTS

rng = np.random.default_rng(3)
SHOWN = [name for name in CUTS if not name.startswith("mean-shift-")]
SHAPES = {
    "two groups, 20 stand out": (
        20,
        np.r_[rng.normal(1.0, 0.05, 20), rng.normal(0.3, 0.05, 180)],
    ),
    "one outlier above two groups": (
        21,
        np.r_[2.0, rng.normal(1.0, 0.05, 20), rng.normal(0.3, 0.05, 179)],
    ),
    "a long tail, no right answer": (None, rng.pareto(2.5, 200)),
    "nothing but noise, no right answer": (None, rng.normal(0.5, 0.05, 200)),
}

# %%
# The dashed line is the right answer where there is one. The widest gap is fooled by the outlier;
# the histogram rule counts bins, not features, and does not look for groups at all; mean shift
# keeps nearly everything where the scores form one cloud.

figure, axes = plt.subplots(2, 2, figsize=(9.5, 6), layout="constrained")
for ax, (title, (truth, scores)) in zip(axes.flat, SHAPES.items(), strict=True):
    ax.plot(np.arange(1, scores.size + 1), np.sort(scores)[::-1], color="#7a8594", lw=2)
    for colour, name in enumerate(SHOWN):
        size, _ = CUTS[name](scores)
        ax.axvline(size, color=f"C{colour}", label=f"{name}: {size}")
    if truth:
        ax.axvline(truth, color="black", ls="--", lw=1)
    ax.set(title=title, xlabel="place", ylabel="score")
    ax.legend(frameon=False, fontsize=7.5, loc="upper right")
plt.show()

# %%
# Every cut says why. This is what a fitted selector keeps as ``cut_.why``.

for name, cut in CUTS.items():
    print(f"{name}: {cut(SHAPES['two groups, 20 stand out'][1])[1]}")
