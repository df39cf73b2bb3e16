"""Tables and results of the published supervised programs, run under GNU Octave."""

import functools
import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent.parent / "golden"


@functools.cache
def _read(file):
    return json.loads((FOLDER / file).read_text())


def table(name):
    """a_plain (40 x 25), a (column 20 constant, 12 equal to 0) or b (60 x 30 integers)."""
    entry = _read("supervised_tables.json")[name]
    return np.array(entry["X"], dtype=float), np.array(entry["y"])


def cases(method):
    """The recorded runs of one method, a dict each."""
    return _read("embedded_methods.json")[method]
