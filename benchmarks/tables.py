"""Reading, writing and reporting a 200 x 20,000 CSV against what anybody would use.

    python benchmarks/tables.py [--rounds N]

Reading: ``inffs.io`` (to a matrix with label) against polars, to its frame and to a matrix.
Reading and writing: ``inffs.io`` (read to a matrix with label, written back with it) against
pandas and pyarrow alone doing the same file to a frame or a table and back. The report: everything
``inffs select`` does after the ranking (reasons, ranking.csv, page with the cross-validated check)
against a 5-fold cross-validated linear SVM (scikit-learn's LinearSVC on standardised columns) on
the same table. Candidates run in turns, medians.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
import pandas as pd
from pyarrow import csv as arrow_csv
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.timing import interleave, print_table
from inffs import rank
from inffs.io import read_table, write_table
from inffs.report._outputs import write_outputs
from inffs.report._report import Study

SAMPLES, FEATURES = 200, 20_000


def make_table(path: Path) -> None:
    """Two classes, 100 columns shifted, the rest noise; six decimals, as exported tables have."""
    rng = np.random.default_rng(0)
    codes = np.arange(SAMPLES) % 2
    X = rng.normal(size=(SAMPLES, FEATURES))
    X[:, :100] += 0.8 * codes[:, None]
    frame = pd.DataFrame(X.round(6), columns=[f"gene{j}" for j in range(FEATURES)])
    frame = pd.concat([frame, pd.Series(np.where(codes, "ill", "well"), name="status")], axis=1)
    frame.to_csv(path, index=False)


def reads(path: Path) -> dict[str, Any]:
    import polars as pl

    def ours() -> None:
        read_table(path, label="status")

    def to_a_frame() -> None:
        pl.read_csv(path)

    def to_a_matrix() -> None:
        pl.read_csv(path).drop("status").to_numpy()

    return {
        "inffs.io": ours,
        "polars, to a frame": to_a_frame,
        "polars, to a matrix": to_a_matrix,
    }


def round_trips(path: Path) -> dict[str, Any]:
    beside = path.with_name("again.csv")

    def ours() -> None:
        write_table(read_table(path, label="status"), beside, force=True)

    def pandas_alone() -> None:
        pd.read_csv(path).to_csv(beside, index=False)

    def pyarrow_alone() -> None:
        arrow_csv.write_csv(arrow_csv.read_csv(path), beside)

    def pyarrow_at_once() -> None:
        whole = arrow_csv.ReadOptions(block_size=path.stat().st_size + 1)
        arrow_csv.write_csv(arrow_csv.read_csv(path, read_options=whole), beside)

    return {
        "inffs.io": ours,
        "pandas": pandas_alone,
        "pyarrow": pyarrow_alone,
        "pyarrow, the file as one block": pyarrow_at_once,
    }


def reports(path: Path) -> dict[str, Any]:
    table = read_table(path, label="status")
    selector = rank(table.X, table.y, method="inf-fs-s")
    svm = make_pipeline(StandardScaler(), LinearSVC())

    def ours() -> None:
        write_outputs(
            Study(selector, table.X, table.y, table.names), table, path.with_name("out"), force=True
        )

    def baseline() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cross_val_score(svm, table.X, table.y, cv=5)

    return {"report and all files": ours, "5-fold linear SVM": baseline}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        make_table(path)
        for title, candidates in (
            (f"Read a {SAMPLES} x {FEATURES:,} CSV", reads(path)),
            (f"Read and write a {SAMPLES} x {FEATURES:,} CSV", round_trips(path)),
            ("The report", reports(path)),
        ):
            times = interleave(candidates, rounds)
            ours = next(iter(times.values())).seconds
            rows = [
                [name, f"{timing.seconds:.2f}", f"{ours / timing.seconds:.2f}"]
                for name, timing in times.items()
            ]
            print_table(title, ["", "seconds", "ours / this"], rows)


if __name__ == "__main__":
    main()
