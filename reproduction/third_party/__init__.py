"""Third-party methods: selectors of other packages, as their users know them, in thin adapters.

A third-party method is one file here and one line in ``THIRD_PARTY``. The adapter calls the
installed package; where that is absent, the method is skipped with the name to install. The extra
``third-party`` installs all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any


@dataclass(frozen=True)
class ThirdPartyEntry:
    """A third-party method: its file and class here, and the packages of which it needs one.

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


THIRD_PARTY: dict[str, ThirdPartyEntry] = {
    entry.key: entry
    for entry in (
        ThirdPartyEntry("anova-f", "anova", "AnovaF"),
        ThirdPartyEntry("random-forest", "forests", "RandomForest"),
        ThirdPartyEntry("extra-trees", "forests", "ExtraTrees"),
        ThirdPartyEntry("permutation", "permutation", "Permutation"),
        ThirdPartyEntry("l1-logistic", "l1_logistic", "L1Logistic"),
        ThirdPartyEntry("boruta", "boruta", "Boruta", (("boruta", "boruta"),)),
        ThirdPartyEntry(
            "multisurf",
            "multisurf",
            "MultiSURF",
            (("fast_select", "fast-select"), ("skrebate", "skrebate")),
        ),
        ThirdPartyEntry("fastcan", "fastcan", "FastCan", (("fastcan", "fastcan"),)),
        ThirdPartyEntry("hsic-lasso", "hsic_lasso", "HSICLasso", (("pyHSICLasso", "pyHSICLasso"),)),
        ThirdPartyEntry("knockoffs", "knockoffs", "Knockoffs", (("hidimstat", "hidimstat"),)),
        ThirdPartyEntry("mrmr-selection", "mrmr", "MRMRSelection", (("mrmr", "mrmr_selection"),)),
    )
}
