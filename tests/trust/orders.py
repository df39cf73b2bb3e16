"""Prints the order that every method gives on a few tables, and which BLAS made it, as JSON.

    PYTHONPATH=src other/bin/python tests/trust/orders.py

Needs nothing but the core's dependencies, so that any interpreter can run it.
"""

import hashlib
import json
import sys
import warnings

import numpy as np
from threadpoolctl import threadpool_info

from inffs import catalogue

SHAPES = [(50, 40, 3), (40, 120, 2), (90, 25, 4)]


def table(T, n, classes):
    rng = np.random.default_rng(T)
    y = np.arange(T) % classes
    X = rng.normal(size=(T, n)) * rng.uniform(0.5, 2, n)
    X[:, : n // 4] += y[:, None]
    return X, y


def order(entry, X, y):
    selector = entry.estimator()
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return selector.fit(X, y).order_.tolist()


def orders():
    tables = [table(*shape) for shape in SHAPES]
    return {
        "tables": [hashlib.sha256(X.tobytes()).hexdigest() for X, _ in tables],
        "blas": sorted({f"{each['internal_api']} {each['version']}" for each in threadpool_info()}),
        "numpy": np.__version__,
        "orders": {
            entry.key: [order(entry, X, y) for X, y in tables] for entry in catalogue()
        },
    }  # fmt: skip


if __name__ == "__main__":
    json.dump(orders(), sys.stdout)
