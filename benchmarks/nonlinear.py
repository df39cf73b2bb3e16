"""Which methods find features that act by curves and in pairs, and what does seeing them cost?

    python benchmarks/nonlinear.py made FILE.csv [SAMPLES ...]
    python benchmarks/nonlinear.py forms FILE.csv
    python benchmarks/nonlinear.py madelon FILE.csv TRAIN.csv TEST.csv
    python benchmarks/nonlinear.py unseen FILE.csv TABLES     # made by benchmarks/unseen.py
    python benchmarks/nonlinear.py again FILE.csv TABLES
    python benchmarks/nonlinear.py losses FILE.csv TABLES
    python benchmarks/nonlinear.py summary FOLDER OUT

``made``: the four made tables of Passemiers and others (Scientific Reports 2024), written anew from
the formulas of the publication: features uniform on (0, 1), the true ones first; six folds, of
which five train; 2 to 2,048 features. The result is the share of the k true features that are among
the first k.
PUBLISHED holds the means of the publication. ``forms``: classes that differ in the spread of two
features, targets of squares, of a product, and of a sine. ``madelon``: the area under the ROC curve
of a forest of 500 trees on 20 features, trained and tested on the official parts. ``unseen``: the
tables of benchmarks/unseen.py, ranked with straight lines alone, and with curves and pairs; five
splits, a linear SVM and five nearest neighbors. ``again``: the two tables with the largest losses
by curves and pairs and the three with the largest gains, on 20 other splits. ``losses``: the tables
that lost a point or more in benchmarks/unseen.py by one of its models, on 60 other splits of its
protocol. Rows are added as they are found; what is in the file already is not run again.
``summary`` writes the means of all of it.
"""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
import pandas as pd
from scipy.stats import rankdata, studentized_range
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.timing import print_table, read_rows, write_row
from benchmarks.unseen import SIZES, read
from inffs import InfFSC, rank
from inffs.comparison.methods import find_method
from inffs.comparison.protocol import Protocol
from inffs.comparison.trial import Trial, run_trial
from inffs.evaluation.estimates import interval_of_mean

SAMPLES, FOLDS = (1000, 500, 250), 6
TRUE = {"ring": 2, "xor": 2, "ring+xor": 4, "ring+xor+sum": 6}  # features that matter
WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
SLOW = 6.0  # seconds: a method that takes longer is not asked for wider tables
CATALOGUE = ("inf-fs-s", "mi", "fisher", "ecfs", "ilfs", "mrmr", "mifs", "cife", "icap", "jmi",
             "cmim", "mri", "relieff", "lasso-unhinged", "fsv", "nhtp", "grahtp", "svm-rfe",
             "lasso-hinge", "svm-rce", "l0-svm", "ensemble-svm-rfe", "sw-svm-rfe")  # fmt: skip
# mean share of the true features among the first, %: ring, xor, ring+xor, ring+xor+sum
PUBLISHED = {
    1000: {
        "random forest": (100.0, 54.5, 88.8, 85.3), "TreeSHAP": (100.0, 40.2, 81.7, 78.3),
        "mRMR": (100.0, 12.5, 81.7, 74.7), "LassoNet": (34.8, 81.8, 44.6, 64.2),
        "Relief": (40.2, 72.7, 37.1, 43.9), "mutual information": (92.6, 18.2, 39.6, 40.8),
        "CancelOut": (34.1, 60.6, 37.5, 55.8), "saliency": (31.8, 57.6, 34.6, 53.9),
    },
    500: {
        "random forest": (97.7, 50.0, 65.8, 64.4), "TreeSHAP": (90.2, 35.6, 49.6, 62.5),
        "mRMR": (98.5, 16.7, 44.2, 44.4), "LassoNet": (25.8, 72.7, 38.3, 58.1),
        "Relief": (35.6, 61.4, 32.5, 36.4), "mutual information": (83.3, 15.2, 36.2, 36.1),
        "CancelOut": (24.2, 51.5, 34.2, 48.6), "saliency": (25.8, 48.5, 26.7, 43.6),
    },
    250: {
        "random forest": (87.9, 47.7, 38.3, 51.4), "TreeSHAP": (68.2, 37.9, 30.4, 47.8),
        "mRMR": (71.2, 15.2, 30.4, 31.1), "LassoNet": (17.4, 63.6, 31.2, 45.3),
        "Relief": (27.3, 53.8, 25.8, 33.1), "mutual information": (53.7, 16.7, 30.8, 30.3),
        "CancelOut": (23.5, 45.5, 29.6, 36.7), "saliency": (19.7, 38.6, 20.8, 40.0),
    },
}  # fmt: skip
MADELON = {"random forest": 96.5, "TreeSHAP": 96.4, "LassoNet": 95.0, "Relief": 94.1,
           "mutual information": 83.3, "mRMR": 64.0, "random": 61.2}  # fmt: skip

Ranker = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


def conditional(**given: Any) -> Ranker:
    return lambda X, y, k: InfFSC(**given, n_features_to_select=k).fit(X, y).order_


def of_catalogue(name: str) -> Ranker:
    return lambda X, y, k: rank(X, y, name, n_features_to_select=k).order_


def forest(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    model = RandomForestClassifier(n_estimators=100, random_state=0).fit(X, y)
    return np.argsort(-model.feature_importances_, kind="stable")


METHODS: dict[str, Ranker] = {
    "inf-fs-c": conditional(),
    "inf-fs-c, lines": conditional(curves=False, pairs=False),
    **{name: of_catalogue(name) for name in CATALOGUE},
    "random forest": forest,
}


# --- the made tables of the publication ---------------------------------------------------------


def on_ring(X: np.ndarray, width: float) -> np.ndarray:
    return np.abs(np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5) - 0.35) <= width


def in_corners(X: np.ndarray, margin: float) -> np.ndarray:
    return (X[:, 0] - 0.5) * (0.5 - X[:, 1]) >= margin


def made_table(name: str, T: int, n: int, rng: np.random.Generator) -> tuple[Any, Any, int]:
    """X, y and the number of true features, which come first."""
    X = rng.random((T, n))
    if name == "ring":
        return X, on_ring(X, 0.1151), 2
    if name == "xor":
        return X, in_corners(X, 0.0), 2
    if name == "ring+xor":
        return X, on_ring(X, 0.0704) | in_corners(X[:, 2:], 0.0337), 4
    noise = rng.normal(0, 0.2, T)
    added = X[:, 4] + X[:, 5] + noise >= 1.4074
    return X, on_ring(X, 0.0479) | in_corners(X[:, 2:], 0.0598) | added, 6


def widths(true: int) -> list[int]:
    return sorted({true, *(width for width in WIDTHS if width > true)})


def made(path: Path, samples: list[int]) -> None:
    done = {tuple(row.values())[:3] for row in read_rows(path)}
    for T in samples:
        for method, ranker in METHODS.items():
            for name, true in TRUE.items():
                if (name, str(T), method) in done:
                    continue
                rows = list(made_rows(name, T, widths(true), ranker))
                for width, share, spent in rows:  # a table is written whole
                    write_row(path, {"table": name, "samples": T, "method": method,
                                     "features": width, "found": f"{100 * share:.2f}",
                                     "seconds": f"{spent:.3f}"})  # fmt: skip
                print(T, method, name, f"{100 * np.mean([row[1] for row in rows]):.1f}", flush=True)


def made_rows(
    name: str, T: int, sizes: list[int], ranker: Ranker
) -> Iterator[tuple[int, float, float]]:
    """Every width with the share found, mean over the folds, and seconds for a fit."""
    for width in sizes:
        rng = np.random.default_rng([T, width, len(name)])
        X, y, true = made_table(name, T, width, rng)
        shares, start = [], time.process_time()
        for train, _ in KFold(FOLDS).split(X):
            columns = rng.permutation(width)
            order = ranker(2 * X[train][:, columns] - 1, y[train].astype(int), true)
            shares.append(np.mean(columns[order[:true]] < true))
        spent = (time.process_time() - start) / FOLDS
        yield width, float(np.mean(shares)), spent
        if spent > SLOW:
            return


# --- other forms --------------------------------------------------------------------------------


def spread(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    y = rng.integers(0, 2, len(X))
    X[y == 1, :2] *= 2.0
    return y


def noisy(signal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A target with half of its variance in the signal."""
    return signal / signal.std() + rng.normal(size=signal.size)


FORMS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "unequal variances": spread,
    "squares, classes": lambda _, X: (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.386).astype(int),
    "squares": lambda rng, X: noisy(X[:, 0] ** 2 + X[:, 1] ** 2, rng),
    "product": lambda rng, X: noisy(X[:, 0] * X[:, 1], rng),
    "sine": lambda rng, X: noisy(np.sin(3 * X[:, 0]) + np.sin(3 * X[:, 1]), rng),
}
FORM_METHODS = ("inf-fs-c", "inf-fs-c, lines", "inf-fs-s", "mi", "mrmr", "jmi", "relieff")


def forms(path: Path) -> None:
    """Two true features among 500; twenty tables of every form and number of samples."""
    done = {tuple(row.values())[:3] for row in read_rows(path)}
    for T in (100, 250, 500, 1000):
        for name, target in FORMS.items():
            for method in FORM_METHODS:
                if (name, str(T), method) in done:
                    continue
                shares = []
                for seed in range(20):
                    rng = np.random.default_rng([seed, T])
                    X = rng.normal(size=(T, 500))
                    y = target(rng, X)
                    columns = rng.permutation(500)
                    order = METHODS[method](X[:, columns], y, 2)
                    shares.append(np.mean(columns[order[:2]] < 2))
                write_row(path, {"table": name, "samples": T, "method": method,
                                 "found": f"{100 * np.mean(shares):.1f}"})  # fmt: skip
            print(T, name, flush=True)


# --- madelon ------------------------------------------------------------------------------------


def madelon(path: Path, train: Path, test: Path) -> None:
    """Tables without a header, the class in the last column."""
    done = {row["method"] for row in read_rows(path)}
    (X, y), (X_test, y_test) = (_of_csv(file) for file in (train, test))
    for method, ranker in METHODS.items():
        if method in done:
            continue
        kept = ranker(X, y, 20)[:20]
        model = RandomForestClassifier(n_estimators=500, random_state=0).fit(X[:, kept], y)
        area = roc_auc_score(y_test, model.predict_proba(X_test[:, kept])[:, 1])
        write_row(path, {"method": method, "area": f"{100 * area:.2f}"})
        print(method, f"{100 * area:.2f}", flush=True)


def _of_csv(path: Path) -> tuple[np.ndarray, np.ndarray]:
    table = np.genfromtxt(path, delimiter=",", skip_header=_has_header(path))
    return table[:, :-1], (table[:, -1] > table[:, -1].min()).astype(int)


def _has_header(path: Path) -> int:
    with path.open() as file:
        return int(not file.readline().split(",")[0].strip('"').lstrip("-").isdigit())


# --- unseen tables ------------------------------------------------------------------------------

SPLITS = 5
RIVALS = ("inf-fs-c", "inf-fs-c, lines", "inf-fs-s", "mrmr", "jmi", "fisher")


def unseen(path: Path, tables: Path) -> None:
    """Accuracy, mean over the sizes, of every method on every split; the small tables first."""
    done = {(row["table"], row["method"]) for row in read_rows(path)}
    for file in sorted(tables.glob("*.csv.gz"), key=lambda file: file.stat().st_size):
        name = file.name.removesuffix(".csv.gz")
        missing = [method for method in RIVALS if (name, method) not in done]
        if not missing:
            continue
        table = read(file)
        X, y = table.X, np.unique(table.y, return_inverse=True)[1]
        splits = list(StratifiedShuffleSplit(SPLITS, test_size=0.3, random_state=0).split(X, y))
        for method in missing:
            found = np.mean([accuracies(X, y, *split, METHODS[method]) for split in splits], axis=0)
            write_row(path, {"table": name, "method": method, "svm": f"{100 * found[0]:.3f}",
                             "neighbors": f"{100 * found[1]:.3f}"})  # fmt: skip
        print(name, X.shape, flush=True)


AGAIN, MORE_SPLITS = ("sonar", "nancycats", "gunpoint", "osuleaf", "promoters"), 20


def again(path: Path, tables: Path) -> None:
    """Accuracy with and without curves and pairs on each of other splits."""
    done = {row["table"] for row in read_rows(path)}
    for name in AGAIN:
        if name in done:
            continue
        table = read(tables / f"{name}.csv.gz")
        X, y = table.X, np.unique(table.y, return_inverse=True)[1]
        splits = StratifiedShuffleSplit(MORE_SPLITS, test_size=0.3, random_state=1)
        for number, split in enumerate(splits.split(X, y)):
            for method in RIVALS[:2]:
                found = accuracies(X, y, *split, METHODS[method])
                write_row(path, {"table": name, "split": number, "method": method,
                                 "svm": f"{100 * found[0]:.3f}",
                                 "neighbors": f"{100 * found[1]:.3f}"})  # fmt: skip
        print(name, X.shape, flush=True)


LOSSES, FRESH_SPLITS = ("basicmotions", "pickupgesturewiimotez", "arrowhead"), 60
EVALUATORS = ("linear", "knn")


def losses(path: Path, tables: Path) -> None:
    """Accuracy by each model, mean over the sizes, with and without curves and pairs."""
    done = {(row["table"], row["split"]) for row in read_rows(path)}
    for name, number in product(LOSSES, range(FRESH_SPLITS)):
        if (name, str(number)) in done:
            continue
        table = read(tables / f"{name}.csv.gz")
        sizes = tuple(size for size in SIZES if size <= table.X.shape[1] / 2)
        protocol = Protocol(sizes=sizes, automatic=False, evaluators=EVALUATORS, seed=1000)
        row = {"table": name, "split": number}
        for method in ("inf-fs-c", "inf-fs-c[curves=false,pairs=false]"):
            found = pd.DataFrame(run_trial(table, Trial(find_method(method), number, protocol)))
            means = 100 * found.groupby("evaluator")["accuracy"].mean()
            form = "lines" if "[" in method else "all"
            row |= {f"{form}, {one}": f"{means[one]:.3f}" for one in EVALUATORS}
        write_row(path, row)
        print(name, number, row, flush=True)


def accuracies(
    X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, ranker: Ranker
) -> tuple[float, float]:
    """Mean over the sizes of the accuracy of the SVM and of the nearest neighbors."""
    prepare = make_pipeline(SimpleImputer(), StandardScaler()).fit(X[train])
    known, new = prepare.transform(X[train]), prepare.transform(X[test])
    sizes = [size for size in SIZES if size <= X.shape[1] / 2]
    order = ranker(known, y[train], sizes[-1])
    models = (LinearSVC(C=0.1), KNeighborsClassifier(5))
    each = [[model.fit(known[:, order[:size]], y[train]).score(new[:, order[:size]], y[test])
             for size in sizes] for model in models]  # fmt: skip
    return float(np.mean(each[0])), float(np.mean(each[1]))


# --- summary ------------------------------------------------------------------------------------


def summary(folder: Path, out: Path) -> None:
    """The means of every file in the folder, as Markdown and as one small file."""
    lines = [["benchmark", "table", "samples", "method", "value"]]
    summaries = {"made": of_made, "forms": of_forms, "madelon": of_madelon, "unseen": of_unseen,
                 "again": of_again, "losses": of_losses}  # fmt: skip
    for name, summarise in summaries.items():
        if (folder / f"{name}.csv").exists():
            lines += [[name, *row] for row in summarise(pd.read_csv(folder / f"{name}.csv"))]
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def of_made(table: pd.DataFrame) -> list[list[str]]:
    """Share found, mean over the widths; of a method that was too slow, "(to the widest width)"."""
    lines = []
    for T, part in table.groupby("samples", sort=False):
        means = part.pivot_table(index="method", columns="table", values="found", sort=False)
        widest = part.groupby("method")["features"].max()
        named = {name if widest[name] == WIDTHS[-1] else f"{name} (to {widest[name]})": row
                 for name, row in means[list(TRUE)].iterrows()}  # fmt: skip
        rows = named | {f"{name} (published)": row for name, row in PUBLISHED[int(T)].items()}
        lines += [[name, str(T), method, f"{value:.1f}"]
                  for method, row in rows.items()
                  for name, value in zip(TRUE, row, strict=True)]  # fmt: skip
        cells = [[method, *(f"{value:.1f}" for value in row)] for method, row in rows.items()]
        print_table(f"{T} samples: true features found, %", ["method", *TRUE], cells)
    return lines


def of_forms(table: pd.DataFrame) -> list[list[str]]:
    wide = table.pivot_table(index=["samples", "table"], columns="method", values="found")
    methods = list(FORM_METHODS)
    cells = [[str(T), name, *(f"{value:.0f}" for value in wide.loc[(T, name), methods])]
             for T, name in wide.index]  # fmt: skip
    print_table("Two true features among 500, found, %", ["samples", "table", *methods], cells)
    return [list(map(str, row)) for row in table.to_numpy().tolist()]


def of_madelon(table: pd.DataFrame) -> list[list[str]]:
    areas = dict(zip(table["method"], table["area"], strict=True))
    areas |= {f"{name} (published)": area for name, area in MADELON.items()}
    rows = [[name, f"{areas[name]:.1f}"] for name in sorted(areas, key=areas.__getitem__)[::-1]]
    print_table("madelon, 20 features: area under the curve, %", ["method", "area"], rows)
    return [["madelon", "2000", *row] for row in rows]


def of_unseen(table: pd.DataFrame) -> list[list[str]]:
    """Mean ranks with Nemenyi's critical difference, and curves and pairs minus lines alone."""
    table = table.assign(mean=(table["svm"] + table["neighbors"]) / 2)
    wide = table.pivot_table(index="table", columns="method", values="mean").dropna()
    k, count = wide.shape[1], len(wide)
    ranks = rankdata(-wide.to_numpy(), axis=1).mean(axis=0)
    critical = studentized_range.ppf(0.95, k, np.inf) * np.sqrt(k * (k + 1) / (12 * count))
    rows = [[wide.columns[i], f"{wide.iloc[:, i].mean():.2f}", f"{ranks[i]:.2f}"]
            for i in np.argsort(ranks)]  # fmt: skip
    title = f"{count} unseen tables, critical difference {critical:.2f}"
    print_table(title, ["method", "accuracy", "mean rank"], rows)
    gain = wide["inf-fs-c"] - wide["inf-fs-c, lines"]
    error = 1.96 * gain.std() / np.sqrt(count)
    counts = [int((sign * gain > 0).sum()) for sign in (1, -1)] + [int((gain == 0).sum())]
    print(f"\ncurves and pairs minus lines: {gain.mean():+.2f} +-{error:.2f} points")
    print("better on {}, worse on {}, equal on {} tables".format(*counts))
    print(gain.sort_values().round(2).to_string())
    found = wide.round(2).reset_index().melt("table", value_name="value")
    return [[row.table, "", row.method, str(row.value)] for row in found.itertuples()]


def of_again(table: pd.DataFrame) -> list[list[str]]:
    """Curves and pairs minus lines alone, mean of both models, corrected for overlapping splits."""
    table = table.assign(mean=(table["svm"] + table["neighbors"]) / 2)
    wide = table.pivot_table(index=["table", "split"], columns="method", values="mean")
    gains = wide["inf-fs-c"] - wide["inf-fs-c, lines"]
    rows = []
    for name in AGAIN:
        found = interval_of_mean(gains[name].to_numpy())
        cells = [f"{value:.2f}" for value in found]
        print(f"{name}: curves and pairs minus lines {cells[0]} ({cells[1]} to {cells[2]})")
        rows += [[name, "", f"curves and pairs minus lines, {part}", value]
                 for part, value in zip(("mean", "low", "high"), cells, strict=True)]  # fmt: skip
    return rows


def of_losses(table: pd.DataFrame) -> list[list[str]]:
    """Curves and pairs minus lines alone by each model, corrected for overlapping splits."""
    rows = []
    for (name, part), one in product(table.groupby("table", sort=False), EVALUATORS):
        gains = part[f"all, {one}"] - part[f"lines, {one}"]
        cells = [f"{value:.2f}" for value in interval_of_mean(gains.to_numpy())]
        print(f"{name}, {one}: curves and pairs minus lines {cells[0]} ({cells[1]} to {cells[2]})")
        rows += [[name, "", f"curves and pairs minus lines, {one}, {end}", value]
                 for end, value in zip(("mean", "low", "high"), cells, strict=True)]  # fmt: skip
    return rows


def main() -> None:
    job, path, *more = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]
    if job == "made":
        made(path, [int(T) for T in more] or list(SAMPLES))
    elif job == "summary":
        summary(path, Path(more[0]))
    else:
        jobs = {"forms": forms, "madelon": madelon, "unseen": unseen, "again": again,
                "losses": losses}  # fmt: skip
        jobs[job](path, *map(Path, more))


if __name__ == "__main__":
    main()
