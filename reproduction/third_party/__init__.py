"""Guests: selectors of other packages, as their users know them, in thin adapters.

A guest is one file here and one line in ``GUESTS``. Nothing of a guest is written again: the
adapter calls the installed package, and where that is absent the guest is skipped with the name to
install. The extra ``guests`` installs all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any


@dataclass(frozen=True)
class GuestEntry:
    """A guest: its file and class here, and the packages of which it needs one.

    ``packages`` are pairs of the name to import and the name to install.
    """

    key: str
    module: str
    name: str
    packages: tuple[tuple[str, str], ...] = (("sklearn", "scikit-learn"),)

    @property
    def estimator(self) -> Any:
        return getattr(import_module(f"reproduction.third_party.{self.module}"), self.name)

    def missing(self) -> str:
        """What to install for it; "" where it is there."""
        if any(find_spec(module) for module, _ in self.packages):
            return ""
        return " or ".join(package for _, package in self.packages)


GUESTS: dict[str, GuestEntry] = {
    entry.key: entry
    for entry in (
        GuestEntry("anova-f", "anova", "AnovaF"),
        GuestEntry("random-forest", "forests", "RandomForest"),
        GuestEntry("extra-trees", "forests", "ExtraTrees"),
        GuestEntry("permutation", "permutation", "Permutation"),
        GuestEntry("l1-logistic", "l1_logistic", "L1Logistic"),
        GuestEntry("boruta", "boruta", "Boruta", (("boruta", "boruta"),)),
        GuestEntry(
            "multisurf",
            "multisurf",
            "MultiSURF",
            (("fast_select", "fast-select"), ("skrebate", "skrebate")),
        ),
        GuestEntry("fastcan", "fastcan", "FastCan", (("fastcan", "fastcan"),)),
        GuestEntry("hsic-lasso", "hsic_lasso", "HSICLasso", (("pyHSICLasso", "pyHSICLasso"),)),
        GuestEntry("knockoffs", "knockoffs", "Knockoffs", (("hidimstat", "hidimstat"),)),
        GuestEntry("mrmr-selection", "mrmr", "MRMRSelection", (("mrmr", "mrmr_selection"),)),
    )
}
