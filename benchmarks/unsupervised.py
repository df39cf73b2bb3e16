"""The unsupervised methods against the public Python implementations, and how they grow with n.

    python benchmarks/unsupervised.py [peers] [growth] [key ...]

The peers are skfeature-chappers and ITMO_FS as they are shipped, where they are installed, called
in the mode that spares them work after the scores (turning them into ranks costs skfeature
seconds). Each contest runs in a process of its own, ours and the peer's calls in turns, so both
have the same BLAS and the same number of threads; a peer call that takes over five minutes is cut
off.
"""

from __future__ import annotations

import math
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
from threadpoolctl import threadpool_info

from benchmarks.timing import interleave, print_table
from inffs import catalogue, rank

LIMIT = 300  # seconds for one call of a peer
LONG = 10  # seconds: a peer's call that takes longer is not repeated
TABLES = ((200, 1000), (100, 10_000))
ROUNDS = 5
CHAPPERS, ITMO = "skfeature-chappers", "ITMO_FS"


@dataclass(frozen=True)
class Standings:
    """One of our methods, and a peer's function that sets out to compute the same."""

    key: str
    params: dict[str, Any]
    package: str
    peer: Callable[[np.ndarray], Any]
    target: str = "<= 1.1"
    what: str = ""

    def title(self, T: int, n: int) -> str:
        return ", ".join(filter(None, [self.key, self.what, f"{T} x {n}"]))


def skfeature(module: str, function: str, **params: Any) -> Callable[[np.ndarray], Any]:
    def run(X: np.ndarray) -> Any:
        return getattr(import_module(f"skfeature.function.{module}"), function)(X, **params)

    return run


def itmo(name: str, size: str, **params: Any) -> Callable[[np.ndarray], Any]:
    """ITMO_FS wants the number of features under the name ``size``: all, unless it is given."""

    def run(X: np.ndarray) -> Any:
        method = getattr(import_module("ITMO_FS.filters.sparse"), name)
        fitted = method(**{size: X.shape[1], **params})
        return fitted.feature_ranking(fitted.run(X))

    return run


LAP, MCFS = ("similarity_based.lap_score", "lap_score"), ("sparse_learning_based.MCFS", "mcfs")
UDFS = ("sparse_learning_based.UDFS", "udfs")
UDFS_PARAMS = {"n_clusters": 2, "n_neighbors": 5, "gamma": 0.1}
FEW = {"n_nonzero": 50}
CONTESTS = (
    Standings("laplacian", {}, CHAPPERS, skfeature(*LAP, mode="index")),
    Standings(
        "mcfs", {}, CHAPPERS, skfeature(*MCFS, n_clusters=5, mode="raw"), "<= 0.2", "all features"
    ),
    Standings("mcfs", {}, ITMO, itmo("MCFS", "d", scheme="heat"), "<= 0.2", "all features"),
    Standings(
        "mcfs",
        FEW,
        CHAPPERS,
        skfeature(*MCFS, n_clusters=5, n_selected_features=50, mode="raw"),
        what="50 features",
    ),
    Standings("mcfs", FEW, ITMO, itmo("MCFS", "d", d=50, scheme="heat"), what="50 features"),
    Standings(
        "udfs", UDFS_PARAMS, CHAPPERS, skfeature(*UDFS, n_clusters=2, k=5, mode="raw"), "<= 0.2"
    ),
    Standings("udfs", UDFS_PARAMS, ITMO, itmo("UDFS", "p", c=2, k=5, gamma=0.1), "<= 0.2"),
)


def gaussian(T: int, n: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((T, n))


def rivals() -> list[str]:
    """Every unsupervised method of the catalogue but Inf-FS, which has a benchmark of its own."""
    keys = [e.key for e in catalogue() if not e.supervised and not e.key.startswith("inf-fs")]
    return [key for key in keys if key in sys.argv] or keys


def compete(place: int, T: int, n: int, pipe: Any) -> None:
    """Worker: send our seconds, then those of the peer's first call, then medians of turns."""
    contest, X = CONTESTS[place], gaussian(T, n)

    def ours() -> Any:
        return rank(X, method=contest.key, **contest.params)

    def theirs() -> Any:
        return contest.peer(X)

    pipe.send(interleave({"ours": ours}, 3)["ours"].seconds)
    start = time.perf_counter()
    try:
        theirs()
    except Exception as error:
        pipe.send(f"does not run ({type(error).__name__}: {error})")
        return
    first = time.perf_counter() - start
    pipe.send(first)
    if first < LONG:
        both = interleave({"ours": ours, "theirs": theirs}, ROUNDS, warm_up=False)
        pipe.send((both["ours"].seconds, both["theirs"].seconds))


def run_contest(place: int, T: int, n: int) -> tuple[float, float | str]:
    """Our seconds, and the peer's or what became of it."""
    context = multiprocessing.get_context("spawn")
    inbox, outbox = context.Pipe(duplex=False)
    process = context.Process(target=compete, args=(place, T, n, outbox), daemon=True)
    process.start()
    outbox.close()
    seconds = inbox.recv()
    try:
        if not inbox.poll(LIMIT):
            return seconds, f"cut off after {LIMIT} s"
        peer = inbox.recv()
        if isinstance(peer, str) or peer >= LONG:
            return seconds, peer
        return inbox.recv()
    except EOFError:
        return seconds, "its process died"
    finally:
        process.kill()
        process.join()


def contest_row(place: int, T: int, n: int) -> list[str]:
    contest = CONTESTS[place]
    title = contest.title(T, n)
    try:
        peer = f"{contest.package} {version(contest.package)}"
    except PackageNotFoundError:
        return [title, contest.package, "", "not installed", "", contest.target]
    ours, theirs = run_contest(place, T, n)
    if isinstance(theirs, str):
        ratio = f"< {ours / LIMIT:.2g}" if theirs.startswith("cut off") else ""
        return [title, peer, f"{ours:.3g} s", theirs, ratio, contest.target]
    return [title, peer, f"{ours:.3g} s", f"{theirs:.3g} s", f"{ours / theirs:.2g}", contest.target]


def lone_row(key: str, T: int, n: int) -> list[str]:
    X = gaussian(T, n)
    seconds = interleave({key: lambda: rank(X, method=key)}, 3)[key].seconds
    return [f"{key}, {T} x {n}", "none works", f"{seconds:.3g} s", "", "", ""]


def peers() -> Iterator[list[str]]:
    for T, n in TABLES:
        for key in rivals():
            places = [place for place, contest in enumerate(CONTESTS) if contest.key == key]
            for place in places:
                yield contest_row(place, T, n)
            if not places:
                yield lone_row(key, T, n)


def growth() -> Iterator[list[str]]:
    small, large = gaussian(100, 2000), gaussian(100, 20_000)
    for key in rivals():
        runs = {
            "small": lambda key=key: rank(small, method=key),
            "large": lambda key=key: rank(large, method=key),
        }
        times = interleave(runs, 3)
        low, high = times["small"].seconds, times["large"].seconds
        power, target = math.log10(high / low), "-" if key == "cfs" else "<= 10"
        yield [key, f"{low:.3g} s", f"{high:.3g} s", f"{high / low:.1f}", f"n^{power:.2f}", target]


def main(parts: list[str]) -> None:
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    print(f"NumPy {np.__version__}, {max(pools, default=1)} BLAS threads, Gaussian tables T x n")
    parts = [part for part in parts if part in ("peers", "growth")] or ["peers", "growth"]
    if "peers" in parts:
        header = ["method, table", "peer", "inffs", "peer takes", "inffs / peer", "target"]
        print_table("Against public implementations", header, peers())
    if "growth" in parts:
        header = ["method, T = 100", "n = 2,000", "n = 20,000", "ratio", "growth", "target"]
        print_table("Growth with the number of features", header, growth())


if __name__ == "__main__":
    main(sys.argv[1:])
