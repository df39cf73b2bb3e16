"""
All features associated with the target, at a false discovery rate
==================================================================

The cut ``"fdr"`` tests every feature and selects the significant ones. On average, at most a share
q of them are false discoveries. This example counts them on tables with known associations.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs import InfFSC
from inffs.cuts import FalseDiscoveryRate

T, n, true = 80, 400, 40
rates = [0.05, 0.1, 0.2, 0.4]
tables = 15


def make(seed):
    """Forty features of 400 differ between the classes, some strongly, some hardly."""
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :true] += np.linspace(0.3, 1.5, true) * y[:, None]
    return X, y


# %%
# The share of false discoveries (orange) stays below q (dashed). The share of the true features
# that are found (blue) increases with q.

wrong, found = np.zeros((tables, 4)), np.zeros((tables, 4))
for seed in range(tables):
    X, y = make(seed)
    for place, q in enumerate(rates):
        selector = InfFSC(n_features_to_select=FalseDiscoveryRate(q=q)).fit(X, y)
        kept = selector.get_support()
        wrong[seed, place] = kept[true:].sum() / kept.sum()
        found[seed, place] = kept[:true].mean()
for q, share in zip(rates, wrong.mean(axis=0), strict=True):
    print(f"q = {q:.0%}: {share:.1%} false discoveries (mean of {tables} tables)")

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.plot([0, 0.45], [0, 0.45], color="black", lw=1, ls="--", label="q")
ax.plot(rates, wrong.T, ".", color="#c2410c", alpha=0.3)
ax.plot(rates, wrong.mean(axis=0), "o-", color="#c2410c", label="false discoveries")
ax.plot(rates, found.mean(axis=0), "o-", color="#2a6fdb", label="true features found")
ax.set(xlabel="q", ylabel="share", ylim=(0, 1))
ax.legend(frameon=False)
plt.show()
