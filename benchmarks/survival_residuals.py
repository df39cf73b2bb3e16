"""Would conditional paths on martingale residuals rank better for survival times than inf-fs-s?

    python benchmarks/survival_residuals.py run FOLDER FILE.csv
    python benchmarks/survival_residuals.py summary FILE.csv

FOLDER holds clones of sebp/scikit-survival, CamDavidsonPilon/lifelines and of R packages with
survival times of wide tables. The residuals are those of the Cox model without features
(Nelson-Aalen); ``inf-fs-c`` follows them as a numeric target. Ten splits of a table, 70 % for
training with equal shares of events; the concordance of a Cox ridge (C = 0.1) on the test part at
5, 10 and 20 features, as far as that is fewer than the table has. The rule, written before the run:
all tables of these repositories with 50 to 2,500 samples, 20 events and seven numeric columns,
two-valued text as a column of 0 and 1, other text left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

from benchmarks.independent_tables import expression, r_data
from benchmarks.timing import read_rows, write_row
from inffs import InfFSC, InfFSS
from inffs.evaluation import Part, find_evaluator
from inffs.measures.survival import martingale_residuals
from inffs.methods import FisherScore
from inffs.target import make_target

Table = tuple[Any, Any, Any]  # features, times, events
SIZES, SPLITS = (5, 10, 20), 10


def arff(part: str, time: str, event: str, occurred: str, *dropped: str) -> Callable[[Path], Table]:
    def read(folder: Path) -> Table:
        lines = (folder / "scikit-survival/sksurv/datasets/data" / part).read_text().splitlines()
        lines = [line.strip() for line in lines if line.strip() and line[0] != "%"]
        names = [line.split()[1] for line in lines if line.lower().startswith("@attribute")]
        rows = [line.split(",") for line in lines if line[0] != "@"]
        frame = pd.DataFrame(rows, columns=names).apply(lambda column: column.str.strip())
        rest = frame.drop(columns=[time, event, *dropped])
        return rest, frame[time].astype(float), frame[event] == occurred

    return read


def csv(part: str, time: str, event: str, *dropped: str) -> Callable[[Path], Table]:
    def read(folder: Path) -> Table:
        frame = pd.read_csv(folder / "lifelines/lifelines/datasets" / part)
        return frame.drop(columns=[time, event, *dropped]), frame[time], frame[event]

    return read


def r_frame(part: str, name: str, time: str, event: str, *dropped: str) -> Callable[[Path], Table]:
    def read(folder: Path) -> Table:
        frame = r_data(part)(folder)[name]
        return frame.drop(columns=[time, event, *dropped]), frame[time], frame[event]

    return read


def genefu(name: str) -> Callable[[Path], Table]:
    def read(folder: Path) -> Table:
        found = r_data(f"genefu/data/{name}.rda")(folder)
        samples = found[f"demo.{name}"]
        return np.asarray(found[f"data.{name}"]), samples["t.dmfs"], samples["e.dmfs"]

    return read


def expression_set(
    part: str, name: str, time: str, event: str, occurred: Any
) -> Callable[[Path], Table]:
    def read(folder: Path) -> Table:
        objects = r_data(part)(folder)
        values, times = expression(name, time)(objects)
        events = expression(name, event)(objects)[1]
        return values, times, (events.astype(str) == str(occurred)).where(events.notna())

    return read


def bild(folder: Path) -> Table:
    found = r_data("survJamda.data/data/gse3143.rda", "survJamda.data/data/gse3143pheno.rda")(
        folder
    )
    samples = found["gse3143pheno"]
    return found["gse3143"], samples["Survival_Time(months)"], samples["Status(0=alive,1=dead)"]


TABLES: dict[str, Callable[[Path], Table]] = {
    "GSE7390": arff("breast_cancer_GSE7390-metastasis.arff", "t.tdm", "e.tdm", "1"),
    "GBSG2": arff("GBSG2.arff", "time", "cens", "1"),
    "actg320": arff("actg320.arff", "time", "censor", "1", "time_d", "censor_d"),
    "whas500": arff("whas500.arff", "lenfol", "fstat", "1"),
    "rossi": csv("rossi.csv", "week", "arrest"),
    "peakVO2": r_frame("randomForestSRC/data/peakVO2.rda", "peakVO2", "ttodead", "died"),
    "vdv": r_frame("randomForestSRC/data/vdv.rda", "vdv", "Time", "Censoring"),
    "nki70": r_frame("penalized/data/nki70.RData", "nki70", "time", "event"),
    "vdx": genefu("vdxs"),
    "nki": genefu("nkis"),
    "GSE3143": bild,
    "GSE1827": expression_set(
        "curatedBladderData/data/GSE1827_eset.rda", "GSE1827_eset", "days_to_death",
        "vital_status", "deceased",
    ),
    "lung harvard": expression_set(
        "lungExpression/data/harvard.rda", "harvard", "surv.time", "dead", 1.0
    ),
    "lung michigan": expression_set(
        "lungExpression/data/michigan.rda", "michigan", "TIME..months.", "death", 1
    ),
}  # fmt: skip


def checked(features: Any, time: Any, event: Any) -> tuple[np.ndarray, np.ndarray]:
    """Numbers without missing values and constant columns; times as inffs takes them."""
    frame = pd.DataFrame(features).reset_index(drop=True)
    for name in frame:
        column = pd.to_numeric(frame[name].astype(object), errors="coerce")
        if column.isna().all() and frame[name].nunique() == 2:
            column = pd.Series(pd.factorize(frame[name], sort=True)[0])
        frame[name] = column
    time = pd.to_numeric(pd.Series(np.asarray(time)).astype(object), errors="coerce")
    event = pd.to_numeric(pd.Series(np.asarray(event)).astype(object), errors="coerce")
    rows = time.notna() & event.notna() & (time > 0)
    X = frame[rows].to_numpy(dtype=float)
    X = X[:, ~np.isnan(X).any(axis=0)]
    y = np.array(
        list(zip(event[rows] == event[rows].max(), time[rows], strict=True)),
        dtype=[("event", bool), ("time", float)],
    )
    return X[:, np.ptp(X, axis=0) > 0], y


def paths(X: np.ndarray, y: np.ndarray, **options: bool) -> np.ndarray:
    residuals = martingale_residuals(y["time"], y["event"])
    selector = InfFSC(target_type="regression", n_features_to_select=None, **options)
    return selector.fit(X, residuals).order_


RANKERS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "inf-fs-c on residuals": paths,
    "lines on residuals": lambda X, y: paths(X, y, curves=False, pairs=False),
    "inf-fs-s": lambda X, y: InfFSS(n_features_to_select=None).fit(X, y).order_,
    "fisher": lambda X, y: FisherScore(n_features_to_select=None).fit(X, y).order_,
}


def run(folder: Path, path: Path) -> None:
    done = {row["table"] for row in read_rows(path)}
    evaluator = find_evaluator("cox", kind="survival")
    for name, read in TABLES.items():
        if name in done:
            continue
        X, y = checked(*read(folder))
        sizes = [size for size in SIZES if size < X.shape[1]]
        splits = StratifiedShuffleSplit(SPLITS, test_size=0.3, random_state=0)
        parts = [Part(X, make_target(y), *rows) for rows in splits.split(X, y["event"])]
        for method, ranker in RANKERS.items():
            found = []
            for part in parts:
                order = ranker(X[part.train], y[part.train])
                found.append(evaluator.scores(part, [order[:size] for size in sizes])[:, 0])
            for size, mean in zip(sizes, np.mean(found, axis=0), strict=True):
                write_row(path, {"table": name, "samples": len(y), "events": y["event"].sum(),
                                 "features": X.shape[1], "method": method, "size": size,
                                 "concordance": f"{100 * mean:.3f}"})  # fmt: skip
        print(name, X.shape, int(y["event"].sum()), flush=True)


def summary(path: Path) -> None:
    table = pd.read_csv(path)
    wide = table.pivot_table(index="table", columns="method", values="concordance")
    print(wide.round(1).to_string())
    for name in wide.columns.drop("inf-fs-s"):
        gain = wide[name] - wide["inf-fs-s"]
        error = 1.96 * gain.std() / len(gain) ** 0.5
        print(
            f"{name} minus inf-fs-s: {gain.mean():+.2f} +-{error:.2f} points, better on "
            f"{(gain > 0).sum()} of {len(gain)}, {gain.min():+.1f} to {gain.max():+.1f}"
        )


def main() -> None:
    job, *rest = map(Path, sys.argv[1:])
    {"run": run, "summary": summary}[str(job)](*rest)


if __name__ == "__main__":
    main()
