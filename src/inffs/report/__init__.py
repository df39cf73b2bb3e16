"""The report of a fitted selector: one HTML file that needs no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inffs.report._reasons import Reasons as Reasons
from inffs.report._reasons import explain

if TYPE_CHECKING:
    from inffs.report._report import Report

__all__ = ["Report", "explain"]


def __getattr__(name: str) -> Any:
    if name == "Report":  # it needs the packages of the extra report
        from inffs.report._report import Report

        return Report
    raise AttributeError(f"module 'inffs.report' has no attribute {name!r}")
