"""The tables and the figure of benchmarks/cut_support.py."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

from inffs.evaluation.choice import choose

DOCS = Path(__file__).parents[1] / "docs"
FIXED = ("10", "50", "100", "150", "200")
CS = (0.01, 0.1, 1.0)
USED = (0.1, 1.0, "1", 0.0005)  # C, standard errors, where nothing stands out, bound of guessing
TRIED = list(product(CS, (0.5, 1.0, 2.0), ("1", "knee"), (0.0005, 0.005, 0.05)))
FIELDS = ["dataset", "ranking", "splits", "rule", "difference", "size"]
PLANTED_FIELDS = ["table", "planted", "ranking", "tables", "findable", "rule", "size", "recall",
                  "false", "fits"]  # fmt: skip

Line = dict[str, Any]


def chosen(line: Line, constants: tuple[float, float, str, float]) -> int:
    """The size that "auto" takes with these constants."""
    C, slack, start, seldom = constants
    folds, sizes = np.array(line["folds"])[:, :, CS.index(C)], np.array(line["sizes"])
    prior = line["knee"] if line["forced"] and start == "knee" else line["prior"]
    size = int(sizes[choose(folds, np.abs(np.log(sizes / prior)), slack)])
    if not line["forced"]:
        return size
    right = round(line["samples"] * folds[:, sizes.tolist().index(size)].mean())
    return 1 if binom.sf(right - 1, line["samples"], line["guess"]) > seldom else size


def differences(lines: list[Line], rule: Any) -> dict[tuple[str, str], tuple[float, float, int]]:
    """For every set and ranking: points off the best fixed size (in hindsight), size, splits."""
    cells: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        cells.setdefault((line["dataset"], line["ranking"]), []).append(line)
    found = {}
    for key, mine in cells.items():
        fixed = [size for size in FIXED if all(size in line["truth"] for line in mine)]
        best = max(fixed, key=lambda size: np.mean([line["truth"][size] for line in mine]))
        sizes = [rule(line) for line in mine]
        off = [
            line["truth"][str(size)] - line["truth"][best]
            for line, size in zip(mine, sizes, strict=True)
        ]
        found[key] = (100 * float(np.mean(off)), float(np.mean(sizes)), len(mine))
    return found


def left_out(lines: list[Line]) -> dict[str, tuple[float, float, str, float]]:
    """For every set the constants that lose least on average on the other sets."""
    sets = list(dict.fromkeys(line["dataset"] for line in lines))
    means: dict[Any, dict[str, float]] = {}
    for constants in TRIED:
        cells = differences(lines, lambda line, c=constants: chosen(line, c))
        means[constants] = {
            name: float(np.mean([cell[0] for key, cell in cells.items() if key[0] == name]))
            for name in sets
        }
    return {
        name: max(TRIED, key=lambda c: sum(v for other, v in means[c].items() if other != name))
        for name in sets
    }


def real_rows(lines: list[Line]) -> list[Line]:
    constants = left_out(lines)
    rules = {
        "knee": lambda line: line["knee"],
        "smaller of knee and permuted": lambda line: line["prior"],
        "supported": lambda line: chosen(line, USED),
        "supported, constants of other sets": lambda line: chosen(line, constants[line["dataset"]]),
    }
    return [
        dict(zip(FIELDS, [*key, splits, name, f"{off:.2f}", f"{size:.0f}"], strict=True))
        for name, rule in rules.items()
        for key, (off, size, splits) in differences(lines, rule).items()
    ]


def planted_rows(lines: list[Line]) -> list[Line]:
    cells: dict[tuple[str, int, str], list[Line]] = {}
    for line in lines:
        table = line.get("table") or f"{line['T']} x {line['n']:,}, {line['shift']:g} sd"
        cells.setdefault((table, line.get("planted", 20), line["ranking"]), []).append(line)
    return [
        _planted_row(key, mine, rule)
        for key, mine in cells.items()
        for rule in ("supported", "permuted", "knee")
    ]


def _planted_row(key: tuple[str, int, str], mine: list[Line], rule: str) -> Line:
    size = np.array([line["sizes"][rule] for line in mine])
    right = np.array([line["right"][rule] for line in mine])
    false = (size - right) / np.maximum(size, 1)
    values = [
        *key, len(mine), f"{np.mean([line['findable'] for line in mine]):.3f}", rule,
        f"{size.mean():.1f}", f"{right.mean() / key[1]:.3f}", f"{false.mean():.3f}",
        f"{np.median([line['fits'] for line in mine]):.1f}",
    ]  # fmt: skip
    return dict(zip(PLANTED_FIELDS, values, strict=True))


def write(real: list[Line], planted: list[Line]) -> None:
    for name, rows in {"support": real_rows(real), "planted": planted_rows(planted)}.items():
        path = DOCS / "data" / f"cut-{name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print(len(TRIED), "sets of constants;", left_out(real))
