"""Predictions of pipelines exported to ONNX equal those of scikit-learn."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import inffs.onnx
from inffs import BestOf, Consensus, InfFSC, InfFSS, InfFSU, StabilitySelection, catalogue, rank

skl2onnx = pytest.importorskip("skl2onnx")
runtime = pytest.importorskip("onnxruntime")

X, y = load_breast_cancer(return_X_y=True)
X = X.astype(np.float32)
SELECTORS = [
    InfFSU(n_features_to_select=4), InfFSS(n_features_to_select=4), InfFSC(n_features_to_select=4),
    Consensus(["fisher", "mi"], n_features_to_select=4),
    BestOf(["fisher", "mi"], n_features_to_select=4),
    StabilitySelection(InfFSS(n_features_to_select=4)),
]  # fmt: skip


def run(model, table):
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {session.get_inputs()[0].name: table})


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda each: type(each).__name__)
def test_predictions_of_a_pipeline_are_equal(selector):
    inffs.onnx.register()
    pipeline = make_pipeline(StandardScaler(), selector, LogisticRegression(max_iter=500)).fit(X, y)
    labels, probabilities = run(skl2onnx.to_onnx(pipeline, X[:1], options={"zipmap": False}), X)
    np.testing.assert_array_equal(labels, pipeline.predict(X))
    np.testing.assert_allclose(probabilities, pipeline.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("key", [entry.key for entry in catalogue()])
def test_every_method_selects_the_same_columns(key):
    inffs.onnx.register()
    table, labels = X[::8], y[::8]
    selector = rank(table, labels, method=key, n_features_to_select=3)
    selected = run(skl2onnx.to_onnx(selector, table[:1]), table)[0]
    np.testing.assert_array_equal(selected, selector.transform(table))
