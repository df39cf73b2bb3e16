"""Tables and results of the published unsupervised programs, run under GNU Octave."""

import functools
import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent.parent / "golden"
TABLES = ["a0", "a", "b", "d"]


@functools.cache
def _read(file):
    return json.loads((FOLDER / file).read_text())


def table(name):
    """The table a0 (40 x 23), a (a0, a constant and a duplicate column), b (integers) or d."""
    return np.array(_read("unsupervised_tables.json")[name]["X"], dtype=float)


def golden(name, key, file="neighbour_methods.json"):
    return np.array(_read(file)[name][key])


def without_constant(name, values):
    """Drop the constant column 5 of table a from a vector over the features."""
    return np.delete(values, 5, axis=0) if name == "a" else values
