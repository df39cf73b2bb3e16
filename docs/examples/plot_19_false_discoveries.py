"""
How many are there by chance: the permuted cut
==============================================

The cut ``"permuted"`` promises a false-discovery rate: of the kept features at most a share q is
there by chance. On tables whose truth is known one can count.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs import InfFSS
from inffs.cuts import PermutedLabels

T, n, true = 80, 400, 40
promises = [0.05, 0.1, 0.2, 0.4]
tables = 15


def make(seed):
    """Forty columns of 400 carry the class, some strongly, some hardly."""
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :true] += np.linspace(0.3, 1.5, true) * y[:, None]
    return X, y


# %%
# The share of chance features among the kept ones, and of the true ones that are found.

wrong, found = np.zeros((tables, 4)), np.zeros((tables, 4))
for seed in range(tables):
    X, y = make(seed)
    for place, q in enumerate(promises):
        cut = PermutedLabels(q=q, permutations=50)
        kept = InfFSS((0.5, 0.5, 0), n_features_to_select=cut).fit(X, y).get_support()
        wrong[seed, place] = kept[true:].sum() / kept.sum()
        found[seed, place] = kept[:true].mean()
for q, share in zip(promises, wrong.mean(axis=0), strict=True):
    print(f"promised at most {q:.0%}, counted {share:.1%} in the mean of {tables} tables")

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.plot([0, 0.45], [0, 0.45], color="black", lw=1, ls="--", label="the promise")
ax.plot(promises, wrong.T, ".", color="#c2410c", alpha=0.3)
ax.plot(promises, wrong.mean(axis=0), "o-", color="#c2410c", label="chance features among the kept")
ax.plot(promises, found.mean(axis=0), "o-", color="#2a6fdb", label="true features found")
ax.set(xlabel="q", ylabel="share", ylim=(0, 1))
ax.legend(frameon=False)
plt.show()
