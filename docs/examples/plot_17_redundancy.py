"""
A supervised graph that penalises redundancy
============================================

In the supervised graph of the paper, s_i s_j, two copies of a good feature both get high scores.
If the graph is multiplied by a relation that decreases with the correlation, copies get lower
scores. The table of this example contains four groups of near-duplicates, the largest with 24
features.
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
group = np.repeat([0, 1, 2, 3, -1], [*sizes, 20])

plain = InfFSS(n_features_to_select=12).fit(X, y)
spread = InfFS(Coupling() * Decorrelation(power=2), n_features_to_select=12).fit(X, y)
for name, selector in (("inf-fs-s", plain), ("with redundancy", spread)):
    kept = group[selector.get_support()]
    print(f"{name} selects from the four groups:", [int(np.sum(kept == k)) for k in range(4)])

# %%
# The penalty lowers the scores of all members of a large group, so it is possible that none of
# them is selected. A greedy method (``inf-fs-c``, ``mrmr``, ``jmi``) selects one member of each
# group first.
#
# The picture shows the absolute rank correlations of the selected features. Dark blocks are
# near-duplicates.

figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for ax, selector, name in zip(axes, (plain, spread), ("inf-fs-s", "with redundancy"), strict=True):
    plot.redundancy(selector, X, ax=ax)
    ax.set_title(name)
plt.show()
