"""A table with its target, as the comparison uses it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from inffs.target import CLASSIFICATION, Target, check_target, make_target


@dataclass(frozen=True)
class Dataset:
    """A table with its target.

    ``X`` may be sparse and may contain NaN, which is imputed inside each training part. ``y`` holds
    classes, an (n_samples, n_labels) matrix of 0 and 1, numbers or survival times. ``version`` is a
    fingerprint of the content.

    Parameters
    ----------
    name : str
        The name in tables and files.
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The features.
    y : ndarray
        The target.
    names : list of str
        The names of the features.
    status, challenge : str
        The origin of the data, and the group of the benchmark to which they belong.
    groups : ndarray of shape (n_samples,), optional
        Samples of one group stay together in every split.
    difficult : ndarray, optional
        The samples that the average precision of a label ignores.
    official_test : ndarray, optional
        A mask of the samples in a published test part.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" treats whole numbers, text and booleans as classes.
    """

    name: str
    X: Any
    y: np.ndarray
    names: list[str] = field(repr=False)
    status: str = "your own"
    groups: np.ndarray | None = None
    challenge: str = "own"
    difficult: np.ndarray | None = field(default=None, repr=False)
    official_test: np.ndarray | None = field(default=None, repr=False)
    target_type: str = "auto"

    def __iter__(self) -> Iterator[Any]:
        """``X, y, names = load("colon")``."""
        return iter((self.X, self.y, self.names))

    @property
    def target(self) -> str:
        """The target type, as in the ``_targets`` of a method."""
        return self.as_target().type

    def as_target(self) -> Target:
        """The target of all samples."""
        return make_target(self.y, self.target_type, ignored=self.difficult)

    @property
    def majority(self) -> float | None:
        """The accuracy of the majority-class baseline; None where y has no classes."""
        if self.target != CLASSIFICATION:
            return None
        return float(np.unique(self.y, return_counts=True)[1].max() / len(self.y))

    @cached_property
    def version(self) -> str:
        """Sixteen hexadecimal digits that change with any value of the arrays."""
        asked = None if self.target_type == "auto" else np.array(self.target_type)
        beside = [self.difficult, self.official_test, asked]
        X, digest = self.X, hashlib.sha256()
        parts = [X.data, X.indices, X.indptr] if sparse.issparse(X) else [X]
        parts += [self.y, self.groups, *(each for each in beside if each is not None)]
        for values in map(np.asarray, parts):
            plain = values.astype(str) if values.dtype == object else values
            digest.update(f"{plain.dtype} {plain.shape};".encode())
            digest.update(np.ascontiguousarray(plain).tobytes())
        return digest.hexdigest()[:16]


def own_dataset(
    X: Any,
    y: Any,
    name: str = "table",
    names: list[str] | None = None,
    groups: Any = None,
    target_type: str = "auto",
) -> Dataset:
    """Make a data set of a user's table; check that it can be split."""
    X = X.tocsr().astype(float) if sparse.issparse(X) else np.asarray(X, dtype=float)
    y = _checked(y, target_type)
    groups = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    names = names or [f"x{place}" for place in range(1, X.shape[1] + 1)]
    return Dataset(name, X, y, names, groups=groups, target_type=target_type)


def _checked(y: Any, target_type: str) -> np.ndarray:
    """Return the target as plain values; check that classes can be split."""
    target = check_target(make_target(y, target_type), "the comparison")
    if target.type != CLASSIFICATION:
        return target.values
    y = target.original()
    values, counts = np.unique(y, return_counts=True)
    if values.size > y.size / 3:
        raise ValueError(
            f"y has {values.size} different values for {y.size} samples, as a sample name "
            "has: choose another column as the label."
        )
    if counts.min() < 4:
        raise ValueError(
            f"The class '{values[counts.argmin()]}' has only {counts.min()} samples: splits "
            "need four of each class; merge or drop it."
        )
    return y
