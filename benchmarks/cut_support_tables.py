"""The tables and the figure of benchmarks/cut_support.py."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from inffs.evaluation.choice import choose

DOCS = Path(__file__).parents[1] / "docs"
FIXED = ("10", "50", "100", "150", "200")
CS = (0.01, 0.1, 1.0)
USED = (0.1, 1.0, "best", 3.0)  # C, standard errors, where nothing stands out, above guessing
TRIED = list(product(CS, (0.5, 1.0, 2.0), ("1", "knee", "best"), (2.5, 3.0, 3.5)))
FIELDS = ["dataset", "ranking", "splits", "rule", "difference", "halves", "size"]
FIRST = 20  # splits on which constants were tried; later ones are fresh
PLANTED_FIELDS = ["table", "planted", "ranking", "tables", "reach", "rule", "size", "recall",
                  "false", "fits"]  # fmt: skip

Line = dict[str, Any]


def chosen(line: Line, constants: tuple[float, float, str, float]) -> int:
    """The size that "auto" takes with these constants."""
    C, slack, start, least = constants
    at, sizes = CS.index(C), np.array(line["sizes"])
    if not line["forced"]:
        return int(sizes[_near(line, at, line["prior"], slack)])
    prior = line["knee"] if start == "knee" else 1
    place = _near(line, at, prior, 0.0 if start == "best" else slack)
    return int(sizes[place]) if line["above"][place][at] >= least else 1


def _near(line: Line, at: int, prior: int, slack: float) -> int:
    folds, sizes = np.array(line["folds"])[:, :, at], np.array(line["sizes"])
    return choose(folds, np.abs(np.log(sizes / prior)), slack)


def by_cell(lines: list[Line]) -> dict[tuple[str, str], list[Line]]:
    """The lines of every set and ranking."""
    cells: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        cells.setdefault((line["dataset"], line["ranking"]), []).append(line)
    return cells


def differences(
    lines: list[Line], rule: Any, draws: int = 200
) -> dict[tuple[str, str], tuple[float, float, float, int]]:
    """For every set and ranking, in points: off the best fixed size of hindsight, off one that was
    chosen on other splits; features; splits."""
    found = {}
    for key, mine in by_cell(lines).items():
        fixed = [size for size in FIXED if all(size in line["truth"] for line in mine)]
        truth = 100 * np.array([[line["truth"][size] for size in fixed] for line in mine])
        sizes = [rule(line) for line in mine]
        own = [100 * line["truth"][str(size)] for line, size in zip(mine, sizes, strict=True)]
        off = np.mean(own) - truth.mean(axis=0).max()
        found[key] = (
            float(off),
            by_halves(np.array(own), truth, draws),
            float(np.mean(sizes)),
            len(mine),
        )
    return found


def by_halves(own: np.ndarray, fixed: np.ndarray, draws: int) -> float:
    """Off the fixed size that was best on one half of the splits, on the other half."""
    rng, found = np.random.default_rng(0), []
    for _ in range(draws):
        first, second = np.array_split(rng.permutation(len(own)), 2)
        for chosen_on, measured_on in ((first, second), (second, first)):
            best = fixed[chosen_on].mean(axis=0).argmax()
            found.append(np.mean(own[measured_on] - fixed[measured_on, best]))
    return float(np.mean(found))


def left_out(lines: list[Line]) -> dict[str, tuple[float, float, str, float]]:
    """For every set the constants that lose least on average on the other sets."""
    sets = list(dict.fromkeys(line["dataset"] for line in lines))
    means: dict[Any, dict[str, float]] = {}
    for constants in TRIED:
        cells = differences(lines, lambda line, c=constants: chosen(line, c), draws=1)
        means[constants] = {
            name: float(np.mean([cell[0] for key, cell in cells.items() if key[0] == name]))
            for name in sets
        }
    return {
        name: max(TRIED, key=lambda c: sum(v for other, v in means[c].items() if other != name))
        for name in sets
    }


def real_rows(lines: list[Line]) -> list[Line]:
    first = [line for line in lines if line["split"] < FIRST]
    fresh = [line for line in lines if line["split"] >= FIRST]
    constants = left_out(first)
    used = lambda line: chosen(line, USED)  # noqa: E731
    rules = {
        "knee": (first, lambda line: line["knee"]),
        "smaller of knee and permuted": (first, lambda line: line["prior"]),
        "supported": (first, used),
        "supported, constants of other sets": (
            first, lambda line: chosen(line, constants[line["dataset"]]),
        ),
        "supported, fresh splits": (fresh, used),
        "best fixed size of the first splits, fresh splits": (fresh, best_fixed(first)),
    }  # fmt: skip
    return [
        _row(key, splits, name, off, half, size)
        for name, (mine, rule) in rules.items()
        for key, (off, half, size, splits) in differences(mine, rule).items()
    ]


def best_fixed(lines: list[Line]) -> Callable[[Line], int]:
    """The size that was best on these splits of the same set and ranking, for other splits."""
    best = {
        key: max(FIXED, key=lambda size: sum(line["truth"].get(size, 0.0) for line in mine))
        for key, mine in by_cell(lines).items()
    }
    return lambda line: int(best[line["dataset"], line["ranking"]])


def _row(key: tuple[str, str], splits: int, rule: str, *numbers: float) -> Line:
    told = [f"{number:.{digits}f}" for number, digits in zip(numbers, (2, 2, 0), strict=True)]
    return dict(zip(FIELDS, [*key, splits, rule, *told], strict=True))


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
        *key, len(mine), f"{np.mean([line['reach'] for line in mine]):.3f}", rule,
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
    print(len(TRIED), "sets of constants")
