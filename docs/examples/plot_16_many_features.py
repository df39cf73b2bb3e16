"""
The time for 100,000 features
=============================

For n features and T samples, the supervised form takes O(nT) time. The squared relation takes
O(nT\\ :sup:`2`), and the relation of the paper O(n\\ :sup:`2` T). The times were measured on the
machine that built this page.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from inffs import InfFS, InfFSS, InfFSU
from inffs.relations import Decorrelation, Dispersion

T = 50
rng = np.random.default_rng(0)
whole = rng.normal(size=(T, 100_000)).astype(np.float32)
y = np.arange(T) % 2

squared = 0.5 * Dispersion() + 0.5 * Decorrelation(power=2)
plans = {
    "inf-fs-s": (InfFSS(n_features_to_select=50), [1000, 10_000, 100_000]),
    "squared relation": (
        InfFS(squared, n_features_to_select=50),
        [1000, 10_000, 30_000],
    ),
    "inf-fs-u": (InfFSU(n_features_to_select=50), [500, 1000, 2000, 4000]),
}

# %%
# Both axes are logarithmic, so the slope of a line is the power of n. The supervised form and the
# squared relation have slopes near 1, so their time grows about linearly.

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for name, (selector, sizes) in plans.items():
    seconds = []
    for n in sizes:
        start = time.perf_counter()
        selector.fit(whole[:, :n], y)
        seconds.append(time.perf_counter() - start)
    slope = np.polyfit(np.log(sizes[-2:]), np.log(seconds[-2:]), 1)[0]
    print(f"{name}: {seconds[-1]:.2f} s for {sizes[-1]:,} features, last slope {slope:.1f}")
    ax.loglog(sizes, seconds, "o-", label=name)
ax.set(xlabel="features", ylabel="seconds per fit")
ax.legend(frameon=False)
plt.show()
