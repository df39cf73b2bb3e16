"""How a trial is made: splits, sizes, the classifier and its measures. The paper's numbers.

Everything here is fitted on the training part only.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, average_precision_score, balanced_accuracy_score
from sklearn.model_selection import (
    GroupShuffleSplit,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

MICROARRAY_SIZES = (10, 50, 100, 150, 200)
CNN_SIZES = (0.05, 0.10, 0.15, 0.20, 0.25)
CARDINALITY = tuple(step / 20 for step in range(1, 21))
FINE_CARDINALITY = tuple(step / 200 for step in range(50, 91))


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

    @property
    def setting(self) -> str:
        """The name under which results are kept: paper, tuned, or that of a study."""
        return self.study or ("tuned" if self.tuned else "paper")

    def identity(self) -> dict[str, Any]:
        """What a single trial depends on: everything but the number of splits."""
        content = asdict(self)
        del content["n_splits"]
        if not self.cuts:
            del content["cuts"]
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


def split(
    protocol: Protocol, y: np.ndarray, number: int, groups: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the training and of the test part of a split; stratified, groups kept together."""
    rows, seed = np.arange(len(y)), protocol.seed + number
    if groups is not None:
        return _split_groups(protocol, y, seed, groups)
    train, test = train_test_split(
        rows,
        test_size=protocol.test_size,
        random_state=seed,
        stratify=y if y.ndim == 1 else None,
    )
    return np.sort(train), np.sort(test)


def _split_groups(
    protocol: Protocol, y: np.ndarray, seed: int, groups: np.ndarray, draws: int = 50
) -> tuple[np.ndarray, np.ndarray]:
    """Of many draws of whole groups the one whose test part has the most even class shares."""
    splitter = GroupShuffleSplit(n_splits=draws, test_size=protocol.test_size, random_state=seed)
    codes = np.unique(y, return_inverse=True)[1] if y.ndim == 1 else np.zeros(len(y), dtype=int)
    whole = np.bincount(codes)

    def unevenness(parts: tuple[np.ndarray, np.ndarray]) -> float:
        shares = np.bincount(codes[parts[1]], minlength=whole.size) / whole
        return float(np.abs(shares - protocol.test_size).max())

    train, test = min(splitter.split(codes, codes, groups), key=unevenness)
    return train, test


def inner_folds(
    protocol: Protocol, y: np.ndarray, groups: np.ndarray | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Folds of a training part, stratified as far as the classes allow."""
    rows = np.arange(len(y))
    if protocol.folds == 1:
        yield split(Protocol(test_size=0.25, seed=protocol.seed), y, 0, groups)
        return
    smallest = np.unique(y, return_counts=True)[1].min() if y.ndim == 1 else 0
    folds = min(protocol.folds, len(y))
    if groups is not None:
        folds = min(folds, np.unique(groups).size)
        splitter: Any = StratifiedGroupKFold(folds, shuffle=True, random_state=protocol.seed)
        y = y if y.ndim == 1 else np.zeros(len(y), dtype=int)
    elif smallest >= 2:
        folds = min(folds, int(smallest))
        splitter = StratifiedKFold(folds, shuffle=True, random_state=protocol.seed)
    else:
        splitter = KFold(folds, shuffle=True, random_state=protocol.seed)
    for train, test in splitter.split(rows, y, groups):
        if y.ndim == 2 or np.unique(y[train]).size > 1:
            yield train, test


def standardise(train: Any, test: Any) -> tuple[Any, Any]:
    """Both parts with the mean and deviation of the first; sparse tables keep their zeros."""
    scaler = StandardScaler(with_mean=not sparse.issparse(train))
    return scaler.fit_transform(train), scaler.transform(test)


def fit_svm(X: Any, y: np.ndarray, C: float) -> Any:
    """A linear SVM; one against the rest for several classes or labels."""
    svm = LinearSVC(C=C, dual="auto", random_state=0, max_iter=2000)
    model = OneVsRestClassifier(svm) if y.ndim == 2 else svm
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="Label .* is present in all")
        return model.fit(X, y)


def mean_average_precision(y: np.ndarray, margins: np.ndarray) -> float:
    """Mean over the labels that occur of the average precision, one against the rest."""
    present = y.any(axis=0)
    return float(average_precision_score(y[:, present], margins[:, present], average="macro"))


def quality(model: Any, X: Any, y: np.ndarray) -> float:
    """What C and the parameters are chosen by: accuracy, or mean average precision."""
    if y.ndim == 2:
        return mean_average_precision(y, model.decision_function(X))
    return float(np.mean(model.predict(X) == y))


def choose_C(protocol: Protocol, X: Any, y: np.ndarray, groups: np.ndarray | None = None) -> float:
    """The C with the best cross-validated quality; the smallest among equals."""
    if len(protocol.Cs) == 1:
        return protocol.Cs[0]
    total = np.zeros(len(protocol.Cs))
    for train, held in inner_folds(protocol, y, groups):
        X_train, X_held = standardise(X[train], X[held])
        for place, C in enumerate(protocol.Cs):
            total[place] += quality(fit_svm(X_train, y[train], C), X_held, y[held])
    return protocol.Cs[int(np.argmax(total))]


def evaluate(
    protocol: Protocol,
    train: tuple[Any, np.ndarray],
    test: tuple[Any, np.ndarray],
    groups: np.ndarray | None = None,
) -> dict[str, float]:
    """The linear SVM's test measures on the columns given; C chosen on the training part."""
    (X, y), (X_test, y_test) = train, test
    C = choose_C(protocol, X, y, groups)
    X, X_test = standardise(X, X_test)
    model = fit_svm(X, y, C)
    if y.ndim == 2:
        precision = mean_average_precision(y_test, model.decision_function(X_test))
        accuracy = float(np.mean(model.predict(X_test) == y_test))
        return {"C": C, "accuracy": accuracy, "mean_average_precision": precision}
    predicted = model.predict(X_test)
    return {
        "C": C,
        "accuracy": float(accuracy_score(y_test, predicted)),
        "balanced_accuracy": float(balanced_accuracy_score(y_test, predicted)),
    }
