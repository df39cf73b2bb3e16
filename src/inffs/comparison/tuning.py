"""The parameter values among which each method chooses where parameters are tuned."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any

from inffs.relations.edges import simplex

_CS = (0.0001, 0.001, 0.01, 0.1, 1.0)
TUNED: dict[str, dict[str, tuple[Any, ...]]] = {
    "inf-fs-u": {"alpha": tuple(step / 10 for step in range(11))},
    "inf-fs-s": {"weights": simplex(5)},
    "laplacian": {"n_neighbors": (3, 5, 10)},
    "mcfs": {"n_neighbors": (3, 5, 10), "n_components": (2, 5, 10)},
    "llcfs": {"beta": (0.01, 0.1, 1.0)},
    "udfs": {"gamma": (0.01, 0.1, 1.0)},
    "dgufs": {"alpha": (0.25, 0.5, 0.75)},
    "fsasl": {"lambda3": (0.1, 1.0, 10.0)},
    "ufsol": {"alpha": (0.1, 1.0, 10.0)},
    "relieff": {"n_neighbors": (3, 10, 20)},
    "ecfs": {"alpha": (0.0, 0.25, 0.5, 0.75, 1.0)},
    "ilfs": {"n_tokens": (3, 6, 10)},
    "svm-rfe": {"C": _CS},
    "fsv": {"sparsity": (0.01, 0.05, 0.2)},
    "ensemble-svm-rfe": {"C": _CS},
}


def settings_of(key: str, given: Collection[str] = ()) -> tuple[dict[str, Any], ...]:
    """Every combination of values of a method's parameters, but for those that are ``given``."""
    axes = {name: values for name, values in TUNED.get(key, {}).items() if name not in given}
    if not axes:
        return ()
    return tuple(
        dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())
    )
