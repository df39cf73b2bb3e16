"""Does "auto" keep what it promises with labels? Planted tables, real sets, fits.

    python benchmarks/cut_support.py planted | real [--minutes 20]   (goes on where it was)
    python benchmarks/cut_support.py tables                          (CSV, figure)

Raw lines are kept in build/cut-support-*.jsonl, one per table and ranking. Real sets need
INFFS_DATA; ``tables`` writes docs/data/cut-support.csv, docs/data/cut-planted.csv and
docs/images/cut-support.png.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inffs.target import make_target

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

import numpy as np

from benchmarks.cut_truth import PLANTED, TABLES, plant
from inffs.comparison.selection import as_seen
from inffs.comparison.trial import prepare
from inffs.cuts import Knee, Supported, supported
from inffs.cuts.samples import distinct_samples
from inffs.cuts.supported import weighed
from inffs.evaluation.folds import holdout
from inffs.evaluation.judges import find_judge
from inffs.evaluation.parts import Part
from inffs.methods import find_entry
from inffs.validation.checks import varying_columns
from reproduction.compared import find_method
from reproduction.datasets import load

FIXED = (10, 50, 100, 150, 200)
CS = (0.01, 0.1, 1.0)
RANKINGS = ("inf-fs-s", "fisher", "mi", "relieff")
SPLITS = {
    "colon": 40, "lymphoma": 40, "leukemia": 20, "prostate": 20, "office-caffenet": 20, "lung": 20,
    "madelon": 20, "dexter": 20, "office-googlenet": 5, "gina": 5, "gisette": 2,
}  # fmt: skip
WIDE = {  # samples, columns: tables
    (50, 2_000): 3, (200, 2_000): 3, (50, 20_000): 3, (200, 20_000): 2, (50, 200_000): 1,
    (200, 200_000): 1,
}  # fmt: skip
WIDE_RANKINGS = ("inf-fs-s", "fisher", "relieff")
SHIFTS = (1.0, 2.0)
N_PLANTED, SEEDS, MOST_FALSE = 20, 3, 0.25

Line = dict[str, Any]


def real_tasks() -> Iterator[Line]:
    for split in range(max(SPLITS.values())):
        for dataset, most in SPLITS.items():
            if split < most:
                for ranking in RANKINGS:
                    yield {"dataset": dataset, "split": split, "ranking": ranking}


def planted_tasks() -> Iterator[Line]:
    for seed in range(SEEDS):
        for table in TABLES:
            for planted in PLANTED:
                for ranking in WIDE_RANKINGS:
                    yield {"table": table, "planted": planted, "seed": seed, "ranking": ranking}
        for (T, n), most in WIDE.items():
            for shift in SHIFTS if seed < most else ():
                for ranking in WIDE_RANKINGS:
                    yield {"T": T, "n": n, "shift": shift, "seed": seed, "ranking": ranking}


def measure_real(task: Line, sets: dict[str, Any]) -> Line:
    """Where "auto" begins, the check's scores at every C, and the truth at every size."""
    name = task["dataset"]
    if name not in sets:
        sets[name] = load(name)
    y = np.unique(sets[name].y, return_inverse=True)[1]
    train, test = holdout(y, 1 / 3, task["split"])
    X = prepare(sets[name].X, train, None)
    X = X[:, varying_columns(X[train].tocsc() if hasattr(X, "tocsc") else X[train])]
    method = find_method(task["ranking"])
    seen = as_seen(method, X[train])
    seen = seen.tocsc() if hasattr(seen, "tocsc") else seen
    most = min(X.shape[1], method.estimator._longest_search or X.shape[1])
    selector = method.estimator(n_features_to_select=most).fit(seen, y[train])
    if method.estimator._longest_search:
        scores = -np.argsort(selector.order_).astype(float)
    else:
        scores = selector.scores_
    rule = Supported()
    prior = rule.prior(scores, selector, seen, y[train])
    with_all_cs()
    by_rows = seen.tocsr() if hasattr(seen, "tocsr") else seen
    samples = distinct_samples(by_rows, y[train], None, False)
    found = rule.evidence(prior, selector, by_rows, y[train], samples)
    knee = min(most, int(Knee()(scores)[0]))
    sizes = sorted({*found.sizes.tolist(), *(size for size in FIXED if size <= most), knee})
    part = Part(X, make_target(y), train, test)
    C = 0.01 if len(train) > 1000 else 0.1
    truth = find_judge().scores(part, [selector.order_[:size] for size in sizes], [C])[:, 0]
    return {
        "prior": found.prior.size, "forced": bool(prior.forced), "knee": knee,
        "permuted": [cut.size for cut in prior.considered], "guess": found.guess,
        "sizes": found.sizes.tolist(), "folds": np.round(found.folds, 5).tolist(),
        "above": np.round(found.above, 3).tolist(),
        "truth": {str(size): float(value) for size, value in zip(sizes, truth, strict=True)},
    }  # fmt: skip


def with_all_cs() -> None:
    """Let the check judge along CS, so that other values can be tried afterwards."""
    supported.judged = lambda part, order, sizes: find_judge(kind=part.target.type).outputs(
        part, [order[:size] for size in sizes], CS
    )
    supported.weighed = lambda target, tested, outputs, guess: tuple(
        np.stack(each, axis=-1)
        for each in zip(
            *(
                weighed(target, tested, [[sizes[c] for sizes in fold] for fold in outputs], guess)
                for c in range(len(CS))
            ),
            strict=True,
        )
    )


def wide(T: int, n: int, shift: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, T, n, int(10 * shift)])
    X, y = rng.normal(size=(T, n)).astype(np.float32), np.arange(T) % 2
    X[:, :N_PLANTED] += shift * y[:, None] * rng.choice([-1.0, 1.0], size=N_PLANTED)
    return X, y


def measure_planted(task: Line, _: Any) -> Line:
    if "table" in task:
        X, y = plant(task["table"], task["planted"], task["seed"])
    else:
        X, y = wide(task["T"], task["n"], task["shift"], task["seed"])
    planted = task.get("planted", N_PLANTED)
    method = find_entry(task["ranking"]).estimator
    began = time.process_time()
    order = method(n_features_to_select=10).fit(X, y).order_
    plain = time.process_time() - began
    selector = method().fit(X, y)
    spent = time.process_time() - began - plain
    knee = int(Knee()(selector.scores_)[0])
    permuted = next((cut for cut in selector.cut_.considered), None)
    sizes = {
        "supported": 0 if selector.cut_.forced else selector.n_features_,
        "permuted": 0 if permuted is None or permuted.forced else permuted.size,
        "knee": knee,
    }
    right = {name: int(np.count_nonzero(order[:size] < planted)) for name, size in sizes.items()}
    return {"sizes": sizes, "right": right, "reach": reach(order, planted), "fits": spent / plain}


def reach(order: np.ndarray, planted: int) -> float:
    """The best recall that any size of a ranking has with at most MOST_FALSE noise."""
    size, right = np.arange(1, order.size + 1), np.cumsum(order < planted)
    return float(right[size - right <= MOST_FALSE * size].max(initial=0) / planted)


def run(kind: str, minutes: float) -> None:
    path = ROOT / "build" / f"cut-support-{kind}.jsonl"
    path.parent.mkdir(exist_ok=True)
    tasks, measure = KINDS[kind]
    done = {_key(line) for line in lines(kind)}
    ends, sets = time.process_time() + 60 * minutes, {}
    for task in tasks():
        if time.process_time() > ends or _key(task) in done:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = measure(task, sets)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**task, **found}) + "\n")


KINDS = {"real": (real_tasks, measure_real), "planted": (planted_tasks, measure_planted)}
_NAMES = ("dataset", "split", "table", "planted", "T", "n", "shift", "seed", "ranking")


def _key(line: Line) -> str:
    return json.dumps({name: line[name] for name in _NAMES if name in line})


def lines(kind: str) -> list[Line]:
    path = ROOT / "build" / f"cut-support-{kind}.jsonl"
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=[*KINDS, "tables"])
    parser.add_argument("--minutes", type=float, default=20)
    asked = parser.parse_args()
    if asked.what in KINDS:
        run(asked.what, asked.minutes)
    else:
        from benchmarks.cut_support_tables import write

        write(lines("real"), lines("planted"))


if __name__ == "__main__":
    main()
