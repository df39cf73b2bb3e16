"""Methods as text: what is read, what is refused, and the way back."""

import numpy as np
import pytest

from inffs.methods import find_entry
from inffs.methods.entries import MethodSpec, method_parameters, parse_method


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("fisher", {}),
        (" fisher [ n_features_to_select = 3 ] ", {"n_features_to_select": 3}),
        ("fisher[n_features_to_select=0.25]", {"n_features_to_select": 0.25}),
        ("fisher[n_features_to_select=histogram]", {"n_features_to_select": "histogram"}),
        ("fisher[n_features_to_select='a, b']", {"n_features_to_select": "a, b"}),
        ("fisher[n_features_to_select=[1, (2, 3)]]", {"n_features_to_select": [1, (2, 3)]}),
        ("fisher[n_features_to_select=none]", {"n_features_to_select": None}),
    ],
)
def test_reads_keys_and_values(text, params):
    spec = parse_method(text)
    assert (spec.key, spec.params) == ("fisher", params)
    assert parse_method(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fischer", "no method 'fischer'. Did you mean fisher"),
        ("fisher[", "closing bracket"),
        ("fisher[3]", "not of the form param=value"),
        ("fisher[=3]", "not of the form param=value"),
        ("fisher[n_features=3]", "no parameter 'n_features'. Did you mean .*n_features_to_select"),
        ("fisher[zzz=3]", "It has n_features_to_select"),
    ],
)
def test_refuses_with_a_sentence(text, said):
    with pytest.raises(ValueError, match=said.replace("[", r"\[")):
        parse_method(text)


def test_build_fills_in_only_what_the_method_has_and_nobody_gave():
    spec = parse_method("fisher[n_features_to_select=2]")
    selector = spec.build(n_features_to_select=9, random_state=4)
    assert selector.get_params() == {
        "n_features_to_select": 2, "missing": "refuse", "target_type": "auto",
    }  # fmt: skip
    X = np.random.default_rng(0).normal(size=(20, 5))
    assert selector.fit(X, np.arange(20) % 2).n_features_ == 2


def test_parameters_with_defaults():
    assert method_parameters("fisher") == {
        "n_features_to_select": "auto", "missing": "refuse", "target_type": "auto",
    }  # fmt: skip
    assert str(MethodSpec("fisher")) == "fisher"


@pytest.mark.parametrize("word", ["mRMR", "MRMR", "svm_rfe", "SVM-RFE", "Inf-FS-S"])
def test_keys_are_found_in_capitals_too(word):
    assert find_entry(word).key == word.lower().replace("_", "-")
