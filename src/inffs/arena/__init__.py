"""The arena: the paper's experiments, and "which method serves my table?".

Data sets x methods x sizes x splits; every trial is independent, kept as soon as it is done, and
never run twice.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Imported when first asked for: a trial's own process needs few of them.
_WHERE = {
    "Answer": "results.advice",
    "Contestant": "engine.contestants",
    "Dataset": "data.datasets",
    "Limits": "engine.rounds",
    "Protocol": "engine.protocol",
    "Round": "engine.rounds",
    "Store": "engine.store",
    "compare": "results.answer",
    "find_contestants": "engine.contestants",
    "load": "data.datasets",
    "pick": "engine.trial",
    "reproduce": "paper.suite",
    "run": "engine.runner",
    "status": "engine.status",
    "write_reproduction": "paper.reproduction",
    "write_run_report": "results.page",
}

__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"inffs.arena.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'inffs.arena' has no attribute {name!r}")
