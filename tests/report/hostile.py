"""A labelled table whose names and labels are markup."""

import numpy as np
import pandas as pd

HOSTILE = [
    "<script>window.hurt = 1</script>",
    "</script><script>window.hurt = 2</script>",
    "<img src=x onerror='window.hurt = 3'>",
    '" onmouseover="window.hurt = 4',
    "javascript:window.hurt=5//",
    "<!--<script>",
]


def hostile_table():
    """60 x 40, three classes with names that are markup; x1 repeats x0."""
    rng = np.random.default_rng(5)
    codes = np.arange(60) % 3
    X = rng.normal(size=(60, 40))
    X[:, :8] += codes[:, None] * np.linspace(2, 0.5, 8)
    X[:, 7] = X[:, 6] + 0.05 * rng.normal(size=60)
    names = [*HOSTILE, *(f"x{place}" for place in range(6, 40))]
    labels = np.array(["<b>low</b>", "mid & more", "</title>high"], dtype=object)[codes]
    return pd.DataFrame(X, columns=names), labels
