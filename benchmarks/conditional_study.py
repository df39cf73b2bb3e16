"""Could conditional paths be better? Their constants, stability, learned weights, a choice of form.

    python benchmarks/conditional_study.py FOLDER [constants] [stability] [learned] [forms]
                                           [--summary]

``constants``: 24 settings of the three constants (shrinkage, noise, clipping) on every set, and the
setting that the other sets would choose on the one left out. ``stability``: the selection of the
whole training part against the features that halves select most often (complementary pairs).
``learned``: the weights of three measures and of a redundancy-aware edge in the paper's graph,
learned by the gradient of a held-out error through the sum over all paths (one adjoint solve per
step), against equal weights. ``forms``: Inf-FS_S or conditional paths, whichever five folds of the
training part prefer (``BestOf``). 70 % of the samples train. A linear SVM and five nearest
neighbours predict the rest. Tables of more than 2,100 samples are reduced to so many at random.
Rows are added as they are found; what is there already is not run again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
import pandas as pd
from scipy import sparse

from benchmarks.timing import print_table, read_rows, write_row
from inffs import BestOf, InfFSC, StabilitySelection, conditional, rank
from inffs.comparison.trial import prepare
from inffs.cuts.stability import nogueira
from inffs.evaluation import Part, holdout
from inffs.evaluation.evaluators import EVALUATORS
from inffs.graph import profiles
from inffs.measures import dispersion, fisher, mutual_information
from inffs.target import make_target
from reproduction.datasets import load

SETS = ("colon", "lymphoma", "leukemia", "prostate", "office-caffenet", "madelon", "dexter", "lung",
        "office-googlenet", "gina")  # fmt: skip
SIZES = (10, 20, 50, 100, 200)
SPLITS = {"constants": 5, "stability": 8, "learned": 5, "forms": 20}
FORMS = ("inf-fs-s", "inf-fs-c")
SHRINKAGES, NOISES, CLIPS = (3.0, 10.0, 30.0, 100.0), (0.25, 0.5, 1.0), (2.0, 3.0)
USUAL = (10.0, 0.5, 2.0)
MOST_SAMPLES = 2100
PAIRS = 10
STEPS = 15


def parts(name: str, splits: int) -> Iterator[tuple[int, Part, Any, np.ndarray]]:
    """Number, part, and the training part's table and classes."""
    found = load(name)
    X, y = found.X, np.unique(found.y, return_inverse=True)[1]
    rows = np.flatnonzero(np.bincount(y)[y] > 1)
    if rows.size > MOST_SAMPLES:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_SAMPLES, replace=False))
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    for number in range(splits):
        train, test = holdout(y, 0.3, seed=700 + number)
        table = prepare(X if sparse.issparse(X) else np.asarray(X, dtype=float), train)
        yield number, Part(table, make_target(y), train, test), table[train], y[train]


def accuracies(part: Part, order: np.ndarray) -> dict[str, float]:
    """Mean accuracy over the sizes of both models, and at 10 features."""
    kept = [order[:size] for size in SIZES if size <= order.size]
    found = {name: EVALUATORS[name].scores(part, kept)[:, 0] for name in ("linear", "knn")}
    return {**{name: round(100 * float(each.mean()), 3) for name, each in found.items()},
            "ten": round(100 * float(found["linear"][0]), 3)}  # fmt: skip


def constants(name: str) -> Iterator[dict[str, Any]]:
    for number, part, X, y in parts(name, SPLITS["constants"]):
        for values in product(SHRINKAGES, NOISES, CLIPS):
            conditional.SHRINKAGE, conditional.NOISE, profiles._CLIP = values
            order = InfFSC(n_features_to_select=min(200, X.shape[1])).fit(X, y).order_
            labels = dict(zip(("shrinkage", "noise", "clip"), values, strict=True))
            yield {"set": name, "split": number, **labels, **accuracies(part, order)}
    conditional.SHRINKAGE, conditional.NOISE, profiles._CLIP = USUAL


def stability(name: str) -> Iterator[dict[str, Any]]:
    for number, part, X, y in parts(name, SPLITS["stability"]):
        most = min(200, X.shape[1])
        whole = InfFSC(n_features_to_select=most)
        halves = StabilitySelection(
            whole, n_per_half=50, pairs=PAIRS, n_features_to_select=most, random_state=0
        )
        for how, selector in (("whole", whole), ("halves", halves)):
            order = selector.fit(X, y).order_
            picked = " ".join(map(str, order[:50]))
            yield {"set": name, "split": number, "how": how, "features": X.shape[1],
                   **accuracies(part, order), "picked": picked}  # fmt: skip


def learned(name: str) -> Iterator[dict[str, Any]]:
    if name == "dexter":  # the gradient needs dense columns
        return
    for number, part, X, y in parts(name, SPLITS["learned"]):
        graph = Graph(X, y)
        weights = graph.learn(X, y)
        for how, values in (("equal", graph.equal), ("learned", weights)):
            order = np.argsort(-graph.scores(values)[0], kind="stable")
            yield {"set": name, "split": number, "how": how, **accuracies(part, order),
                   "weights": " ".join(f"{value:.3f}" for value in values)}  # fmt: skip
        order = rank(X, y, "inf-fs-c", n_features_to_select=min(200, X.shape[1])).order_
        found = accuracies(part, order)
        yield {"set": name, "split": number, "how": "inf-fs-c", **found, "weights": ""}


def forms(name: str) -> Iterator[dict[str, Any]]:
    for number, part, X, y in parts(name, SPLITS["forms"]):
        most = min(200, X.shape[1])
        orders = {form: rank(X, y, form, n_features_to_select=most).order_ for form in FORMS}
        orders["best of both"] = BestOf(list(FORMS), n_features_to_select=20).fit(X, y).order_
        for how, order in orders.items():
            yield {"set": name, "split": number, "how": how, **accuracies(part, order)}


class Graph:
    """A(w) = sum_k w_k m_k m_k' + w_4 (s s') * (1 - rho^2): edges that a gradient can weigh."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.measures = [fisher(X, y), mutual_information(X, y), dispersion(X)]
        self.s = np.mean(self.measures, axis=0)
        spread = X.std(axis=0)
        self.Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, np.inf) / np.sqrt(len(X))
        self.equal = np.full(4, 0.25)

    def products(self, v: np.ndarray) -> np.ndarray:
        """A_k v of every k, of shape (4, n)."""
        rank_one = [m * (m @ v) for m in self.measures]
        inner = (self.Z * (self.s * v)) @ self.Z.T
        redundant = np.einsum("ti,ti->i", self.Z, inner @ self.Z)
        return np.array([*rank_one, self.s * (self.s @ v - redundant)])

    def solve(self, weights: np.ndarray, right: np.ndarray, r: float) -> np.ndarray:
        """(I - rA)^-1 right: the sum over all paths, product by product."""
        total, term = right.copy(), right.copy()
        for _ in range(120):
            term = r * (weights @ self.products(term))
            total += term
            if np.abs(term).max() < 1e-9 * np.abs(total).max():
                break
        return total

    def scores(self, weights: np.ndarray) -> tuple[np.ndarray, float]:
        v = np.ones(self.Z.shape[1])
        for _ in range(30):
            v = weights @ self.products(v / np.linalg.norm(v))
        r = 0.9 / np.linalg.norm(v)
        return self.solve(weights, np.ones(v.size), r) - 1, r

    def learn(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Exponentiated gradient on the held-out squared error of a ridge on weighted columns."""
        weights = self.equal.copy()
        targets = np.eye(y.max() + 1)[y]
        for step in range(STEPS):
            train, test = holdout(y, 0.3, seed=step)
            c, r = self.scores(weights)
            by_column = held_out_gradient(self.Z, targets, c / c.sum(), train, test)
            by_score = (by_column - by_column @ (c / c.sum())) / c.sum()
            adjoint = self.solve(weights, by_score, r)
            gradient = r * self.products(c + 1) @ adjoint
            slope = gradient / max(np.abs(gradient).max(), 1e-300)
            weights = weights * np.exp(-0.3 * slope)
            weights /= weights.sum()
        return weights


def held_out_gradient(
    Z: np.ndarray, targets: np.ndarray, p: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """How the held-out squared error of a kernel ridge, K = Z diag(p) Z', changes with p."""
    A, B = Z[train] * np.sqrt(Z.shape[0]), Z[test] * np.sqrt(Z.shape[0])
    centre = targets[train].mean(axis=0)
    ridge = 0.1 * np.trace((A * p) @ A.T) / len(train)
    inverse = np.linalg.inv((A * p) @ A.T + ridge * np.eye(len(train)))
    beta = inverse @ (targets[train] - centre)
    error = (B * p) @ A.T @ beta - (targets[test] - centre)
    back = (error.T @ (B * p) @ A.T) @ inverse
    through = np.einsum("ti,tg->ig", A, beta)
    direct = np.einsum("ti,tg->ig", B, error)
    return (direct * through).sum(axis=1) - ((back @ A).T * through).sum(axis=1)


def summary(folder: Path) -> None:
    for kind in SPLITS:
        if (folder / f"{kind}.csv").exists():
            SUMMARIES[kind](pd.read_csv(folder / f"{kind}.csv"))


def summarise_constants(rows: pd.DataFrame) -> None:
    rows["both"] = (rows["linear"] + rows["knn"]) / 2
    table = rows.pivot_table(index="set", columns=["shrinkage", "noise", "clip"], values="both")
    gains = table.sub(table[USUAL], axis=0)
    chosen = {name: gains.drop(name).mean().idxmax() for name in gains.index}
    lines = [[name, str(tuple(map(float, chosen[name]))), f"{gains.loc[name, chosen[name]]:+.2f}",
              f"{gains.loc[name].max():+.2f}"] for name in gains.index]  # fmt: skip
    left_out = np.array([float(line[2]) for line in lines])
    error = left_out.std(ddof=1) / np.sqrt(left_out.size)
    print_table(
        f"Chosen on the other sets: {left_out.mean():+.2f} +- {error:.2f} points; "
        f"all 24 settings: {gains.mean().min():+.2f} to {gains.mean().max():+.2f}",
        ["set", "setting chosen without it", "gain there", "best in hindsight"], lines,
    )  # fmt: skip


def summarise_stability(rows: pd.DataFrame) -> None:
    lines = []
    for name, each in rows.groupby("set"):
        line = [name]
        for how in ("whole", "halves"):
            mine = each[each["how"] == how]
            sets = [np.array(text.split(), dtype=int) for text in mine["picked"]]
            line += [f"{mine['linear'].mean():.1f}", f"{mine['knn'].mean():.1f}",
                     f"{nogueira(sets, int(mine['features'].iloc[0])):.2f}"]  # fmt: skip
        lines.append(line)
    print_table("Whole and halves", ["set", "SVM", "kNN", "stability", "SVM (halves)",
                                     "kNN (halves)", "stability (halves)"], lines)  # fmt: skip


def summarise_learned(rows: pd.DataFrame) -> None:
    table = rows.pivot_table(index="set", columns="how", values=["linear", "knn"]).round(1)
    print(table.to_string(), "\n", table.mean().round(2).to_string())


def summarise_forms(rows: pd.DataFrame) -> None:
    table = rows.pivot_table(index="set", columns="how", values=["linear", "knn", "ten"])
    print(table.round(1).to_string(), "\n", table.mean().round(2).to_string())


SUMMARIES = {
    "constants": summarise_constants,
    "stability": summarise_stability,
    "learned": summarise_learned,
    "forms": summarise_forms,
}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    jobs = {"constants": constants, "stability": stability, "learned": learned, "forms": forms}
    asked = [name for name in sys.argv[2:] if name in jobs]
    for kind, name in product(asked or jobs, SETS):
        path = folder / f"{kind}.csv"
        if "--summary" in sys.argv or any(row["set"] == name for row in read_rows(path)):
            continue
        for row in list(jobs[kind](name)):  # a set is written whole
            write_row(path, row)
        print(kind, name, flush=True)
    summary(folder)


if __name__ == "__main__":
    main()
