"""
Scores as expected lengths of random walks
==========================================

With ``regularization="markov"``, rA describes a random walk. From feature i it continues to
feature j with probability r A_ij, and stops with the remaining probability. The score of a feature
plus one is the expected length of a walk that starts there. This example simulates the walks.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from inffs import InfFSU
from inffs.relations import BoundTable, Decorrelation, Dispersion

data = load_wine()
X = data.data / data.data.std(axis=0)
selector = InfFSU(alpha=0.2, regularization="markov").fit(X)
stops = selector.trace_paths(X).stop_probabilities()
print("probability of stopping, from", stops.min().round(2), "to", stops.max().round(2))

# %%
# Ten thousand walks from every feature. The simulated means (points) agree with the formula (bars)
# within three standard errors.

rng = np.random.default_rng(0)
n = X.shape[1]
A = (0.2 * Dispersion() + 0.8 * Decorrelation()).bind(BoundTable(X)).dot(np.eye(n))
ahead = np.cumsum(selector.walk_.r * A, axis=1)


def walk_lengths(start, walks=10_000):
    """Features visited by each walk, the first one counted."""
    here, lengths = np.full(walks, start), np.ones(walks)
    alive = np.arange(walks)
    while alive.size:
        draw = rng.uniform(size=alive.size)
        step = (ahead[here[alive]] < draw[:, None]).sum(axis=1)
        alive = alive[step < n]
        here[alive] = step[step < n]
        lengths[alive] += 1
    return lengths


walked = [walk_lengths(start) for start in range(n)]
means = np.array([w.mean() for w in walked])
errors = np.array([w.std() / np.sqrt(w.size) for w in walked])
print(
    "largest deviation in standard errors:", np.abs((means - 1 - selector.scores_) / errors).max()
)

figure, ax = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
order = selector.order_[::-1]
ax.barh(np.array(data.feature_names)[order], 1 + selector.scores_[order], color="#b9d2f7")
ax.errorbar(means[order], np.arange(n), xerr=2 * errors[order], fmt="o", color="#c2410c", ms=4)
ax.set(xlabel="expected length of a walk (bars: formula, points: simulation)")
plt.show()
