"""Fits on precomputed kernels: libsvm for classes and labels, ridge regression for numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from inffs.evaluation.parts import Part
from inffs.target import MULTILABEL

_MOST_STEPS = 1_000_000  # of libsvm, which may not end on hard problems


def kernel_ridge(
    train: np.ndarray, test: np.ndarray, part: Part, settings: Sequence[float]
) -> np.ndarray:
    """1/2 |f|^2 + C sum (y - f)^2, the whole path from one spectrum."""
    Y = part.target.columns(part.train)
    means = Y.mean(axis=0)
    values, vectors = linalg.eigh(train)
    right, left = vectors.T @ (Y - means), test @ vectors
    shrunk = [right / (np.maximum(values, 0) + 0.5 / C)[:, None] for C in settings]
    return np.stack([left @ each + means for each in shrunk])


def libsvm(
    train: np.ndarray, test: np.ndarray, part: Part, settings: Sequence[float]
) -> np.ndarray:
    """Outputs of libsvm on precomputed kernels; classes without a training sample come last."""
    target, codes = part.target, part.target.values[part.train]
    if target.type == MULTILABEL:
        each = [_libsvm_classes(train, test, column, 2, settings) for column in codes.T]
        return np.concatenate(each, axis=2)
    return _libsvm_classes(train, test, codes, target.n_classes, settings)


def _libsvm_classes(
    train: np.ndarray,
    test: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    settings: Sequence[float],
) -> np.ndarray:
    present = np.unique(codes)
    found = np.array(list(_libsvm_path(train, test, codes, present, settings)))
    if n_classes == 2:
        return found[:, :, :1] if present.size == 2 else found[:, :, :1] * (2 * present[0] - 1)
    full = np.full((*found.shape[:2], n_classes), found.min() - 1)
    full[:, :, present] = np.concatenate([-found, found], axis=2) if present.size == 2 else found
    return full


def _libsvm_path(
    train: np.ndarray,
    test: np.ndarray,
    codes: np.ndarray,
    present: np.ndarray,
    settings: Sequence[float],
) -> Iterator[np.ndarray]:
    for C in settings:
        if present.size == 1:
            yield np.ones((test.shape[0], 1))
            continue
        model = SVC(C=C, kernel="precomputed", max_iter=_MOST_STEPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            values = model.fit(train, codes).decision_function(test)
        yield values[:, None] if values.ndim == 1 else values
