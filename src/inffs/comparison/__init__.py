"""The comparison: which method serves my table?

Data sets x methods x sizes x splits; every trial is independent, kept as soon as it is done, and
never run twice.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Imported when first asked for: a trial's own process needs few of them.
_WHERE = {
    "Recommendation": "recommendation",
    "Dataset": "dataset",
    "Limits": "rounds",
    "Protocol": "protocol",
    "Store": "store",
    "compare": "own_table",
    "find_methods": "compared",
    "pick": "trial",
    "run": "runner",
    "status": "run_status",
    "write_run_report": "page",
}

__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"inffs.comparison.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'inffs.comparison' has no attribute {name!r}")
