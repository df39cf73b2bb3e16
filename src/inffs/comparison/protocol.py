"""How a trial is made: splits, sizes, the classifier and its measures. The paper's numbers.

Everything here is fitted on the training part only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inffs.evaluation import Part, assess, find_evaluator, holdout, make_folds
from inffs.evaluation.folds import Split
from inffs.target import make_target

MICROARRAY_SIZES = (10, 50, 100, 150, 200)
CNN_SIZES = (0.05, 0.10, 0.15, 0.20, 0.25)
CARDINALITY = tuple(step / 20 for step in range(1, 21))
FINE_CARDINALITY = tuple(step / 200 for step in range(50, 91))
_LATER = ("cuts", "test_folds", "scale")


@dataclass(frozen=True)
class Protocol:
    """The paper's protocol; each number is a parameter.

    Parameters
    ----------
    sizes : tuple of int or float
        Numbers of features asked for; a float is a share of all features.
    n_splits : int
        Repetitions of the split into training and test part.
    test_size : float
        Share of the samples in the test part.
    Cs : tuple of float
        The linear SVM's C is chosen among them.
    folds : int
        Folds of the cross-validations on the training part; 1 means one validation part of a
        quarter.
    automatic : bool
        Evaluate also the subset that the method chooses by itself.
    tuned : bool
        Choose the rivals' parameters by cross-validation too, not only those of Inf-FS.
    study : str
        Name of a study beside the paper's main one, for example "cardinality".
    cuts : tuple of str
        Cuts that end the ranking of one fit, each evaluated beside the sizes.
    seed : int
        Of the splits and folds.
    test_folds : int
        Where above 0, the splits are the folds of repeated cross-validation with so many folds,
        so that every sample is tested equally often; ``test_size`` then says nothing.
    scale : str, optional
        What every method sees: "none", "standard", "robust" or "range"; None leaves it to the
        method (standardised, or raw where it is made for that).
    judges : tuple of str
        Who judges the picks; the first one's word counts. What is picked does not depend on them.

    See Also
    --------
    Round : A protocol, a table and methods.

    Examples
    --------
    >>> from inffs.comparison import Protocol
    >>> Protocol(sizes=(10, 50), n_splits=5).test_size
    0.3
    """

    sizes: tuple[float, ...] = MICROARRAY_SIZES
    n_splits: int = 20
    test_size: float = 0.3
    Cs: tuple[float, ...] = (1e-3, 1e-2, 1e-1, 1.0, 1e1)
    folds: int = 5
    automatic: bool = True
    tuned: bool = False
    study: str = ""
    seed: int = 0
    cuts: tuple[str, ...] = ()
    test_folds: int = 0
    scale: str | None = None
    judges: tuple[str, ...] = ("linear",)

    @classmethod
    def of_details(cls, details: dict[str, Any]) -> Protocol:
        """The protocol again from its fields as JSON keeps them."""
        made: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in details.items()
        }
        return cls(**made)

    @property
    def setting(self) -> str:
        """The name under which results are kept: paper, tuned, or that of a study."""
        return self.study or ("tuned" if self.tuned else "paper")

    def identity(self) -> dict[str, Any]:
        """What a single trial depends on: all but the number of splits and the judges."""
        content = asdict(self)
        del content["n_splits"], content["judges"]
        for name in _LATER:  # so that results from before these fields keep their names
            if not content[name]:
                del content[name]
        return content

    def asked(self, n: int) -> dict[str, int | str]:
        """The sizes as they are named in the store, with the number of features each means."""
        named: dict[str, int | str] = {}
        for size in self.sizes:
            if isinstance(size, float):
                named[f"{100 * size:g}%"] = max(1, round(size * n))
            elif size < n:
                named[str(size)] = size
        if self.automatic:
            named["auto"] = "auto"
        return named


OFFICIAL = "official"  # the study on the published split of a data set


def split(protocol: Protocol, y: Any, number: int, groups: np.ndarray | None = None) -> Split:
    """Rows of the training and of the test part of a split; stratified, groups kept together."""
    strata = make_target(y).strata()
    if not protocol.test_folds:
        return holdout(strata, protocol.test_size, protocol.seed + number, groups)
    count = len(_folds(protocol, strata, 0, groups))
    again, place = divmod(number, count)
    folds = _folds(protocol, strata, again, groups)
    return folds[place % len(folds)]


def _folds(protocol: Protocol, y: np.ndarray, again: int, groups: np.ndarray | None) -> list[Split]:
    return make_folds(y, protocol.test_folds, groups=groups, seed=protocol.seed + again)


def evaluate(
    protocol: Protocol,
    part: Part,
    subsets: Sequence[np.ndarray],
    groups: np.ndarray | None = None,
    judge: str = "linear",
) -> list[dict[str, Any]]:
    """A judge's test measures for sets of columns; its setting chosen on the training part.

    ``groups`` are those of the training part.
    """
    strata = part.target.strata()[part.train]
    folds = make_folds(strata, protocol.folds, groups=groups, seed=protocol.seed)
    by = find_evaluator(judge, kind=part.target.type)
    given = by.linear and by.parameter == "C"  # the C that suits a linear model suits no kernel
    return assess(by, part, subsets, folds, protocol.Cs if given else None)
