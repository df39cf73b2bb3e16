"""Python code that constructs an estimator, with public names only."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np


def estimators_in(estimator: Any) -> list[Any]:
    """An estimator and all estimators among its parameters."""
    inside = [value for value in estimator.get_params(deep=False).values() if _is_estimator(value)]
    return [estimator, *(part for value in inside for part in estimators_in(value))]


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def import_line(estimator: Any) -> str:
    """The import of the class of an estimator from the shortest public module."""
    made = type(estimator)
    parts = made.__module__.split(".")
    for end in range(1, len(parts)):
        place = ".".join(parts[:end])
        if getattr(sys.modules.get(place), made.__name__, None) is made:
            return f"from {place} import {made.__name__}"
    return f"from {made.__module__} import {made.__name__}"


def constructor_call(estimator: Any) -> str:
    """The call that constructs an estimator, without parameters at their defaults."""
    defaults = inspect.signature(type(estimator)).parameters
    params = ", ".join(
        f"{name}={_literal(value)}"
        for name, value in estimator.get_params(deep=False).items()
        if name == "n_features_to_select" or not _same(value, defaults[name].default)
    )
    return f"{type(estimator).__name__}({params})"


def _literal(value: Any) -> str:
    if _is_estimator(value):
        return constructor_call(value)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and repr(value) == repr(default)
