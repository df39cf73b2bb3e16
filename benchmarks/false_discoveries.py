"""Does the cut ``permuted`` keep its promise? False discoveries on tables whose truth is known.

    python benchmarks/false_discoveries.py

200 tables a cell, q = 0.1. Adds the cells that docs/data/false-discoveries.csv does not have yet,
and draws docs/images/false-discoveries.png; about four minutes of one core.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np

from benchmarks.timing import print_table
from inffs.methods import find_entry

TARGET = Path(__file__).parents[1] / "docs" / "data" / "false-discoveries.csv"
T, N, GROUP = 60, 500, 20
TABLES, Q = 200, 0.1
PLANTED = (0, 20)
METHODS = ("fisher", "mi", "inf-fs-s", "relieff", "lasso-unhinged")
FEW = 20  # samples of the tables with few
SHIFT = 1.5  # times the spread of the middle half over that of a Gaussian
FIELDS = [
    "noise", "planted", "ranking", "tables", "claimed", "kept", "recall", "false", "error",
    "false_95", "most_false",
]  # fmt: skip

Noise = Callable[[np.random.Generator], np.ndarray]


def groups(rng: np.random.Generator, share: float = 0.7) -> np.ndarray:
    """Groups of twenty columns with a correlation of 0.7."""
    shared = np.repeat(rng.normal(size=(T, N // GROUP)), GROUP, axis=1)
    return np.sqrt(share) * shared + np.sqrt(1 - share) * rng.normal(size=(T, N))


def one_factor(rng: np.random.Generator) -> np.ndarray:
    """All columns share a factor: the correlation of any two is 0.5."""
    return np.sqrt(0.5) * (rng.normal(size=(T, 1)) + rng.normal(size=(T, N)))


def mixed(rng: np.random.Generator) -> np.ndarray:
    """Gaussian, Cauchy and coarse columns side by side."""
    X = rng.normal(size=(T, N))
    X[:, 1::3] = rng.standard_cauchy(size=X[:, 1::3].shape)
    X[:, 2::3] = np.round(X[:, 2::3])
    return X


NOISES: dict[str, Noise] = {
    "Gaussian": lambda rng: rng.normal(size=(T, N)),
    "groups of 20, r = 0.7": groups,
    "one factor, r = 0.5": one_factor,
    "Cauchy": lambda rng: rng.standard_cauchy(size=(T, N)),
    "log-normal": lambda rng: rng.lognormal(0, 1.5, size=(T, N)),
    "mixed": mixed,
    "20 samples": lambda rng: rng.normal(size=(FEW, N)),
    "classes of 50 and 10": lambda rng: rng.normal(size=(T, N)),
}


def make(noise: str, planted: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The first columns are shifted up or down in one of two classes."""
    rng = np.random.default_rng([seed, planted, list(NOISES).index(noise)])
    X = NOISES[noise](rng)
    y = np.arange(len(X)) % (6 if noise.startswith("classes") else 2) == 1
    spread = np.subtract(*np.quantile(X[:, :planted], [0.75, 0.25], axis=0)) / 1.349
    X[:, :planted] += SHIFT * y[:, None] * spread * rng.choice([-1.0, 1.0], size=planted)
    return X, y


def count(key: str, X: np.ndarray, y: np.ndarray, planted: int) -> tuple[int, int]:
    """Planted and noise features among those claimed; a forced pick is no claim."""
    selector = find_entry(key).estimator(n_features_to_select="permuted").fit(X, y)
    kept = selector.order_[: 0 if selector.cut_.forced else selector.n_features_]
    right = int(np.count_nonzero(kept < planted))
    return right, kept.size - right


def measure_cell(noise: str, planted: int) -> list[dict[str, Any]]:
    found: dict[str, list[tuple[int, int]]] = {key: [] for key in METHODS}
    for seed in range(TABLES):
        X, y = make(noise, planted, seed)
        for key in METHODS:
            found[key].append(count(key, X, y, planted))
    return [summarise(noise, planted, key, np.array(each)) for key, each in found.items()]


def summarise(noise: str, planted: int, key: str, found: np.ndarray) -> dict[str, Any]:
    right, wrong = found.T
    share = wrong / np.maximum(found.sum(axis=1), 1)
    values = [
        noise, planted, key, len(found), f"{np.mean(found.sum(axis=1) > 0):.2f}",
        f"{found.sum(axis=1).mean():.1f}", f"{right.mean() / max(planted, 1):.2f}",
        f"{share.mean():.3f}", f"{share.std(ddof=1) / np.sqrt(len(share)):.3f}",
        f"{np.quantile(share, 0.95):.2f}", int(wrong.max()),
    ]  # fmt: skip
    return dict(zip(FIELDS, values, strict=True))


def write(rows: list[dict[str, Any]]) -> None:
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """The mean share of false ones in every cell, and the share in the worst twentieth."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    kinds = list(dict.fromkeys(row["noise"] for row in rows))
    figure, axes = plt.subplots(1, 2, figsize=(11, 6), sharey=True, layout="constrained")
    for axis, planted in zip(axes, PLANTED, strict=True):
        for place, (key, color) in enumerate(zip(METHODS, COLORS, strict=True)):
            mine = [r for r in rows if r["ranking"] == key and int(r["planted"]) == planted]
            height = [kinds.index(r["noise"]) + 0.16 * (place - 2) for r in mine]
            mean, error = (np.array([float(r[name]) for r in mine]) for name in ("false", "error"))
            axis.errorbar(mean, height, xerr=2 * error, fmt="o", ms=5, color=color, label=key)
            if planted:
                worst = [float(r["false_95"]) for r in mine]
                axis.plot(worst, height, "|", ms=9, mew=2, color=color)
        axis.axvline(Q, color="black", ls="--", lw=1)
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_xlim(-0.02, 0.42)
    axes[0].set_yticks(range(len(kinds)), kinds)
    axes[0].invert_yaxis()
    axes[0].set_xlabel("share of tables of noise with any claim")
    axes[1].set_xlabel("false share of the claimed: mean, and (|) in one of twenty tables")
    axes[0].set_title("nothing planted", loc="left", fontsize=10)
    axes[1].set_title("20 planted of 500", loc="left", fontsize=10)
    axes[1].legend(frameon=False, loc="lower right")
    figure.savefig(path, dpi=110)
    plt.close(figure)


COLORS = ("#0072b2", "#009e73", "#d55e00", "#cc79a7", "#000000")


def main() -> None:
    rows: list[dict[str, Any]] = []
    if TARGET.exists():
        rows = list(csv.DictReader(TARGET.open(encoding="utf-8")))
    done = {(row["noise"], row["planted"]) for row in rows}
    for noise in NOISES:
        for planted in PLANTED:
            if (noise, str(planted)) not in done:
                rows += measure_cell(noise, planted)
                write(rows)
    draw(rows, TARGET.parents[1] / "images" / "false-discoveries.png")
    print_table(f"Promised {Q}", FIELDS, [[str(v) for v in row.values()] for row in rows])


if __name__ == "__main__":
    main()
