"""log2(1 + counts per million) against conorm, its flag and its guard."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks
from typer.testing import CliRunner

from inffs import InfFSU, LogCPM
from inffs.cli import build_app
from inffs.guards import look_at
from inffs.io import read_table

# Four samples and six genes of the GTEx lung counts in rnanorm 2.2.0 (chromosome 21), and
# np.log2(1 + conorm.cpm(counts.T).T) by conorm 1.2.0.
COUNTS = np.array([
    [38281, 24594, 6762, 7943, 4747, 4315], [39496, 15636, 7877, 3579, 3562, 967],
    [134045, 26291, 11531, 7563, 3451, 1776], [26576, 18155, 6929, 5267, 4886, 1848],
])  # fmt: skip
CONORM = [
    [18.753133806113677, 18.114813501808698, 16.25204243013515, 16.484273668750422,
     15.741616310188101, 15.603963456025252],
    [19.083083250454425, 17.74625215404466, 16.757105308587036, 15.619031218377696,
     15.612162327877588, 13.731139900048571],
    [19.469440009795278, 17.119371670951885, 15.93033325696951, 15.32185826920962,
     14.189956093917678, 13.231646002105599],
    [18.671286184310375, 18.121530739002313, 16.731891066243552, 16.336229552041214,
     16.22790331587843, 14.825245109848758],
]  # fmt: skip


@pytest.fixture
def reads(rng):
    """Sixty genes of the same composition at depths of 1 to 4; gene 7 doubles where ill."""
    ill = np.arange(24) % 2
    share = rng.gamma(0.5, size=60) + 0.05
    share[7] = 1.0
    expected = np.tile(share, (24, 1))
    expected[:, 7] *= 1 + ill
    expected *= rng.uniform(1, 4, size=24)[:, None] * 2e4 / share.sum()
    frame = pd.DataFrame(rng.poisson(expected), columns=[f"g{place}" for place in range(60)])
    return frame.assign(ill=ill)


@parametrize_with_checks([LogCPM()])
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_the_numbers_are_those_of_conorm(form):
    found = LogCPM().fit_transform(form(COUNTS))
    assert sparse.issparse(found) == sparse.issparse(form(COUNTS))
    found = found.toarray() if sparse.issparse(found) else found
    np.testing.assert_allclose(found, CONORM, rtol=1e-12)


def test_samples_do_not_depend_on_each_other_and_zeros_stay():
    counts = np.vstack([COUNTS, np.zeros((1, 6), dtype=int)])
    counts[0, 2] = 0
    whole = LogCPM().fit_transform(counts)
    np.testing.assert_array_equal(LogCPM().fit(COUNTS).transform(counts[:2]), whole[:2])
    assert whole[0, 2] == 0
    assert not whole[4].any()
    np.testing.assert_allclose(LogCPM().fit_transform(7 * COUNTS), CONORM)


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_the_guard_names_the_flag_for_counts_only(reads, form):
    X = reads.drop(columns="ill").to_numpy()
    said = look_at(form(X))
    assert sum("--normalize log-cpm" in sentence for sentence in said) == 1
    logged = LogCPM().fit_transform(X)
    for other in (load_digits().data, X / 3, np.minimum(X, 900), X - 1000.0, logged, X[:, :20]):
        assert not any("--normalize" in sentence for sentence in look_at(form(other)))


def test_python_names_the_transformer(reads):
    from inffs import TableWarning, rank

    with pytest.warns(TableWarning, match="LogCPM") as seen:
        rank(reads.drop(columns="ill"), reads["ill"], method="fisher")
    assert not any("--" in str(each.message) for each in seen)


def test_the_flag_is_the_transformer(reads, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reads.to_csv("reads.csv", index=False)
    table = read_table("reads.csv", label="ill", normalize="log-cpm")
    wanted = LogCPM().fit_transform(reads.drop(columns="ill"))
    np.testing.assert_allclose(table.X, wanted)
    some = read_table("reads.csv", label="ill", normalize="log-cpm", columns=["g9", "g2"])
    np.testing.assert_allclose(some.X, np.asarray(wanted)[:, [9, 2]])

    def run(*words):
        done = CliRunner().invoke(build_app(), list(words))
        assert done.exit_code == 0, done.output
        return done

    asked = ("reads.csv", "--label", "ill", "--normalize", "log-cpm")
    done = run("select", *asked, "--keep", "1", "--method", "fisher", "-o", "out", "--no-report")
    assert "--normalize" not in done.stderr
    selected = pd.read_csv("out/selected.csv")
    assert list(selected.columns) == ["g7", "ill"]
    np.testing.assert_allclose(selected["g7"], np.asarray(wanted)[:, 7])
    told = json.loads((tmp_path / "out" / "run.json").read_text())
    assert any("counts per million" in note for note in told["notes"])
    run("apply", "out", "reads.csv", "--label", "ill", "-o", "again")
    again = pd.read_csv("again/selected.csv")
    np.testing.assert_allclose(again["g7"], selected["g7"])
    unsupervised = run("rank", *asked, "--method", "inf-fs-u", "--top", "1").stdout
    first = InfFSU().fit(wanted).order_[0]
    assert f"1,g{first}," in unsupervised


def test_values_that_are_no_counts_are_refused(tmp_path):
    pd.DataFrame({"a": [1.0, -2.0], "b": [3.0, 4.0]}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="counts"):
        read_table(tmp_path / "t.csv", normalize="log-cpm")
    with pytest.raises(ValueError, match="log-cpm"):
        read_table(tmp_path / "t.csv", normalize="tpm")
