"""Infinite Feature Selection and other feature selectors with scikit-learn's interface.

Data flow: table -> measures -> relations -> graph -> paths -> scores -> cut -> subset.

A public name is imported from its module when it is first used, so that ``import inffs`` and the
command's help do not wait for scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inffs._utils import interrupt as _interrupt  # noqa: F401 - a Ctrl-C during what follows
from inffs._version import __version__

if TYPE_CHECKING:
    from inffs._utils.progress import show_progress
    from inffs.genes import select_genes
    from inffs.guards import TableWarning
    from inffs.inf_fs import InfFS, InfFSS, InfFSU
    from inffs.inf_fs_c import InfFSC
    from inffs.meta import BestOf, Consensus, Constrained, StabilitySelection
    from inffs.methods import catalogue, rank
    from inffs.report import Report
    from inffs.scores import RoundingWarning
    from inffs.validation.lazy import open_table
    from inffs.validation.preparation import LogCPM

__all__ = [
    "BestOf",
    "Consensus",
    "Constrained",
    "InfFS",
    "InfFSC",
    "InfFSS",
    "InfFSU",
    "LogCPM",
    "Report",
    "RoundingWarning",
    "StabilitySelection",
    "TableWarning",
    "catalogue",
    "open_table",
    "rank",
    "select_genes",
    "show_progress",
    "__version__",
]

# module: the public names that it defines
_MODULES = {
    "_utils.progress": ("show_progress",),
    "validation.preparation": ("LogCPM",),
    "validation.lazy": ("open_table",),
    "meta": ("BestOf", "Consensus", "Constrained", "StabilitySelection"),
    "genes": ("select_genes",),
    "guards": ("TableWarning",),
    "inf_fs": ("InfFS", "InfFSS", "InfFSU"),
    "inf_fs_c": ("InfFSC",),
    "methods": ("catalogue", "rank"),
    "report": ("Report",),
    "scores": ("RoundingWarning",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
_SUBMODULES = ("cuts", "evaluation", "measures", "methods", "onnx", "plot", "relations", "report")
# what a plain installation lacks: the package and the extra that contains it
_EXTRA_OF = {"jinja2": "report", "markupsafe": "report", "matplotlib": "report", "PIL": "report"}


def __getattr__(name: str) -> Any:
    try:
        if name in _MODULE_OF:
            return getattr(import_module(f"inffs.{_MODULE_OF[name]}"), name)
        if name in _SUBMODULES:
            return import_module(f"inffs.{name}")
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA_OF:
            raise
        raise ImportError(
            f"inffs.{name} needs {error.name}: pip install 'inffs[{_EXTRA_OF[error.name]}]'",
            name=error.name,
        ) from error
    raise AttributeError(f"module 'inffs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})
