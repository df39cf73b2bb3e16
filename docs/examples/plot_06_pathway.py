"""
My own relation, 1: a known pathway as prior knowledge
======================================================

If some genes are known to work together, a relation can strengthen the edges between them. Paths
through the pathway then have larger values.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs import InfFS
from inffs.relations import Decorrelation, Dispersion, Precomputed

rng = np.random.default_rng(5)
T, n = 40, 60
X = rng.normal(size=(T, n)) * rng.uniform(0.6, 1.0, n)
pathway = np.arange(8)
X[:, pathway] *= 0.8

known = np.zeros((n, n))
known[np.ix_(pathway, pathway)] = 1.0
table = 0.5 * Dispersion() + 0.5 * Decorrelation()

# %%
# Each line is a gene of the pathway. With a larger weight of the prior, the genes move up in the
# ranking; the orange line marks the best ten.

weights = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 1.2]
places = []
for weight in weights:
    selector = InfFS(table + weight * Precomputed(known), n_features_to_select=10).fit(X)
    places.append(selector.ranking_[pathway])
    print(f"prior {weight}: {np.sum(selector.ranking_[pathway] <= 10)} of 8 among the best 10")

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.plot(range(len(weights)), places, "o-", color="#2a6fdb", alpha=0.6)
ax.set_xticks(range(len(weights)), weights)
ax.invert_yaxis()
ax.axhline(10.5, color="#c2410c", lw=1)
ax.set(xlabel="weight of the prior", ylabel="rank of the pathway's genes")
plt.show()
