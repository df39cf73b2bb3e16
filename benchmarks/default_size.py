"""How accurate and how steady is the size that "auto" chooses (inf-fs-c)?

    python benchmarks/default_size.py FOLDER
    python benchmarks/default_size.py --draw

FOLDER holds the public tables of benchmarks/public_tables.py. Accuracy: three splits of a table (70
% for training), the linear SVM with C = 0.1 on the features that ``auto`` keeps, on the first 50
and 200, and on the size that is best on the test parts (in hindsight). Steadiness, on tables of at
most 800,000 values: the sizes of the whole table under ten seeds of the folds, and under eight
rescalings (0.001 to 1,000 times, twice with a factor per column). Writes docs/data/default-size.csv
line by line (a run that was stopped goes on) and docs/images/default-size.png; ``--draw`` draws
only.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pandas as pd

from benchmarks.public_tables import public_tables
from benchmarks.timing import read_rows, write_row
from inffs import InfFSC
from inffs.cuts import Predict
from inffs.evaluation import Part, find_evaluator, holdout
from inffs.target import make_target

DOCS = Path(__file__).parents[1] / "docs"
SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
SPLITS, SEEDS, SMALL = (101, 102, 103), 10, 800_000
FACTORS = (0.001, 0.05, 1.1, 1.3, 40.0, 1000.0, None, None)  # None: one per column


def accuracies(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Means over the splits, in percent; sizes are geometric means."""
    evaluator, kept, found, claimed = find_evaluator("linear"), [], [], 0
    n = X.shape[1]
    sizes = sorted({size for size in SIZES if size <= n} | ({n} if n < 200 else set()))
    for seed in SPLITS:
        train, test = holdout(y, 0.3, seed)
        selector = InfFSC().fit(X[train], y[train])
        claimed += not selector.cut_.forced
        kept.append(selector.n_features_)
        subsets = [selector.order_[:size] for size in (*sizes, kept[-1])]
        found.append(evaluator.scores(Part(X, make_target(y), train, test), subsets)[:, 0])
    means = 100 * np.mean(found, axis=0)
    best = int(np.argmax(means[:-1]))
    fixed = {f"at {size}": means[sizes.index(min(size, n))] for size in (50, 200)}
    return {
        "size": np.exp(np.mean(np.log(kept))), "accuracy": means[-1], **fixed,
        "best size": sizes[best], "best": means[best], "claimed": f"{claimed} of {len(SPLITS)}",
    }  # fmt: skip


def steadiness(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """The least and the largest size over the seeds, and over the rescalings."""
    if X.size > SMALL:
        return dict.fromkeys(("least", "largest", "rescaled least", "rescaled largest"), "")
    rng = np.random.default_rng(0)
    scales = [10.0 ** rng.uniform(-3, 3, X.shape[1]) if f is None else f for f in FACTORS]
    seeds = [
        InfFSC(n_features_to_select=Predict(random_state=seed)).fit(X, y).n_features_
        for seed in range(SEEDS)
    ]
    scaled = [InfFSC().fit(X * scale, y).n_features_ for scale in scales]
    return {"least": min(seeds), "largest": max(seeds), "rescaled least": min(scaled),
            "rescaled largest": max(scaled)}  # fmt: skip


def run(folder: Path, path: Path) -> None:
    done = {row["table"] for row in read_rows(path)}
    tables = sorted(public_tables(folder), key=lambda table: table[2][0].size)
    for source, name, (X, y) in tables:  # the smallest first
        if name in done:
            continue
        found = {**accuracies(X, y), **steadiness(X, y)}
        short = {key: f"{v:.4g}" if isinstance(v, float) else v for key, v in found.items()}
        shape = {"samples": len(y), "features": X.shape[1], "classes": np.unique(y).size}
        write_row(path, {"table": name, "source": source, **shape, **short})
        print(name, short, flush=True)


def draw(path: Path, out: Path) -> None:
    """Accuracy against the best size in hindsight, and the sizes under ten seeds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    table = pd.read_csv(path)
    figure, axes = pyplot.subplots(1, 2, figsize=(10, 8), layout="constrained")
    for column, label in (("accuracy", "auto"), ("at 50", "always 50"), ("at 200", "always 200")):
        lost = table[column] - table["best"]
        axes[0].plot(lost, np.arange(len(table)), "o", markersize=5, alpha=0.7, label=label)
    axes[0].set_yticks(range(len(table)), [
        f"{row.table} ({row.samples} x {row.features:,})" for row in table.itertuples()
    ], fontsize=7)  # fmt: skip
    axes[0].set(xlabel="accuracy minus that of the best size in hindsight (points)")
    axes[0].legend(frameon=False)
    steady = table.dropna(subset=["least"]).reset_index(drop=True)
    at = np.arange(len(steady))
    axes[1].hlines(at, steady["least"], steady["largest"], color="#2a6fdb", linewidth=3)
    axes[1].plot(steady["least"], at, "|", steady["largest"], at, "|", color="#1f2937")
    axes[1].set_yticks(at, steady["table"], fontsize=7)
    axes[1].set(xscale="log", xlabel="size that auto keeps, least and largest of ten seeds")
    for ax in axes:
        ax.spines[["right", "top"]].set_visible(False)
    figure.savefig(out, dpi=110)


def main(words: list[str]) -> None:
    data = DOCS / "data" / "default-size.csv"
    if "--draw" not in words:
        run(Path(words[0]), data)
    draw(data, DOCS / "images" / "default-size.png")


if __name__ == "__main__":
    main(sys.argv[1:])
