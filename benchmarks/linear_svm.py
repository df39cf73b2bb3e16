"""Speed of the linear SVM: against LinearSVC, and of trials against an older version.

    python benchmarks/linear_svm.py [svm] [trial]
        [--old FOLDER] [--rounds 3] [--limit 120] [--fast]

``svm``: one path of five C's, medians of processor time, both in turn in one process, BLAS held to
one thread. LinearSVC runs as a user would run it (its own tolerance, its penalised intercept). With
102 classes ours is measured on all of them. LinearSVC fits each class by itself, so classes are
drawn and fitted, all C's of each, until the limit of processor seconds is over, and the time is
scaled up; the table says from how many classes. The objective that is reached is compared with
that of a fit to 1e-10, class by class and C by C until the limit is over again; the table says for
how many. Tables: gina and caltech101 of the benchmark, cut to the sizes named.

``trial``: a trial of a comparison with quick methods. Against the sources of an older version
(``git worktree add FOLDER COMMIT``), each in a process of its own, in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path[0] = str(Path(__file__).parent.parent)  # beside this file, inffs.py hides the package

import numpy as np

CS = (1e-3, 1e-2, 1e-1, 1.0, 1e1)
AIMS = {"2,208 x 200": 10, "2,208 x 50": 4, "6,393 x 205": 10, "6,393 x 1,024": 30}
TRIAL_AIMS = {"gina": 5, "microarray": 3}
LIMIT = 120.0  # processor seconds for LinearSVC, and again for the objectives to compare with
QUICK = ("fisher", "mi", "relieff", "laplacian", "inf-fs-s", "inf-fs-u")
MICROARRAY = ("colon", "leukemia", "lung", "lymphoma", "prostate")


def seconds(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def gina(n: int) -> tuple[np.ndarray, np.ndarray]:
    from inffs import rank
    from reproduction.datasets import load

    X, y, _ = load("gina")
    X, y = X[:2208], np.unique(y[:2208], return_inverse=True)[1]
    return standard(X[:, rank(X, y, method="fisher").order_[:n]]), y


def caltech(n: int) -> tuple[np.ndarray, np.ndarray]:
    from reproduction.datasets import load

    X, y, _ = load("caltech101")
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(y))[:6393], rng.permutation(X.shape[1])[:n]
    return standard(X[rows][:, columns]), np.unique(y, return_inverse=True)[1][rows]


def standard(X: np.ndarray) -> np.ndarray:
    from inffs.evaluation.folds import standardise

    return standardise(X, X[:1])[0]


def objective(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float, C: float) -> float:
    slack = np.maximum(0, 1 - y * (X @ w + b))
    return float(0.5 * w @ w + C * np.sum(slack**2))


def compare_svm(name: str, X: np.ndarray, codes: np.ndarray, rounds: int, limit: float) -> None:
    from inffs.evaluation.svm import signs, svm_path

    Y, dense = signs(codes, codes.max() + 1), X.astype(np.float64)
    drawn = np.random.default_rng(0).permutation(Y.shape[1])
    svm_path(X[:300], Y[:300], CS)
    ours_each, theirs_each, fitted = [], [], 0
    for _ in range(rounds):
        ours_each.append(seconds(lambda: svm_path(X, Y, CS)))
        spent, fitted = peer_seconds(dense, Y[:, drawn], limit)
        theirs_each.append(spent * Y.shape[1] / fitted)
    ours, other = median(ours_each), median(theirs_each)
    worst, compared = worst_objective(X, dense, Y, drawn, limit)
    classes = max(2, Y.shape[1])
    how = "measured" if fitted == Y.shape[1] else f"scaled up from {fitted} classes"
    print(
        f"| {name} | {classes} | {X.dtype} | {other:.2f} ({how}) | {ours:.3f} (measured) | "
        f"{other / ours:.1f} | {AIMS[name]} | {worst:.0e} ({compared} fits) |",
        flush=True,
    )


def peer_seconds(X: np.ndarray, Y: np.ndarray, limit: float) -> tuple[float, int]:
    """Processor seconds of LinearSVC on the first classes that the limit allows, and how many."""
    from sklearn.svm import LinearSVC

    spent, fitted = 0.0, 0
    for y in Y.T:
        for C in CS:
            spent += seconds(lambda C=C, y=y: LinearSVC(C=C, dual="auto").fit(X, y))
        fitted += 1
        if spent > limit:
            break
    return spent, fitted


def worst_objective(
    X: np.ndarray, dense: np.ndarray, Y: np.ndarray, drawn: np.ndarray, limit: float
) -> tuple[float, int]:
    """The largest relative excess of our objectives over the reference, and of how many fits."""
    from inffs.evaluation.svm import svm_path

    coef, intercept = svm_path(X, Y, CS)
    excess: list[float] = []
    begun = time.process_time()
    for k in drawn[:4]:
        for at, C in enumerate(CS[:4]):
            ours = objective(dense, Y[:, k], coef[at, k].astype(float), intercept[at, k], C)
            excess.append(ours / _reference(dense, Y[:, k], C) - 1)
            if time.process_time() - begun > limit:
                return max(excess), len(excess)
    return max(excess), len(excess)


def _reference(X: np.ndarray, y: np.ndarray, C: float) -> float:
    """The objective of liblinear with a nearly free intercept, to 1e-10."""
    from sklearn.svm import LinearSVC

    peer = LinearSVC(C=C, dual=False, intercept_scaling=1e4, tol=1e-10, max_iter=10_000)
    peer.fit(X, y)
    return objective(X, y, peer.coef_[0], peer.intercept_[0], C)


def svm(rounds: int, fast: bool, limit: float) -> None:
    print("| table | classes | precision | LinearSVC s | ours s | times faster | aim | objective |")
    print("|---|---|---|---|---|---|---|---|")
    compare_svm("2,208 x 50", *gina(50), rounds, limit)
    compare_svm("2,208 x 200", *gina(200), rounds, limit)
    if not fast:
        compare_svm("6,393 x 205", *caltech(205), 1, limit)
        compare_svm("6,393 x 1,024", *caltech(1024), 1, limit)


JOB = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
name, methods = sys.argv[1], sys.argv[2].split(",")
from reproduction.datasets import load
from reproduction.compared import find_method
from inffs.comparison.protocol import Protocol
from inffs.comparison.trial import Trial, run_trial
data = load(name)
def run():
    for key in methods:
        run_trial(data, Trial(find_method(key), 0, Protocol()))
start = time.process_time()
run()
print(json.dumps(time.process_time() - start))
"""


def in_process(source: Path, name: str, methods: str) -> float:
    words = [sys.executable, "-c", JOB, name, methods]
    folder = str(source / "src")
    env = {**os.environ, "PYTHONPATH": folder, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def trial(old: Path, rounds: int) -> None:
    new = Path(__file__).parent.parent
    print("| what | method | old s | new s | times faster | aim |")
    print("|---|---|---|---|---|---|")
    aim = TRIAL_AIMS["microarray"]
    jobs = [(name, method, aim) for name in MICROARRAY for method in QUICK]
    jobs += [("gina", method, TRIAL_AIMS["gina"]) for method in QUICK]
    for name, method, aim in jobs:
        times = [
            (in_process(old, name, method), in_process(new, name, method)) for _ in range(rounds)
        ]
        before, now = median(each[0] for each in times), median(each[1] for each in times)
        print(
            f"| {name} | {method} | {before:.2f} | {now:.2f} | {before / now:.1f} | {aim} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", default=["svm"], choices=["svm", "trial"])
    parser.add_argument("--old", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for LinearSVC")
    parser.add_argument("--fast", action="store_true", help="leave out the 102 classes")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if "svm" in given.what:
        svm(given.rounds, given.fast, given.limit)
    if "trial" in given.what:
        trial(given.old, given.rounds)


if __name__ == "__main__":
    main()
