"""Several runs in one folder: what is read for one is what a folder without the others would hold.

Runs on the same table with the same settings are one run: the later one adds splits and methods.
"""

from dataclasses import dataclass
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from inffs.comparison.dataset import own_dataset
from inffs.comparison.methods import find_method
from inffs.comparison.protocol import Protocol
from inffs.comparison.runner import Round
from inffs.comparison.standings import recommend
from inffs.comparison.store import MEASURED, Store
from inffs.comparison.trial import run_trial
from tests.trust.tables import CASES, try_tables

QUICK, THOROUGH = 4, 100


@dataclass(frozen=True)
class Run:
    """One comparison on a file: which label, an edited value, sizes, splits, a method."""

    label: int
    edited: bool
    sizes: tuple
    splits: int
    seed: int
    method: str

    def round(self, X, labels):
        X = X.copy()
        X[0, 0] = np.nextafter(X[0, 0], 9.0) if self.edited else X[0, 0]
        protocol = Protocol(sizes=self.sizes, n_splits=self.splits, seed=self.seed, Cs=(1.0,))
        return Round(
            own_dataset(X, labels[self.label], "t.csv"), protocol, (find_method(self.method),)
        )


@dataclass(frozen=True)
class Folder:
    runs: tuple
    seed: int


folders = st.builds(
    Folder,
    st.lists(
        st.builds(
            Run,
            label=st.integers(0, 1),
            edited=st.booleans(),
            sizes=st.sampled_from([(2,), (1, 3), (3,)]),
            splits=st.integers(1, 3),
            seed=st.integers(0, 1),
            method=st.sampled_from(["fisher", "variance"]),
        ),
        min_size=2,
        max_size=4,
    ).map(tuple),
    st.integers(0, 2**32 - 1),
)


def add(run, path):
    """Run what the folder does not hold yet, in this process."""
    store = Store(path)
    store.add_plan(run.plan)
    done = store.finished_trials()
    for trial in run.trials():
        if trial.key(run.dataset.version) not in done:
            store.append(run_trial(run.dataset, trial))


def told(run, path):
    """The rows of the run and the answer out of them."""
    rows = Store(path).of_plan(run.plan)
    answer = recommend(rows, run.dataset.name, run.protocol.setting, None)
    return rows.drop(columns=list(MEASURED)), (answer.apparent, answer.size, answer.low)


def check_folder(case):
    rng = np.random.default_rng(case.seed)
    X, labels = rng.normal(size=(16, 4)), rng.permuted(np.tile(np.arange(16) % 2, (2, 1)), axis=1)
    earlier = []
    with TemporaryDirectory() as shared:
        for run in [each.round(X, labels) for each in case.runs]:
            add(run, shared)
            earlier.append(run)
            with TemporaryDirectory() as alone:
                for same in [each for each in earlier if each.plan.source == run.plan.source]:
                    add(same, alone)
                (rows, answer), (expected, of_its_own) = told(run, shared), told(run, alone)
            pd.testing.assert_frame_equal(rows, expected)
            np.testing.assert_array_equal(answer, of_its_own)


def test_runs_in_one_folder_do_not_mix():
    try_tables(folders, QUICK, check_folder)


@pytest.mark.slow
def test_runs_in_one_folder_do_not_mix_thoroughly():
    total = CASES or THOROUGH
    assert try_tables(folders, total, check_folder).total() >= total
