"""The guide on the number of features states what its tables of results hold."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = " ".join(
    " ".join((DOCS / "guide" / name).read_text("utf-8").split())
    for name in ("how-many.md", "how-many-evidence.md")
)


def read(name):
    return pd.read_csv(DOCS / "data" / f"{name}.csv")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ('`"auto"`', "accuracy"),
        ("always 50", "at 50"),
        ("always 200", "at 200"),
        ("best size in hindsight", "best"),
    ],
)
def test_accuracies_are_those_measured(name, column):
    table = read("default-size")
    cells = re.findall(rf"\| {re.escape(name)} \| ([\d.]+) % \|[^|]*\| ([\d.]*)", PAGE)[0]
    assert float(cells[0]) == pytest.approx(table[column].mean(), abs=0.0501)
    if column != "best":
        largest = (table["best"] - table[column]).max()
        assert float(cells[1]) == pytest.approx(largest, abs=0.0501)


@pytest.mark.parametrize("name", ["public", "independent", "all"])
def test_the_earlier_rule_is_compared_as_measured(name):
    table = read("earlier-size")
    rows = table if name == "all" else table[table["collection"] == name]
    shown = "all" if name == "all" else f"{len(rows)} {name} tables"
    line = re.findall(rf"\| {shown} \| ([^\n]*?) points \|", PAGE)[0].replace("−", "-")
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", line)]
    found = [rows["auto"].mean(), rows["earlier"].mean(), (rows["auto"] - rows["earlier"]).mean()]
    assert numbers[:3] == pytest.approx(found, abs=0.0501)
    sizes = [np.exp(np.log(rows[f"{rule} size"]).mean()) for rule in ("auto", "earlier")]
    assert numbers[5:7] == pytest.approx(sizes, abs=0.501)
    largest = [(rows["best"] - rows[rule]).max() for rule in ("auto", "earlier")]
    assert numbers[7:9] == pytest.approx(largest, abs=0.0501)


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("auto", 'half a point (`"auto"`)'),
        ("one point", "one point"),
        ("two points", "two points"),
        ("half an error", "half a standard error"),
        ("earlier", "earlier rule"),
    ],
)
def test_tolerances_are_compared_as_measured(rule, name):
    table = read("size-rules")
    assert f"tolerance, {len(table)} tables" in PAGE
    line = re.findall(rf"\| {re.escape(name)} \| ([\d.]+ % \|[^\n]*?) points \|", PAGE)[-1]
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", line.replace("−", "-"))]
    gain = table[rule] - table["earlier"]
    difference = [] if rule == "earlier" else [gain.mean(), gain.std() / len(table) ** 0.5]
    size = np.exp(np.log(table[f"{rule} size"]).mean())
    largest = (table["best"] - table[rule]).max()
    assert numbers[0] == pytest.approx(table[rule].mean(), abs=0.0501)
    assert numbers[1:-2] == pytest.approx(difference, abs=0.0501)
    assert numbers[-2:] == pytest.approx([size, largest], abs=0.501)


def test_steadiness_is_as_measured():
    table = read("default-size").dropna(subset=["least"])
    steady = (table["largest"] <= 2 * table["least"]).sum()
    assert f"{steady} of {len(table)} tables" in PAGE
    assert (table["rescaled least"] == table["rescaled largest"]).all()
    assert f"on all {len(table)} tables tried" in PAGE


def test_claims_of_noise_are_those_counted():
    table = read("noise").query("goal == 'predict'")
    assert f"on {table['claims'].sum()} of {table['tables'].sum():,} tables of noise" in PAGE


def test_stated_accuracies_of_patients_are_those_found():
    table = read("grouped-noise")
    assert f"On {len(table)} tables of noise" in PAGE
    assert f"was {table['stated'].mean():.1f} % on average" in PAGE
    assert f"whole patients found {table['stratified'].mean():.1f} %" in PAGE
    assert f"`GroupKFold` found {table['group folds'].mean():.1f} %" in PAGE
