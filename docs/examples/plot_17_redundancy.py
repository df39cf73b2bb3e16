"""
A supervised graph that knows redundancy
========================================

The paper's supervised graph is s_i s_j: two copies of one good feature are both good. Multiplied by
a relation that falls with their correlation, it spreads the choice. Four families of copies here,
the largest of 24.
"""

import matplotlib.pyplot as plt
import numpy as np

from inffs import InfFS, InfFSS, plot
from inffs.relations import Coupling, Decorrelation

rng = np.random.default_rng(0)
y = np.arange(200) % 2
sizes = [24, 6, 4, 2]
parts = rng.normal(size=(200, 4)) + np.array([1.2, 1.1, 1.0, 0.9]) * y[:, None]
copies = [parts[:, [k]] + 0.3 * rng.normal(size=(200, sizes[k])) for k in range(4)]
X = np.hstack([*copies, rng.normal(size=(200, 20))])
family = np.repeat([0, 1, 2, 3, -1], [*sizes, 20])

plain = InfFSS(n_features_to_select=12).fit(X, y)
spread = InfFS(Coupling() * Decorrelation(power=2), n_features_to_select=12).fit(X, y)
for name, selector in (("inf-fs-s", plain), ("with redundancy", spread)):
    kept = family[selector.get_support()]
    print(f"{name} keeps of the four families:", [int(np.sum(kept == k)) for k in range(4)])

# %%
# It ranks, it does not pick one by one: every member of the crowded family is marked down, so that
# none of it may be left. A greedy method (``mrmr``, ``jmi``) would keep one of each.
#
# Absolute rank correlation of the kept features. Dark blocks are features that repeat others.

figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for ax, selector, name in zip(axes, (plain, spread), ("inf-fs-s", "with redundancy"), strict=True):
    plot.redundancy(selector, X, ax=ax)
    ax.set_title(name)
plt.show()
