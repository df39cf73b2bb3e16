"""Results that nobody measured, as a store keeps them."""

import itertools

import numpy as np

from inffs.comparison.store import SCHEMA, Store

SIZES = ("10", "50", "100", "150", "200")


def result(dataset, method, split, asked, accuracy, **more):
    size = {"auto": 30, "all": 500}.get(asked) or int(asked)
    row = dict.fromkeys(SCHEMA.names)
    return {
        **row, "trial": f"{dataset}{method}{split}", "dataset": dataset, "method": method,
        "challenge": "microarray", "status_of_data": "original", "samples": 60, "features": 500,
        "kind": "filter", "supervised": method not in ("inf-fs-u", "variance", "laplacian", "mcfs"),
        "setting": "paper", "split": split, "asked": asked, "n_features": size,
        "fit_seconds": 0.01, "tune_seconds": 0.0, "peak_mib": 1.0, "trial_seconds": 0.1,
        "accuracy": accuracy, "balanced_accuracy": accuracy, "status": "done", "reason": "",
        "selected": list(range(size)) if asked != "all" else [], **more,
    }  # fmt: skip


def results(levels, datasets=("colon",), sizes=("10", "50", "100", "150", "200"), **more):
    """Every method at its level, the same small noise for all methods of a split."""
    noise = np.random.default_rng(0).normal(scale=0.004, size=6)
    return [
        result(name, method, split, asked, level + noise[split], **more)
        for name in datasets
        for method, level in levels.items()
        for split in range(6)
        for asked in sizes
    ]


def stored(folder, rows):
    store = Store(folder)
    store.append(rows)
    return store.frame()


LEVELS = {"inf-fs-u": 0.80, "inf-fs-s": 0.90, "fisher": 0.85, "mi": 0.84, "laplacian": 0.70,
          "mcfs": 0.72, "variance": 0.75}  # fmt: skip


def own(levels, splits=10, sizes=("10", "50"), samples=60, seed=0, **more):
    """A table of one's own: every sample is as hard for all, and tested once in five splits."""
    rng = np.random.default_rng(seed)
    hard, rows = rng.permutation(samples) / samples, []
    for (method, level), split, asked in itertools.product(levels.items(), range(splits), sizes):
        asked = "all" if method == "all" else asked
        tested = np.flatnonzero((np.arange(samples) + split // 5) % 5 == split % 5)
        right = (hard[tested] < level).astype(float)
        kind = "baseline" if method in ("all", "random") else "filter"
        rows.append(result("mine", method, split, asked, right.mean(), samples=samples, kind=kind,
                           challenge="own", tested=tested.tolist(), sample_scores=right.tolist(),
                           **more))  # fmt: skip
    return rows
