"""The adapter for TabArena against a stub with the published interface of its base class."""

import importlib
import sys
import types

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("pandas")
HOME = "tabarena.benchmark.feature_selection_methods.abstract.abstract_feature_selector"


class AbstractFeatureSelector:
    """What the benchmark calls: scores first, then as many columns as it allows."""

    def __init__(self, max_features):
        self.max_features = max_features

    def fit_transform(self, X, y, time_limit=None):
        scores = self._fit_feature_scoring(X=X, y=y, time_limit=time_limit)
        self.selected = sorted(scores, key=scores.get, reverse=True)[: self.max_features]
        return X[self.selected]


@pytest.fixture
def selectors(monkeypatch):
    parts = HOME.split(".")
    for end in range(1, len(parts) + 1):
        monkeypatch.setitem(sys.modules, ".".join(parts[:end]), types.ModuleType(parts[end - 1]))
    monkeypatch.setattr(
        sys.modules[HOME], "AbstractFeatureSelector", AbstractFeatureSelector, raising=False
    )
    monkeypatch.delitem(sys.modules, "benchmarks.tabarena", raising=False)
    yield importlib.import_module("benchmarks.tabarena").SELECTORS
    sys.modules.pop("benchmarks.tabarena", None)


@pytest.mark.parametrize("name", ["ConditionalPathsFeatureSelector", "InfiniteFeatureSelector"])
@pytest.mark.parametrize("numeric", [True, False], ids=["regression", "classification"])
def test_the_associated_columns_are_selected(name, numeric, selectors):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 30)), columns=[f"c{i}" for i in range(30)])
    signal = X["c3"] + X["c8"]
    y = signal if numeric else pd.Series(np.where(signal > 0, "high", "low"))
    X["group"] = pd.Categorical(np.where(signal > 0, "a", "b"))
    X.loc[0, "c8"] = np.nan
    selector = selectors[name](max_features=3)
    assert set(selector.fit_transform(X, y, time_limit=60)) == {"c3", "c8", "group"}
