"""Pictures: axes in, axes out, and what is drawn is what was computed."""

import io

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot

from inffs import plot, rank


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def test_scores(labelled):
    X, y = labelled
    selector = rank(X, y, method="fisher", n_features_to_select=4)
    own = pyplot.subplots()[1]
    ax = plot.scores(selector, ax=own)
    assert ax is own
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), np.sort(selector.scores_)[::-1])
    assert ax.lines[1].get_xdata()[0] == 4
    assert "4 of 12" in ax.get_legend().get_texts()[0].get_text()
    assert plot.scores(selector) is not own


def test_redundancy(labelled):
    X, y = labelled
    frame = pd.DataFrame(X, columns=[f"price $ {place} $" for place in range(12)])
    selector = rank(frame, y, method="fisher", n_features_to_select=5)
    ax = plot.redundancy(selector, frame)
    drawn = ax.images[0].get_array()
    assert drawn.shape == (5, 5)
    kept = frame.columns[selector.support_]
    texts = [label.get_text().replace(r"\$", "$") for label in ax.get_yticklabels()]
    assert set(texts) == set(kept)
    expected = frame[texts].corr("spearman").abs()
    np.testing.assert_allclose(drawn, expected, atol=1e-12)
    ax.figure.savefig(io.BytesIO(), format="png")
