"""
AnnData: from counts to markers, compared with scanpy
=====================================================

This example uses 700 blood cells of pbmc68k, which ship with scanpy. Their types were assigned by
similarity to sorted cells. Genes are selected by two functions of scanpy and three methods of
inffs on some of the cells, and evaluated on the others.
"""

# %%
# Counts
# ------
# The data set holds log-normalised values of 765 genes that were chosen before. Dividing by the
# smallest value of a cell recovers its counts, up to rounding.

import matplotlib.pyplot as plt
import numpy as np
import scanpy as sc

import inffs

cells = sc.datasets.pbmc68k_reduced().raw.to_adata()
values = np.expm1(cells.X.toarray())
counts = np.round(values / np.where(values > 0, values, np.inf).min(axis=1, keepdims=True))
cells.layers["counts"] = counts
print(f"{cells.n_obs} cells, {cells.n_vars} genes, {(counts == 0).mean():.0%} zeros")

# %%
# The usual preparation: normalise the depth, then take logarithms.

cells.X = counts.copy()
sc.pp.normalize_total(cells)
sc.pp.log1p(cells)

# %%
# Markers
# -------
# :func:`inffs.select_genes` writes columns of ``var`` and an entry of ``uns``, like scanpy's
# functions. With a column of ``obs``, it selects genes that separate the types. Without one, it
# selects genes that vary and are weakly correlated.

inffs.select_genes(cells, "bulk_labels", method="inf-fs-c", n_top_genes=20)
columns = ["inffs_score", "inffs_rank", "inffs_selected"]
print(cells.var.sort_values("inffs_rank")[columns].head(8))
print(cells.uns["inffs"]["why"])

# %%
# The overlap with scanpy's selections of the same size. ``rank_genes_groups`` returns a list for
# each type; the lists are merged by rank.


def variable_genes(part, size):
    """scanpy's highly variable genes: no types."""
    part = part.copy()
    sc.pp.highly_variable_genes(part, n_top_genes=size)
    return set(part.var_names[part.var["highly_variable"]])


def group_genes(part, size):
    """scanpy's markers of every type by t-tests."""
    part = part.copy()
    sc.tl.rank_genes_groups(part, "bulk_labels", method="t-test")
    merged = dict.fromkeys(gene for row in part.uns["rank_genes_groups"]["names"] for gene in row)
    return set(list(merged)[:size])


def our_genes(method, key):
    """The genes of one of our methods."""

    def chosen(part, size):
        found = inffs.select_genes(part, key, method=method, n_top_genes=size, inplace=False)
        return set(found.index[found["inffs_selected"]])

    return chosen


ways = {
    "highly_variable_genes": variable_genes,
    "inf-fs-u": our_genes("inf-fs-u", None),
    "rank_genes_groups": group_genes,
    "inf-fs-s": our_genes("inf-fs-s", "bulk_labels"),
    "inf-fs-c": our_genes("inf-fs-c", "bulk_labels"),
}
picked = {name: choose(cells, 20) for name, choose in ways.items()}
for name, genes in picked.items():
    shared = [len(genes & others) for others in picked.values()]
    print(f"{name:22} shares with each of the five: {shared}")

# %%
# Which genes predict the types of new cells?
# -------------------------------------------
# The genes are selected on 60 % of the cells. A linear SVM trained on these cells predicts the
# types of the other 40 %. This is repeated ten times. Balanced accuracy gives every type the same
# weight.

from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

types, sizes = cells.obs["bulk_labels"].astype(str).to_numpy(), (5, 10, 20, 50)
splits = StratifiedShuffleSplit(10, test_size=0.4, random_state=0)


def evaluate(train, test, genes):
    """Balanced accuracy on the test cells."""
    where = cells.var_names.get_indexer(sorted(genes))
    model = make_pipeline(StandardScaler(), LinearSVC(C=0.1, max_iter=5000))
    model.fit(cells.X[train][:, where], types[train])
    return balanced_accuracy_score(types[test], model.predict(cells.X[test][:, where]))


def tried(train, test):
    """Every way with every size on one split."""
    part = cells[train]
    return [[evaluate(train, test, way(part, size)) for size in sizes] for way in ways.values()]


found = np.array([tried(train, test) for train, test in splits.split(types, types)])
print(f"{'genes':>22}  " + "  ".join(f"{size:>5}" for size in sizes))
for name, row in zip(ways, found.mean(axis=0), strict=True):
    print(f"{name:>22}  " + "  ".join(f"{value:5.1%}" for value in row))

# %%
# Differences between two methods on the same splits, with twice their standard errors. The splits
# of one data set are not independent, so these intervals are rather too short. The picture shows
# the balanced accuracy of each method (dashed: scanpy).

names = list(ways)
for ours, theirs in (("inf-fs-u", "highly_variable_genes"), ("inf-fs-c", "rank_genes_groups")):
    gain = found[:, names.index(ours)] - found[:, names.index(theirs)]
    twice = 200 * gain.std(axis=0, ddof=1) / np.sqrt(len(gain))
    points = zip(sizes, 100 * gain.mean(axis=0), twice, strict=True)
    gains = [f"{size}: {mean:+.1f} ± {error:.1f}" for size, mean, error in points]
    print(f"{ours} - {theirs}, points at each size: " + ", ".join(gains))

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for name, row in zip(ways, found.mean(axis=0), strict=True):
    scanpy_own = name in ("highly_variable_genes", "rank_genes_groups")
    ax.plot(sizes, 100 * row, "o--" if scanpy_own else "o-", label=name)
ax.set(xscale="log", xticks=sizes, xticklabels=sizes, xlabel="genes")
ax.set(ylabel="balanced accuracy (%)", title="Cells not used for the selection")
ax.minorticks_off()
ax.legend(fontsize=8)
plt.show()
