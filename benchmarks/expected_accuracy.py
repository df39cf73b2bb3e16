"""Does the expected accuracy hold? One half of a table recommends, the other half evaluates.

    python benchmarks/expected_accuracy.py run FOLDER
    python benchmarks/expected_accuracy.py draw

``run``: FOLDER holds the tables of benchmarks/independent_tables.py, which had no part in the
choice of the interval, of the bias correction or of the rule that recommends. Each is cut in halves
six times, with all samples and at most 1,000 columns. On the first half four rankings are compared
at four sizes, by 5-fold cross-validation done twice (linear SVM, C = 0.1). The comparison's own
rules recommend one of them and state the accuracy to expect. The recommended method is fitted on
the first half and evaluated on the second. Writes docs/data/expected-accuracy-independent.csv line
by line (a run that was stopped goes on).

Written before the run, which was done once: at least 93 % of the halves are to lie inside the
interval, some misses on either side, and the mean of stated minus found within one point. Ten cuts
were planned; the run was ended after six by its time, before anybody looked at a result.

``draw`` draws docs/images/expected-accuracy-independent.png.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from benchmarks.independent_tables import independent_tables
from inffs import InfFSC, InfFSS
from inffs.comparison.standings import Standings
from inffs.cuts.stability import nogueira
from inffs.evaluation import Part, find_evaluator, make_folds
from inffs.methods import FisherScore, MutualInformation
from inffs.target import make_target

DOCS = Path(__file__).parents[1] / "docs"
PATH = DOCS / "data" / "expected-accuracy-independent.csv"
METHODS = {"inf-fs-c": InfFSC, "inf-fs-s": InfFSS, "fisher": FisherScore, "mi": MutualInformation}
SIZES, REPEATS = (5, 10, 20, 50), 2
CUTS, COLUMNS = 6, 1000


def halves(name: str, X: np.ndarray, y: np.ndarray, cut: int) -> tuple[np.ndarray, ...]:
    """Columns drawn from a table, and its rows in two halves: X and y of each."""
    rng = np.random.default_rng([11, cut, len(name)])
    chosen = np.sort(rng.choice(X.shape[1], min(COLUMNS, X.shape[1]), replace=False))
    rows = np.arange(len(y))
    first, second = train_test_split(rows, train_size=0.5, random_state=cut, stratify=y)
    return X[first][:, chosen], y[first], X[second][:, chosen], y[second]


def compare(X: np.ndarray, y: np.ndarray) -> Standings:
    """The scores of every sample for every method and size, as the comparison keeps them."""
    sizes = [size for size in SIZES if size < X.shape[1]]
    folds, target = make_folds(y, seed=0, repeats=REPEATS), make_target(y)
    evaluator = find_evaluator("linear")
    scores = np.zeros((len(y), len(METHODS), len(sizes)))
    selected: dict[tuple[str, int], list[np.ndarray]] = {}
    for train, test in folds:
        part = Part(X, target, train, test)
        for place, (name, method) in enumerate(METHODS.items()):
            order = method(n_features_to_select=None).fit(X[train], y[train]).order_
            subsets = [order[:size] for size in sizes]
            outputs = evaluator.outputs(part, subsets, (evaluator.usual,))
            for column, (size, found) in enumerate(zip(sizes, outputs, strict=True)):
                scores[test, place, column] += target.predict(found[0]) == y[test]
                selected.setdefault((name, size), []).append(subsets[column])
    lines = pd.DataFrame(
        [
            {"method": name, "asked": str(size), "n_features": size, "features": X.shape[1],
             "nogueira": nogueira(picked, X.shape[1]), "cpu_seconds": 0.1}
            for (name, size), picked in sorted(selected.items(), key=_place)
        ]
    )  # fmt: skip
    return Standings(lines, scores.reshape(len(y), -1) / REPEATS, len(folds), True, ())


def _place(item: tuple[tuple[str, int], Any]) -> tuple[int, int]:
    (name, size), _ = item
    return list(METHODS).index(name), size


def accuracy(columns: np.ndarray, X: np.ndarray, y: np.ndarray, *new: np.ndarray) -> float:
    """What these columns, with a model fitted on the first half, reach on new samples."""
    both, target = np.vstack([X, new[0]]), make_target(np.concatenate([y, new[1]]))
    part = Part(both, target, np.arange(len(y)), np.arange(len(y), len(both)))
    return float(find_evaluator("linear").scores(part, [columns])[0, 0])


def trial(name: str, X: np.ndarray, y: np.ndarray, cut: int) -> dict[str, Any]:
    X, y, *other = halves(name, X, y, cut)
    standings = compare(X, y)
    stated, low, high = standings.expected()
    line = standings.lines.iloc[standings.chosen]
    size = int(line["n_features"])
    columns = METHODS[line["method"]](n_features_to_select=size).fit(X, y).order_[:size]
    return {
        "table": f"{name}, cut {cut + 1}", "source": "real", "samples": len(y),
        "features": X.shape[1], "classes": np.unique(y).size, "method": line["method"],
        "size": size, "stated": stated, "low": low, "high": high,
        "uncorrected": standings.mean(standings.chosen), "found": accuracy(columns, X, y, *other),
        "truth": float("nan"),
    }  # fmt: skip


def trials(folder: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray, int]]:
    """Cut by cut over all tables, so that a run that is stopped has seen them all."""
    tables = list(independent_tables(folder))
    return ((name, *table, cut) for cut in range(CUTS) for name, table in tables)


def run(folder: Path, path: Path = PATH) -> None:
    done = set(pd.read_csv(path)["table"]) if path.exists() else set()
    for name, X, y, cut in trials(folder):
        if f"{name}, cut {cut + 1}" in done:
            continue
        line = trial(name, X, y, cut)
        new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(line), lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow({key: _short(value) for key, value in line.items()})
        print(line["table"], f"{line['stated']:.3f} found {line['found']:.3f}", flush=True)


def _short(value: Any) -> Any:
    return f"{value:.4g}" if isinstance(value, float) and value == value else value


def draw(path: Path = PATH) -> None:
    """What the other half found minus what was stated, a dot for every cut of a data set."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    table = pd.read_csv(path)
    table["off"] = 100 * (table["found"] - table["stated"])
    table["data set"] = table["table"].str.rpartition(", cut ")[0]
    names = table.groupby("data set")["off"].mean().sort_values().index
    at = table["data set"].map({name: place for place, name in enumerate(names)})
    held = table["found"].between(table["low"], table["high"])
    figure, ax = pyplot.subplots(figsize=(8, 9), layout="constrained")
    ax.axvline(0, color="#6b7280", linewidth=0.8)
    for inside, color, label in ((held, "#2a6fdb", "inside the interval"),
                                 (~held, "#c2410c", "outside")):  # fmt: skip
        ax.plot(table["off"][inside], at[inside], "o", color=color, markersize=4, alpha=0.8,
                label=label)  # fmt: skip
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set(xlabel="accuracy found minus stated (points)", ylim=(-1, len(names)))
    ax.legend(frameon=False, loc="lower right")
    ax.spines[["right", "top"]].set_visible(False)
    figure.savefig(DOCS / "images" / f"{path.stem}.png", dpi=110)


if __name__ == "__main__":
    job, *words = sys.argv[1:]
    run(Path(*words)) if job == "run" else draw()
