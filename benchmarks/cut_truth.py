"""Do the cuts find planted features? Recall and false discoveries on tables whose truth is known.

Writes docs/data/cut-truth.csv and docs/images/cut-truth.png. ``--without-labels`` measures only the
rankings that do not see the labels again, ``--draw`` nothing.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np

from benchmarks.timing import print_table
from inffs import InfFSS, InfFSU
from inffs.comparison.methods import Variance
from inffs.cuts import CUTS, SCORE_CUTS, FalseDiscoveryRate, apply_cut
from inffs.methods import FisherScore, LaplacianScore, MutualInformation

DOCS = Path(__file__).parents[1] / "docs"
T, N, Q = 100, 2000, 0.1
PLANTED = (1, 5, 20, 50, 200)
REPETITIONS = 20  # of the cut that promises; below: of the others
OTHERS = {**dict.fromkeys(SCORE_CUTS, 16), "stability": 3}
WITHOUT_LABELS = {"inf-fs-u": InfFSU, "laplacian": LaplacianScore, "variance": Variance}
HIDDEN = 4  # repetitions of these
METHODS = {"fisher": FisherScore, "mi": MutualInformation, "inf-fs-s": InfFSS}
FIELDS = ["table", "planted", "ranking", "cut", "size", "recall", "false", "error", "repetitions"]


def gaussian(rng: np.random.Generator, planted: int, shift: float) -> tuple[np.ndarray, Any]:
    return rng.normal(size=(T, N)), shift


def correlated(rng: np.random.Generator, planted: int, shift: float) -> tuple[np.ndarray, Any]:
    """Groups of twenty columns with a correlation of 0.7."""
    shared = np.repeat(rng.normal(size=(T, N // 20)), 20, axis=1)
    return np.sqrt(0.7) * shared + np.sqrt(0.3) * rng.normal(size=(T, N)), shift


def heavy(rng: np.random.Generator, planted: int, shift: float) -> tuple[np.ndarray, Any]:
    """Student's t with three degrees of freedom."""
    return rng.standard_t(3, size=(T, N)), shift


def pareto(rng: np.random.Generator, planted: int, shift: float) -> tuple[np.ndarray, Any]:
    """Shifts with a Pareto tail, so that the scores have one."""
    return rng.normal(size=(T, N)), shift * (1 + rng.pareto(1.5, size=planted))


TABLES: dict[str, tuple[Any, float]] = {
    "weak (0.6 sd)": (gaussian, 0.6),
    "medium (1 sd)": (gaussian, 1.0),
    "strong (2 sd)": (gaussian, 2.0),
    "correlated groups": (correlated, 1.0),
    "heavy tails": (heavy, 1.5),
    "Pareto shifts": (pareto, 0.5),
}


def plant(table: str, planted: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes; the first columns are shifted up or down in one of them."""
    rng = np.random.default_rng([seed, planted, list(TABLES).index(table)])
    kind, shift = TABLES[table]
    X, shifts = kind(rng, planted, shift)
    y = np.arange(T) % 2
    X[:, :planted] += y[:, None] * shifts * rng.choice([-1.0, 1.0], size=planted)
    return X, y


def runs(X: np.ndarray, y: np.ndarray, seed: int) -> Iterator[tuple[str, str, np.ndarray]]:
    """(ranking, cut, features kept); a cut that finds nothing keeps nothing here."""
    for ranking, method in METHODS.items():
        selector = method(n_features_to_select=FalseDiscoveryRate(q=Q)).fit(X, y)
        nothing = selector.cut_.q_values.min() > Q
        yield ranking, "fdr", selector.order_[: 0 if nothing else selector.n_features_]
        if ranking != "inf-fs-s":
            continue
        for name in (other for other, most in OTHERS.items() if seed < most):
            rule = CUTS[name]
            cut = apply_cut(rule, selector.scores_, selector=selector, X=X, y=y)
            yield ranking, name, selector.order_[: cut.size]


def runs_without_labels(
    X: np.ndarray, y: np.ndarray, seed: int
) -> Iterator[tuple[str, str, np.ndarray]]:
    """The same tables, the classes hidden from the ranking; cuts that read the scores."""
    for ranking, method in WITHOUT_LABELS.items():
        selector = method(n_features_to_select=N).fit(X)
        for name in SCORE_CUTS:
            cut = apply_cut(name, selector.scores_, selector=selector, X=X, y=None)
            yield ranking, name, selector.order_[: cut.size]


def measure(runs: Any, repetitions: int) -> list[dict[str, Any]]:
    rows = []
    for table in TABLES:
        for planted in PLANTED:
            seen: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
            for seed in range(repetitions):
                for ranking, cut, kept in runs(*plant(table, planted, seed), seed):
                    right = np.count_nonzero(kept < planted)
                    wrong = (kept.size - right) / max(1, kept.size)
                    seen.setdefault((ranking, cut), []).append((kept.size, right / planted, wrong))
            rows += [_row(table, planted, *key, np.array(found)) for key, found in seen.items()]
            print(table, planted, flush=True)
    return rows


def _row(table: str, planted: int, ranking: str, cut: str, found: np.ndarray) -> dict[str, Any]:
    size, recall, false = found.mean(axis=0)
    error = found[:, 2].std(ddof=1) / np.sqrt(len(found))
    values = [f"{size:.1f}", f"{recall:.3f}", f"{false:.3f}", f"{error:.3f}", len(found)]
    return dict(zip(FIELDS, [table, planted, ranking, cut, *values], strict=True))


def summarise(rows: list[dict[str, Any]]) -> list[list[str]]:
    """For every cut the means over all kinds of tables, and its worst cell."""
    cells: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        cells.setdefault((row["cut"], row["ranking"]), []).append(row)
    lines = []
    for (cut, ranking), found in cells.items():
        recall, false = (np.array([float(r[key]) for r in found]) for key in ("recall", "false"))
        off = [abs(np.log2(max(1.0, float(r["size"])) / int(r["planted"]))) for r in found]
        worst = found[int(false.argmax())]
        where = f"{false.max():.2f} ({worst['table']}, {worst['planted']})"
        numbers = [f"{recall.mean():.2f}", f"{false.mean():.2f}", where, f"{2 ** np.mean(off):.1f}"]
        lines.append([f"`{cut}`", f"`{ranking}`", *numbers])
    return sorted(lines, key=lambda line: float(line[3]))


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(TABLES), figsize=(13.5, 5.6), sharex=True, sharey="row")
    for column, table in enumerate(TABLES):
        top, bottom = axes[:, column]
        for ranking, cut, style in STYLES:
            key = (table, ranking, cut)
            line = [r for r in rows if (r["table"], r["ranking"], r["cut"]) == key]
            x = [int(r["planted"]) for r in line]
            error = [2 * float(r["error"]) for r in line] if cut == "fdr" else None
            false, recall = ([float(r[key]) for r in line] for key in ("false", "recall"))
            top.errorbar(x, false, yerr=error, label=f"{cut}, {ranking}", **style)
            bottom.plot(x, recall, **style)
        top.axhline(Q, color="black", ls="--", lw=1, label=f"promised q = {Q}")
        top.set_title(table, fontsize=10)
        bottom.set_xlabel(f"planted of {N:,}")
        bottom.set_xscale("log")
    axes[0, 0].set_ylabel("false-discovery proportion")
    axes[1, 0].set_ylabel("recall")
    for axis in axes.flat:
        axis.set_ylim(-0.03, 1.03)
        axis.spines[["top", "right"]].set_visible(False)
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=5, frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    figure.savefig(path, dpi=110)


def _style(color: str, marker: str = "", lw: float = 1.0, alpha: float = 1.0) -> dict[str, Any]:
    return {"color": color, "marker": marker, "lw": lw, "alpha": alpha, "ms": 4}


STYLES = [
    ("fisher", "fdr", _style("#0072b2", "o", 2)),
    ("mi", "fdr", _style("#009e73", "s", 2)),
    ("inf-fs-s", "fdr", _style("#d55e00", "^", 2)),
    ("inf-fs-s", "histogram", _style("#555555", "", 1)),
    ("inf-fs-s", "otsu", _style("#cc79a7", "", 1)),
    ("inf-fs-s", "knee", _style("#e69f00", "", 1)),
    ("inf-fs-s", "broken-stick", _style("#56b4e9", "", 1)),
    ("inf-fs-s", "stability", _style("#999933", "", 1)),
]


def main() -> None:
    path = DOCS / "data" / "cut-truth.csv"
    if "--draw" in sys.argv:
        rows = list(csv.DictReader(path.open(encoding="utf-8")))
    else:
        kept = []
        if "--without-labels" in sys.argv:
            kept = list(csv.DictReader(path.open(encoding="utf-8")))
            kept = [row for row in kept if row["ranking"] not in WITHOUT_LABELS]
        rows = kept or measure(runs, REPETITIONS)
        rows += measure(runs_without_labels, HIDDEN)
        path.parent.mkdir(exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    draw(rows, DOCS / "images" / "cut-truth.png")
    header = ["cut", "ranking", "recall", "false", "false at worst (table, planted)", "size off by"]
    print_table(f"Planted features, {T} samples, {N:,} features", header, summarise(rows))


if __name__ == "__main__":
    main()
