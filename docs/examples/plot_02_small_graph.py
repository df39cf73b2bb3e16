"""
The idea in one small graph
===========================

Features are nodes, and an edge is large if two features are useful together. A subset is a path.
The score of a feature is the value of all paths of all lengths that start at it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from inffs import InfFSU
from inffs.relations import BoundTable, Decorrelation, Dispersion

data = load_iris()
X = data.data
names = [name.removesuffix(" (cm)") for name in data.feature_names]
relation = 0.5 * Dispersion() + 0.5 * Decorrelation()
A = relation.bind(BoundTable(X)).dot(np.eye(4))
print(np.round(A, 2))

# %%
# The four measurements of iris flowers as a graph. Wide lines are large edges, and large nodes have
# high scores.

corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
figure, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
for i in range(4):
    for j in range(i):
        ax.plot(*corners[[i, j]].T, color="#2a6fdb", lw=9 * A[i, j], alpha=0.6, zorder=1)
        middle = 0.62 * corners[i] + 0.38 * corners[j]
        ax.text(*middle, f"{A[i, j]:.2f}", ha="center", va="center", backgroundcolor="white")
selector = InfFSU().fit(X)
ax.scatter(*corners.T, s=140 * selector.scores_, color="#c2410c", zorder=2)
for corner, name, score in zip(corners, names, selector.scores_, strict=True):
    lift = 0.17 if corner[1] else -0.17
    ax.text(corner[0], corner[1] + lift, f"{name}: {score:.1f}", ha="center", va="center")
ax.set(xlim=(-0.4, 1.4), ylim=(-0.3, 1.3))
ax.axis("off")

# %%
# Left: the contribution r^l A^l e of the paths with l edges decreases by a factor of about 0.9 at
# each step. Right: the sum converges to the scores (dotted lines).

lengths = np.arange(1, 46)
growth = np.array([selector.walk_.scores(int(length)) for length in lengths])
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(lengths, growth, lw=2)
left.set(xlabel="edges in the path", ylabel="contribution of these paths")
right.plot(lengths, growth.cumsum(axis=0), lw=2)
right.set_prop_cycle(None)
for place, score in enumerate(selector.scores_):
    right.axhline(score, color=f"C{place}", lw=1, ls=":")
right.set(xlabel="longest path counted", ylabel="score")
left.legend(names, frameon=False)
plt.show()
