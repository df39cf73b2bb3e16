"""The page on tuning tells what the study's table says."""

import csv
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MICROARRAY = ("colon", "leukemia", "lung", "lymphoma", "prostate")


OTHERS = ("dexter", "gina", "gisette", "madelon", "office-caffenet", "office-googlenet")
RULES = ("one", "ties")
PAGE = (DOCS / "guide" / "tuning.md").read_text(encoding="utf-8")


def means(first, method="inf-fs-s"):
    with (DOCS / "data" / "tuning.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == method]
    return {
        (row["set"], row["rule"]): 100 * float(row["score"])
        for row in rows
        if row["splits_from"] == first
    }


def lines(start):
    found = re.findall(rf"^\| {re.escape(start)} \|(.*)\|$", PAGE, flags=re.MULTILINE)
    return [[float(cell) for cell in each.split("|") if cell.strip()] for each in found]


def line(start):
    (found,) = lines(start)
    return found


def test_rules_are_told_as_measured():
    found = means("0")

    def gain(rule, sets):
        return sum(found[name, rule] - found[name, "equal"] for name in sets) / len(sets)

    losses = re.search(r"the best mean loses ([\d.]+) to ([\d.]+)\s+points", PAGE).groups()
    measured = [-gain(rule, MICROARRAY) for rule in ("ties", "argmax")]
    assert [float(loss) for loss in losses] == pytest.approx(measured, abs=0.051)
    best = re.search(r"the best rule gains ([\d.]+) points", PAGE)[1]
    assert float(best) == pytest.approx(gain("one", MICROARRAY + OTHERS), abs=0.0051)


def test_the_confirmation_is_told_as_measured():
    found = means("20")
    lost = [found[name, "class"] - found[name, "equal"] for name in MICROARRAY]
    assert line("mean")[-1] == pytest.approx(sum(lost) / 5, abs=0.0051)
    assert sum(lost) / 5 > -0.2  # what the rule promises


def test_every_set_is_told_as_measured():
    found = means("0", "inf-fs-u")

    def gains(name):
        return [found[name, rule] - found[name, "equal"] for rule in RULES]

    for name in MICROARRAY + OTHERS:
        told = lines(name)[-1][1:]  # without the number of splits
        assert told == pytest.approx([found[name, "equal"], *gains(name)], abs=0.0101)
    over_all = [sum(gain) / 11 for gain in zip(*map(gains, MICROARRAY + OTHERS), strict=True)]
    assert line("mean of the eleven")[1:] == pytest.approx(over_all, abs=0.0101)
