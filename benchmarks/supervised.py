"""Speed of every supervised method against the fastest public implementation of the same thing.

    python benchmarks/supervised.py [--limit SECONDS] [--table NAME] [--only KEY ...]

Each pair runs in a process of its own, ours and the peer's in turn, BLAS held to one thread for
both, ``fit`` against ``fit`` (``inffs.rank`` looks at the table as well, 2 or 3 ms at 200 x 1000);
figures are medians of processor time. A peer that is not done within the limit (five minutes) is
cut off and marked so. Tables: 200 x 1000 and 100 x 10,000, for ReliefF also 2,000 x 1000, two
Gaussian classes, twenty columns shifted by one standard deviation. The information criteria choose
20 features and get integers (the binned table), on both sides the same. What numba compiles has
been compiled before the clock starts; where numba is installed our ReliefF uses it, and one more
row shows ours without. Peers that are not installed are said to be so; the end names every method's
fastest peer, and where one was looked for in vain.
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

sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np

from inffs import catalogue
from inffs.methods import find_entry

TABLES = {"200 x 1000": (200, 1000), "2000 x 1000": (2000, 1000), "100 x 10000": (100, 10_000)}
LONG, LONG_METHODS = "2000 x 1000", ("relieff",)
PICKS = 20
ROUNDS = 7
MANY_ROUNDS, QUICK = 101, 3.0  # so many where they fit into so many seconds
PATIENCE = 20.0  # seconds after which no further round is begun
LIMIT = 300.0
TARGETS = {  # (method, peer): how many times faster we mean to be
    ("relieff", "skrebate"): 100,
    ("mi", "mutual_info_classif"): 500,
    ("svm-rfe", "RFE(SVC)"): 8,
    ("relieff", "fast-select"): 1,
    ("relieff", "fast-select, ours without numba"): 0,
    **{(key, "skfeature"): 150 for key in ("mrmr", "mifs")},
    **{(key, "skfeature"): 250 for key in ("cife", "icap", "jmi", "cmim")},
}
SOUGHT = (
    "scikit-learn, skfeature-chappers 1.2.1, ITMO_FS 0.3.3, fast-select 0.3.0, fastcan 0.6.0, "
    "skrebate 0.8.4, mrmr_selection 0.2.8"
)
WORST = 1 / 1.1  # against any peer that solves the same problem
CRITERIA = {"mrmr", "mifs", "cife", "icap", "jmi", "cmim", "mri"}

Table = tuple[np.ndarray, np.ndarray]
Run = Callable[[np.ndarray, np.ndarray], Any]


# --- peers: each returns what it ranks by (scores or an order) ----------------------------------


def skrebate(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from skrebate import ReliefF

    return ReliefF(n_neighbors=10).fit(X, y).feature_importances_


def fast_relieff(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from fast_select import ReliefF

    peer = ReliefF(n_neighbors=10, n_features_to_select=PICKS, backend="cpu", n_jobs=1)
    return peer.fit(X, y).feature_importances_


def fast_mrmr(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from fast_select import mRMR

    return mRMR(PICKS, backend="cpu").fit(X, y).top_features_


def fast_can(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from fastcan import FastCan

    return FastCan(PICKS, verbose=0).fit(X, y).indices_


def binned_information(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from scipy.stats import entropy
    from sklearn.feature_selection import mutual_info_classif

    from inffs.measures.batch import equal_width_bins, number_of_bins

    bins = equal_width_bins(X, number_of_bins(y.size))
    shared = mutual_info_classif(bins, y, discrete_features=True)
    alone = np.array([entropy(np.bincount(each)) for each in (*bins.T, y)])
    return np.argsort(-np.round(2 * shared / (alone[:-1] + alone[-1]), 12), kind="stable")


def mutual_info_classif(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.feature_selection import mutual_info_classif

    return mutual_info_classif(X, y, random_state=0)


def best(X: np.ndarray, y: np.ndarray, score: Callable[..., Any]) -> np.ndarray:
    from sklearn.feature_selection import SelectKBest

    return np.argsort(-SelectKBest(score, k=PICKS).fit(X, y).scores_, kind="stable")


def anova(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.feature_selection import f_classif

    return best(X, y, f_classif)


def correlation(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.feature_selection import r_regression

    return best(X, y, lambda X, y: np.abs(r_regression(X, y)))


def elimination(X: np.ndarray, y: np.ndarray, tol: float = 1e-3) -> np.ndarray:
    from sklearn.feature_selection import RFE
    from sklearn.svm import SVC

    return np.argsort(RFE(SVC(kernel="linear", tol=tol), n_features_to_select=1).fit(X, y).ranking_)


def squared_hinge_path(X: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC, l1_min_c

    Z = StandardScaler().fit_transform(X)
    least = l1_min_c(Z, y, loss="squared_hinge")
    strengths = least * np.geomspace(1, 1000, 50)
    return [LinearSVC(penalty="l1", dual=False, C=C).fit(Z, y).coef_ for C in strengths]


def skfeature(key: str) -> Run:
    def run(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from importlib import import_module

        name = f"skfeature.function.information_theoretical_based.{key.upper()}"
        return getattr(import_module(name), key)(X, y, mode="index", n_selected_features=PICKS)

    return run


def itmo(key: str) -> Run:
    def run(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from ITMO_FS.filters.multivariate import MultivariateFilter

        selector = MultivariateFilter(key.upper(), PICKS)
        selector.fit(X, y)
        return np.asarray(selector.selected_features)

    return run


def mrmr_selection(X: np.ndarray, y: np.ndarray) -> list[Any]:
    import pandas as pd
    from mrmr import mrmr_classif

    frame = pd.DataFrame(X)
    return mrmr_classif(frame, pd.Series(y), K=PICKS, show_progress=False, n_jobs=1)


OTHER = "another problem: "
PEERS: dict[str, list[tuple[str, Run, str]]] = {
    "relieff": [
        ("fast-select", fast_relieff, "scores"),
        ("fast-select, ours without numba", fast_relieff, "scores"),
        ("skrebate", skrebate, "scores"),
    ],
    "mi": [
        ("our bins, mutual_info_classif", binned_information, "order"),
        ("mutual_info_classif", mutual_info_classif, OTHER + "nearest-neighbour estimator"),
    ],
    "fisher": [("SelectKBest(f)", anova, "order")],
    "svm-rfe": [("RFE(SVC)", elimination, "places")],
    "lasso-hinge": [("LinearSVC l1 path", squared_hinge_path, OTHER + "squared hinge")],
    "lasso-unhinged": [("SelectKBest(|r|)", correlation, "order")],
    "mrmr": [
        ("skfeature", skfeature("mrmr"), "not compared: its result is broken"),
        ("fast-select", fast_mrmr, "picks"),
        ("ITMO_FS", itmo("mrmr"), "picks"),
        ("mrmr_selection", mrmr_selection, OTHER + "F statistic and correlation"),
        ("fastcan", fast_can, OTHER + "canonical correlation"),
    ],
    "mifs": [("skfeature", skfeature("mifs"), "not compared: its result is broken")],
    "cife": [
        ("skfeature", skfeature("cife"), "not compared: its result is broken"),
        ("ITMO_FS", itmo("cife"), "picks"),
    ],
    "icap": [
        ("skfeature", skfeature("icap"), "not compared: it runs CMIM"),
        ("ITMO_FS", itmo("icap"), "picks"),
    ],
    "jmi": [
        ("skfeature", skfeature("jmi"), "not compared: its result is broken"),
        ("ITMO_FS", itmo("jmi"), "picks"),
    ],
    "cmim": [("skfeature", skfeature("cmim"), "picks"), ("ITMO_FS", itmo("cmim"), "picks")],
    "mri": [("ITMO_FS", itmo("mri"), "picks")],
}


# --- one pair, in a process of its own -----------------------------------------------------------


def make_table(key: str, shape: tuple[int, int]) -> Table:
    T = shape[0]
    rng = np.random.default_rng(0)
    y = np.arange(T) % 2
    X = rng.normal(size=shape)
    X[:, :PICKS] += y[:, None]
    if key in CRITERIA:
        from inffs.measures.batch import equal_width_bins, number_of_bins

        return equal_width_bins(X, number_of_bins(T)), y
    return X, y


def compare(selector: Any, theirs: Any, how: str, X: np.ndarray, y: np.ndarray) -> str:
    """What to say of the two results."""
    if how == "scores":
        return f"scores differ by {np.abs(selector.scores_ - theirs).max():.0e} at most"
    if how in ("order", "picks"):
        places = slice(None) if how == "order" else slice(PICKS)
        same = (selector.order_[places] == np.asarray(theirs)[places]).mean()
        return f"{how} equal" if same == 1 else f"{how}: {same:.0%} of the places equal"
    if how == "places":
        exact = elimination(X, y, tol=1e-6)
        ours, peer = ((exact == order).mean() for order in (selector.order_, theirs))
        return f"places as with tol=1e-6: ours {ours:.0%}, the peer's {peer:.0%}"
    return how


def timed(run: Run, X: np.ndarray, y: np.ndarray) -> tuple[float, Any]:
    start = time.process_time()
    result = run(X, y)
    return time.process_time() - start, result


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def work(key: str, place: int, shape: tuple[int, int]) -> None:
    """Time ours and one peer in turn; every figure is printed as soon as it is known."""
    warnings.simplefilter("ignore")
    X, y = make_table(key, shape)

    def ours(X: np.ndarray, y: np.ndarray) -> Any:
        return find_entry(key).estimator(n_features_to_select=PICKS).fit(X, y)

    name, peer, how = PEERS[key][place] if key in PEERS else ("", None, "")
    if peer is not None and "fast-select" in name:
        compile_before(name, peer, X, y)
    seconds, selector = timed(ours, X, y)
    say(ours=seconds if seconds > QUICK else timed(ours, X, y)[0])
    begun = time.perf_counter()
    theirs = None
    for turn in range(MANY_ROUNDS):
        spent = time.perf_counter() - begun
        if spent > (PATIENCE if turn < ROUNDS else QUICK):
            break
        if peer is not None:
            seconds, theirs = timed(peer, X, y)
            say(peer=seconds)
        say(ours=timed(ours, X, y)[0])
        if turn == 0 and time.perf_counter() - begun < PATIENCE / ROUNDS:
            say(warm=True)  # the first round was the warm-up: forget it
    if peer is not None:
        say(note=compare(selector, theirs, how, X, y))


def compile_before(name: str, peer: Run, X: np.ndarray, y: np.ndarray) -> None:
    """Let numba compile; or let ours do without it."""
    peer(X[:60, : 2 * PICKS], y[:60])
    if "without numba" in name:
        from inffs.methods import relieff

        relieff.find_spec = lambda name: None  # as if it were not installed


# --- the table -----------------------------------------------------------------------------------


def measure(key: str, place: int, shape: tuple[int, int], limit: float) -> dict[str, Any]:
    command = [sys.executable, __file__, "--work", key, str(place), *map(str, shape)]
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    threads = dict.fromkeys(names, "1")
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | threads, text=True
    )
    cut_off = False
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        cut_off = True
    return gather(out, err, cut_off, process.returncode)


def gather(out: str, err: str, cut_off: bool, code: int) -> dict[str, Any]:
    times: dict[str, list[float]] = {"ours": [], "peer": []}
    note = ""
    for line in map(json.loads, filter(None, out.splitlines())):
        if "warm" in line:
            times = {"ours": [], "peer": []}
        note = line.get("note", note)
        for who, seconds in line.items():
            if who in times:
                times[who].append(seconds)
    if code and not cut_off:
        note = err.strip().splitlines()[-1] if err.strip() else "failed"
        note = "not installed" if "ModuleNotFoundError" in note else note
    return {who: median(each) if each else None for who, each in times.items()} | {
        "note": note,
        "cut_off": cut_off,
    }


def tell(key: str, peer: str, how: str, result: dict[str, Any], limit: float) -> tuple[str, bool]:
    """The line of the table, and whether it misses a target."""
    ours, theirs = result["ours"], result["peer"]
    mine = "-" if ours is None else f"{ours * 1e3:10.1f}"
    if not peer:
        end = "no peer in those looked through" if not result["note"] else result["note"]
        end = "cut off" if result["cut_off"] else end
        return f"{key:18}{mine:>10}   {'-':22}{'-':>10}{'-':>10}   {end}", ours is None
    if theirs is None and result["cut_off"] and ours is not None:
        ratio, other, missed = f"> {limit / ours:.0f}", "cut off", False
    elif theirs is None or ours is None:
        ratio, other, missed = "-", "-", result["note"] != "not installed"
    else:
        ratio, other = f"{theirs / ours:.1f}", f"{theirs * 1e3:.1f}"
        least = TARGETS.get((key, peer), 0 if how.startswith(OTHER) else WORST)
        missed = theirs / ours < least
    note = result["note"] or (how if " " in how else "")
    return f"{key:18}{mine:>10}   {peer:22}{other:>10}{ratio:>10}   {note}", missed


def tell_fastest(rows: list[tuple[str, str, str, float | None, str]]) -> None:
    """The fastest peer of every method on every table, and the methods that have none."""
    print("\nFastest peer that solves the same problem (or nearly, where that is all there is):")
    for table, key in dict.fromkeys((table, key) for table, key, *_ in rows):
        mine = [row for row in rows if row[:2] == (table, key) and row[3] is not None]
        same = [row for row in mine if not row[4].startswith(OTHER)] or mine
        if same:
            best = min(same, key=lambda row: row[3] or np.inf)
            print(f"  {table}, {key}: {best[2]}, {1e3 * (best[3] or 0):.1f} ms")
    none = sorted({key for _, key, peer, *_ in rows if not peer})
    if none:
        print(f"Without a peer: {', '.join(none)} (looked for in {SOUGHT}).")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds a pair may take")
    parser.add_argument("--only", nargs="*", help="catalogue keys")
    parser.add_argument("--table", choices=list(TABLES), help="one of the two tables only")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        key, place, T, n = options.work
        work(key, int(place), (int(T), int(n)))
        return 0
    misses, rows = [], []
    for name, shape in TABLES.items():
        if options.table not in (None, name):
            continue
        print(f"\n{name}\n{'method':18}{'ours ms':>10}   {'peer':22}{'peer ms':>10}{'times':>10}")
        for entry in catalogue():
            if not entry.supervised or (options.only and entry.key not in options.only):
                continue
            if name == LONG and entry.key not in LONG_METHODS:
                continue
            peers = PEERS.get(entry.key, [("", None, "")])
            for place, (peer, _, how) in enumerate(peers):
                result = measure(entry.key, place, shape, options.limit)
                line, missed = tell(entry.key, peer, how, result, options.limit)
                print(line, flush=True)
                misses += [f"{name}: {line}"] if missed else []
                rows.append((name, entry.key, peer, result["peer"], how))
    tell_fastest(rows)
    print("\nBelow target:" if misses else "\nEvery target met.", *misses, sep="\n")
    return len(misses) > 0


if __name__ == "__main__":
    sys.exit(main())
