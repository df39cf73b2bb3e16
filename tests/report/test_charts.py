"""What the pictures say can be seen, and nothing stands on anything else."""

import re
from html import unescape
from itertools import combinations

import numpy as np
import pytest

from inffs import rank
from inffs.cuts import Cut
from inffs.report._charts import Picture, Scale, clip, score_chart, settle_chart, spread
from inffs.report._feature_charts import class_chart
from inffs.report._reasons import Settling, settle
from tests.report.conftest import write_report


def words_in(chart, kind=""):
    """(x, y, words, class) of the texts of a picture."""
    found = re.findall(
        r'<text x="([\d.-]+)" y="([\d.-]+)"(?: class="([^"]*)")?>([^<]*)<', str(chart)
    )
    texts = [(float(x), float(y), unescape(words), name) for x, y, name, words in found]
    return [text for text in texts if kind in text[3]]


def box(text, letter=6.6):
    x, y, words, kind = text
    width = letter * len(words)
    left = x - width if " end" in kind else x - width / 2 if " mid" in kind else x
    return left, left + width, y - 12, y + 3


def overlap(first, second):
    a, b = box(first), box(second)
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


@pytest.mark.parametrize("last", [2, 3, 4, 7, 12, 19, 60, 61, 350, 5000, 200_000])
def test_axes_count_in_whole_numbers_that_do_not_run_into_each_other(last):
    picture = Picture(640, 338, "t", "d")
    picture.axes(Scale(1, last, 64, 616, log=last > 60), Scale(0, 1, 282, 34), "x", "y")
    ticks = [text for text in words_in(picture.render(), "mid") if text[1] == 300]
    assert len(ticks) >= 2
    assert ticks[0][2] == "1"
    for _, _, words, _ in ticks:
        assert re.fullmatch(r"\d{1,3}(,\d{3})*", words)
    for one, other in combinations(ticks, 2):
        assert abs(one[0] - other[0]) > 5.5 * (len(one[2]) + len(other[2]))


@pytest.mark.parametrize("letter", [6.6, 9.7])  # on a desk, and on a phone
@pytest.mark.parametrize("kept", [1, 2, 5, 30, 59, 60, 200])
def test_the_number_of_the_cut_stands_free_above_the_curve(kept, letter, rng):
    n = 200 if kept > 60 else 60
    X = rng.normal(size=(30, n)) * np.linspace(5, 1, n)
    selector = rank(X, method="inf-fs-u", n_features_to_select=kept)
    chart = score_chart(selector, [Cut("middle", 4, "")])
    [label] = words_in(chart, "cut-name")
    left, right, _, bottom = box(label, letter)
    others = [text for text in words_in(chart) if text != label and text[1] < 30]
    assert label[2] == f"{kept} selected"
    assert all(box(text, letter)[1] < left for text in others)
    assert right < 640
    assert bottom < 34  # where the curve begins
    assert ('class="other"' in chart) == (kept != 4)


def test_long_class_names_stay_whole_or_keep_both_ends(rng):
    names = [
        f"adenocarcinoma of the upper gastrointestinal tract, stage {place}" for place in range(30)
    ]
    codes = np.arange(120) % 30
    values = rng.normal(size=120) + codes
    texts = [text for text in words_in(class_chart(values, (names, codes), "x")) if "…" in text[2]]
    shown = [text[2] for text in texts]
    assert len(set(shown)) == 8
    assert [shown[0][-8:], shown[-1][-7:]] == ["stage 29", "stage 0"]
    assert all(box(text, 6.4)[1] < 305 for text in texts)
    whole = class_chart(values, (["control", "treated"], codes % 2), "x")
    assert {"control", "treated"} <= {text[2] for text in words_in(whole)}
    assert clip("short", 9) == "short"


def test_places_that_are_close_get_labels_apart():
    assert spread([5.0, 1.0, 1.5], 4) == [9.0, 1.0, 5.0]
    assert spread([0.0, 20.0], 4) == [0.0, 20.0]
    ranks = np.array([np.arange(12)[::-1] * 150 + 1, np.arange(12) + 1])
    settling = Settling([1, 2], np.arange(12), ranks, np.array([0.1, 1]), np.ones(2))
    labels = [text for text in words_in(settle_chart(settling, list("abcdefghijkl")))
              if len(text[2]) == 1 and text[2].isalpha()]  # fmt: skip
    assert len(labels) == 12
    heights = sorted(text[1] for text in labels)
    assert min(np.diff(heights)) >= 13.9


def test_no_picture_of_paths_that_all_say_the_same(rng, tmp_path):
    X, y = rng.normal(size=(40, 30)), np.arange(40) % 2
    flat = rank(X, y, method="inf-fs-s")  # fisher x information x spread: a graph of rank one
    assert settle(flat).same_scores
    page = write_report(flat, X, y, tmp_path / "flat.html", folds=0).read_text("utf-8")
    assert "nothing to draw" in page
    assert "Path view" not in page
    bent = rank(X * np.linspace(1, 3, 30), method="inf-fs-u")
    assert not settle(bent).same_scores
    page = write_report(bent, X, path=tmp_path / "bent.html").read_text("utf-8")
    assert ("Path view" in page) == (not settle(bent).flat)
    assert ("nothing to draw" in page) == settle(bent).flat
