"""Does choosing the weights of Inf-FS by cross-validation pay, and by which rule?

    python benchmarks/tuning.py OUT.csv [--method inf-fs-s] [--sets colon,lung] [--splits 20]
                                [--repeats 3]

For every split of a set (70 % for training, stratified) the candidates are ranked and evaluated on
folds of the training part. Every rule then names its weights for every number of features. The
features that these weights select on the whole training part are evaluated on the test part, by a
linear SVM whose C is chosen on the training part. No rule sees the test part. Tables of more than
2,100 samples are reduced to so many by chance. Lines are added to the file as they are found; what
is in it already is not run again. With ``--repeats 1`` the folds are made once, and the rules that
need them repeated are left out. ``--summary`` prints the means."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parent.parent)  # beside this file, inffs.py hides the package

import numpy as np

from benchmarks.timing import read_rows, write_row
from inffs import InfFSS, InfFSU
from inffs.comparison.methods import TUNED, find_method
from inffs.comparison.protocol import Protocol
from inffs.comparison.trial import prepare, select
from inffs.evaluation import Part, assess, make_folds
from inffs.evaluation.assess import choose, near_best
from inffs.evaluation.evaluators import EVALUATORS
from inffs.evaluation.folds import holdout
from inffs.evaluation.metrics import main_score
from inffs.target import make_target
from reproduction.datasets import load

MICROARRAY = ("colon", "leukemia", "lung", "lymphoma", "prostate")
OTHERS = ("madelon", "gina", "dexter", "office-caffenet", "office-googlenet", "gisette")
LARGE = ("caltech101", "voc2007")
SIZES = (10, 50, 100, 150, 200)
REPEATS = 3
CS = (0.1, 1.0)
MOST_SAMPLES = 2100
LINEAR = EVALUATORS["linear"]
METHODS = ("inf-fs-s", "inf-fs-u")


class Rules:
    """Every rule names weights from scores of shape (folds, candidates, measures)."""

    def __init__(self, grid: np.ndarray, folds_of_one: int) -> None:
        self.grid, self.one = grid, folds_of_one
        self.prior = np.full(grid.shape[1], 1 / grid.shape[1])
        self.distance = ((grid - self.prior) ** 2).sum(axis=1)

    def every(self) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
        """Measures: accuracy at C = 0.1, at C = 1, squared hinge at C = 0.1, at C = 1."""
        return {**self.once(), **self.repeated()}

    def once(self) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
        """Those that need the folds once."""
        return {
            "equal": lambda s: self.prior,
            "argmax": lambda s: self.grid[s[: self.one, :, 1].mean(axis=0).argmax()],
            "ties": lambda s: self.named(s[: self.one, :, 1], 0),
            "half": lambda s: self.named(s[: self.one, :, 1], 0.5),
            "one": lambda s: self.named(s[: self.one, :, 1], 1),
            "two": lambda s: self.named(s[: self.one, :, 1], 2),
            "smooth argmax": lambda s: self.named(s[: self.one, :, 3], 0),
            "smooth one": lambda s: self.named(s[: self.one, :, 3], 1),
        }

    def repeated(self) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
        return {
            "repeated ties": lambda s: self.named(s[:, :, 1], 0),
            "repeated one": lambda s: self.named(s[:, :, 1], 1),
            "repeated two": lambda s: self.named(s[:, :, 1], 2),
            "repeated two, C = 0.1": lambda s: self.named(s[:, :, 0], 2),
            "smooth repeated one, C = 0.1": lambda s: self.named(s[:, :, 2], 1),
            "smooth repeated two, C = 0.1": lambda s: self.named(s[:, :, 2], 2),
            "average near": lambda s: self.average(s[:, :, 1], 1),
            "halfway": lambda s: (self.prior + self.named(s[:, :, 1], 0)) / 2,
        }

    def named(self, scores: np.ndarray, slack: float) -> np.ndarray:
        return self.grid[choose(scores, self.distance, slack)]

    def average(self, scores: np.ndarray, slack: float) -> np.ndarray:
        return self.grid[near_best(scores, slack)].mean(axis=0)


def smooth_score(target, outputs, rows):
    """Minus the mean squared hinge (squared error for numbers): smoother than counting errors."""
    truth = target.columns(rows)
    if target.type == "regression":
        return -float(np.mean((truth - outputs) ** 2))
    return -float(np.mean(np.maximum(0, 1 - truth * outputs) ** 2))


def grid_of(method: str) -> np.ndarray:
    """Candidate weights, one per row."""
    (values,) = TUNED[method].values()
    grid = np.array(values)
    return grid if grid.ndim == 2 else np.stack([grid, 1 - grid], axis=1)


def orders(method: str, X: Any, y: np.ndarray, grid: np.ndarray) -> list[np.ndarray]:
    """The order of the columns for every candidate."""
    if method == "inf-fs-u":
        return [InfFSU(alpha, n_features_to_select=None).fit(X).order_ for alpha, _ in grid]
    return [InfFSS(weights, n_features_to_select=None).fit(X, y).order_ for weights in grid]


def fold_scores(method: str, part: Part, grid: np.ndarray, sizes: list[int]) -> np.ndarray:
    """Of shape (sizes, candidates, measures)."""
    y = part.target.values
    ranked = orders(method, part.X[part.train], y[part.train], grid)
    subsets = [order[:size] for order in ranked for size in sizes]
    found = LINEAR.outputs(part, subsets, CS)
    rows = [
        [measure(part.target, each, part.test) for measure in (main_score, smooth_score)
         for each in outputs]
        for outputs in found
    ]  # fmt: skip
    return np.array(rows).reshape(len(grid), len(sizes), -1).transpose(1, 0, 2)


def one_split(
    method: str, X: Any, y: np.ndarray, number: int, repeats: int = REPEATS
) -> dict[tuple[str, int], float]:
    """Return the test score of every rule at every size."""
    train, test = holdout(y, 0.3, number)
    grid, sizes = grid_of(method), [size for size in SIZES if size < X.shape[1]]
    part = Part(prepare(X, train), make_target(y), train, test)
    folds = make_folds(y[train], seed=number, repeats=repeats)
    scores = np.array([fold_scores(method, part.within(*fold), grid, sizes) for fold in folds])
    rules = Rules(grid, len(folds) // repeats)
    tried = rules.once() if repeats == 1 else rules.every()
    chosen = {
        (name, size): rule(scores[:, place])
        for name, rule in tried.items() for place, size in enumerate(sizes)
    }  # fmt: skip
    weights = np.unique(np.round(np.array(list(chosen.values())), 12), axis=0)
    ranked = orders(method, part.X[part.train], part.target.values[part.train], weights)
    place = {row.tobytes(): at for at, row in enumerate(weights)}
    picks = {
        key: ranked[place[np.round(value, 12).tobytes()]][: key[1]] for key, value in chosen.items()
    }
    return _tested(part, picks, folds[: rules.one])


def confirm(method: str, X: Any, y: np.ndarray, number: int) -> dict[tuple[str, int], float]:
    """Equal weights against those that ``--tuned`` chooses, nothing else tried."""
    train, test = holdout(y, 0.3, number)
    part = Part(prepare(X, train), make_target(y), train, test)
    sizes = [size for size in SIZES if size < X.shape[1]]
    asked = {str(size): size for size in sizes}
    found = select(find_method(method, tuned=True), part.X[train], y[train], asked, Protocol())
    (equal,) = orders(method, part.X[train], y[train], grid_of(method).mean(axis=0, keepdims=True))
    picks = {("class", int(row["asked"])): row["selected"] for row in found}
    picks |= {("equal", size): equal[:size] for size in sizes}
    return _tested(part, picks, make_folds(y[train]))


def _tested(part: Part, picks: dict, folds: list) -> dict[tuple[str, int], float]:
    distinct = {np.sort(each).tobytes(): each for each in picks.values()}
    verdicts = assess(LINEAR, part, list(distinct.values()), folds)
    main = "mean_average_precision" if part.target.type == "multilabel" else "accuracy"
    known = dict(zip(distinct, (each[main] for each in verdicts), strict=True))
    return {key: known[np.sort(each).tobytes()] for key, each in picks.items()}


def run(out: Path, method: str, name: str, splits: range, trial: Any = one_split) -> None:
    done = {(r["method"], r["set"], r["split"]) for r in read_rows(out)}
    X, y, _ = load(name)
    if len(y) > MOST_SAMPLES:
        keep = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_SAMPLES])
        X, y = X[keep], y[keep]
    for number in splits:
        if (method, name, str(number)) in done:
            continue
        for (rule, size), value in trial(method, X, y, number).items():
            row = {"method": method, "set": name, "split": number, "size": size, "rule": rule}
            write_row(out, {**row, "score": f"{value:.5f}"})


def summary(out: Path) -> None:
    import pandas as pd

    table = pd.read_csv(out)
    means = table.groupby(["method", "set", "rule"])["score"].mean().mul(100).unstack("rule")
    means = means.sub(means["equal"], axis=0).assign(equal=means["equal"])
    splits = table.groupby(["method", "set"])["split"].nunique()
    print(means.assign(splits=splits).T.round(2).to_string())
    for method, part in means.groupby("method"):
        small = part[part.index.get_level_values("set").isin(MICROARRAY)]
        print(method, "\n", pd.DataFrame({"all": part.mean(), "microarray": small.mean()}).round(2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--method", default="inf-fs-s", choices=METHODS)
    parser.add_argument("--sets", default=",".join(MICROARRAY + OTHERS))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="number of the first split")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="of the folds")
    parser.add_argument("--confirm", action="store_true", help="--tuned itself on other splits")
    parser.add_argument("--summary", action="store_true")
    given = parser.parse_args()
    if given.summary:
        summary(given.out)
        return
    trial = confirm if given.confirm else partial(one_split, repeats=given.repeats)
    for name in given.sets.split(","):
        splits = range(given.first, given.first + given.splits)
        run(given.out, given.method, name, splits, trial)


if __name__ == "__main__":
    main()
