"""Advice about a table depends on what is done to it."""

import numpy as np

from inffs import InfFSU
from inffs.guards import look_at


def test_scaled_columns_get_no_advice_about_units():
    X = np.random.default_rng(0).normal(size=(40, 6)) * [1, 1, 1, 1, 1, 1e6]
    assert any("--scale" in said for said in look_at(X, selector=InfFSU()))
    assert not any("--scale" in said for said in look_at(X, selector=InfFSU(), scaled=True))
