"""
At most so many false ones: stability selection
===============================================

``StabilitySelection`` bounds the expected number of false features, the cut ``"fdr"`` their
share. On tables whose truth is known both can be counted.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs import InfFSS, StabilitySelection
from inffs.cuts import FalseDiscoveryRate
from inffs.methods import FisherScore

T, n, true, tables = 80, 300, 20, 10
promises = [0.5, 1, 2, 4]
shares = [0.05, 0.1, 0.2, 0.4]


def make(seed):
    """Twenty columns of 300 carry the class, some strongly, some hardly."""
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :true] += np.linspace(0.4, 1.6, true) * y[:, None]
    return X, y


def count(selectors):
    """True and false features that each selector keeps, in the mean of the tables."""
    kept = [[s.fit(*make(seed)).get_support() for s in selectors] for seed in range(tables)]
    return np.mean(np.array(kept)[:, :, :true].sum(axis=2), axis=0), np.mean(
        np.array(kept)[:, :, true:].sum(axis=2), axis=0
    )


# %%
# Both rank by the same one-by-one measures; the promises differ.

stable = count([StabilitySelection(FisherScore(), max_false=m, random_state=0) for m in promises])
tested = count([InfFSS((1, 0, 0), n_features_to_select=FalseDiscoveryRate(q=q)) for q in shares])
for most, right, wrong in zip(promises, *stable, strict=True):
    print(f"at most {most} false promised: {right:.1f} true, {wrong:.1f} false")
for share, right, wrong in zip(shares, *tested, strict=True):
    print(f"at most {share:.0%} by chance promised: {right:.1f} true, {wrong:.1f} false")

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.plot(stable[1], stable[0] / true, "o-", color="#2a6fdb", label="stability selection")
ax.plot(tested[1], tested[0] / true, "s-", color="#c2410c", label="the cut fdr")
for most, right, wrong in zip(promises, *stable, strict=True):
    ax.annotate(f"max_false={most}", (wrong, right / true), xytext=(6, -12),
                textcoords="offset points", fontsize="small")  # fmt: skip
for share, right, wrong in zip(shares, *tested, strict=True):
    ax.annotate(f"q={share}", (wrong, right / true), xytext=(6, 6), textcoords="offset points",
                fontsize="small")  # fmt: skip
ax.set(xlabel="false features kept (mean)", ylabel="share of the true features kept")
ax.legend(frameon=False, loc="lower right")
plt.show()
