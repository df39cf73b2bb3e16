"""What the paper states: its Table 3, the data sets of its figures, two readings of its weights.

The weights are chosen by cross-validation, as it says, or equal.
"""

from __future__ import annotations

import pandas as pd

MICROARRAY = ("colon", "leukemia", "lung", "lymphoma", "prostate")
NIPS = ("dexter", "gisette", "gina", "madelon")

_COLUMNS = ("lasso-unhinged", "lasso-hinge", "inf-fs-u", "inf-fs-s")

# subset size, its accuracy, best fixed size, its accuracy: for each method of _COLUMNS
_ROWS: dict[str, tuple[tuple[float, float, float, float], ...]] = {
    "dexter": (
        (10, 80.3, 50, 82.9), (2343, 79.9, 10, 81.1),
        (466, 83.8, 200, 84.8), (339, 92.8, 150, 92.9),
    ),
    "gisette": (
        (2126, 95.3, 200, 90.3), (2482, 85.9, 200, 83.5),
        (707, 87.7, 200, 90.2), (638, 94.1, 200, 93.3),
    ),
    "gina": (
        (478, 83.8, 200, 84.1), (485, 80.4, 200, 84.2),
        (152, 76.2, 200, 79.6), (127, 83.4, 200, 85.6),
    ),
    "madelon": (
        (233, 55.9, 150, 56.9), (396, 54.3, 150, 53.9),
        (48, 58.7, 10, 61.0), (32, 57.1, 200, 60.0),
    ),
    "colon": (
        (22, 66.7, 50, 85.5), (1131, 84.4, 200, 80.0),
        (326, 91.1, 150, 92.7), (174, 91.1, 100, 92.7),
    ),
    "leukemia": (
        (18, 79.5, 200, 97.1), (1810, 93.8, 150, 93.3),
        (618, 94.7, 10, 94.7), (242, 95.2, 10, 94.8),
    ),
    "prostate": (
        (43, 87.0, 100, 95.3), (3168, 90.7, 150, 93.7),
        (1014, 93.0, 100, 93.3), (563, 94.7, 150, 96.6),
    ),
    "lymphoma": (
        (13, 56.7, 150, 91.6), (2105, 86.7, 150, 75.8),
        (674, 93.3, 150, 93.3), (395, 95.8, 200, 98.3),
    ),
    "lung": (
        (49, 89.8, 50, 96.6), (5297, 96.2, 150, 97.6),
        (400, 99.9, 200, 99.8), (361, 99.9, 200, 99.8),
    ),
    "voc2007": (
        (float("nan"),) * 4, (float("nan"),) * 4,
        (1883, 83.6, 1024, 83.1), (696, 83.5, 819, 83.8),
    ),
    "caltech101": (
        (float("nan"),) * 4, (float("nan"),) * 4,
        (2250, 92.0, 1024, 92.1), (942, 91.8, 1024, 91.9),
    ),
}  # fmt: skip

TABLE_3: dict[tuple[str, str], tuple[float, float, float, float]] = {
    (dataset, method): values
    for dataset, row in _ROWS.items()
    for method, values in zip(_COLUMNS, row, strict=True)
}

CHOSEN, EQUAL = "chosen weights", "equal weights"
_INSTEAD = {
    "inf-fs-u (alpha 0.5)": "inf-fs-u",
    "inf-fs-s (equal weights)": "inf-fs-s",
}


def as_read(table: pd.DataFrame, reading: str) -> pd.DataFrame:
    """The table with one form of each Inf-FS under its plain name; without the other form.

    A data set on which the asked form has no results has none of either.
    """
    if reading == CHOSEN:
        return table[~table["method"].isin(_INSTEAD)]
    others = table[~table["method"].isin(_INSTEAD.values())]
    return others.assign(method=others["method"].replace(_INSTEAD))


def has_equal_weights(table: pd.DataFrame) -> bool:
    """Whether both forms have run with equal weights."""
    return set(_INSTEAD) <= set(table["method"])
