"""Does the expected accuracy hold? One half of a table recommends, the other half evaluates.

Real tables (INFFS_DATA) are cut in halves, several times and with several draws of columns; made
ones are drawn twice from one source. The recommended method and size are fitted on the first half
as the comparison prints them and evaluated on the second. Writes docs/data/promises.csv line by
line (a run that was stopped goes on) and docs/images/promises.png; ``--draw`` draws only.

The rule that recommends was chosen on 70 other tables (40 made ones, and madelon, gina, colon,
lymphoma, office-googlenet, wine, digits). That half of the bias correction is paid, and the
beta-binomial interval, were chosen by what 28 further tables showed. The tables made 25 and later
were drawn after that.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from inffs.comparison.methods import find_methods
from inffs.comparison.own_table import TEST_FOLDS, own_dataset
from inffs.comparison.protocol import Protocol, evaluate
from inffs.comparison.recommendation import Recommendation
from inffs.comparison.runner import Round
from inffs.comparison.standings import recommend
from inffs.comparison.store import SCHEMA
from inffs.comparison.trial import pick, prepare, run_trial
from inffs.evaluation import Part
from inffs.target import make_target
from reproduction.datasets import load

DOCS = Path(__file__).parents[1] / "docs"
METHODS = ("all", "random", "variance", "fisher", "mi", "relieff", "mrmr", "laplacian",
           "inf-fs-u", "inf-fs-s")  # fmt: skip
PROTOCOL = Protocol(sizes=(5, 10, 20, 50), n_splits=10, test_folds=TEST_FOLDS)
FIELDS = ("table", "source", "samples", "features", "classes", "method", "size", "tried", "stated",
          "low", "high", "uncorrected", "found", "truth", "said of random", "seconds")  # fmt: skip
FRESH = 3000  # samples of a made table that tell the truth
Halves = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A table: its name, where it comes from, and how its halves are made."""

    name: str
    source: str
    halves: Callable[[], Halves]
    fresh: Callable[[], tuple[np.ndarray, np.ndarray]] | None = None


def real(name: str, samples: int, columns: int, cut: int) -> Case:
    """Rows and columns drawn from a real table, cut in halves."""

    def halves() -> Halves:
        X, y = _table(name)
        rng = np.random.default_rng([cut, len(name)])
        chosen = np.sort(rng.choice(X.shape[1], min(columns, X.shape[1]), replace=False))
        rows = np.arange(len(y))
        if 2 * samples < 0.9 * rows.size:
            rows, _ = train_test_split(rows, train_size=2 * samples, random_state=cut, stratify=y)
        first, second = train_test_split(rows, train_size=0.5, random_state=cut, stratify=y[rows])
        X = X[:, chosen]
        return X[first], y[first], X[second], y[second]

    return Case(f"{name}, cut {cut + 1}", "real", halves)


def _table(name: str) -> tuple[np.ndarray, np.ndarray]:
    if name == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return X, y
    dataset = load("caltech101" if name == "six of caltech101" else name)
    X = dataset.X.toarray() if hasattr(dataset.X, "toarray") else dataset.X
    X, y = np.asarray(X), np.unique(dataset.y, return_inverse=True)[1]
    if name == "six of caltech101":
        few = np.argsort(-np.bincount(y), kind="stable")[2:8]
        X, y = X[np.isin(y, few)], y[np.isin(y, few)]
    return X.astype(float), y


def made(number: int, samples: int, features: int, planted: int, shift: float, classes: int = 2,
         shared: float = 0.0) -> Case:  # fmt: skip
    """Normal columns; the planted ones differ between the classes. None planted: a null table."""

    def draw(count: int, part: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng([7, number, part])
        y = np.arange(count) % classes
        X = np.sqrt(1 - shared) * rng.normal(size=(count, features))
        X += np.sqrt(shared) * rng.normal(size=(count, 1))
        centres = np.random.default_rng([7, number]).normal(size=(classes, features))
        X[:, :planted] += shift * centres[y, :planted]
        return X, y

    title = f"made {number}: {planted} of {features}" if planted else f"null {number}"
    return Case(title, "made" if planted else "noise",
                lambda: (*draw(samples, 0), *draw(samples, 1)), lambda: draw(FRESH, 2))  # fmt: skip


CASES = (
    *(real("leukemia", 36, 600, cut) for cut in range(5)),
    *(real("prostate", 51, 600, cut) for cut in range(5)),
    *(real("lung", 90, 300, cut) for cut in range(4)),
    *(real("dexter", 100, 600, cut) for cut in range(4)),
    *(real("gisette", 60, 500, cut) for cut in range(6)),
    *(real("office-caffenet", 78, 300, cut) for cut in range(3)),
    *(real("six of caltech101", 60, 300, cut) for cut in range(4)),
    *(real("breast cancer", 80, 30, cut) for cut in range(5)),
    made(1, 40, 100, 0, 0.0), made(2, 60, 300, 0, 0.0), made(3, 100, 30, 0, 0.0),
    made(4, 80, 200, 0, 0.0, classes=3),
    made(5, 40, 200, 10, 0.8), made(6, 60, 100, 5, 0.6), made(7, 100, 300, 20, 0.4),
    made(8, 100, 50, 3, 0.5, shared=0.5), made(9, 60, 400, 10, 1.0, classes=3),
    made(10, 50, 300, 40, 0.5, shared=0.3), made(11, 120, 60, 6, 0.3),
    made(12, 80, 150, 15, 0.6, classes=4), made(13, 40, 40, 8, 0.7, shared=0.2),
    made(14, 60, 60, 0, 0.0, shared=0.4), made(15, 120, 100, 0, 0.0), made(16, 50, 500, 0, 0.0),
    made(17, 60, 200, 8, 0.5), made(18, 80, 80, 4, 0.5), made(19, 50, 400, 30, 0.4),
    made(20, 100, 100, 5, 0.4, classes=3), made(21, 60, 30, 3, 0.7, shared=0.3),
    made(22, 120, 300, 10, 0.35), made(23, 70, 150, 10, 0.4, classes=2, shared=0.5),
    made(24, 90, 200, 6, 0.8, classes=4),
    made(25, 40, 200, 12, 1.3), made(26, 40, 100, 6, 1.0), made(27, 36, 400, 20, 0.9),
    made(28, 50, 150, 10, 1.2), made(29, 60, 300, 8, 0.9), made(30, 80, 60, 8, 1.0),
    made(31, 40, 80, 8, 0.6), made(32, 36, 200, 15, 0.7, shared=0.4), made(33, 70, 200, 6, 0.8),
    made(34, 40, 120, 10, 1.1, classes=3), made(35, 50, 50, 5, 0.6), made(36, 40, 150, 0, 0.0),
    made(37, 60, 60, 0, 0.0, classes=3),
)  # fmt: skip


def ask(X: np.ndarray, y: np.ndarray) -> Recommendation:
    """The recommendation, its trials run in this process."""
    methods = tuple(find_methods(METHODS))
    only = Round(own_dataset(X, y), PROTOCOL, methods)
    rows = [row for trial in only.trials() for row in run_trial(only.dataset, trial)]
    frame = pd.DataFrame(rows).reindex(columns=SCHEMA.names)
    return recommend(frame, only.plan.dataset, only.plan.setting, plan=only.plan)


def accuracy(answer: Recommendation, X: np.ndarray, y: np.ndarray, *new: np.ndarray) -> float:
    """What the recommendation, fitted on the first half, reaches on new samples."""
    columns = pick(X, y, answer.method, "auto" if answer.asked == "auto" else answer.size)
    both, labels = np.vstack([X, new[0]]), np.concatenate([y, new[1]])
    train, test = np.arange(len(y)), np.arange(len(y), len(labels))
    part = Part(prepare(both, train), make_target(labels), train, test)
    return float(evaluate(PROTOCOL, part, [columns])[0]["accuracy"])


def try_case(case: Case) -> dict[str, Any]:
    began = time.process_time()
    X, y, *other = case.halves()
    answer = ask(X, y)
    truth = accuracy(answer, X, y, *case.fresh()) if case.fresh else float("nan")
    said = " ".join(answer.cautions)
    return {
        "table": case.name, "source": case.source, "samples": len(y), "features": X.shape[1],
        "classes": np.unique(y).size, "method": answer.method, "size": answer.size,
        "tried": answer.tried, "stated": answer.expected, "low": answer.low, "high": answer.high,
        "uncorrected": answer.apparent, "found": accuracy(answer, X, y, *other), "truth": truth,
        "said of random": "not shown" if "Not shown" in said else
        "as good" if "random" in said else "beaten",
        "seconds": time.process_time() - began,
    }  # fmt: skip


def run(path: Path) -> None:
    done = set(pd.read_csv(path)["table"]) if path.exists() else set()
    for case in CASES:
        if case.name in done:
            continue
        line = try_case(case)
        new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow({key: _short(value) for key, value in line.items()})
        print(case.name, f"{line['stated']:.3f} found {line['found']:.3f}", flush=True)


def _short(value: Any) -> Any:
    return f"{value:.4g}" if isinstance(value, float) and value == value else value


def draw(path: Path, out: Path) -> None:
    """Every table's interval with what was stated in it, and what the other half found."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    table = pd.read_csv(path).sort_values("stated", ignore_index=True)
    at, percent = np.arange(len(table)), 100 * table[["stated", "low", "high", "found"]]
    missed = (table["found"] < table["low"]) | (table["found"] > table["high"])
    figure, ax = pyplot.subplots(figsize=(8, 9), layout="constrained")
    ax.hlines(at, percent["low"], percent["high"], color="#b8c0cc", linewidth=4)
    ax.plot(percent["stated"], at, "|", color="#1f2937", markersize=9, label="stated")
    ax.plot(percent["found"], at, "o", color="#2a6fdb", markersize=4, label="found, inside")
    ax.plot(percent["found"][missed], at[missed], "o", color="#c2410c", markersize=6,
            label="found, outside")  # fmt: skip
    ax.set(yticks=at, xlabel="accuracy in percent", ylim=(-1, len(table)))
    ax.set_yticklabels(table["table"], fontsize=7)
    ax.legend(frameon=False, loc="lower right")
    ax.spines[["right", "top"]].set_visible(False)
    figure.savefig(out, dpi=110)


def main(words: list[str]) -> None:
    data = DOCS / "data" / "promises.csv"
    if "--draw" not in words:
        run(data)
    draw(data, DOCS / "images" / "promises.png")


if __name__ == "__main__":
    main(sys.argv[1:])
