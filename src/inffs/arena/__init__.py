"""The arena: the paper's experiments, and "which method serves my table?".

Data sets x methods x sizes x splits; every trial is independent, kept as soon as it is done, and
never run twice.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Imported when first asked for: a trial's own process needs few of them.
_WHERE = {
    "Answer": "answer",
    "Contestant": "contestants",
    "Dataset": "datasets",
    "Limits": "runner",
    "Protocol": "protocol",
    "Round": "runner",
    "Store": "store",
    "compare": "answer",
    "invite": "contestants",
    "load": "datasets",
    "reproduce": "suite",
    "run": "runner",
    "status": "suite",
    "write_reproduction": "reproduction",
    "write_run_report": "page",
}

__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"inffs.arena.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'inffs.arena' has no attribute {name!r}")
