"""The ranking as a data frame: the file ranking.csv and the method ``ranking``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils._set_output import _get_output_config

from inffs import measures
from inffs._utils.threads import dense
from inffs.measures.effect_sizes import adjust
from inffs.target import CLASSIFICATION, Target


@dataclass(frozen=True)
class Measured:
    """A number per feature; ``fisher`` and ``information`` are None without classes.

    ``effects`` are columns by name: the association of each feature alone with the target.
    """

    dispersion: np.ndarray
    fisher: np.ndarray | None
    information: np.ndarray | None
    effects: dict[str, Any] = field(default_factory=dict, kw_only=True)


def measured(
    X: Any, target: Target | None = None, own: Any = None, sample_weight: Any = None
) -> Measured:
    """Measures of every feature by itself: time O(nT log T).

    There are no effects for a ``target`` of several outputs, because a feature has no single
    direction for them. ``own`` is the table in its own units, which the effects have, where X was
    scaled. Weights mean that X has missing values.
    """
    if target is not None and target.has_several:
        target = None
    own = X if own is None else own
    effects_of = measures.effects if sample_weight is None else _effects_where_present
    y = None if target is None else target.values
    labelled = target is not None and target.type == CLASSIFICATION
    given: dict[str, Any] = {"scaled": True, "sample_weight": sample_weight}
    return Measured(
        dispersion=measures.dispersion(X, sample_weight),
        fisher=measures.fisher(X, y, **given) if labelled else None,
        information=measures.mutual_information(X, y, **given) if labelled else None,
        effects={} if target is None else effects_of(own, target),
    )


def _effects_where_present(X: Any, target: Target) -> dict[str, Any]:
    """The same with missing values: every column by the samples that have it, one by one."""
    each = []
    for feature in range(X.shape[1]):
        column = dense(X[:, feature : feature + 1])
        there = ~np.isnan(column[:, 0])
        seen = target.take(there).occurring()
        if seen.classes is not None and seen.classes.size < 2:  # no effect, as of a constant column
            seen, column, there = target, np.zeros_like(column), slice(None)
        each.append(measures.effects(column[there], seen))
    found = {name: np.concatenate([one[name] for one in each]) for name in each[0]}
    return found | {"effect_q": adjust(found["effect_p"])}


def ranked_columns(
    selector: Any,
    names: Sequence[str],
    found: Measured | None = None,
    partners: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The columns of the ranking of a fitted selector, best first.

    ``found`` adds the measures of the features, ``partners`` further columns, best first already.
    """
    order, q_values = selector.order_, selector.cut_.q_values
    columns: dict[str, Any] = {
        "feature": [names[feature] for feature in order],
        "score": selector.scores_[order],
        "rank": np.arange(1, order.size + 1),
        "kept": selector.support_[order],
        "tied_with": selector.ties_[order],
        **({} if q_values is None else {"q_value": q_values[order]}),
        **{name: values[order] for name, values in selector._ranking_columns().items()},
    }
    if found is not None:
        columns["dispersion"] = found.dispersion[order]
        if found.fisher is not None and found.information is not None:
            columns["fisher"] = found.fisher[order]
            columns["mutual_information"] = found.information[order]
        columns |= {name: values[order] for name, values in found.effects.items()}
    if hasattr(selector, "represented_by_"):
        by = selector.represented_by_[order]
        columns["represented_by"] = [names[one] if one >= 0 else None for one in by]
    return columns | (partners or {}) | {"position": order}


def as_frame(columns: dict[str, Any], selector: Any) -> Any:
    """A data frame of the kind that ``set_output`` asks for; pandas by default."""
    asked = _get_output_config("transform", selector)["dense"]
    if asked == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "A data frame needs pandas or, with set_output(transform='polars'), polars: "
            "pip install pandas",
            name="pandas",
        ) from error
    return pd.DataFrame(columns)
