"""Who takes part in the reproduction: methods, baselines and third-party methods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from inffs.comparison import contestants
from inffs.comparison.contestants import Contestant
from reproduction.third_party import GUESTS

PARAMETERS: dict[str, dict[str, Any]] = {  # that the paper's experiments set
    "lasso-hinge": {"alpha": "cv"},
    "lasso-unhinged": {"alpha": "cv"},
}
CHOOSING = ("inf-fs-u", "inf-fs-s")  # choose their parameters in the paper's experiments


class ThirdParty(Contestant):
    """A selector of another package in the comparison."""

    @property
    def estimator(self) -> Any:
        return GUESTS[self.key].estimator

    @property
    def supervised(self) -> bool:
        return True

    @property
    def kind(self) -> str:
        return "guest"

    def skip(self, target: str) -> str:
        if package := GUESTS[self.key].missing():
            return f"needs the package {package}: pip install {package.split()[0]}"
        return super().skip(target)


def find_contestant(spec: str, tuned: bool = False) -> Contestant:
    """One contestant of ``KEY`` or ``KEY[param=value]``, with the paper's parameters."""
    key = spec.partition("[")[0].strip()
    if key in GUESTS:
        return ThirdParty(key)
    found = contestants.find_contestant(spec, tuned or key in CHOOSING)
    return replace(found, params={**PARAMETERS.get(key, {}), **found.params})


def find_contestants(
    methods: Iterable[str] | None = None, tuned: bool = False, guests: bool = False
) -> list[Contestant]:
    """Those of these specifications; None: all methods and the baselines."""
    specs = contestants.every_spec() if methods is None else [*methods]
    specs += [key for key in GUESTS if guests and key not in specs]
    return [find_contestant(spec, tuned) for spec in specs]
