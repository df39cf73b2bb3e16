"""Infinite Feature Selection and its rivals behind one scikit-learn interface.

The way of the data: table -> measures -> relations -> graph -> paths -> scores -> cut -> subset.
"""

from typing import TYPE_CHECKING, Any

from inffs._engine import interrupt as _interrupt  # noqa: F401 - a Ctrl-C during what follows
from inffs._engine.bars import show_progress
from inffs._version import __version__
from inffs.columns.lazy import open_table
from inffs.ensembles import BestOf, Consensus, StabilitySelection
from inffs.evaluation.kinds import as_numbers
from inffs.genes import select_genes
from inffs.guards import TableWarning
from inffs.inf_fs import InfFS, InfFSS, InfFSU
from inffs.inf_fs_c import InfFSC
from inffs.inf_fs_cv import InfFSSCV, InfFSUCV
from inffs.methods import catalogue, rank
from inffs.scores import RoundingWarning

if TYPE_CHECKING:
    from inffs.report import Report, write_report

__all__ = [
    "BestOf",
    "Consensus",
    "InfFS",
    "InfFSC",
    "InfFSS",
    "InfFSSCV",
    "InfFSU",
    "InfFSUCV",
    "Report",
    "RoundingWarning",
    "StabilitySelection",
    "TableWarning",
    "as_numbers",
    "catalogue",
    "open_table",
    "rank",
    "select_genes",
    "show_progress",
    "write_report",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in ("Report", "write_report"):  # they and their drawing tools are loaded when asked for
        import inffs.report

        return getattr(inffs.report, name)
    raise AttributeError(f"module 'inffs' has no attribute {name!r}")
