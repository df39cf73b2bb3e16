"""The data for choosing features on the page: scores, folds, methods, code to repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from inffs.meta.constrained import (
    Constrained,
    by_position,
    constraints_of,
    size_parameter,
    unconstrained,
)
from inffs.report._charts import score_geometry
from inffs.report._check import Check
from inffs.report._words import python_lines

_FOLDS_REACH = 1000, 10_000  # places of a fold's ranking that the page knows, least and most
_LONGEST_NAME = 1000
_SHORT = {"-k", "-o"}
_LONG = {"keep", "include", "exclude", "max-correlation", "min-features", "max-features", "out"}
_REPLACED = _SHORT | {f"--{name}" for name in _LONG}


def choice_data(
    selector: Any,
    names: list[str],
    shown: list[str],
    check: Check | None,
    run: dict[str, Any],
    repeat: Callable[[Any], str] = python_lines,
) -> dict[str, Any]:
    """Facts that are not a value per feature. Features are named by their place, from 0."""
    constraints, method = _constraints(selector), unconstrained(selector)
    return {
        "pinned": _places(selector, constraints.get("include", ())),
        "struck": _places(selector, constraints.get("exclude", ())),
        "explicit": _explicit(method, constraints),
        "exact": _exact_names(selector, names, shown),
        "check": check and _check_curve(selector, check),
        "folds": check and _fold_orders(selector, check),
        "chart": score_geometry(selector.n_features_in_),
        "methods": list(method.names_) if hasattr(method, "agreement_") else None,
        "command": _base_command(run.get("command")),
        **_python(method, repeat),
    }


def within(choice: dict[str, Any], rows: int) -> dict[str, Any]:
    """The same for a page that shows the best ``rows`` features only."""
    inside = {key: [one for one in choice[key] if one < rows] for key in ("pinned", "struck")}
    exact = {place: name for place, name in choice["exact"].items() if place < rows}
    return choice | inside | {"exact": exact, "explicit": True}


def choice_columns(selector: Any) -> dict[str, list]:
    """A value per feature, best first: its position, its group, its place by every method."""
    order = selector.order_
    columns = {"position": order.tolist()}
    groups = _constraints(selector).get("feature_groups")
    if groups is not None:
        columns["group"] = groups[order].tolist()
    for number, ranks in enumerate(
        getattr(unconstrained(selector), "ranks_", np.empty((order.size, 0))).T
    ):
        places = np.empty(order.size, dtype=int)
        places[np.argsort(ranks, kind="stable")] = np.arange(1, order.size + 1)
        columns[f"m{number}"] = places[order].tolist()
    return columns


def _constraints(selector: Any) -> dict[str, Any]:
    """The constraints of a fitted selector, columns by position."""
    names = getattr(selector, "feature_names_in_", None)
    return by_position(constraints_of(selector), selector.n_features_in_, names)


def _places(selector: Any, columns: Sequence[int]) -> list[int]:
    return sorted(int(selector.ranking_[column]) - 1 for column in columns)


def _explicit(method: Any, constraints: dict[str, Any]) -> bool:
    """Whether another size could rank or skip others, so that all must be named to repeat."""
    depends = getattr(method, "_size_matters", False)
    return bool(depends or constraints.keys() & {"max_correlation", "feature_groups"})


def _exact_names(selector: Any, names: list[str], shown: list[str]) -> dict[int, str]:
    """Names that the page shows in another way."""
    return {
        place: names[feature][:_LONGEST_NAME]
        for place, feature in enumerate(selector.order_.tolist())
        if names[feature] != shown[feature]
    }


def _check_curve(selector: Any, check: Check) -> dict[str, Any]:
    """The scores by size; the whole table is the last one."""
    sizes, values = check.sizes, check.selected
    if sizes[-1] < selector.n_features_in_:
        sizes = [*sizes, selector.n_features_in_]
        values = np.column_stack([values, check.whole])
    return {
        "measure": check.words.measure,
        "share": check.words.share,
        "sizes": sizes,
        "mean": values.mean(axis=0).tolist(),
        "error": [check.error(column) for column in values.T],
    }


def _fold_orders(selector: Any, check: Check) -> list[list[int]]:
    """The folds' rankings, far enough for the column of the page."""
    reach = int(np.clip(2 * selector.n_features_, *_FOLDS_REACH))
    return (selector.ranking_[check.orders[:, :reach]] - 1).tolist()


def _base_command(command: str | None) -> str | None:
    """The command of the run without what the choice replaces, into a folder of its own."""
    if command is None:
        return None
    words, kept, out = iter(shlex.split(command)), [], "inffs"
    for word in words:
        name, equals, value = word.partition("=")
        if name in _REPLACED:
            value = value if equals else next(words, "")
        elif word[:2] in _SHORT:
            name, value = word[:2], word[2:]
        else:
            kept.append(word)
            continue
        out = value if name in ("-o", "--out") else out
    return shlex.join([*kept, "--out", f"{out}-choice"])


class _Slot:
    """A placeholder for a parameter that is chosen on the page."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"⟦{self.name}⟧"


def _python(method: Any, repeat: Callable[[Any], str]) -> dict[str, str]:
    """The run in Python with slots for the choice: without constraints, and with them."""
    name = size_parameter(method)
    plain = clone(method)
    if name is not None:
        plain.set_params(**{name: _Slot("size")})
    slots: dict[str, Any] = {"include": _Slot("include"), "exclude": _Slot("exclude")}
    return {"python": repeat(plain), "python_constrained": repeat(Constrained(plain, **slots))}
