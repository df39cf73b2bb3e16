"""How good are filters in front of a model that accepts a limited number of columns?

    python benchmarks/preselector.py [DATA SET ...]

Tabular foundation models accept a few hundred to two thousand columns. Their weights cannot be
downloaded everywhere, so gradient boosting and logistic regression stand in for them here. Each
filter keeps 500 columns of the training part; five stratified splits of 70 / 30.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inffs import InfFSC, rank
from reproduction import datasets

SETS = ("colon", "leukemia", "lung", "lymphoma", "prostate", "office-caffenet", "gina", "madelon")
KEPT, SPLITS = 500, 5


def orders(X: np.ndarray, y: np.ndarray, kept: int) -> dict[str, np.ndarray]:
    """The columns that each filter keeps."""
    return {
        "inf-fs-c": InfFSC(n_features_to_select=kept).fit(X, y).order_[:kept],
        "mutual information": rank(X, y, method="mi", n_features_to_select=kept).order_[:kept],
        "variance": np.argsort(-X.var(axis=0), kind="stable")[:kept],
        "all columns": np.arange(X.shape[1]),
    }


def models() -> dict[str, object]:
    return {
        "gradient boosting": HistGradientBoostingClassifier(random_state=0),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
    }


def measure(name: str) -> pd.DataFrame:
    """Accuracy by filter, model and split."""
    data = datasets.load(name)
    kept, rows = min(KEPT, data.X.shape[1] // 2), []
    splits = StratifiedShuffleSplit(SPLITS, test_size=0.3, random_state=0)
    for split, (train, test) in enumerate(splits.split(data.X, data.y)):
        imputer = SimpleImputer(strategy="median").fit(data.X[train])
        X, fresh = imputer.transform(data.X[train]), imputer.transform(data.X[test])
        for filtered, columns in orders(X, data.y[train], kept).items():
            for model, estimator in models().items():
                estimator.fit(X[:, columns], data.y[train])
                right = estimator.score(fresh[:, columns], data.y[test])
                rows.append((name, kept, split, filtered, model, right))
    return pd.DataFrame(rows, columns=["set", "kept", "split", "filter", "model", "accuracy"])


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    parts = []
    for name in names or SETS:
        parts.append(measure(name))
        table = parts[-1].pivot_table(index="model", columns="filter", values="accuracy")
        print(name, int(parts[-1]["kept"].iloc[0]), (100 * table).round(1).to_string(), flush=True)
    every = pd.concat(parts)
    means = every.pivot_table(index="model", columns="filter", values="accuracy")
    print("mean over the data sets\n", (100 * means).round(1).to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
