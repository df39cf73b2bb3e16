"""Who takes part in the reproduction: methods, baselines and third-party methods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inffs.comparison import methods as compared
from inffs.comparison.methods import ComparedMethod
from reproduction.lassos import LassoHingeCV, LassoUnhingedCV
from reproduction.third_party import THIRD_PARTY

LASSOS = {"lasso-hinge": LassoHingeCV, "lasso-unhinged": LassoUnhingedCV}
CHOOSING = ("inf-fs-u", "inf-fs-s")  # choose their parameters in the paper's experiments


class Lasso(ComparedMethod):
    """A lasso whose penalty is chosen by cross-validation, as in the paper's experiments."""

    @property
    def estimator(self) -> Any:
        return LASSOS[self.key]


class ThirdParty(ComparedMethod):
    """A selector of another package in the comparison."""

    @property
    def estimator(self) -> Any:
        return THIRD_PARTY[self.key].estimator

    @property
    def supervised(self) -> bool:
        return True

    @property
    def kind(self) -> str:
        return "third-party"

    def skip(self, target: str) -> str:
        if package := THIRD_PARTY[self.key].missing():
            return f"needs the package {package}: pip install {package.split()[0]}"
        return super().skip(target)


def find_method(spec: str, tuned: bool = False) -> ComparedMethod:
    """One method of ``KEY`` or ``KEY[param=value]``, with the paper's parameters."""
    key = spec.partition("[")[0].strip()
    if key in THIRD_PARTY:
        return ThirdParty(key)
    found = compared.find_method(spec, tuned or key in CHOOSING)
    if key in LASSOS and "alpha" not in found.params:
        return Lasso(key, {"alpha": "cv", **found.params}, label=found.label)
    return found


def find_methods(
    methods: Iterable[str] | None = None, tuned: bool = False, third_party: bool = False
) -> list[ComparedMethod]:
    """Those of these specifications; None: all methods and the baselines."""
    specs = compared.every_spec() if methods is None else [*methods]
    specs += [key for key in THIRD_PARTY if third_party and key not in specs]
    return [find_method(spec, tuned) for spec in specs]
