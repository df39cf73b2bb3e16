"""Every guard on a table made to trigger it, and on one made not to."""

import ast
import re
import shlex
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inffs import BestOf, Consensus, InfFSS, InfFSU, catalogue, rank
from inffs.guards import TableWarning, look_at
from inffs.guards.look import separates
from inffs.guards.sentences import GUARDS
from inffs.inf_fs_c import InfFSC
from inffs.io import read_table
from inffs.methods import CFS, FSV, UDFS, FisherScore
from inffs.validation.checks import looks_like_groups
from inffs.validation.preparation import Preparation


def plain(T=40, n=6):
    """Two classes, nothing to say."""
    rng = np.random.default_rng(0)
    y = np.repeat(["ill", "well"], T // 2)
    X = rng.normal(size=(T, n))
    X[:, 0] += 1.5 * (y == "ill")
    return X, y, [f"gene{place}" for place in range(n)]


def with_column(column):
    X, y, names = plain()
    X[:, 3] = column
    return X, y, names


def different_units():
    X, y, names = plain()
    return X * np.array([1, 1, 1, 1e5, 1, 1]), y, names


def id_like():
    return with_column(np.arange(100, 140))


def named_id():
    X, y, names = with_column(np.random.default_rng(1).permutation(40) * 7)
    return X, y, [*names[:3], "patient_id", *names[4:]]


def group_like():
    patient, X = patients(0.5)
    X[:, 3] = np.unique(patient, return_inverse=True)[1]
    names = [f"gene{place}" for place in range(40)]
    return X, np.arange(100) % 2, [*names[:3], "patient", *names[4:]]


def label_in_disguise():
    y = plain()[1]
    return with_column(np.where(y == "ill", 7.0, -1.0))


def perfect_separator():
    y = plain()[1]
    return with_column(np.where(y == "ill", 9.0, 0.0) + np.random.default_rng(2).random(40))


def measured_label():
    X, _, names = plain()
    return X, np.arange(40) * 3, names


def dates():
    X, _, names = plain()
    return X, np.array([f"2024-01-{1 + day % 28:02d}" for day in range(40)], dtype=object), names


def all_different():
    X, _, names = plain()
    return X, np.array([f"patient {place}" for place in range(40)], dtype=object), names


def structures():
    X, _, names = plain()
    labels = np.empty(40, dtype=object)
    labels[:] = [{"a": place % 2} for place in range(40)]
    return X, labels, names


def few_in_a_class():
    X, y, names = plain()
    return X, np.r_[y[:-2].astype(object), ["rare", "rare"]], names


def duplicate_names():
    X, y, names = plain()
    return X, y, [*names[:5], "gene0"]


def near_duplicates():
    X, y, names = plain()
    X[:, 4] = X[:, 2] * 3 + 1e-4
    return X, y, names


def raw_counts():
    rng = np.random.default_rng(0)
    expected = rng.gamma(0.5, 400, size=(40, 60)) * rng.uniform(1, 4, size=(40, 1))
    return rng.poisson(expected).astype(float), plain()[1], [f"gene{j}" for j in range(60)]


CASES = {
    raw_counts: ("raw-counts", "raw counts.*--normalize log-cpm"),
    different_units: ("different-units", "'gene3'.*InfFSU.*--scale range"),
    id_like: ("id-like", "'gene3'.*--index gene3 or --drop gene3"),
    named_id: ("id-like", "--index patient_id"),
    group_like: ("group-like", "'patient'.*--group patient"),
    label_in_disguise: ("label-in-disguise", "'gene3' is the label 'state'.*--drop gene3"),
    perfect_separator: ("perfect-separator", "'gene3' separates.*--drop gene3"),
    measured_label: ("measured-label", "40 different numbers.*--target-type regression"),
    dates: ("no-classes", "holds dates.*--label"),
    all_different: ("no-classes", "different in every row.*--index state"),
    structures: ("no-classes", "structures"),
    few_in_a_class: (
        "few-in-a-class",
        r"1 class has one or two samples: 'rare' \(2\).*cannot be evaluated",
    ),
    duplicate_names: ("duplicate-names", "2 columns are called 'gene0'"),
    near_duplicates: ("near-duplicates", "1 column repeats.*'gene4' and 'gene2'.*--drop gene4"),
}


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_a_guard_says_one_sentence_with_what_to_type(make):
    key, words = CASES[make]
    X, y, names = make()
    who = {"different-units": InfFSU(), "measured-label": FSV()}.get(key, FisherScore())
    said = look_at(X, y, names, label="state", selector=who)
    assert len(said) == 1
    assert re.search(words, said[0])


IN_PYTHON = {
    raw_counts: "LogCPM",
    different_units: "scale them first",
    id_like: "identifier, not a feature: exclude='gene3'.$",
    group_like: "'patient'.*as groups",
    near_duplicates: "exclude='gene4'",
    label_in_disguise: "exclude='gene3'",
    perfect_separator: "exclude='gene3'",
    measured_label: "target_type='regression'",
    few_in_a_class: "leave their rows out.$",
}


@pytest.mark.parametrize("make", IN_PYTHON, ids=lambda make: make.__name__)
def test_in_python_a_guard_names_the_parameter(make):
    X, y, names = make()
    method = {different_units: "inf-fs-u", measured_label: "fsv"}.get(make, "fisher")
    with pytest.warns(TableWarning, match=IN_PYTHON[make]) as caught:
        rank(pd.DataFrame(X, columns=names), y, method, n_features_to_select=2)
    assert len(caught) == 1
    assert "--" not in str(caught[0].message)


@pytest.mark.parametrize("name", ["gene 4", "gene '4'", 'gene "4"', 'it\'s "4"', "a\\4"])
def test_names_with_spaces_and_quotes_can_be_typed_as_they_stand(name):
    X, y, names = near_duplicates()
    names[4] = name
    (said,) = look_at(X, y, names, selector=FisherScore())
    assert shlex.split(said.partition("--drop ")[2].removesuffix(".")) == [name]
    with pytest.warns(TableWarning) as caught:
        rank(pd.DataFrame(X, columns=names), y, "fisher", n_features_to_select=2)
    told = str(caught[0].message).partition("exclude=")[2].removesuffix(".")
    assert ast.literal_eval(told) == name


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_all_repeated_columns_are_found_among_many(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3000))
    places = rng.permutation(3000)
    X[:, places[:40]] = X[:, places[40:80]] * rng.normal(size=40)
    X[:, places[80]] = X[:, places[40]] + 2e-3 * rng.normal(size=2000)
    X[:, places[81]] = X[:, places[41]] + 0.1 * rng.normal(size=2000)
    (said,) = look_at(form(X))
    assert said.startswith("41 columns repeat")


AT_FIT = {
    different_units: (InfFSU(), "x3"),
    id_like: (FisherScore(), "exclude=3."),
    label_in_disguise: (FisherScore(), "exclude=3."),
    perfect_separator: (InfFSC(), "exclude=3."),
    measured_label: (FSV(n_features_to_select=2), "target_type="),
    few_in_a_class: (InfFSS(), "rare"),
}


@pytest.mark.parametrize("make", AT_FIT, ids=lambda make: make.__name__)
@pytest.mark.parametrize("of_rank", [False, True])
def test_fit_and_rank_warn_once_and_blame_the_caller(make, of_rank):
    (X, y, _), (selector, named) = make(), AT_FIT[make]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TableWarning)
        if of_rank:
            key = next(each.key for each in catalogue() if each.estimator is type(selector))
            rank(X, y, key, **selector.get_params())
        else:
            selector.fit(X, y)
    (warned,) = caught
    assert named in str(warned.message)
    assert of_rank or warned.filename == __file__


def test_what_fit_ranks_again_is_not_reported_again():
    X, y, _ = different_units()
    for outer in (BestOf([InfFSS(), InfFSU()], cv=3), Consensus([InfFSS(), InfFSU()])):
        with pytest.warns(TableWarning) as caught:
            outer.set_params(n_features_to_select=2).fit(X, y)
        assert len(caught) == 1


def test_columns_that_repeat_are_reported_by_rank_only():
    X, y, _ = near_duplicates()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FisherScore().fit(X, y)
    with pytest.warns(TableWarning, match="exclude=4"):
        rank(X, y, method="fisher")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_fit_does_not_warn_about_a_plain_table(form):
    X, y, _ = plain()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for selector in (InfFSU(), InfFSS(), InfFSC(), FisherScore()):
            selector.fit(form(X), y)
        rank(form(X), y)


def test_columns_scaled_in_a_pipeline_have_one_unit():
    X, y, _ = different_units()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_pipeline(StandardScaler(), InfFSU()).fit(X, y)
        InfFSC().fit(X, y)


def test_zeros_in_both_classes_do_not_separate_them():
    """A column that is 0 but in one sample, in rows that are sorted by class."""
    X, y, names = plain()
    X[:, 3] = 0
    X[-1, 3] = 1
    X[:, [1, 2, 4]] = np.random.default_rng(3).normal(size=(40, 3))
    assert not separates(X[:, 3], np.unique(y, return_inverse=True)[1])
    assert look_at(X, y, names, selector=FisherScore()) == []


def test_nothing_is_said_where_there_is_nothing_to_say(recwarn):
    X, y, names = plain()
    for selector in (None, FisherScore(), InfFSU()):
        assert look_at(X, y, names, label="state", selector=selector) == []
        assert look_at(X, None, names, selector=selector) == []


def test_every_guard_is_tried():
    assert {key for key, _ in CASES.values()} == set(GUARDS)


def test_scales_and_numbers_are_fine_for_methods_that_take_them():
    X, y, names = different_units()
    assert look_at(X, y, names, selector=FisherScore()) == []
    X, y, names = measured_label()
    assert look_at(X, y, names, selector=InfFSC(target_type="regression")) == []
    assert look_at(X, y + 0.5, names, selector=InfFSC()) == []
    assert look_at(X, y, names, selector=InfFSU()) == []


def test_many_genes_that_separate_are_no_suspects():
    X, y, names = plain()
    X[:, :4] += 20 * (y == "ill")[:, None]
    assert look_at(X, y, names, selector=FisherScore()) == []


def test_a_common_unit_that_a_fixed_penalty_does_not_fit_is_told_in_the_reader_s_words():
    X, y, names = plain()
    for in_python, words in ((False, "--scale range"), (True, "MinMaxScaler")):
        (said,) = look_at(1e5 * X, y, names, selector=UDFS(), in_python=in_python)
        assert words in said
        assert ("--" in said) != in_python


@pytest.mark.parametrize("how", ["standard", "robust", "range"])
def test_one_scale_takes_the_units_away(how):
    X, y, names = different_units()
    scaled = Preparation(scale=how).of(X)
    assert look_at(scaled, y, names, selector=InfFSU()) == []
    plain_order = InfFSU().fit(Preparation(scale=how).of(plain()[0])).order_
    np.testing.assert_array_equal(InfFSU().fit(scaled).order_, plain_order)


@pytest.mark.parametrize("selector", [InfFSU(alpha=0), InfFSS(weights=(0.5, 0.5, 0))], ids=repr)
def test_units_change_nothing_where_dispersion_has_no_weight(selector):
    X, y, names = different_units()
    assert look_at(X, y, names, selector=selector) == []
    factors = 2.0 ** np.arange(X.shape[1])
    order = clone(selector).fit(X, y).order_
    np.testing.assert_array_equal(clone(selector).fit(X * factors, y).order_, order)


def test_what_is_learned_is_learned_from_the_training_rows():
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[3, 1] = np.nan
    train = np.arange(10)
    found = Preparation("median", "standard").of(X, train)
    np.testing.assert_allclose(found[train].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found[train].std(axis=0), 1)
    X[15:] *= 100
    np.testing.assert_array_equal(
        Preparation("median", "standard").of(X, train)[train], found[train]
    )


def test_unknown_preparations_are_refused():
    with pytest.raises(ValueError, match="scale is one of none, standard, robust, range"):
        Preparation(scale="log")


@pytest.mark.filterwarnings("ignore::inffs.TableWarning")
@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_labels_that_nobody_needs_are_not_refused(odd, rng):
    y = np.append(odd, np.ones(29))
    assert rank(rng.normal(size=(30, 4)), y, method="inf-fs-u").n_features_in_ == 4


def patients(share, seed=0):
    """Twenty patients with five samples each, of which a share of the variance is the patient's."""
    rng = np.random.default_rng(seed)
    patient = rng.permutation(np.repeat([f"p{number}" for number in range(20)], 5))
    own = rng.normal(size=(20, 40))[np.unique(patient, return_inverse=True)[1]]
    return patient, np.sqrt(share) * own + np.sqrt(1 - share) * rng.normal(size=(100, 40))


def test_text_that_repeats_and_separates_samples_is_proposed_as_a_group(tmp_path):
    patient, X = patients(0.5)
    assert looks_like_groups(patient, X)
    names = [f"gene{place}" for place in range(40)]
    frame = pd.DataFrame(X, columns=names).assign(patient=patient, label=np.arange(100) % 2)
    frame.to_csv(tmp_path / "table.csv", index=False)
    with pytest.raises(ValueError, match=r"'patient' resemble.*groups=\.\.\. with this column"):
        read_table(tmp_path / "table.csv", label="label")


def test_a_text_column_in_python_is_proposed_as_groups():
    patient, X = patients(0.5)
    frame = pd.DataFrame(X).add_prefix("gene").assign(sex=np.resize(["f", "m"], 100))
    with pytest.raises(ValueError, match=r"'sex'.*not numeric.*'patient'.*fit as groups"):
        InfFSU().fit(frame.assign(patient=patient))
    with pytest.raises(ValueError, match=r"'sex'.*not numeric") as caught:
        InfFSU().fit(frame)
    assert "groups" not in str(caught.value)
    y = np.arange(100) % 2
    assert InfFSS().fit(frame.drop(columns="sex"), y, groups=patient).n_features_ >= 1


def test_other_text_is_not_proposed_as_a_group():
    assert sum(looks_like_groups(*patients(0.0, seed)) for seed in range(50)) == 0
    _, X = patients(0.5)
    assert not looks_like_groups(np.array([f"s{place}" for place in range(100)]), X)
    assert not looks_like_groups(np.repeat(["a", "b"], 50), X + 9 * (np.arange(100) > 49)[:, None])


def test_values_whose_sum_overflows_are_ranked():
    X = np.array([[1e308, 1.0], [1.2e308, 3.0], [1.7e308, 2.0], [1.1e308, 5.0]])
    assert CFS(n_features_to_select=1).fit(X).n_features_ == 1
