"""The Python code on the page of a run reads the file, does all of it and gives the same subset."""

import json
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest


def table(rng):
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 9))
    X[:, :3] += 2 * y[:, None]
    data = pd.DataFrame(X, columns=[f"gene {place}" for place in range(9)])
    data["sex"] = np.where(rng.random(40) < 0.5, "f", "m")
    data["grade"] = np.array(["low", "middle", "high"])[rng.integers(0, 3, 40)]
    data["state"] = np.array(["healthy", "ill"])[y]
    data.insert(0, "sample", [f"s{place}" for place in range(40)])
    return data


def plain(data, folder):
    data.drop(columns=["sex", "grade"]).to_csv(folder / "t.csv", index=False)
    return ["t.csv", "-l", "state", "--index", "sample", "--scale", "robust", "-k", 4]


def with_text_and_gaps(data, folder):
    data.loc[[3, 8], ["gene 1", "gene 5"]] = np.nan
    data.to_csv(folder / "t.tsv", sep="\t", index=False)
    flags = ["--encode", "onehot", "--impute", "knn", "--scale", "standard", "--drop", "gene 4"]
    return ["t.tsv", "-l", "state", "--index", "sample", *flags, "--include", "gene 7", "-k", 5]


def with_labels_in_a_second_file(data, folder):
    data[["sample", "state"]].to_csv(folder / "who.csv", index=False)
    genes = data.drop(columns=["state", "sex", "grade"]).set_index("sample").T
    genes.to_csv(folder / "t.csv", index_label="gene")
    return ["t.csv", "--transpose", "--labels", "who.csv", "-l", "state", "-m", "mrmr", "-k", 3]


def with_grades_as_numbers(data, folder):
    data["grade"] = data["grade"].map({"low": 1, "middle": 2, "high": 3})
    data.drop(columns=["sex", "state"]).to_parquet(folder / "t.parquet", index=False)
    flags = ["--target-type", "regression", "-k", "20%"]
    return ["t.parquet", "-l", "grade", "--index", "sample", *flags]


def with_gaps_left_out(data, folder):
    data.loc[[3, 8], ["gene 1", "gene 5"]] = np.nan
    data.drop(columns="sex").to_csv(folder / "t.csv", index=False)
    return ["t.csv", "-l", "-1", "--index", 0, "--encode", "ordinal", "--missing", "ignore",
            "-k", 4]  # fmt: skip


def of_several_methods(data, folder):
    data.drop(columns=["sex", "grade"]).to_csv(folder / "t.csv", index=False)
    return ["t.csv", "-l", "state", "--index", "sample", "-m", "fisher,mi[bins=4]", "-k", 3]


@pytest.mark.parametrize(
    "made",
    [
        plain,
        with_text_and_gaps,
        with_labels_in_a_second_file,
        with_grades_as_numbers,
        with_gaps_left_out,
        of_several_methods,
    ],
)
def test_the_python_code_on_the_page_gives_the_same_subset(made, inffs, tmp_path, rng, monkeypatch):
    flags = made(table(rng), tmp_path)
    done = inffs("select", *flags, "--folds", 0, "-o", "run")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    code = unescape(re.search(r'<pre id="python"[^>]*>(.*?)</pre>', page, re.S)[1])
    monkeypatch.chdir(tmp_path)
    space = {}
    exec(code, space)
    ranking = pd.read_csv(tmp_path / "run" / "ranking.csv")
    kept = ranking.sort_values("position").query("kept")["feature"].tolist()
    assert space["kept"] == kept


def test_what_was_done_to_the_data_is_on_the_page_and_in_the_methods_paragraph(
    inffs, tmp_path, rng
):
    done = inffs("select", *with_text_and_gaps(table(rng), tmp_path), "--folds", 2, "-o", "run")
    assert done.returncode == 0, done.stderr
    page = unescape((tmp_path / "run" / "report.html").read_text("utf-8"))
    paragraph = re.search(r'<blockquote id="paragraph">(.*?)</blockquote>', page, re.S)[1]
    for words in (
        "4 missing values in 2 columns",
        "replaced by the mean of the five samples most alike",
        "Every column was standardised",
        "2 text columns were encoded (onehot): 'sex', 'grade'.",
        "1 column left out: 'gene 4'.",
    ):
        assert words in paragraph
        assert page.count(words) == 2
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert any("standardised" in note for note in run["notes"])
    assert run["evaluation"]["folds"] == 2
    selected = pd.read_csv(tmp_path / "run" / "selected.tsv", sep="\t")
    assert not selected.isna().any(axis=None)
