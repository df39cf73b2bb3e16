"""Which tolerance chooses the best sizes, and how good was an earlier rule (inf-fs-c)?

    git archive ef0e71d --prefix=earlier/ | tar x        # the last tree with the earlier rule
    python benchmarks/size_rules.py run earlier FOLDER [--minutes 30]
    python benchmarks/size_rules.py summary

FOLDER holds the clones of benchmarks/public_tables.py and benchmarks/independent_tables.py. One
split of every table of at most 700,000 values (70 % for training), the smallest first, a table of
either collection in turn. The earlier rule runs in a process of its own, with the whole package as
it was. All other rules read the same scores of the same folds: tolerances of half a point, one and
two points, and ``auto`` (half a standard error of as many samples as there are, and at least half a
point). The linear SVM with C = 0.1 is measured on the size of every rule, and on the size that is
best on the test part (in hindsight). Writes docs/data/size-rules.csv; a run goes on where the last
one ended. benchmarks/fresh_tables.py repeats this on tables that had no part in any choice.
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

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pandas as pd

from benchmarks.default_size import SIZES
from benchmarks.independent_tables import independent_tables
from benchmarks.public_tables import public_tables
from benchmarks.timing import read_rows, write_row
from inffs import InfFSC
from inffs.cuts import SizeSelection
from inffs.cuts.cut import share_error, smallest_near_best
from inffs.evaluation import Part, find_evaluator, holdout
from inffs.target import make_target

PATH = Path(__file__).parents[1] / "docs" / "data" / "size-rules.csv"
RULES = ("earlier", "half a point", "one point", "two points", "auto")
SPLIT, LARGEST = 101, 700_000
EARLIER = """
import sys
import numpy as np
from inffs import InfFSC

for line in sys.stdin:
    table = np.load(line.strip())
    print(*np.flatnonzero(InfFSC().fit(table["X"], table["y"]).support_), flush=True)
"""


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


def tables(public: Path, independent: Path) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """The smallest first, a table of either collection in turn."""
    both = (
        [("public", name, *table) for _, name, table in public_tables(public)],
        [("independent", name, *table) for name, table in independent_tables(independent)],
    )
    for pair in zip_longest(*(sorted(each, key=lambda table: table[2].size) for each in both)):
        yield from (table for table in pair if table is not None)


def tolerances(found: SizeSelection) -> list[float]:
    """Those of the rules but the earlier one."""
    error = float(share_error(found.smoothed.max(), found.n_units))
    return [0.005, 0.01, 0.02, max(0.005, 0.5 * error)]


def sizes_of(found: SizeSelection) -> list[int]:
    if not found.claimed:
        return [1] * 4
    known = found.sizes, found.scores
    return [smallest_near_best(*known, each, found.test_share) for each in tolerances(found)]


def compare(
    X: np.ndarray, y: np.ndarray, earlier: EarlierRule, split: int = SPLIT
) -> dict[str, str]:
    """The size and the accuracy of every rule, in percent."""
    train, test = holdout(y, 0.3, split)
    selector = InfFSC().fit(X[train], y[train])
    order, found = selector.order_, selector.size_selection_
    picked = [earlier.select(X[train], y[train]), *(order[:size] for size in sizes_of(found))]
    fixed = {size for size in (*SIZES, *found.sizes) if size <= X.shape[1]}
    subsets = [*picked, *(order[:size] for size in sorted(fixed))]
    scores = find_evaluator("linear").scores(Part(X, make_target(y), train, test), subsets)[:, 0]
    return {
        "claimed": str(int(found.claimed)),
        **{f"{rule} size": str(each.size) for rule, each in zip(RULES, picked, strict=True)},
        **{rule: f"{100 * each:.2f}" for rule, each in zip(RULES, scores, strict=False)},
        "best": f"{100 * scores[len(RULES) :].max():.2f}",
    }


def run(tree: Path, folder: Path, minutes: float) -> None:
    end, earlier = time.monotonic() + 60 * minutes, EarlierRule(tree)
    done = {(row["collection"], row["table"]) for row in read_rows(PATH)}
    small = [table for table in tables(folder, folder) if table[2].size <= LARGEST]
    for collection, name, X, y in sorted(small, key=lambda table: table[2].size):
        if time.monotonic() > end:
            break
        if (collection, name) not in done:
            write_row(PATH, {"collection": collection, "table": name, "samples": len(y),
                             "features": X.shape[1], **compare(X, y, earlier)})  # fmt: skip


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, its difference to the earlier rule, size and largest loss, by collection."""
    lines = []
    for name, rows in [*table.groupby("collection"), ("all", table)]:
        for rule in RULES:
            gain = rows[rule] - rows["earlier"]
            lines.append({
                "tables": name, "number": len(rows), "rule": rule, "accuracy": rows[rule].mean(),
                "difference": gain.mean(), "error": gain.std() / len(rows) ** 0.5,
                "size": np.exp(np.log(rows[f"{rule} size"]).mean()),
                "worst": (rows["best"] - rows[rule]).max(),
            })  # fmt: skip
    return pd.DataFrame(lines)


def main() -> None:
    if sys.argv[1:] == ["summary"]:
        print(summary(pd.read_csv(PATH)).round(2).to_string(index=False))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["run"])
    parser.add_argument("tree", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=30.0)
    given = parser.parse_args()
    run(given.tree, given.folder, given.minutes)


if __name__ == "__main__":
    main()
