"""Select genes of an AnnData object and write the result to ``adata.var``, as scanpy does."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from inffs.meta.constrained import by_position, constraints_of
from inffs.methods import rank
from inffs.methods.entries import default_method

Columns = dict[str, np.ndarray]


def select_genes(
    adata: Any,
    key: str | None = None,
    *,
    layer: str | None = None,
    batch_key: str | None = None,
    method: Any = None,
    n_top_genes: Any = "auto",
    inplace: bool = True,
    **params: Any,
) -> Any:
    """Rank the genes of an AnnData object and mark the selected ones, as scanpy's functions do.

    The method is fitted once, or once per batch. The matrix of a backed object is read once.

    Parameters
    ----------
    adata : anndata.AnnData
        Cells in rows, genes in columns; dense, sparse or backed.
    key : str, optional
        The column of ``adata.obs`` with the classes of the cells. Without it the genes are ranked
        by an unsupervised method.
    layer : str, optional
        The layer to read instead of ``adata.X``.
    batch_key : str, optional
        A column of ``adata.obs`` with the batches of the cells. The genes are ranked in every
        batch. Genes that are selected in most batches come first, ordered by their median rank.
    method : str or selector, optional
        A key of :func:`inffs.catalogue`; inf-fs-c with ``key`` and inf-fs-u without by default. A
        selector has parameters of its own, such as ``Constrained(InfFSS(), include="CD3*")``.
    n_top_genes : int, float or str, default="auto"
        The number of genes to select, their share, or the name of a cut. With batches, the median
        of the sizes in the batches is used.
    inplace : bool, default=True
        Whether to write to ``adata`` or to return the columns as a data frame.
    **params
        Parameters of the class of the method.

    Returns
    -------
    pandas.DataFrame or None
        ``inffs_score``, ``inffs_rank`` (from 1) and ``inffs_selected`` for every gene, and with
        batches ``inffs_nbatches``; None if they were written to ``adata.var``. In that case
        ``adata.uns["inffs"]`` holds the parameters.

    See Also
    --------
    inffs.rank : Takes arrays and data frames.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> import inffs
    >>> counts = np.random.default_rng(0).poisson(3.0, size=(60, 8)).astype(float)
    >>> cells = anndata.AnnData(counts)
    >>> cells.obs["kind"] = ["a", "b"] * 30
    >>> cells.X[1::2, 5] += 9
    >>> inffs.select_genes(cells, "kind", n_top_genes=1)
    >>> list(cells.var_names[cells.var["inffs_selected"]])
    ['5']
    """
    X, y = _matrix(adata, layer), None if key is None else _column(adata, key, "key")
    method = default_method(key is not None) if method is None else method
    if isinstance(method, str):
        params = {**params, "n_features_to_select": n_top_genes}
    else:
        method = _own_selector(method, adata.var_names, n_top_genes, params)
    if batch_key is None:
        found, why = _ranked(X, y, method, params)
    else:
        found, why = _combined(X, y, _column(adata, batch_key, "batch_key"), method, params)
    if not inplace:
        import pandas as pd

        return pd.DataFrame(found, index=adata.var_names)
    for name, values in found.items():
        adata.var[name] = values
    adata.uns["inffs"] = {
        "method": str(method), "n_top_genes": int(found["inffs_selected"].sum()), "why": why,
        "key": key or "", "layer": layer or "", "batch_key": batch_key or "",
    }  # fmt: skip
    return None


def _own_selector(selector: Any, names: Any, n_top_genes: Any, params: dict[str, Any]) -> Any:
    """The given selector with constraints by position, as the matrix has no column names."""
    if n_top_genes != "auto" or params:
        raise ValueError(
            "method is a selector: set its parameters there and leave out n_top_genes and others."
        )
    positions = by_position(constraints_of(selector), len(names), list(names))
    return clone(selector).set_params(**positions)


def _ranked(X: Any, y: Any, method: Any, params: dict[str, Any]) -> tuple[Columns, str]:
    """The columns for ``adata.var``, and why so many genes are selected."""
    if isinstance(method, str):
        selector = rank(X, y, method=method, **params)
    else:
        selector = clone(method).fit(X, y)
    return {
        "inffs_score": selector.scores_,
        "inffs_rank": selector.ranking_,
        "inffs_selected": selector.support_,
    }, selector.cut_.why


def _combined(
    X: Any, y: Any, batch: np.ndarray, method: Any, params: dict[str, Any]
) -> tuple[Columns, str]:
    """Rank in every batch; order by the number of batches, then by the median rank."""
    each: list[Columns] = []
    for name in dict.fromkeys(batch.tolist()):
        rows = np.flatnonzero(batch == name)
        try:
            each.append(_ranked(X[rows], None if y is None else y[rows], method, params)[0])
        except ValueError as error:
            raise ValueError(f"Batch {name!r} ({rows.size} cells): {error}") from error
    scores, all_ranks, selected = (
        np.stack(columns) for columns in zip(*(one.values() for one in each), strict=True)
    )
    batches, sizes = selected.sum(axis=0), selected.sum(axis=1)
    ranks = np.argsort(np.lexsort((np.median(all_ranks, axis=0), -batches))) + 1
    kept = max(1, int(np.median(sizes)))
    spread = f"{len(each)} batches ({sizes.min()} to {sizes.max()})"
    found = {
        "inffs_score": scores.mean(axis=0),
        "inffs_rank": ranks,
        "inffs_selected": ranks <= kept,
        "inffs_nbatches": batches,
    }
    return found, f"{kept} genes are kept, the median over {spread}."


def _matrix(adata: Any, layer: str | None) -> Any:
    """The matrix of an AnnData object in memory, sparse where it is sparse there."""
    if type(adata).__module__.split(".")[0] != "anndata":
        raise TypeError(
            f"select_genes takes an AnnData object, not {type(adata).__name__}: "
            "inffs.rank takes arrays and data frames."
        )
    if layer is not None and layer not in adata.layers:
        raise KeyError(f"adata.layers has no {layer!r}; it has {_named(adata.layers)}.")
    X = adata.X if layer is None else adata.layers[layer]
    if X is None:
        raise ValueError("adata.X is empty: name a layer with layer=.")
    X = X.to_memory() if hasattr(X, "to_memory") else X
    return X.tocsr() if sparse.issparse(X) else np.asarray(X)


def _column(adata: Any, name: str, parameter: str) -> np.ndarray:
    """A column of ``adata.obs`` without missing values."""
    if name not in adata.obs:
        raise KeyError(f"adata.obs has no {name!r} ({parameter}); it has {_named(adata.obs)}.")
    values = adata.obs[name]
    missing = np.flatnonzero(values.isna().to_numpy())
    if missing.size:
        raise ValueError(
            f"adata.obs[{name!r}] is missing for {missing.size} of {len(values)} cells, first "
            f"{adata.obs_names[missing[0]]!r}: leave them out with "
            f"adata[adata.obs[{name!r}].notna()]."
        )
    return np.asarray(values.astype(str) if values.dtype == "category" else values)


def _named(things: Any) -> str:
    return ", ".join(map(str, things)) or "nothing"
