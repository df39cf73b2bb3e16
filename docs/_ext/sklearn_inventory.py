"""Links into scikit-learn's documentation without asking its server for the list of names."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import sklearn
from sklearn.utils import all_estimators
from sklearn.utils.discovery import all_functions


def write_inventory(path: Path) -> Path:
    """An intersphinx inventory of the installed scikit-learn's public classes and functions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = (
        "# Sphinx inventory version 2\n# Project: scikit-learn\n"
        f"# Version: {sklearn.__version__}\n"
        "# The remainder of this file is compressed using zlib.\n"
    )
    path.write_bytes(head.encode() + zlib.compress("".join(_lines()).encode()))
    return path


def _lines() -> Iterator[str]:
    for role, found in (("class", all_estimators()), ("function", all_functions())):
        for name, thing in found:
            public = [part for part in thing.__module__.split(".") if not part.startswith("_")]
            full = ".".join([*public, name])
            yield f"{full} py:{role} 1 modules/generated/{full}.html#$ -\n"
