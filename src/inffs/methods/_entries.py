"""The catalogue: one line a method. A class is imported when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A method of the catalogue.

    ``cost`` is what our implementation takes (T samples, n features, G classes, i iterations,
    b features asked for), ``paper_cost`` what Table 1 of the Inf-FS paper states ("" where the
    paper does not list the method).
    """

    key: str
    target: str
    kind: str
    supervised: bool
    paper: str
    cost: str
    paper_cost: str = ""

    @property
    def class_name(self) -> str:
        return self.target.split(":")[1]

    @property
    def estimator(self) -> Any:
        """The selector class."""
        module, name = self.target.split(":")
        return getattr(import_module(f"inffs.{module}"), name)


# fmt: off
ENTRIES: tuple[Entry, ...] = (
    # --- Inf-FS ---
    Entry("inf-fs-u", "inf_fs:InfFSU", "filter", False, "Roffo et al. 2020, TPAMI", "O(n^2 T)", "O(n^3 (1 + T))"),
    Entry("inf-fs-s", "inf_fs:InfFSS", "filter", True, "Roffo et al. 2020, TPAMI", "O(nT)", "O(T^2 + n^3 (1 + T))"),
    # --- unsupervised ---
    # --- supervised: filters ---
    Entry("fisher", "methods.fisher:FisherScore", "filter", True, "Gu, Li, Han 2011, UAI", "O(Tn)", "O(Tn)"),
    # --- supervised: information criteria ---
    # --- supervised: wrappers and embedded ---
)
# fmt: on
