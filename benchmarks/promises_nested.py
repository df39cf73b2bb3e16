"""Would nested splits promise better than the bootstrap? The tables of benchmarks/promises.py.

On the first half the whole arena is run again inside each of five outer folds: it recommends on
four fifths, and its recommendation is judged on the last. What all outer samples say is the nested
estimate, with the same kind of interval. Tables whose classes are too small for that are left out.
Writes docs/data/promises-nested.csv line by line (a run that was stopped goes on): five times the
fits of the arena.
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pandas as pd

from benchmarks.promises import CASES, DOCS, PROTOCOL, Case, ask
from inffs.comparison.protocol import evaluate
from inffs.comparison.trial import pick, prepare
from inffs.evaluation import Part, make_folds
from inffs.evaluation.estimates import interval_of_repeat
from inffs.target import make_target

OUTER = 5
FIELDS = ("table", "nested", "low", "high", "seconds")


def right(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Which test samples the arena's recommendation from the training part predicts rightly."""
    answer = ask(X[train], y[train])
    columns = pick(X[train], y[train], answer.method,
                   "auto" if answer.asked == "auto" else answer.size)  # fmt: skip
    part = Part(prepare(X, train), make_target(y), train, test)
    return np.asarray(evaluate(PROTOCOL, part, [columns])[0]["sample_scores"])


def try_case(case: Case) -> dict[str, Any]:
    began = time.process_time()
    X, y, *_ = case.halves()
    each = np.concatenate([right(X, y, *fold) for fold in make_folds(y, OUTER)])
    low, high = interval_of_repeat(float(each.mean()), each)
    spent = time.process_time() - began
    values = (float(each.mean()), low, high, spent)
    return dict(zip(FIELDS, [case.name, *(f"{value:.4g}" for value in values)], strict=True))


def run(path: Path) -> None:
    done = set(pd.read_csv(path)["table"]) if path.exists() else set()
    spent = pd.read_csv(path.with_name("promises.csv")).set_index("table")["seconds"]
    for case in sorted(CASES, key=lambda case: spent[case.name]):
        if case.name in done:
            continue
        try:
            line = try_case(case)
        except ValueError as error:  # too few samples of a class for splits inside splits
            print(case.name, error, flush=True)
            continue
        new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(line)
        print(line, flush=True)


if __name__ == "__main__":
    run(DOCS / "data" / "promises-nested.csv")
