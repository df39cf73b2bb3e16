"""Compare all methods on one table, and recommend one of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs.comparison.dataset import Dataset
from inffs.comparison.methods import cheap_first, find_methods
from inffs.comparison.process import Limits
from inffs.comparison.protocol import Protocol
from inffs.comparison.recommendation import Recommendation
from inffs.comparison.runner import Round, run
from inffs.comparison.standings import recommend
from inffs.comparison.store import Store
from inffs.evaluation import find_evaluator
from inffs.target import CLASSIFICATION, check_target, make_target

SIZES = (5, 10, 20, 50, 100, 200)
TEST_FOLDS = 5  # ten splits test every sample twice


def compare(
    X: Any,
    y: Any,
    out: str | Path,
    *,
    name: str = "table",
    names: list[str] | None = None,
    groups: Any = None,
    target_type: str = "auto",
    methods: Iterable[str] | None = None,
    sizes: tuple[float, ...] | None = None,
    splits: int = 10,
    tuned: bool = False,
    evaluators: tuple[str, ...] | None = None,
    scale: str | None = None,
    limits: Limits | None = None,
    n_jobs: int = 1,
    budget: float | None = None,
    retry: bool = False,
    seed: int = 0,
) -> Recommendation:
    """Compare all methods on a table and recommend one of them.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The features. Missing values are imputed inside each training part.
    y : array of shape (n_samples,)
        Class labels, numbers (evaluated by R2) or survival times (by the concordance index).
    out : path
        The folder of the results; a second call resumes.
    name, names : str and list of str
        The name of the table, and those of its columns.
    groups : array of shape (n_samples,), optional
        Samples of one group (a patient) stay on one side of every split.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" treats whole numbers, text and booleans as classes.
    methods : iterable of str, optional
        ``KEY`` or ``KEY[param=value]``; default: all methods and the baselines.
    sizes : tuple, optional
        Numbers of features, or shares of them below 1.
    splits : int, default=10
        The number of splits.
    tuned : bool, default=False
        Choose the parameters on the training parts. By default every method has its own default
        parameters, because choosing them gains at most half a point.
    evaluators : tuple of str, optional
        Models that evaluate the selected features; the first one decides. Default: a linear
        SVM for classes, ridge regression for numbers, a ridge Cox model for survival times.
    scale : {"none", "standard", "robust", "range"}, optional
        One scale for all columns, learned from each training part. By default the columns are
        standardised, except for methods that need raw columns.
    limits, n_jobs, budget, retry
        The limits of a trial; the number of trials at a time (-1: one per core); the seconds after
        which the run ends (cheap methods run first); whether what was skipped or failed before
        runs again.
    seed : int, default=0
        The seed of the splits.

    Returns
    -------
    Recommendation

    See Also
    --------
    inffs.comparison.write_run_report : Writes a page about it.

    Examples
    --------
    >>> from inffs.comparison import compare
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> answer = compare(X, y, "out", methods=["fisher"], sizes=(2,), splits=2)
    >>> answer.size
    2
    """
    dataset = own_dataset(X, y, name, names, groups, target_type)
    target = dataset.target
    evaluators = evaluators or (find_evaluator(kind=target).name,)
    for evaluator in evaluators:
        find_evaluator(evaluator, kind=target)
    protocol = Protocol(
        sizes=sizes or default_sizes(dataset.X.shape[1]),
        n_splits=splits,
        tuned=tuned,
        seed=seed,
        evaluators=evaluators,
        test_folds=TEST_FOLDS,
        scale=scale,
    )
    chosen = cheap_first(find_methods(methods, tuned), dataset.X.shape[1])
    store, only = Store(out), Round(dataset, protocol, tuple(chosen))
    run([only], store, limits, n_jobs=n_jobs, budget=budget, retry=retry)
    plan = only.plan
    return recommend(store.of_plan(plan, evaluators[0]), plan.dataset, plan.setting, plan=plan)


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
    target = make_target(y, target_type)
    if target.type != CLASSIFICATION:
        return check_target(target, "the comparison").values
    y = target.original()
    values, counts = np.unique(y, return_counts=True)
    if values.size < 2:
        raise ValueError(f"The label has only one class ('{values[0]}'): two are needed.")
    if values.size > y.size / 3:
        raise ValueError(
            f"The label has {values.size} different values for {y.size} samples, as a sample name "
            "has: choose another column as the label."
        )
    if counts.min() < 4:
        raise ValueError(
            f"The class '{values[counts.argmin()]}' has only {counts.min()} samples: splits "
            "need four of each class; merge or drop it."
        )
    return y


def default_sizes(n: int) -> tuple[int, ...]:
    """Return a few sizes for n features."""
    return tuple(size for size in SIZES if size < n) or tuple(range(1, n))
