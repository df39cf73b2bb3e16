"""The axes of a target: what features have to explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inffs.target import CLASSIFICATION, Target


@dataclass(frozen=True)
class TargetAxes:
    """What is to be explained: orthonormal ``axes`` (T, d) and, per class, weights (d, classes).

    ``weights[:, k]`` are the axes' inner products with the unit vector of class (label) k.
    """

    axes: np.ndarray
    weights: np.ndarray


def class_axes(target: Target, sample_weight: np.ndarray | None = None) -> TargetAxes:
    """The axes of a target: of its classes, of its labels, or of its numbers.

    Classes count alike, however many samples they have: the indicator of a class is divided by the
    root of its size.
    """
    if target.type == CLASSIFICATION:
        members = target.values[:, None] == np.arange(target.n_classes)
        sizes = members.sum(axis=0) if sample_weight is None else sample_weight @ members
        columns = members / np.sqrt(np.where(sizes > 0, sizes, 1))
    else:
        columns = target.values.reshape(len(target), -1).astype(float)
        columns = np.ldexp(columns, -np.frexp(np.abs(columns).max(axis=0))[1])
        columns = columns - columns[0]  # exact where an offset is large beside the spread
        columns = columns / np.maximum(np.abs(columns).max(axis=0), np.finfo(float).tiny)
    if sample_weight is None:
        columns = columns - columns.mean(axis=0)
    else:
        columns = columns - np.average(columns, axis=0, weights=sample_weight)
        columns = columns * np.sqrt(sample_weight)[:, None]
    if target.type != CLASSIFICATION:
        norms = np.linalg.norm(columns, axis=0)
        columns = columns / np.where(norms > 1e-12, norms, np.inf)
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    axes = left[:, sizes > 1e-10]
    if axes.shape[1] == 0:
        raise ValueError("No column of y varies: there is nothing to explain.")
    return TargetAxes(axes, axes.T @ columns)
