"""What a notebook meets: the ranking as a frame, callbacks, bars, links, arrays of others."""

import io
import os
import re
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import f_classif

import inffs
from inffs._utils.progress import ProgressLines, listen, track
from inffs.methods import FisherScore, ReliefF

X, Y = load_wine(return_X_y=True, as_frame=True)


def test_ranking_is_the_order_with_its_scores():
    selector = inffs.InfFSS(n_features_to_select=4).fit(X, Y)
    table = selector.ranking()
    assert isinstance(table, pd.DataFrame)
    assert table["feature"].tolist() == X.columns[selector.order_].tolist()
    np.testing.assert_array_equal(table["score"], selector.scores_[selector.order_])
    assert table["rank"].tolist() == list(range(1, 14))
    assert table["kept"].tolist() == [True] * 4 + [False] * 9
    np.testing.assert_array_equal(table["position"], selector.order_)


def test_ranking_with_the_table_has_its_measures():
    selector = inffs.InfFSU().fit(X)
    table = selector.ranking(X, Y).set_index("feature").loc[X.columns]
    np.testing.assert_allclose(table["dispersion"], X.std() / X.std().max())
    peer = pd.Series(f_classif(X, Y)[0], X.columns).drop("proline")
    assert np.corrcoef(table["fisher"].drop("proline"), peer)[0, 1] > 0.9
    assert "fisher" not in selector.ranking(X)
    assert "fisher" not in selector.ranking(X, X["hue"])  # numbers are no classes


def test_ranking_in_polars_and_without_names():
    pl = pytest.importorskip("polars")
    selector = inffs.InfFSU().set_output(transform="polars").fit(X.to_numpy())
    table = selector.ranking()
    assert isinstance(table, pl.DataFrame)
    assert table["feature"][0] == f"x{selector.order_[0]}"


def test_ranking_of_nothing_and_of_another_table():
    with pytest.raises(NotFittedError):
        inffs.InfFSU().ranking()
    with pytest.raises(ValueError, match="12 features"):
        inffs.InfFSU().fit(X.to_numpy()).ranking(X.to_numpy()[:, 1:])


@pytest.mark.parametrize(
    ("selector", "page"),
    [(inffs.InfFSS(), "inffs.InfFSS"), (ReliefF(), "inffs.methods.ReliefF")],
)
def test_the_html_of_an_estimator_links_to_its_page(selector, page):
    assert f'href="https://inffs.github.io/inffs/api/{page}.html"' in selector._repr_html_()


class Hears:
    """A callback that writes down what it hears."""

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context):
        self.heard.append(("end", context.task_name))

    def teardown(self, estimator, context):
        self.heard.append("teardown")


def balanced(heard):
    """Whether every task ends once, steps at once and the fit last; loops may take turns."""
    open_tasks = []
    for position, (what, task) in enumerate(heard):
        if what == "begin":
            open_tasks.append(task)
            continue
        late = task == "step" and heard[position - 1] != ("begin", "step")
        early = task == "fit" and open_tasks != ["fit"]
        if late or early or task not in open_tasks:
            return False
        open_tasks.remove(task)
    return not open_tasks


@pytest.mark.parametrize(
    "selector",
    [inffs.InfFSU(), FisherScore(), inffs.StabilitySelection(ReliefF(), random_state=0)],
    ids=lambda selector: type(selector).__name__,
)
def test_callbacks_hear_of_a_fit_and_change_nothing(selector):
    pytest.importorskip("sklearn.callback")
    callback = Hears()
    told = sklearn.clone(selector).set_callbacks(callback).fit(X, Y)
    np.testing.assert_array_equal(told.order_, selector.fit(X, Y).order_)
    first, *heard, last = callback.heard
    assert (first, last) == ("setup", "teardown")
    assert heard[0] == ("begin", "fit")
    assert balanced(heard)


def test_callbacks_hear_of_every_hundredth(rng):
    pytest.importorskip("sklearn.callback")
    callback = Hears()
    inffs.InfFSU().set_callbacks(callback).fit(rng.normal(size=(20, 3000)))
    names = [event[1] for event in callback.heard[1:-1] if event[0] == "end"]
    assert names[-1] == "fit"
    assert names.count("step") == 100 * (len(set(names)) - 2)


def test_callbacks_are_torn_down_when_the_fit_fails():
    pytest.importorskip("sklearn.callback")
    callback = Hears()
    with pytest.raises(ValueError, match="constant"):
        inffs.InfFSU().set_callbacks(callback).fit(np.ones((5, 3)))
    assert callback.heard[-1] == "teardown"


def test_bars(rng):
    console = pytest.importorskip("rich.console").Console
    out = io.StringIO()
    with inffs.show_progress(console(file=out, force_terminal=True, width=100)):
        inffs.InfFSU().fit(rng.normal(size=(20, 3000)))
    assert "walking the graph" in out.getvalue()


def dispatched(code):
    """What a process prints in which arrays of other libraries are let through."""
    pytest.importorskip("scipy", minversion="1.14")
    begin = "import warnings, sklearn, inffs; sklearn.set_config(array_api_dispatch=True)\n"
    begin += "warnings.simplefilter('ignore', inffs.TableWarning)\n"
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-W", "error", "-c", begin + textwrap.dedent(code)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_arrays_of_another_library():
    """They are ranked as NumPy's; one that NumPy cannot read, as on a graphics card, is named."""
    pytest.importorskip("array_api_strict")
    printed = dispatched(
        """
        import array_api_strict as xp, numpy as np
        from sklearn.datasets import load_wine

        X, y = load_wine(return_X_y=True)
        selector = inffs.InfFSS(n_features_to_select=3).fit(xp.asarray(X), xp.asarray(y))
        kept = selector.transform(xp.asarray(X))
        expected = inffs.InfFSS(n_features_to_select=3).fit(X, y)
        assert (selector.scores_ == expected.scores_).all()
        assert (np.asarray(kept) == X[:, expected.support_]).all()
        print(type(kept).__module__)

        class Elsewhere:
            shape, ndim = (5, 3), 2

            def __dlpack__(self):
                raise RuntimeError

            def __array__(self, dtype=None, copy=None):
                raise TypeError("can't convert device tensor to numpy")

        try:
            inffs.InfFSU().fit(Elsewhere())
        except TypeError as error:
            print(error)
        """
    )
    module, sentence = printed.splitlines()
    assert module.startswith("array_api_strict")
    assert re.match(r"inffs computes with NumPy .* X\.detach\(\)\.cpu\(\)", sentence)


def test_piped_progress_is_a_line_in_every_interval_even_while_a_step_lasts():
    lines = []

    def wait_for(count):
        end = time.monotonic() + 20
        while len(lines) < count and time.monotonic() < end:
            time.sleep(0.01)

    with ProgressLines(lines.append, every=0.05, what="reading x.csv") as progress:
        wait_for(1)
        with listen(progress):
            steps = track(range(4), "steps")
            next(steps)
            next(steps)
            wait_for(len(lines) + 3)
    assert lines[0] == "reading x.csv"
    assert re.fullmatch(r"steps: 1 of 4, about \d+ s left", lines[-1])


def test_a_loop_of_the_same_name_begins_its_estimate_anew():
    lines = []
    with ProgressLines(lines.append, every=0.05) as progress:
        progress("steps", 0, 4)
        time.sleep(2)
        lines.clear()
        progress("steps", 0, 4)
        progress("steps", 1, 4)
        while not lines:
            time.sleep(0.01)
    assert lines[-1] == "steps: 1 of 4, about 0 s left"
