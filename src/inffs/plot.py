"""The report's pictures in Python: matplotlib axes in, axes out.

Every function takes ``ax`` (a new figure's axes by default), draws on it and returns it. A fitted
selector does not keep the table, so pictures of the data ask for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from inffs.report._reasons import SHOWN, alternative_cuts, group_features, settle

__all__ = ["agreement", "paths", "redundancy", "scores"]

_BLUE, _ORANGE, _GREY = "#2a6fdb", "#c2410c", "#7a8594"


def scores(selector: Any, ax: Any = None, *, alternatives: bool = True) -> Any:
    """The score curve with the cut; small marks are where other cuts would be.

    Parameters
    ----------
    selector : fitted selector
        Any.
    ax : matplotlib axes, optional
        New ones by default.
    alternatives : bool
        Mark the other cuts.

    Returns
    -------
    matplotlib axes

    See Also
    --------
    inffs.cuts.SCORE_CUTS : The other cuts.

    Examples
    --------
    >>> import inffs.plot
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = inffs.plot.scores(inffs.InfFSU().fit(X))
    """
    check_is_fitted(selector)
    ax = _axes(ax)
    falling = selector.scores_[selector.order_]
    n, kept = falling.size, selector.n_features_
    ax.plot(np.arange(1, n + 1), falling, color=_BLUE, lw=2)
    ax.axvspan(1, kept, color=_BLUE, alpha=0.1, lw=0)
    ax.axvline(
        kept, color=_ORANGE, lw=1.5, label=f"{kept:,} of {n:,} selected ({selector.cut_.name})"
    )
    for cut in alternative_cuts(selector) if alternatives else []:
        if cut.size != kept:
            ax.axvline(cut.size, ymax=0.04, color=_GREY, lw=1.5)
    if n > 60:
        ax.set_xscale("log")
    ax.set(xlabel="place in the ranking", ylabel="score")
    ax.legend(frameon=False)
    return ax


def redundancy(selector: Any, X: Any, ax: Any = None, *, features: int = SHOWN) -> Any:
    """|Spearman correlation| of the selected features, clustered, groups outlined.

    Parameters
    ----------
    selector : fitted selector
        Any.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The table the selector was fitted on.
    ax : matplotlib axes, optional
    features : int
        At most this many of the first selected features.

    Returns
    -------
    matplotlib axes

    See Also
    --------
    inffs.report.explain : The numbers.

    Examples
    --------
    >>> import inffs.plot
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = inffs.plot.redundancy(inffs.InfFSU().fit(X), X)
    """
    check_is_fitted(selector)
    ax = _axes(ax)
    names = _names(selector, X)
    table = X if hasattr(X, "tocsc") else np.asarray(X, dtype=float)
    table = table.tocsc() if hasattr(table, "tocsc") else table
    found = group_features(table, selector.order_[: min(features, selector.n_features_)])
    picture = ax.imshow(found.correlation, vmin=0, vmax=1, cmap="Blues", interpolation="nearest")
    for start, stop in found.groups:
        size = stop - start
        ax.add_patch(_outline(start - 0.5, size))
    if found.features.size <= 40:
        ax.set_yticks(range(found.features.size), [names[feature] for feature in found.features])
    else:
        ax.set_yticks([])
    ax.set_xticks([])
    ax.figure.colorbar(picture, ax=ax, label="|Spearman correlation|", shrink=0.8)
    return ax


def paths(selector: Any, ax: Any = None, *, features: int = 12, longest: int = 10) -> Any:
    """Places of the best features as longer and longer paths are counted in.

    Parameters
    ----------
    selector : fitted selector with ``walk_`` (InfFSU, InfFSS, InfFS)
    ax : matplotlib axes, optional
    features : int
        How many of the best features to follow.
    longest : int
        The longest path, in edges.

    Returns
    -------
    matplotlib axes

    See Also
    --------
    inffs.InfFS.trace_paths : The numbers.

    Examples
    --------
    >>> import inffs.plot
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = inffs.plot.paths(inffs.InfFSU().fit(X))
    """
    check_is_fitted(selector)
    settling = settle(selector, features, longest)
    if settling is None:
        raise ValueError(
            f"{type(selector).__name__} has no paths; inf-fs-u, inf-fs-s and InfFS have."
        )
    ax = _axes(ax)
    names = _names(selector)
    for place, feature in enumerate(settling.features):
        line = ax.plot(settling.lengths, settling.ranks[:, place], lw=2)[0]
        end = settling.lengths[-1], settling.ranks[-1, place]
        ax.annotate(
            names[feature], end, xytext=(6, 0), textcoords="offset points", va="center",
            fontsize="small", color=line.get_color(), annotation_clip=False,
        )  # fmt: skip
    ax.invert_yaxis()
    ax.set(xlabel="longest path counted (edges)", ylabel="place in the ranking")
    return ax


def agreement(consensus: Any, ax: Any = None) -> Any:
    """Kendall's tau between the rankings of every two methods of a consensus.

    Parameters
    ----------
    consensus : fitted inffs.Consensus
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    See Also
    --------
    inffs.Consensus : Makes one ranking of several.

    Examples
    --------
    >>> import inffs.plot
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = inffs.plot.agreement(inffs.Consensus(["fisher", "mi"]).fit(X, y))
    """
    check_is_fitted(consensus)
    ax = _axes(ax)
    tau, names = consensus.agreement_, consensus.names_
    picture = ax.imshow(tau, vmin=-1, vmax=1, cmap="RdBu", interpolation="nearest")
    for (row, column), value in np.ndenumerate(tau):
        colour = "white" if abs(value) > 0.6 else "black"
        ax.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour)
    ax.set_xticks(range(len(names)), names, rotation=30, ha="right")
    ax.set_yticks(range(len(names)), names)
    ax.figure.colorbar(picture, ax=ax, label="Kendall's tau", shrink=0.8)
    return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Plots need matplotlib: pip install 'inffs[report]'", name="matplotlib"
        ) from error
    return pyplot.subplots(layout="constrained")[1]


def _outline(start: float, size: int) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((start, start), size, size, fill=False, edgecolor=_ORANGE, lw=1.5)


def _names(selector: Any, X: Any = None) -> list[str]:
    """Names as text that matplotlib takes literally (a dollar sign would start a formula)."""
    found = getattr(X, "columns", None)
    if found is None:
        found = getattr(selector, "feature_names_in_", None)
    if found is None:
        found = [f"x{place}" for place in range(selector.n_features_in_)]
    short = (str(name) if len(str(name)) <= 30 else f"{str(name)[:29]}…" for name in found)
    return [name.replace("$", r"\$") for name in short]
