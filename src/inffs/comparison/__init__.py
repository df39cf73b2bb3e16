"""Compare methods on a table and recommend one.

Data sets x methods x sizes x splits. Every trial is independent, kept as soon as it is done, and
never run twice.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Imported when first used: the process of a trial needs few of them.
_MODULES = {
    "Recommendation": "recommendation",
    "Limits": "process",
    "Store": "store",
    "compare": "runner",
    "pick": "trial",
    "status": "runner",
    "write_run_report": "page",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"inffs.comparison.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'inffs.comparison' has no attribute {name!r}")
