"""Some of the report's charts with matplotlib.

Every function draws on ``ax`` (by default the axes of a new figure) and returns it. A fitted
selector does not store the table, so charts of the data take it again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from inffs.report._reasons import SHOWN, alternative_cuts, group_features, matrix_of, names_of

__all__ = ["agreement", "redundancy", "scores"]

_BLUE, _ORANGE, _GREY = "#2a6fdb", "#c2410c", "#7a8594"


def scores(selector: Any, ax: Any = None) -> Any:
    """Draw the score curve with the cut and small marks for the other cuts.

    Parameters
    ----------
    selector : fitted selector
        The selector whose scores are drawn.
    ax : matplotlib axes, optional
        The axes to draw on. By default new ones are made.

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
    for cut in alternative_cuts(selector):
        if cut.size != kept:
            ax.axvline(cut.size, ymax=0.04, color=_GREY, lw=1.5)
    if n > 60:
        ax.set_xscale("log")
    ax.set(xlabel="place in the ranking", ylabel="score")
    ax.legend(frameon=False)
    return ax


def redundancy(selector: Any, X: Any, ax: Any = None) -> Any:
    """Draw the absolute Spearman correlations of the selected features, with outlined groups.

    Parameters
    ----------
    selector : fitted selector
        The selector whose features are drawn.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The table on which the selector was fitted.
    ax : matplotlib axes, optional
        The axes to draw on. By default new ones are made.

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
    names = names_of(selector, X, None)
    table = matrix_of(selector, X)
    found = group_features(table, selector.order_[: min(SHOWN, selector.n_features_)])
    picture = ax.imshow(found.correlation, vmin=0, vmax=1, cmap="Blues", interpolation="nearest")
    for start, stop in found.groups:
        edges = np.array([start, stop]) - 0.5
        ax.plot(edges[[0, 1, 1, 0, 0]], edges[[0, 0, 1, 1, 0]], color=_ORANGE, lw=1.5)
    few = found.features.size <= 40
    shown = [names[feature][:30].replace("$", r"\$") for feature in found.features]
    ax.set_yticks(range(len(shown)) if few else [], shown if few else [])  # $ would start a formula
    ax.set_xticks([])
    ax.figure.colorbar(picture, ax=ax, label="|Spearman correlation|", shrink=0.8)
    return ax


def agreement(consensus: Any, ax: Any = None) -> Any:
    """Draw Kendall's tau between the rankings of every two methods of a consensus.

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
