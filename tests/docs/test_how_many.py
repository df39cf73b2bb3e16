"""The guide on the number of features states what its tables of results hold."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from benchmarks.fresh_tables import of_tables

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


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("auto", 'half a standard error (`"auto"`)'),
        ("half a point", "half a point"),
        ("earlier", "earlier rule"),
    ],
)
def test_fresh_tables_are_compared_as_measured(rule, name):
    table = of_tables(read("size-rules-fresh"))
    assert f"tolerance, {len(table)} fresh tables" in PAGE
    line = re.findall(rf"\| {re.escape(name)} \| ([\d.]+ % \|[^\n]*?) points \|", PAGE)[0]
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", line.replace("−", "-"))]
    if rule != "earlier":
        gain = table[rule] - table["earlier"]
        half = t.ppf(0.975, len(table) - 1) * gain.std() / len(table) ** 0.5
        difference = [gain.mean(), gain.mean() - half, gain.mean() + half]
        assert numbers[1:-2] == pytest.approx(difference, abs=0.0501)
    size = np.exp(np.log(table[f"{rule} size"]).mean())
    assert numbers[0] == pytest.approx(table[rule].mean(), abs=0.0501)
    assert numbers[-2] == pytest.approx(size, abs=0.501)
    assert numbers[-1] == pytest.approx((table["best"] - table[rule]).max(), abs=0.0501)


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("half a point", "half a point"),
        ("one point", "one point"),
        ("two points", "two points"),
        ("auto", 'half a standard error (`"auto"`)'),
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
