"""Speed of the judge: against LinearSVC with the same C's, and of trials against an older version.

    python benchmarks/judge.py [svm] [trial] [--old FOLDER] [--rounds 3] [--fast]

``svm``: one path of five C's, medians of processor time, both in turn in one process, BLAS held to
one thread. LinearSVC runs as a user would run it (its own tolerance, its penalised intercept); with
102 classes it is timed on every seventeenth class and the time is scaled up, as all classes take
their own fit. The objective that is reached is compared with that of a fit to 1e-10. Tables: gina
and caltech101 of the arena, cut to the sizes named.

``trial``: a trial of the arena with quick methods, and ``InfFSUCV`` on 100 x 10,000, against the
sources of an older version (``git worktree add FOLDER COMMIT``), each in a process of its own, in
turn.
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
TRIAL_AIMS = {"gina": 5, "microarray": 3, "InfFSUCV 100 x 10,000": 3}
EVERY = 17
QUICK = ("fisher", "mi", "relieff", "laplacian", "inf-fs-s", "inf-fs-u")
MICROARRAY = ("colon", "leukemia", "lung", "lymphoma", "prostate")


def seconds(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def gina(n: int) -> tuple[np.ndarray, np.ndarray]:
    from inffs import rank
    from inffs.arena.data.datasets import load

    X, y, _ = load("gina")
    X, y = X[:2208], np.unique(y[:2208], return_inverse=True)[1]
    return standard(X[:, rank(X, y, method="fisher").order_[:n]]), y


def caltech(n: int) -> tuple[np.ndarray, np.ndarray]:
    from inffs.arena.data.datasets import load

    X, y, _ = load("caltech101")
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(y))[:6393], rng.permutation(X.shape[1])[:n]
    return standard(X[rows][:, columns]), np.unique(y, return_inverse=True)[1][rows]


def standard(X: np.ndarray) -> np.ndarray:
    from inffs.evaluation.parts import standardise

    return standardise(X, X[:1])[0]


def objective(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float, C: float) -> float:
    slack = np.maximum(0, 1 - y * (X @ w + b))
    return float(0.5 * w @ w + C * np.sum(slack**2))


def compare_svm(name: str, X: np.ndarray, codes: np.ndarray, rounds: int) -> None:
    from sklearn.svm import LinearSVC

    from inffs.evaluation import svm_path
    from inffs.evaluation.svm import signs

    Y, dense = signs(codes, codes.max() + 1), X.astype(np.float64)
    some = range(0, Y.shape[1], EVERY)

    def theirs() -> None:
        for C in CS:
            for k in some:
                LinearSVC(C=C, dual="auto").fit(dense, Y[:, k])

    svm_path(X[:300], Y[:300], CS)
    ours_each, theirs_each = [], []
    for _ in range(rounds):
        ours_each.append(seconds(lambda: svm_path(X, Y, CS)))
        theirs_each.append(seconds(theirs) * Y.shape[1] / len(some))
    ours, other = median(ours_each), median(theirs_each)
    coef, intercept = svm_path(X, Y, CS)
    worst = max(
        objective(dense, Y[:, k], coef[at, k].astype(float), intercept[at, k], C)
        / _reference(dense, Y[:, k], C) - 1
        for at, C in enumerate(CS[:4]) for k in list(some)[:2]
    )  # fmt: skip
    print(
        f"| {name} | {max(2, Y.shape[1])} | {X.dtype} | {other:.2f} | {ours:.3f} | "
        f"{other / ours:.1f} | {AIMS[name]} | {worst:.0e} |",
        flush=True,
    )


def _reference(X: np.ndarray, y: np.ndarray, C: float) -> float:
    """The objective of liblinear with a nearly free intercept, to 1e-10."""
    from sklearn.svm import LinearSVC

    peer = LinearSVC(C=C, dual=False, intercept_scaling=1e4, tol=1e-10, max_iter=10_000)
    peer.fit(X, y)
    return objective(X, y, peer.coef_[0], peer.intercept_[0], C)


def svm(rounds: int, fast: bool) -> None:
    print("| table | classes | precision | LinearSVC s | ours s | times faster | aim | objective |")
    print("|---|---|---|---|---|---|---|---|")
    compare_svm("2,208 x 50", *gina(50), rounds)
    compare_svm("2,208 x 200", *gina(200), rounds)
    if not fast:
        compare_svm("6,393 x 205", *caltech(205), 1)
        compare_svm("6,393 x 1,024", *caltech(1024), 1)


JOB = """
import json, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
what, methods = sys.argv[1], sys.argv[2].split(",")
if what == "cv":
    from inffs import InfFSUCV
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 10_000))
    X[:, :20] += y[:, None]
    run = lambda: InfFSUCV().fit(X, y)
else:
    from inffs.arena.data.datasets import load
    from inffs.arena.engine.contestants import find_contestant
    from inffs.arena.engine.protocol import Protocol
    from inffs.arena.engine.trial import Trial, run_trial
    data = load(what)
    def run():
        for key in methods:
            run_trial(data, Trial(find_contestant(key), 0, Protocol()))
start = time.process_time()
run()
print(json.dumps(time.process_time() - start))
"""


def in_process(source: Path, what: str, methods: str = "-") -> float:
    words = [sys.executable, "-c", JOB, what, methods]
    folder = str(source / "src")
    env = {**os.environ, "PYTHONPATH": folder, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def trial(old: Path, rounds: int) -> None:
    new = Path(__file__).parent.parent
    print("| what | method | old s | new s | times faster | aim |")
    print("|---|---|---|---|---|---|")
    jobs = [("cv", "-", TRIAL_AIMS["InfFSUCV 100 x 10,000"])]
    jobs += [(name, method, TRIAL_AIMS["microarray"]) for name in MICROARRAY for method in QUICK]
    jobs += [("gina", method, TRIAL_AIMS["gina"]) for method in QUICK]
    for what, method, aim in jobs:
        times = [
            (in_process(old, what, method), in_process(new, what, method)) for _ in range(rounds)
        ]
        before, now = median(each[0] for each in times), median(each[1] for each in times)
        name = "InfFSUCV 100 x 10,000" if what == "cv" else what
        print(
            f"| {name} | {method} | {before:.2f} | {now:.2f} | {before / now:.1f} | {aim} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", default=["svm"], choices=["svm", "trial"])
    parser.add_argument("--old", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fast", action="store_true", help="leave out the 102 classes")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if "svm" in given.what:
        svm(given.rounds, given.fast)
    if "trial" in given.what:
        trial(given.old, given.rounds)


if __name__ == "__main__":
    main()
