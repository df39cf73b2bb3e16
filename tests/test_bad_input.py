"""One clear sentence for every kind of bad input, whatever the method."""

import numpy as np
import pandas as pd
import pytest

from inffs import InfFSU, catalogue, rank
from inffs.methods import find_entry

SUPERVISED = [entry.key for entry in catalogue() if entry.supervised]
EVERY = [entry.key for entry in catalogue()]
every_method = pytest.mark.parametrize("key", EVERY)
supervised = pytest.mark.parametrize("key", SUPERVISED)


@every_method
@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_missing_value_is_named(key, value, name, labelled):
    X, y = labelled
    X[3, 2] = value
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(12)])
    with pytest.raises(ValueError, match=rf"{name} in column 'g2' \(position 2\), row 3"):
        rank(frame, y, method=key)


@pytest.mark.parametrize("key", [key for key in EVERY if key != "cfs"])
def test_value_too_large_to_be_squared_is_named(key, labelled):
    X, y = labelled
    X[3, 2] = 1e160
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(12)])
    with pytest.raises(ValueError, match=r"1e\+160 in column 'g2' \(position 2\), row 3"):
        rank(frame, y, method=key)


@every_method
def test_text_column_is_named(key, labelled):
    X, y = labelled
    frame = pd.DataFrame(X).add_prefix("g")
    frame["g4"] = "high"
    with pytest.raises(ValueError, match=r"Column 'g4' .* is not numeric"):
        rank(frame, y, method=key)


@every_method
def test_size_above_the_table(key, labelled):
    X, y = labelled
    with pytest.raises(ValueError, match="n_features_to_select=13, but X has only 12 features"):
        rank(X, y, method=key, n_features_to_select=13)


@every_method
@pytest.mark.parametrize("size", [0, -2, 1.5, 0.0])
def test_size_out_of_range(key, size, labelled):
    X, y = labelled
    with pytest.raises(ValueError, match="n_features_to_select"):
        rank(X, y, method=key, n_features_to_select=size)


@every_method
def test_all_columns_constant(key, labelled):
    _, y = labelled
    with pytest.raises(ValueError, match="All 3 columns of X are constant"):
        rank(np.ones((40, 3)), y, method=key)


@every_method
def test_one_sample_and_no_sample(key):
    with pytest.raises(ValueError, match=r"1 sample"):
        rank(np.ones((1, 3)), [0], method=key)
    with pytest.raises(ValueError, match=r"0 sample"):
        rank(np.ones((0, 3)), [], method=key)


@supervised
def test_no_labels(key, labelled):
    with pytest.raises(ValueError, match="is supervised: it requires y"):
        rank(labelled[0], method=key)


@supervised
def test_one_class(key, labelled):
    with pytest.raises(ValueError, match="only one class"):
        rank(labelled[0], np.ones(40), method=key)


@supervised
def test_continuous_labels(key, labelled, rng):
    if "regression" in find_entry(key).estimator._targets:
        assert rank(labelled[0], rng.normal(size=40), method=key).n_features_ >= 1
        return
    with pytest.raises(ValueError, match=r"y is continuous.*unsupervised"):
        rank(labelled[0], rng.normal(size=40), method=key)


@supervised
def test_labels_of_the_wrong_length(key, labelled):
    X, y = labelled
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        rank(X, y[:-1], method=key)


@pytest.mark.parametrize(
    ("odd", "sentence"),
    [
        ([{"a": 1}, 2, 3, 4], r"y in row 0 is of type dict; labels are numbers, text"),
        ([1, 2, "3", 4], r"y mixes int and str; make all of its labels text"),
        (np.zeros((4, 1, 1)), r"y has the shape \(4, 1, 1\); one label per sample is needed"),
    ],
)
def test_labels_that_are_none(odd, sentence, labelled):
    y = odd if isinstance(odd, np.ndarray) else np.array(odd, dtype=object)
    with pytest.raises(ValueError, match=f"Unknown label type: {sentence}"):
        rank(labelled[0][:4], y, method="fisher")


def test_unknown_method_lists_the_near_ones(labelled):
    with pytest.raises(ValueError, match=r"no method 'fischer'. Did you mean fisher"):
        rank(*labelled, method="fischer")


def test_unknown_cut_lists_the_near_ones(labelled):
    with pytest.raises(ValueError, match="Did you mean histogram"):
        rank(*labelled, method="fisher", n_features_to_select="histgram")


@pytest.mark.parametrize("library", ["pandas", "pandas-arrow", "polars", "pyarrow", "numpy"])
def test_dates_are_named_in_every_frame(library):
    """As numbers of nanoseconds they would be a feature without meaning."""
    frame = pd.DataFrame({"a": np.arange(9.0), "b": np.arange(9.0) ** 2})
    frame["seen"] = pd.date_range("2020-01-01", periods=9)
    X, name = frame, "'seen'"
    if library == "pandas-arrow":
        X = frame.convert_dtypes(dtype_backend="pyarrow")
        X["seen"] = X["seen"].astype("timestamp[ns][pyarrow]")
    elif library == "polars":
        X = pytest.importorskip("polars").DataFrame(frame.to_dict("list"))
    elif library == "pyarrow":
        X = pytest.importorskip("pyarrow").table(frame.to_dict("list"))
    elif library == "numpy":
        X, name = frame[["seen", "seen"]].to_numpy(), "0"
    with pytest.raises(ValueError, match=rf"Column {name} .*dates or times"):
        InfFSU().fit(X)


def test_a_column_of_date_objects_is_named():
    frame = pd.DataFrame({"a": np.arange(9.0), "seen": pd.date_range("2020-01-01", periods=9).date})
    with pytest.raises(TypeError, match=r"Column 'seen' .*not numeric"):
        InfFSU().fit(frame)


def test_a_query_without_values_is_refused():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match=r"LazyFrame.*collect"):
        InfFSU().fit(polars.LazyFrame({"a": [1.0, 2, 4], "b": [2.0, 1, 1]}))
