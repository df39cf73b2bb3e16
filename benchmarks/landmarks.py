"""Landmarks against the exact walk on the microarray sets: Kendall's tau, overlap of the best 100.

    INFFS_DATA=folder python benchmarks/landmarks.py

Writes docs/images/landmarks.png and docs/data/landmarks.csv.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import kendalltau

from inffs import InfFSU
from reproduction.datasets import load

DOCS = Path(__file__).parent.parent / "docs"
SETS = ["leukemia", "lung", "lymphoma", "prostate"]
COUNTS = [256, 512, 1024, 2048, 4096]
TOP = 100


def main() -> None:
    rows = [row for name in SETS for alpha in (0.1, 0.5) for row in measure(name, alpha)]
    (DOCS / "data").mkdir(parents=True, exist_ok=True)
    with (DOCS / "data" / "landmarks.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    draw(rows)


def measure(name: str, alpha: float) -> list[dict]:
    X = np.asarray(load(name).X, dtype=float)
    X = np.where(np.isfinite(X), X, np.nanmedian(X, axis=0))
    exact = InfFSU(alpha, solver="exact").fit(X)
    best = set(exact.order_[:TOP].tolist())
    rows = []
    for count in (m for m in COUNTS if m < X.shape[1]):
        near = InfFSU(alpha, solver="landmarks", n_landmarks=count, random_state=0).fit(X)
        rows.append({
            "set": name,
            "alpha": alpha,
            "landmarks": count,
            "tau": round(float(kendalltau(exact.scores_, near.scores_).statistic), 4),
            "overlap": len(best & set(near.order_[:TOP].tolist())) / TOP,
            "promised": round(near.landmarks_.expected_overlap(TOP), 3),
        })  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def draw(rows: list[dict]) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharex=True)
    for name in SETS:
        for alpha, style in ((0.1, "o--"), (0.5, "s-")):
            mine = [row for row in rows if row["set"] == name and row["alpha"] == alpha]
            counts = [row["landmarks"] for row in mine]
            color = f"C{SETS.index(name)}"
            axes[0].plot(counts, [row["tau"] for row in mine], style, color=color)
            label = f"{name}, alpha {alpha}"
            axes[1].plot(counts, [row["overlap"] for row in mine], style, color=color, label=label)
    axes[0].set(xscale="log", xlabel="landmarks", ylabel="Kendall's tau with the exact scores")
    axes[1].set(xlabel="landmarks", ylabel=f"share of the exact best {TOP}")
    axes[0].set_xticks(COUNTS, [str(count) for count in COUNTS])
    axes[0].minorticks_off()
    figure.legend(loc="outside right center", fontsize=8, frameon=False)
    (DOCS / "images").mkdir(parents=True, exist_ok=True)
    figure.savefig(DOCS / "images" / "landmarks.png", dpi=120)


if __name__ == "__main__":
    main()
