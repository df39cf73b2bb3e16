"""Is the size that "auto" chooses better than that of the rule it replaced (inf-fs-c)?

    git archive ef0e71d --prefix=earlier/ | tar x        # the last tree with the earlier rule
    python benchmarks/earlier_size.py earlier PUBLIC INDEPENDENT [--minutes 30]
    python benchmarks/earlier_size.py summary

PUBLIC and INDEPENDENT hold the tables of benchmarks/public_tables.py and
benchmarks/independent_tables.py, none of which had a part in the choice of either rule. Three
splits of a table (70 % for training): the linear SVM with C = 0.1 on the features that the rule
keeps, and on the size that is best on the test parts (in hindsight). The earlier rule runs in a
process of its own, with the whole package as it was. Tables in turns of both collections, the
smallest first, until the minutes are over; a run goes on where the last one ended. Writes
docs/data/earlier-size.csv, a line for every table.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pandas as pd

from benchmarks.default_size import SIZES, SPLITS
from benchmarks.independent_tables import independent_tables
from benchmarks.public_tables import public_tables
from benchmarks.timing import read_rows, write_row
from inffs import InfFSC
from inffs.evaluation import Part, find_evaluator, holdout
from inffs.target import make_target

PATH = Path(__file__).parents[1] / "docs" / "data" / "earlier-size.csv"
EARLIER = """
import sys
import numpy as np
from inffs import InfFSC

for line in sys.stdin:
    table = np.load(line.strip())
    print(*np.flatnonzero(InfFSC().fit(table["X"], table["y"]).support_), flush=True)
"""
RULES = ("auto", "earlier")
Table = tuple[str, str, np.ndarray, np.ndarray]


class EarlierRule:
    """The package of another tree, which selects features in a process of its own."""

    def __init__(self, tree: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str((tree / "src").resolve())}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-c", EARLIER], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def select(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.npz"
            np.savez(path, X=X, y=y)
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            print(path, file=self._process.stdin, flush=True)
            return np.array(self._process.stdout.readline().split(), dtype=int)


def tables(public: Path, independent: Path) -> Iterator[Table]:
    """The smallest first, a table of either collection in turn."""
    both = (
        [("public", name, *table) for _, name, table in public_tables(public)],
        [("independent", name, *table) for name, table in independent_tables(independent)],
    )
    for pair in zip_longest(*(sorted(each, key=lambda table: table[2].size) for each in both)):
        yield from (table for table in pair if table is not None)


def compare(X: np.ndarray, y: np.ndarray, earlier: EarlierRule) -> dict[str, Any]:
    """Means over the splits, in percent; sizes are geometric means."""
    evaluator, n = find_evaluator("linear"), X.shape[1]
    sizes = sorted({size for size in SIZES if size <= n} | ({n} if n < 200 else set()))
    kept, found = [], []
    for seed in SPLITS:
        train, test = holdout(y, 0.3, seed)
        selector = InfFSC().fit(X[train], y[train])
        rules = [selector.order_[: selector.n_features_], earlier.select(X[train], y[train])]
        kept.append([each.size for each in rules])
        subsets = [*rules, *(selector.order_[:size] for size in sizes)]
        found.append(evaluator.scores(Part(X, make_target(y), train, test), subsets)[:, 0])
    means = 100 * np.mean(found, axis=0)
    geometric = np.exp(np.mean(np.log(kept), axis=0))
    return {
        **{f"{rule} size": f"{size:.4g}" for rule, size in zip(RULES, geometric, strict=True)},
        **{rule: f"{mean:.2f}" for rule, mean in zip(RULES, means, strict=False)},
        "best": f"{means[len(RULES) :].max():.2f}",
    }


def run(tree: Path, public: Path, independent: Path, minutes: float) -> None:
    end, earlier = time.monotonic() + 60 * minutes, EarlierRule(tree)
    done = {(row["collection"], row["table"]) for row in read_rows(PATH)}
    for collection, name, X, y in tables(public, independent):
        if time.monotonic() > end:
            break
        if (collection, name) not in done:
            row = {"collection": collection, "table": name, "samples": len(y),
                   "features": X.shape[1], "classes": np.unique(y).size,
                   **compare(X, y, earlier)}  # fmt: skip
            write_row(PATH, row)
            print(row, flush=True)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, size and the largest loss of either rule, by collection and of all."""
    groups = [*table.groupby("collection"), ("all", table)]
    lines = []
    for name, rows in groups:
        gain = rows["auto"] - rows["earlier"]
        lines.append(
            {"tables": name, "number": len(rows), "difference": gain.mean(),
             "error": gain.std() / len(rows) ** 0.5,
             **{rule: rows[rule].mean() for rule in RULES},
             **{f"{rule} size": np.exp(np.log(rows[f"{rule} size"]).mean()) for rule in RULES},
             **{f"{rule} worst": (rows["best"] - rows[rule]).max() for rule in RULES},
             **{f"{rule} lost": (rows["best"] - rows[rule]).mean() for rule in RULES}}
        )  # fmt: skip
    return pd.DataFrame(lines)


def main() -> None:
    if sys.argv[1:] == ["summary"]:
        print(summary(pd.read_csv(PATH)).round(2).T.to_string())
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tree", "public", "independent"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=30.0)
    given = parser.parse_args()
    run(given.tree, given.public, given.independent, given.minutes)


if __name__ == "__main__":
    main()
