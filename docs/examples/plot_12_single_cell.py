"""
Single-cell counts: genes that mark cell types
==============================================

Counts of genes in cells are mostly zero, and their variance grows with their mean. Raw dispersion
therefore finds the most expressed genes. The cells are simulated, so the marker genes are known.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

from inffs import InfFS, rank
from inffs.relations import Decorrelation, Outer

rng = np.random.default_rng(0)
cells, genes, types, per_type = 600, 2000, 4, 10
loud = rng.lognormal(-1.5, 1.2, size=genes)
kind = rng.integers(types, size=cells)
means = np.tile(loud, (cells, 1))
for t in range(types):
    own = slice(t * per_type, (t + 1) * per_type)
    means[:, own] = np.where(kind == t, 2.0, 0.1)[:, None]
depth = rng.lognormal(0, 0.4, size=(cells, 1))
counts = sparse.csr_matrix(rng.poisson(means * depth))
print(f"{counts.nnz / np.prod(counts.shape):.1%} of the cells of the table are filled")

# %%
# Scale every cell to the median depth, then take log(1 + x). Both keep the zeros, so the table
# stays sparse.

total = np.asarray(counts.sum(axis=1)).ravel()
scaled = sparse.diags(np.median(total) / total) @ counts
logs = sparse.csc_matrix(scaled.log1p())

# %%
# Without cell types, a marker gene has more variance than its mean explains. This number u of each
# gene defines the relation u_i u_j. It is multiplied by a relation that decreases with the
# correlation.


def overdispersion(X, y):
    """Variance over mean of the normalised counts, less the 1 of a Poisson count; not below 0."""
    mean = np.asarray(scaled.mean(axis=0)).ravel()
    square = np.asarray(scaled.multiply(scaled).mean(axis=0)).ravel()
    excess = (square - mean**2) / np.maximum(mean, 1e-12) - 1
    return np.maximum(excess, 0)


own = InfFS(Outer(overdispersion) * Decorrelation(power=2), n_features_to_select=40)

# %%
# The number of markers among the first k genes, for four rankings. There are 40 markers.

markers = types * per_type
figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
tries = {
    "inf-fs-u on raw counts": rank(sparse.csc_matrix(counts, dtype=float), method="inf-fs-u"),
    "inf-fs-u on logarithms": rank(logs, method="inf-fs-u"),
    "own relation on logarithms": own.fit(logs),
    "inf-fs-s, with cell types": rank(logs, kind, method="inf-fs-s"),
}
for name, selector in tries.items():
    found = np.cumsum(selector.order_ < markers)
    ax.plot(np.arange(1, genes + 1), found, lw=2, label=name)
    print(f"{name}: {found[markers - 1]} of {markers} markers among the first {markers}")
ax.set(xscale="log", xlabel="genes kept", ylabel="markers found")
ax.legend(frameon=False)
plt.show()
