"""The rule that decides the paper's claims, on made results and made differences."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from inffs.evaluation.estimates import interval_of_mean
from reproduction import atoms
from reproduction.atoms import ABOVE, ALL_ATOMS, EQUAL, NOT_BELOW, OWN, Atom
from reproduction.decision import (
    CONTRADICTED,
    EQUIVALENT,
    SUPPORTED,
    UNDECIDED,
    UNTESTABLE,
    Estimate,
    Results,
    at_least,
    decide,
    of_sets,
    of_splits,
)
from reproduction.paper import CHOSEN, MICROARRAY
from reproduction.paper import EQUAL as EQUAL_WEIGHTS
from reproduction.statistics import holm
from reproduction.suite import GROWTH
from reproduction.verdicts import Verdicts
from tests.comparison.made_results import LEVELS, SIZES, result, results, stored

NOISE = np.array([-2, 1, 0, 3, -1, 2, -3, 1, 0, -1, 2, -2, 1, 0, -1, 1, 2, -2, 0, -1]) / 100


def differing(folder, points, sets=("colon",), asked="10", **more):
    """mi is 80 % on every split; fisher is so many points above it, with noise of its own."""
    rows = []
    for dataset in sets:
        for split, noise in enumerate(NOISE):
            rows.append(result(dataset, "mi", split, asked, 0.8, **more))
            rows.append(result(dataset, "fisher", split, asked, 0.8 + points / 100 + noise, **more))
    return results_of(stored(folder, rows))


def results_of(frame, reading=CHOSEN):
    names = frame["dataset"].str.partition(" (")[0]
    return Results(frame, reading, frozenset(names))


def claim(kind=ABOVE, **more):
    return Atom("", "", "fisher", "mi", ("colon",), ("10",), claim=kind, **more)


@pytest.mark.parametrize(
    ("points", "kind", "word"),
    [
        (5, ABOVE, SUPPORTED), (-5, ABOVE, CONTRADICTED), (0.5, ABOVE, UNDECIDED),
        (5, EQUAL, CONTRADICTED), (0, EQUAL, UNDECIDED),
        (5, NOT_BELOW, SUPPORTED), (-5, NOT_BELOW, CONTRADICTED), (-1, NOT_BELOW, UNDECIDED),
    ],
)  # fmt: skip
def test_words_follow_the_interval(tmp_path, points, kind, word):
    found = decide(claim(kind), differing(tmp_path, points))
    assert found.word == word
    mean, low, high = interval_of_mean(points + 100 * NOISE)
    assert found.number == f"{mean:+z.1f} ({low:+z.1f} to {high:+z.1f})"
    assert found.evidence.reach == pytest.approx(high - mean)


def test_small_differences_are_equivalent(tmp_path):
    """Noise a tenth of the margin: no lead that matters, and an equality that is shown."""
    rows = [result("colon", name, split, "10", 0.8 + (name == "mi") * noise / 20)
            for split, noise in enumerate(NOISE) for name in ("mi", "fisher")]  # fmt: skip
    found = results_of(stored(tmp_path, rows))
    assert decide(claim(ABOVE), found).word == EQUIVALENT
    assert decide(claim(EQUAL), found).word == SUPPORTED
    assert decide(claim(ABOVE, beyond=5.0), found).word == CONTRADICTED


def test_sets_are_the_unit_over_several_sets():
    """Five sets of which one differs much: their spread is the noise, not that of the splits."""
    means = [0.1, 0.2, 0.0, 0.1, 9.0]
    found = of_sets([Estimate(mean, 0.01, 19) for mean in means])
    reach = 2.776445 * np.std(means, ddof=1) / np.sqrt(5)
    assert (found.mean, found.reach) == pytest.approx((np.mean(means), reach))


def test_the_error_rate_over_sets_is_the_level():
    """No difference: an interval above zero in about 2.5 % of 2000 made comparisons."""
    rng = np.random.default_rng(0)
    p = [of_sets([Estimate(x, 1.0, 19) for x in rng.normal(size=5)]).p_above(0)
         for _ in range(2000)]  # fmt: skip
    assert np.mean(np.array(p) < 0.025) == pytest.approx(0.025, abs=0.011)


def test_at_least_k_by_holm():
    p = [0.001, 0.009, 0.2]
    assert holm(np.array(p)).tolist() == pytest.approx([0.003, 0.018, 0.2])
    assert [at_least(p, k) for k in (0, 1, 2, 3, 4)] == pytest.approx([0, 0.003, 0.018, 0.2, 1])


def test_claims_about_every_set_count_sets(tmp_path):
    every = replace(claim(each=1.0), sets=("colon", "lung"))
    both = differing(tmp_path / "a", 5, ("colon", "lung"))
    assert decide(every, both).word == SUPPORTED
    assert decide(every, both).number == "yes on 2, no on 0, open on 0 of 2 sets"
    rows = [*both.rows.to_dict("records"),
            *differing(tmp_path / "b", -5, ("lung",)).rows.to_dict("records")]  # fmt: skip
    frame = pd.DataFrame(rows).drop_duplicates(["dataset", "method", "split"], keep="last")
    assert decide(every, results_of(frame)).word == CONTRADICTED
    assert decide(replace(every, each=0.5), results_of(frame)).word == SUPPORTED


def test_fewer_features_are_more(tmp_path):
    rows = [result("colon", name, split, "auto", 0.8, n_features=n)
            for split in range(6) for name, n in (("fisher", 20 + split), ("mi", 60))]  # fmt: skip
    fewer = replace(claim(kind=EQUAL), claim=ABOVE, kind=atoms.FEATURES, sizes=("auto",), each=1.0)
    found = results_of(stored(tmp_path, rows))
    assert decide(fewer, found).word == SUPPORTED
    assert decide(replace(fewer, left="mi", right="fisher"), found).word == CONTRADICTED


def test_best_means_better_than_every_rival(tmp_path):
    """Places on results without noise between methods; variance is a rival like the others."""
    best = Atom("", "", "inf-fs-u", atoms.UNSUPERVISED, MICROARRAY, SIZES, kind=atoms.PLACE)
    found = results_of(stored(tmp_path / "a", results(LEVELS, MICROARRAY)))
    verdict = decide(best, found)
    assert verdict.word == SUPPORTED
    assert verdict.number.startswith("+5.0 ")
    assert verdict.number.endswith("over variance")
    assert verdict.evidence.detail == "place 1 of 4 (1 to 1)"
    assert not verdict.evidence.leading
    levels = {**LEVELS, "variance": 0.80}
    equal = decide(best, results_of(stored(tmp_path / "b", results(levels, MICROARRAY))))
    assert equal.word == EQUIVALENT
    assert equal.evidence.leading
    levels = {**LEVELS, "variance": 0.82}
    behind = results_of(stored(tmp_path / "c", results(levels, MICROARRAY)))
    assert decide(best, behind).word == CONTRADICTED
    assert decide(replace(best, places=(2, 3)), behind).word == SUPPORTED
    assert decide(replace(best, places=(3, 4)), behind).word == CONTRADICTED
    assert decide(replace(best, places=(1, 2), each=1.0), behind).word == SUPPORTED


def test_ranks_need_the_critical_difference(tmp_path):
    ranks = Atom("", "", "inf-fs-u", atoms.UNSUPERVISED, MICROARRAY, SIZES, kind=atoms.RANK)
    rows = results(LEVELS, MICROARRAY) + results({"udfs": 0.6}, MICROARRAY[:4], supervised=False)
    verdict = decide(ranks, results_of(stored(tmp_path, rows)))
    assert verdict.number == "average rank 1.0, variance 2.0 (4 methods)"
    assert verdict.word == UNDECIDED  # of four methods on five sets ranks must differ by 2.1
    assert verdict.evidence.reach == pytest.approx(2.098, abs=0.001)
    assert (
        "missing methods ranked last: average rank 1.0, variance 2.0 (5 methods)"
        in verdict.evidence.detail
    )


def test_what_cannot_be_tested(tmp_path):
    other = replace(claim(), sets=("voc2007",))
    found = differing(
        tmp_path / "a", 5, ("voc2007 (other network)",), status_of_data="other network"
    )
    verdict = decide(other, found)
    assert (verdict.word, verdict.reason) == (UNTESTABLE, "another network")
    assert verdict.number.startswith("+5.0")
    found = differing(tmp_path / "b", 5)
    assert decide(claim(), replace(found, complete=frozenset())).reason == "incomplete: colon"
    assert decide(replace(claim(), left="relieff"), found).reason == "no result"


def test_four_splits_are_too_few(tmp_path):
    found = differing(tmp_path, 5)
    few = replace(found, rows=found.rows[found.rows["split"] < 4], _cells={})
    assert decide(claim(), few).word == UNTESTABLE
    assert of_splits(pd.Series([1.0, 2.0, 3.0])).mean == 2


def test_both_readings_and_holm_over_all(tmp_path):
    levels = {**LEVELS, "inf-fs-s": 0.80, "inf-fs-s (equal weights)": 0.95,
              "inf-fs-u (alpha 0.5)": 0.80}  # fmt: skip
    rows = [{**row, "supervised": row["supervised"] and row["method"] != "inf-fs-u (alpha 0.5)"}
            for row in results(levels, MICROARRAY)]  # fmt: skip
    verdicts = Verdicts(tmp_path, stored(tmp_path, rows))
    (atom,) = (each for each in ALL_ATOMS if each.text.startswith("Inf-FS_S is the best super")
               and "mean over" in each.text)  # fmt: skip
    assert verdicts.verdict(atom).word == CONTRADICTED
    assert verdicts.verdict(atom, EQUAL_WEIGHTS).word == SUPPORTED
    counts = verdicts.counts()
    assert sum(counts.values()) == len(ALL_ATOMS)
    assert 0 < verdicts.supported_after_holm() <= counts[SUPPORTED]
    one = Verdicts(tmp_path / "one", stored(tmp_path / "one", results(LEVELS)))
    assert one.verdict(atom, EQUAL_WEIGHTS).word == UNTESTABLE


def test_studies_without_a_choice_of_weights_count_in_both_readings(tmp_path):
    """The growth of the time has one form of each Inf-FS, under its plain name."""
    rows = []
    for n in (1000, 2000, 4000):
        made = {"features": n, "cpu_seconds": n / 1000, "setting": GROWTH}
        rows += results({"inf-fs-u": 0.8, "inf-fs-s": 0.8}, (f"made, {n} features",), **made)
    frame = stored(tmp_path, rows)
    (atom, _) = (each for each in ALL_ATOMS if each.study == GROWTH)
    for reading in (CHOSEN, EQUAL_WEIGHTS):
        found = decide(atom, results_of(frame, reading))
        assert found.word == SUPPORTED
        assert found.number.startswith("n^1.00")


def test_the_table_of_atoms_is_sound():
    """Every atom differs from every other one, and names methods, sets and sizes that exist."""
    every = (*ALL_ATOMS, *OWN)
    assert len(set(every)) == len({atom.text for atom in every}) == len(every)
    assert {atom.kind for atom in every} == {"score", "features", "place", "rank", "growth"}
    assert all(atom.sets or atom.kind == atoms.GROWTH for atom in every)
