"""The ranking in the page: a row per feature, with what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inffs.report._choice import choice_columns, within
from inffs.report._pack import Packed, pack, rows_that_fit
from inffs.report._reasons import Reasons
from inffs.report._svg import clip

_FIRST_ROWS = 25
_LONGEST_WORDS = 48
_COLUMNS = {
    "place": ("Place", "Place in the ranking"),
    "feature": ("Feature", "Name of the column; press for the reasons"),
    "pick": ("Choice", "Pin: keep in any case. Strike out: leave out in any case"),
    "score": ("Score", "The method's score, larger is better"),
    "represented": (
        "Represented by",
        "The selected feature that it correlates with (max_correlation)",
    ),
    "folds": ("Folds", "In how many folds of the check it is among as many best"),
    "votes": ("Methods", "How many methods have it among as many best"),
    "frequency": ("Frequency", "In which share of the halves of the samples it was picked"),
    "rra_p_value": ("p", "Whether the methods agree on it more than random rankings would"),
    "q_value": ("q", "Least false-discovery rate at which the feature counts as found"),
    "direction": ("By itself", "The class it sets apart most, and whether it is high or low there"),
    "difference": (
        "Difference",
        "Mean of that class less that of the rest, in the table's units",
    ),
    "fold_change": (
        "Fold change",
        "Mean of that class over that of the rest; positive data only",
    ),
    "auc": ("AUC", "How well it alone tells that class from the rest: 0.5 is guessing, 1 perfect"),
    "correlation": ("Correlation", "Spearman's, with the target"),
    "slope": ("Slope", "Change of the target per unit of the feature"),
    "effect_p": ("p alone", "Of a rank test of this feature alone (Kruskal-Wallis, or Spearman)"),
    "effect_q": ("q alone", "The same, adjusted for the number of features (Benjamini-Hochberg)"),
    "dispersion": ("Dispersion", "Standard deviation over the largest one"),
    "fisher": ("Fisher", "How far apart the classes are, 0 to 1"),
    "information": ("MI", "Mutual information with the label, 0 to 1"),
    "mean_correlation": ("Mean |r|", "Mean absolute correlation with the other features"),
    "nearest": ("Most alike (|r|)", "The feature most like this one"),
}
_WORDS = ("feature", "pick", "nearest", "represented", "direction")
_PARTNERS = {"nearest", "complement", "represented"}  # places of other features
_LIVE = {"folds": "folds", "votes": "methods"}  # columns that follow the choice, and what they need


def ranking_data(
    selector: Any, names: list[str], reasons: Reasons, choice: dict[str, Any]
) -> dict[str, Any]:
    """The ranking in order, rounded; partners are named by their place."""
    order = selector.order_
    place_of = np.append(selector.ranking_ - 1, -1)
    data: dict[str, Any] = {
        "kept": int(selector.n_features_),
        "names": [names[feature] for feature in order],
        "score": _rounded(selector.scores_[order], 5),
        "nearest": place_of[reasons.nearest[order]].tolist(),
        "complement": place_of[reasons.complement[order]].tolist(),
        "choice": choice,
        **choice_columns(selector),
        **_effects(reasons.effects, order),
    }
    if hasattr(selector, "represented_by_"):
        data["represented"] = place_of[selector.represented_by_[order]].tolist()
    if selector.cut_.q_values is not None:
        data["q_value"] = _rounded(selector.cut_.q_values[order], 2)
    for key in _COLUMNS.keys() & selector.ranking_columns().keys():
        data[key] = _rounded(selector.ranking_columns()[key][order], 3)
    for key in ("dispersion", "fisher", "information", "mean_correlation"):
        values = getattr(reasons, key)
        if values is not None:
            data[key] = _rounded(values[order], 3)
    for key in ("nearest_correlation", "complement_correlation"):
        data[key] = _rounded(getattr(reasons, key)[order], 3)
    return data


def fit_rows(data: dict[str, Any]) -> tuple[dict[str, Any], Packed]:
    """As many of the best rows as the page may hold; partners further down are then left out."""
    packed, all_rows = pack(data), len(data["names"])
    rows = rows_that_fit(packed, all_rows)
    if rows == all_rows:
        return data, packed
    cut = {key: value[:rows] if isinstance(value, list) else value for key, value in data.items()}
    for key in _PARTNERS & cut.keys():
        cut[key] = [place if place < rows else -1 for place in cut[key]]
    cut["choice"] = within(data["choice"], rows)
    return fit_rows(cut)


def _effects(effects: dict[str, np.ndarray], order: np.ndarray) -> dict[str, Any]:
    """Every feature's own effect; the few different words stand once."""
    if not effects:
        return {}
    told, which = np.unique([word or "" for word in effects["direction"]], return_inverse=True)
    numbers = {key: _rounded(effects[key][order], 3) for key in effects if key != "direction"}
    words = [clip(word, _LONGEST_WORDS) for word in told.tolist()]
    return {"words": {"direction": words}, "direction": which[order].tolist(), **numbers}


def _rounded(values: np.ndarray, digits: int) -> list[float | None]:
    """Significant digits only: what a person reads, at a fraction of the bytes."""
    return [
        float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in values.tolist()
    ]


def table_parts(data: dict[str, Any]) -> dict[str, Any]:
    """The table's columns, and its first rows for readers without JavaScript."""
    choice = data["choice"]
    live = {"place", "feature", "pick"} | {key for key, needs in _LIVE.items() if choice[needs]}
    columns = {}
    for key, told in _COLUMNS.items():
        if key in data or key in live:
            columns[key] = told
        if key == "votes":
            columns |= _method_columns(choice["methods"] or ())
    heads = [
        {"key": key, "name": name, "help": told, "number": key not in _WORDS}
        for key, (name, told) in columns.items()
    ]
    rows = [
        {"kept": place < data["kept"], "cells": [_cell(data, key, place) for key in columns]}
        for place in range(min(_FIRST_ROWS, len(data["names"])))
    ]
    return {"columns": heads, "first_rows": rows}


def _method_columns(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    return {f"m{number}": (name, f"Place by {name} alone") for number, name in enumerate(names)}


def _cell(data: dict[str, Any], key: str, place: int) -> str:
    if key == "place":
        return str(place + 1)
    if key == "feature":
        return data["names"][place]
    if key == "nearest":
        nearest = data["nearest"][place]
        correlation = data["nearest_correlation"][place]
        return f"{data['names'][nearest]} ({correlation:.3g})" if nearest >= 0 else ""
    if key == "represented":
        by = data["represented"][place]
        return data["names"][by] if by >= 0 else ""
    value = data[key][place] if key in data else None
    if key == "direction" and value is not None:
        return data["words"][key][value]
    return "" if value is None else f"{value:.4g}"
