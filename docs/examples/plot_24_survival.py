"""
Survival times
==============

The hazard of 200 patients depends on three of 300 genes, and a third of the patients is censored.
Inf-FS_S combines the score test of a Cox model with the concordance of each gene with the times.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs import InfFSS
from inffs.evaluation import Part, find_evaluator, make_folds
from inffs.measures import concordance
from inffs.target import make_target

rng = np.random.default_rng(7)
X, acting = rng.normal(size=(200, 300)), [10, 50, 200]
death = rng.exponential(size=200) * np.exp(-X[:, acting] @ [1.0, -0.9, 0.8])
lost = rng.exponential(size=200, scale=2 * np.median(death))
y = np.empty(200, dtype=[("event", bool), ("time", float)])
y["event"], y["time"] = death <= lost, np.minimum(death, lost)

selector = InfFSS((0.5, 0.5, 0.0), n_features_to_select=3).fit(X, y)
print(f"{y['event'].sum()} of {len(y)} died under observation")
print("first:", selector.order_[:3], "concordance:", concordance(
    X[:, selector.order_[:3]], y["time"], y["event"]).round(2))  # fmt: skip

# %%
# Kaplan-Meier curves of the patients above and below the median of each of the three best genes. A
# concordance above one half means that patients with large values die earlier.


def alive(time, event):
    """The share alive after every death."""
    deaths = np.unique(time[event])
    at_risk = np.array([(time >= each).sum() for each in deaths])
    died = np.array([(event & (time == each)).sum() for each in deaths])
    return np.append(0, deaths), np.append(1, np.cumprod(1 - died / at_risk))


figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained", sharey=True)
for ax, gene in zip(axes, selector.order_, strict=False):
    high = X[:, gene] > np.median(X[:, gene])
    for half, color, name in ((~high, "#2a6fdb", "low"), (high, "#c2410c", "high")):
        ax.step(*alive(y["time"][half], y["event"][half]), where="post", color=color, label=name)
    ax.set(title=f"gene {gene}", xlabel="time", ylim=(0, 1.02))
axes[0].set_ylabel("share alive")
axes[0].legend(frameon=False)
plt.show()

# %%
# How many genes predict best? The genes are ranked again in every fold. A Cox model with a ridge
# penalty predicts the risks of the patients in the test fold.

target, sizes = make_target(y), [1, 2, 3, 5, 10, 30, 100, 300]
evaluator, rows = find_evaluator(kind="survival"), []
for train, test in make_folds(target.strata(), 5):
    order = InfFSS((0.5, 0.5, 0.0), n_features_to_select=3).fit(X[train], y[train]).order_
    part = Part(X, target, train, test)
    rows.append(evaluator.scores(part, [order[:size] for size in sizes])[:, 0])

figure, ax = plt.subplots(figsize=(5.5, 3), layout="constrained")
ax.errorbar(sizes, np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / 5**0.5, marker="o")
ax.axhline(0.5, color="#7a8594", linestyle=":")
ax.set(xscale="log", xlabel="genes", ylabel="concordance on the test folds")
plt.show()
