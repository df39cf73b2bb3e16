"""The page on evaluation tells what the study's table says."""

import csv
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MICROARRAY = ("colon", "leukemia", "lung", "lymphoma", "prostate")


OTHERS = ("dexter", "gina", "gisette", "madelon", "office-caffenet", "office-googlenet")
RULES = ("one", "two", "half", "ties", "argmax", "smooth one", "smooth argmax")


def means(first, method="inf-fs-s"):
    with (DOCS / "data" / "tuning.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == method]
    return {
        (row["set"], row["rule"]): 100 * float(row["score"])
        for row in rows
        if row["splits_from"] == first
    }


def lines(start):
    page = (DOCS / "evaluation.md").read_text(encoding="utf-8")
    found = re.findall(rf"^\| {re.escape(start)} \|(.*)\|$", page, flags=re.MULTILINE)
    return [[float(cell) for cell in each.split("|") if cell.strip()] for each in found]


def line(start):
    (found,) = lines(start)
    return found


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("argmax", "the best mean, the first of ties"),
        ("one", "within 1 standard error"),
        ("repeated two", "folds three times; 2 standard errors"),
    ],
)
def test_rules_are_told_as_measured(rule, words):
    found = means("0")
    lost = [found[name, rule] - found[name, "equal"] for name in MICROARRAY]
    told = line(words)
    assert told[:5] == pytest.approx(lost, abs=0.0051)
    assert told[-1] == pytest.approx(sum(lost) / 5, abs=0.0051)


def test_the_confirmation_is_told_as_measured():
    found = means("20")
    lost = [found[name, "class"] - found[name, "equal"] for name in MICROARRAY]
    assert line("mean")[-1] == pytest.approx(sum(lost) / 5, abs=0.0051)
    assert sum(lost) / 5 > -0.2  # what the rule promises


@pytest.mark.parametrize(
    ("method", "sets", "place", "last"),
    [
        ("inf-fs-s", OTHERS, 0, "mean of these and the five"),
        ("inf-fs-u", MICROARRAY + OTHERS, -1, "mean of the eleven"),
    ],
)
def test_every_set_is_told_as_measured(method, sets, place, last):
    found = means("0", method)

    def gains(name):
        return [found[name, rule] - found[name, "equal"] for rule in RULES]

    for name in sets:
        told = lines(name)[place][1:]  # without the number of splits
        assert told == pytest.approx([found[name, "equal"], *gains(name)], abs=0.0101)
    over_all = [sum(gain) / 11 for gain in zip(*map(gains, MICROARRAY + OTHERS), strict=True)]
    assert line(last)[1:] == pytest.approx(over_all, abs=0.0101)
