"""How a trial is made: splits, sizes, the evaluators and their measures.

Everything is fitted on the training part only. The defaults are those of the paper.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from inffs.evaluation import Part, assess, find_evaluator, holdout, make_folds
from inffs.evaluation.folds import Split
from inffs.target import make_target

OFFICIAL = "official"  # the study on the published split of a data set
_OMITTED_IF_EMPTY = ("test_folds", "scale")  # in hashes; results without them stay valid


@dataclass(frozen=True)
class Protocol:
    """How a table is split, which sizes are compared, and how selections are evaluated.

    Parameters
    ----------
    sizes : tuple of int or float
        Numbers of features; a float is a share of all features.
    n_splits : int
        The number of splits into a training and a test part.
    test_size : float
        The share of the samples in the test part.
    Cs : tuple of float
        The values among which the C of a linear SVM is chosen.
    folds : int
        The folds of cross-validations on the training part; 1 means one validation part of a
        quarter.
    automatic : bool
        Evaluate also the number of features that the method chooses.
    tuned : bool
        Whether methods choose their parameters by cross-validation.
    study : str
        The name under which results are kept, instead of "paper" or "tuned".
    seed : int
        The seed of the splits and folds.
    test_folds : int
        Above 0, the splits are the folds of repeated cross-validation with this many folds, so
        every sample is tested equally often, and ``test_size`` is ignored.
    scale : str, optional
        The scale of all columns: "none", "standard", "robust" or "range". None: standardised,
        except for methods that need raw columns.
    evaluators : tuple of str
        The models that evaluate the selected features. The features do not depend on them.
    """

    sizes: tuple[float, ...] = (10, 50, 100, 150, 200)
    n_splits: int = 20
    test_size: float = 0.3
    Cs: tuple[float, ...] = (1e-3, 1e-2, 1e-1, 1.0, 1e1)
    folds: int = 5
    automatic: bool = True
    tuned: bool = False
    study: str = ""
    seed: int = 0
    test_folds: int = 0
    scale: str | None = None
    evaluators: tuple[str, ...] = ("linear",)

    @classmethod
    def of_details(cls, details: dict[str, Any]) -> Protocol:
        """Make the protocol from its fields as JSON; other fields are ignored."""
        known = {each.name: details[each.name] for each in fields(cls) if each.name in details}
        lists = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
        return cls(**{**known, **lists})

    @property
    def setting(self) -> str:
        """The name under which results are kept: paper, tuned, or that of a study."""
        return self.study or ("tuned" if self.tuned else "paper")

    def identity(self) -> dict[str, Any]:
        """Return what a single trial depends on: all but the number of splits and evaluators."""
        content = asdict(self)
        del content["n_splits"], content["evaluators"]
        for name in _OMITTED_IF_EMPTY:
            if not content[name]:
                del content[name]
        return content

    @property
    def key(self) -> str:
        """A hash of everything that a single trial takes from its protocol."""
        return digest(self.identity())[:16]

    def asked(self, n: int) -> dict[str, int | str]:
        """Return the sizes by their names in the store, with the numbers of features."""
        named: dict[str, int | str] = {}
        for size in self.sizes:
            if isinstance(size, float):
                named[f"{100 * size:g}%"] = max(1, round(size * n))
            elif size < n:
                named[str(size)] = size
        if self.automatic:
            named["auto"] = "auto"
        return named


def digest(content: Any) -> str:
    """Hash what can be written as JSON."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def split(protocol: Protocol, y: Any, number: int, groups: np.ndarray | None = None) -> Split:
    """Return the training and test rows of a split; stratified, with groups kept together."""
    strata = make_target(y).strata()
    if not protocol.test_folds:
        return holdout(strata, protocol.test_size, protocol.seed + number, groups)

    def folds(again: int) -> list[Split]:
        return make_folds(strata, protocol.test_folds, groups=groups, seed=protocol.seed + again)

    again, place = divmod(number, len(folds(0)))
    found = folds(again)
    return found[place % len(found)]


def evaluate(
    protocol: Protocol,
    part: Part,
    subsets: Sequence[np.ndarray],
    groups: np.ndarray | None = None,
    evaluator: str = "linear",
) -> list[dict[str, Any]]:
    """Measure sets of columns on the test part; the model's setting is chosen on the training part.

    ``groups`` are those of the training part.
    """
    strata = part.target.strata()[part.train]
    folds = make_folds(strata, protocol.folds, groups=groups, seed=protocol.seed)
    model = find_evaluator(evaluator, kind=part.target.type)
    given = model.linear and model.parameter == "C"  # a C for linear models suits no kernel
    return assess(model, part, subsets, folds, protocol.Cs if given else None)
