"""
Stability selection: a bound on the number of false discoveries
===============================================================

``StabilitySelection`` bounds the expected number of false discoveries, and the cut ``"fdr"``
bounds their share. This example counts them on tables with known associations.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs import InfFSS, StabilitySelection
from inffs.cuts import FalseDiscoveryRate
from inffs.methods import FisherScore

T, n, true, tables = 80, 300, 20, 10
bounds = [0.5, 1, 2, 4]
shares = [0.05, 0.1, 0.2, 0.4]


def make(seed):
    """Twenty of 300 columns are associated with the class, strongly or weakly."""
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :true] += np.linspace(0.4, 1.6, true) * y[:, None]
    return X, y


def count(selectors):
    """Mean numbers of true and false features that each selector keeps."""
    kept = [[s.fit(*make(seed)).get_support() for s in selectors] for seed in range(tables)]
    return np.mean(np.array(kept)[:, :, :true].sum(axis=2), axis=0), np.mean(
        np.array(kept)[:, :, true:].sum(axis=2), axis=0
    )


# %%
# Both rank by the same measure of each feature. The further a curve is to the upper left, the
# better: more true features with fewer false ones.

stable = count([StabilitySelection(FisherScore(), max_false=m, random_state=0) for m in bounds])
tested = count([InfFSS((1, 0, 0), n_features_to_select=FalseDiscoveryRate(q=q)) for q in shares])
for most, right, wrong in zip(bounds, *stable, strict=True):
    print(f"max_false = {most}: {right:.1f} true, {wrong:.1f} false")
for share, right, wrong in zip(shares, *tested, strict=True):
    print(f"q = {share:.0%}: {right:.1f} true, {wrong:.1f} false")

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
ax.plot(stable[1], stable[0] / true, "o-", color="#2a6fdb", label="stability selection")
ax.plot(tested[1], tested[0] / true, "s-", color="#c2410c", label="the cut fdr")
for most, right, wrong in zip(bounds, *stable, strict=True):
    ax.annotate(f"max_false={most}", (wrong, right / true), xytext=(6, -12),
                textcoords="offset points", fontsize="small")  # fmt: skip
for share, right, wrong in zip(shares, *tested, strict=True):
    ax.annotate(f"q={share}", (wrong, right / true), xytext=(6, 6), textcoords="offset points",
                fontsize="small")  # fmt: skip
ax.set(xlabel="false features kept (mean)", ylabel="share of the true features kept")
ax.legend(frameon=False, loc="lower right")
plt.show()
