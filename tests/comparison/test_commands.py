"""`inffs compare`, status and report, driven as a person would."""

import shlex

import numpy as np
import pandas as pd
import pytest

from inffs.cli._compare import parse_duration, parse_memory, parse_methods, parse_sizes
from inffs.cli._options import Design
from inffs.cli._run import UsageError
from inffs.cli._source import read_beside
from inffs.comparison.dataset import own_dataset
from inffs.comparison.methods import find_method
from inffs.comparison.runner import compare
from inffs.comparison.store import Store
from inffs.io import read_table
from tests.command import run_inffs


def inffs(*arguments, folder):
    return run_inffs(arguments, folder)


@pytest.fixture(scope="module")
def genes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("genes")
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    table = pd.DataFrame(rng.normal(size=(60, 15))).add_prefix("g")
    table["g0"] += 3 * y
    table["patient"] = [f"p{row // 2}" for row in range(60)]
    table["diagnosis"] = np.where(y, "ill", "well")
    table.to_csv(folder / "genes.csv", index=False)
    return folder


def test_the_command_recommends_and_reports(genes):
    """Also where values are missing: each training part fills in its own medians."""
    table = pd.read_csv(genes / "genes.csv")
    table.loc[[3, 9], "g1"] = np.nan
    table.to_csv(genes / "holes.csv", index=False)
    options = ["--label", "diagnosis", "--drop", "patient", "--splits", 2, "--sizes", "2,5",
               "--methods", "all,inf-fs-s[weights=(0.5,0.5,0)]", "--scale", "robust",
               "--out", "run"]  # fmt: skip
    answer = inffs("compare", "holes.csv", *options, folder=genes)
    assert answer.returncode == 0, answer.stderr
    assert "2 missing values in 1 column" in answer.stderr
    assert answer.stdout.startswith("So far ")
    assert "2 splits are too few" in answer.stdout
    assert "make_pipeline(SimpleImputer(" in answer.stdout
    assert "RobustScaler()).fit_transform(X)" in answer.stdout
    assert "X_small = selector.transform(X)" in answer.stdout
    assert (genes / "run" / "report.html").exists()
    (line,) = [each for each in answer.stdout.splitlines() if each.startswith("inffs select")]
    words = shlex.split(line)
    assert words[words.index("--impute") + 1] == "median"
    assert words[words.index("--scale") + 1] == "robust"
    assert find_method(words[words.index("--method") + 1]).params == {"weights": (0.5, 0.5, 0)}
    done = inffs(*words[1:], "--no-report", "--out", "selected", folder=genes)
    assert done.returncode == 0, done.stderr
    state = inffs("status", "run", folder=genes)
    assert state.stdout.splitlines()[1].split("\t")[:5] == ["holes.csv", "paper", "2", "4", "4"]
    page = inffs("report", "run", "--out", "elsewhere", folder=genes)
    assert page.stdout.strip().endswith("report.html")


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """Two samples per patient, and beside the features what is none."""
    folder = tmp_path_factory.mktemp("patients")
    rng = np.random.default_rng(0)
    features = np.repeat(rng.normal(size=(30, 15)), 2, axis=0) + 1e-3 * rng.normal(size=(60, 15))
    table = pd.DataFrame(features).add_prefix("g")
    table.insert(0, "sample", [f"s{row}" for row in range(60)])
    table["note"] = "text"
    table["patient"] = np.repeat([f"p{row}" for row in range(30)], 2)
    table["diagnosis"] = np.repeat(np.where(rng.permutation(30) % 2, "ill", "well"), 2)
    table.to_csv(folder / "samples.csv", index=False)
    turned = table.set_index("sample").T
    turned.index.name = "feature"
    turned.to_csv(folder / "turned.csv")
    return folder


GROUPED = {
    "by name": ("samples.csv", {"index": "sample", "drop": ["note"]}),
    "by number": ("samples.csv", {"index": "0", "drop": ["note", "pat*"]}),
    "turned": ("turned.csv", {"index": "feature", "drop": ["note"], "transpose": True}),
}


@pytest.mark.parametrize(("name", "options"), GROUPED.values(), ids=GROUPED)
def test_groups_are_read_from_the_same_table_and_are_no_feature(patients, name, options):
    found = read_beside(Design(table=patients / name, group="patient", **options))
    table = read_table(patients / name, label="diagnosis", **{**options, "drop": found.drop})
    plain = pd.read_csv(patients / "samples.csv", float_precision="round_trip")
    assert list(found.groups) == list(plain["patient"])
    assert table.names == [f"g{place}" for place in range(15)]
    np.testing.assert_array_equal(table.X, plain[table.names])


@pytest.mark.parametrize(
    "which",
    ["by number", *(pytest.param(each, marks=pytest.mark.slow) for each in ("by name", "turned"))],
)
def test_group_is_no_feature_and_keeps_patients_together(patients, which):
    """The run is on the very table that this reads, groups included."""
    name, options = GROUPED[which]
    words = [word for each in options["drop"] for word in ("--drop", each)]
    words += ["--index", options["index"], *(["--transpose"] if "transpose" in options else [])]
    answer = inffs(
        "compare", name, "--label", "diagnosis", "--group", "patient", "--methods", "fisher",
        "--splits", 1, "--sizes", "2", "--out", which, *words, folder=patients,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    unused = ("sample", "note", "patient")
    table = read_table(patients / "samples.csv", label="diagnosis", drop=unused)
    groups = pd.read_csv(patients / "samples.csv")["patient"]
    frame = Store(patients / which).frame()
    expected = own_dataset(table.X, table.y, name, groups=groups)
    assert frame["data_version"].unique().tolist() == [expected.version]
    assert expected.version != own_dataset(table.X, table.y, name).version


def test_two_labels_in_one_folder_do_not_mix(genes):
    table = pd.read_csv(genes / "genes.csv")
    coin = np.random.default_rng(3).permutation(np.arange(60) % 2)

    def accuracy(y, out):
        options = {"name": "two", "methods": ["fisher"], "splits": 2, "sizes": (2,)}
        return compare(table.filter(regex="^g").to_numpy(), y, genes / out, **options).apparent

    expected, other = accuracy(coin, "fresh"), accuracy(table["diagnosis"], "shared")
    assert accuracy(coin, "shared") == expected
    assert expected != other


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["compare", "genes.csv"], 2, "name its column (--label)"),
        (["compare", "genes.csv", "--label", "diagnosis", "--budget", "soon"], 2, "like 10m"),
        (["status", "nowhere"], 2, "nowhere holds no comparison"),
    ],
)
def test_wrong_usage_is_one_sentence(genes, arguments, code, sentence):
    answer = inffs(*arguments, folder=genes)
    assert answer.returncode == code
    assert sentence in answer.stderr
    assert "Traceback" not in answer.stderr


def test_values_of_options():
    assert parse_methods("fisher, inf-fs-s[weights=(0.5,0.5,0),bins=5],mi") == [
        "fisher", "inf-fs-s[weights=(0.5,0.5,0),bins=5]", "mi",
    ]  # fmt: skip
    assert parse_sizes("10,0.05,25%") == (10, 0.05, 0.25)
    assert isinstance(parse_sizes("10")[0], int)
    assert [parse_duration(each) for each in ("90", "90s", "10m", "2h")] == [90, 90, 600, 7200]
    assert [parse_memory(each) for each in ("500M", "4G", "512")] == [500, 4096, 512]
    for wrong in ("x", "-1", "0", "1.5"):
        with pytest.raises(UsageError):
            parse_sizes(wrong)
