"""The report as something to work with, in a real browser: the cut, pins, columns, exports."""

import csv
import io
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

from inffs import Consensus, Constrained, InfFSS, Report, rank
from inffs.meta.constrained import unconstrained
from inffs.report._check import cross_check
from tests.report.conftest import column, write_report
from tests.report.hostile import HOSTILE, hostile_table

pytestmark = pytest.mark.browser

KEYS = ["inf-fs-s", "fisher", "relieff"]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, y.to_numpy()


@pytest.fixture(scope="module")
def consensus(wine):
    return Consensus(KEYS, n_features_to_select=5).fit(*wine)


@pytest.fixture(scope="module")
def wine_page(wine, consensus, tmp_path_factory):
    return write_report(consensus, *wine, tmp_path_factory.mktemp("wine") / "wine.html")


@pytest.fixture
def page(open_page, wine_page):
    return open_page(wine_page, reduced_motion="reduce")


def chosen(page):
    return page.locator("#chosen li").all_inner_texts()


def marked(page):
    """The names of the table's marked rows."""
    return page.locator("#table tbody tr.is-kept th").all_inner_texts()


def names_of(selector, X, size):
    return [X.columns[feature] for feature in selector.order_[:size]]


def test_the_handle_moves_by_keyboard_and_everything_follows(page, wine, consensus):
    handle = page.get_by_role("slider", name="Number of features")
    assert chosen(page) == names_of(consensus, wine[0], 5)
    assert "result of the run" in page.locator("#difference").inner_text()
    line = page.locator("#scores svg .cut")
    before = float(line.get_attribute("x1"))
    handle.focus()
    for key, size in [("ArrowRight", 6), ("ArrowUp", 7), ("ArrowLeft", 6), ("Home", 1),
                      ("PageUp", 2), ("End", 13), ("ArrowRight", 13)]:  # fmt: skip
        page.keyboard.press(key)
        assert handle.get_attribute("aria-valuenow") == str(size)
        assert (
            page.locator("#count").inner_text() == page.locator("#size").input_value() == str(size)
        )
        assert chosen(page) == names_of(consensus, wine[0], size)[:12]
        assert marked(page) == names_of(consensus, wine[0], size)
        assert f"{size} feature" in handle.get_attribute("aria-valuetext")
        assert page.locator("#scores svg .cut-name").inner_html() == f"{size} selected"
    assert float(line.get_attribute("x1")) > before
    page.click("#again")
    assert float(line.get_attribute("x1")) == before
    assert chosen(page) == names_of(consensus, wine[0], 5)


def test_the_handle_is_dragged_with_the_mouse(page):
    from playwright.sync_api import expect

    handle = page.locator("#handle")
    handle.scroll_into_view_if_needed()
    svg = page.locator("#scores svg").bounding_box()
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(svg["x"] + svg["width"], box["y"] + 20, steps=4)
    page.mouse.up()
    expect(page.locator("#size")).to_have_value("13")
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(svg["x"], box["y"] + 20, steps=4)
    page.mouse.up()
    expect(page.locator("#size")).to_have_value("1")
    assert page.locator("#count").inner_text() == "1"


def test_a_size_is_typed_and_bounded(page):
    for typed, size in [("8", "8"), ("0", "1"), ("999", "13"), ("", "13"), ("-3", "1")]:
        page.fill("#size", typed)
        page.keyboard.press("Enter")
        assert page.locator("#size").input_value() == size
    assert "1 feature selected" in page.locator("#live").inner_text()


def test_the_accuracy_is_the_measured_one_and_between_sizes_says_so(page, wine, consensus):
    check = cross_check(consensus, wine[0].to_numpy(), wine[1])
    sizes, means = [*check.sizes, 13], [*check.selected.mean(axis=0), check.whole.mean()]
    errors = [check.error(scores) for scores in (*check.selected.T, check.whole)]
    for size in range(1, 14):
        page.fill("#size", str(size))
        page.keyboard.press("Enter")
        words, how = (
            page.locator(f"#{name}").inner_text() for name in ("accuracy", "accuracy-how")
        )
        if size in sizes:
            place = sizes.index(size)
            assert words == check.text(means[place])
            assert how.endswith(f"± {check.words.error(errors[place])}.")
        else:
            expected = 100 * np.interp(np.log(size), np.log(sizes), means)
            assert words.startswith("about")
            assert abs(float(words.split()[1]) - expected) < 0.06
            assert "Interpolated" in how


def test_numbers_are_evaluated_by_r2_and_shown_as_such(open_page, tmp_path):
    X, y = load_diabetes(return_X_y=True)
    y = y + 0.5  # a fraction: regression
    selector = InfFSS(n_features_to_select=5).fit(X, y)
    report = Report(selector, X, y)
    page, check = open_page(report.save(tmp_path / "r.html")), report.check
    words = page.locator("#accuracy").inner_text()
    assert words == f"{check.selected.mean(axis=0)[check.chosen]:.2f}"
    assert "R2" in page.locator("#handle").get_attribute("aria-valuetext")


def test_folds_follow_the_cut(page, wine, consensus):
    X, y = wine
    check = cross_check(consensus, X.to_numpy(), y)
    for size in (2, 5, 9):
        page.fill("#size", str(size))
        page.keyboard.press("Enter")
        expected = check.times_kept(size)[consensus.order_]
        assert column(page, "folds") == [f"{times} of 5" for times in expected]
    page.locator("#table th[data-key=folds] button").click()
    shown = [int(text.split()[0]) for text in column(page, "folds")]
    assert shown == sorted(shown, reverse=True)


def test_methods_stand_side_by_side_and_their_agreement_follows(page, wine, consensus):
    X, _ = wine
    for number, key in enumerate(KEYS):
        head = page.locator(f"#table th[data-key=m{number}]")
        assert head.inner_text().startswith(key)
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        alone = rank(*wine, method=key)
        assert column(page, "feature") == [X.columns[j] for j in alone.order_]
        assert column(page, f"m{number}") == [str(place) for place in range(1, 14)]
    cells = page.locator("#agreement tbody td")
    taus = consensus.agreement_
    for size in (3, 5, 10):
        page.fill("#size", str(size))
        page.keyboard.press("Enter")
        overlap = consensus.overlap_at(size)
        for i in range(3):
            for j in range(3):
                text = cells.nth(3 * i + j).inner_text()
                if i > j:
                    assert text == f"{int(100 * overlap[i, j] + 0.5)} %"
                elif i < j:
                    assert text == f"{taus[i, j]:.2f}"
        orders = [rank(*wine, method=key).order_[:size] for key in KEYS]
        votes = np.bincount(np.concatenate(orders), minlength=13)
        page.locator("#table th[data-key=place] button").click()
        if page.locator("#table th[data-key=place]").get_attribute("aria-sort") == "descending":
            page.locator("#table th[data-key=place] button").click()
        assert column(page, "votes") == [f"{votes[j]} of 3" for j in consensus.order_]
        said = page.locator("#agreed").inner_text()
        assert said.startswith(f"{(votes == 3).sum()} feature")


def test_pins_and_strikes_by_mouse_are_include_and_exclude(page, wine):
    X, y = wine
    page.get_by_role("button", name="Strike out proline").click()
    page.get_by_role("button", name="Pin ash").click()
    consensus = Consensus(KEYS, n_features_to_select=5)
    expected = Constrained(consensus, include=["ash"], exclude=["proline"]).fit(X, y)
    assert set(chosen(page)) == set(X.columns[expected.support_])
    assert page.get_by_role("button", name="Pin ash").get_attribute("aria-pressed") == "true"
    assert page.locator("#marks").inner_text() == "1 / 1"
    assert page.locator("#live").inner_text().startswith("ash pinned. 5 features selected")
    assert "by hand were not evaluated" in page.locator("#accuracy-how").inner_text()
    said = page.locator("#difference").inner_text()
    assert "1 more (ash)" in said
    assert "proline" in said
    page.get_by_role("button", name="Strike out ash").click()
    assert page.get_by_role("button", name="Pin ash").get_attribute("aria-pressed") == "false"
    assert "ash" not in chosen(page)


def test_pins_and_strikes_by_keyboard(page):
    page.locator("#table tbody tr").first.locator("button").first.focus()
    first = page.locator("#table tbody tr").first
    page.keyboard.press("x")
    assert "is-struck" in first.get_attribute("class")
    assert page.locator("#count").inner_text() == "5"
    for _ in range(8):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("p")
    ninth = page.locator("#table tbody tr").nth(8)
    assert ninth.get_attribute("class") == "is-kept is-pinned"
    focused = "document.activeElement.closest('tr').dataset.place"
    assert page.evaluate(focused) == "8"
    page.keyboard.press("p")
    assert not ninth.get_attribute("class")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focused) == "7"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert "is-pinned" in page.locator("#table tbody tr").nth(7).get_attribute("class")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Pin ")


def test_arrows_turn_pages(open_page, hostile_page):
    page = open_page(hostile_page)
    page.locator("#table tbody tr").last.locator("button").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#page").inner_text() == "page 2 of 2"
    assert page.evaluate("document.activeElement.closest('tr').dataset.place") == "25"
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.closest('tr').dataset.place") == "24"


def test_only_the_chosen_are_shown_when_asked(page):
    page.check("#only-kept")
    page.get_by_role("button", name="Pin ash", exact=True).count()
    page.fill("#size", "3")
    page.keyboard.press("Enter")
    assert len(column(page, "feature")) == 3
    page.locator("#table tbody tr").first.locator("button").nth(2).click()
    assert column(page, "place") == ["2", "3", "4"]


def downloaded(page):
    with page.expect_download() as started:
        page.click("#download")
    text = started.value.path().read_text("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def settled(page, name):
    page.wait_for_timeout(200)
    return page.locator(f"#choice-{name}").inner_text()


def test_the_choice_as_csv_is_what_is_chosen(page, wine, consensus):
    X, _ = wine
    page.get_by_role("button", name="Pin ash", exact=True).click()
    rows = downloaded(page)
    assert [row["feature"] for row in rows] == chosen(page)
    for row in rows:
        feature = int(row["position"])
        assert row["feature"] == X.columns[feature]
        assert int(row["rank"]) == consensus.ranking_[feature]
        assert float(row["score"]) == pytest.approx(consensus.scores_[feature], rel=1e-4)
        assert row["choice"] == ("pinned" if row["feature"] == "ash" else "ranked")
        assert float(row["rank_fisher"]) == consensus.ranks_[feature, 1]
        assert 0 <= int(row["times_kept"]) <= 5


def run_python(text, X, y):
    space = {"X": X, "y": y}
    exec(text, space)
    return space["selector"]


CONSTRAINTS = [
    {},
    {"include": ["ash"], "exclude": ["proline"]},
    {"max_correlation": 0.6},
    {"feature_groups": {"two": ["ash", "hue"], "three": ["proline", "magnesium"]}},
    {"min_features": 7, "max_features": 9},
]


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=lambda given: "+".join(given) or "none")
def test_the_python_code_gives_the_choice(constraints, open_page, wine, tmp_path):
    X, y = wine
    selector = InfFSS((0.4, 0.4, 0.2), n_features_to_select=5)
    selector = (Constrained(selector, **constraints) if constraints else selector).fit(X, y)
    page = open_page(write_report(selector, X, y, tmp_path / "r.html", folds=0))
    assert set(chosen(page)) == set(X.columns[selector.support_])
    page.fill("#size", "6")
    page.keyboard.press("Enter")
    for place, button in ((1, 2), (9, 1), (5, 2)):
        page.locator("#table tbody tr").nth(place).locator("button").nth(button).click()
    again = run_python(settled(page, "python"), X, y)
    assert set(X.columns[again.support_]) == set(chosen(page))
    assert unconstrained(again).weights == (0.4, 0.4, 0.2)
    while page.locator("#table .toggle[aria-pressed=true]").count():
        page.locator("#table .toggle[aria-pressed=true]").first.click()
    again = run_python(settled(page, "python"), X, y)
    assert set(X.columns[again.support_]) == set(chosen(page))


def test_the_command_gives_the_choice_whatever_the_names_are(open_page, tmp_path):
    """Names that are markup, quotes, blanks, patterns and options, through a real shell."""
    X, y = hostile_table()
    odd = ["it's", "-x", "a*", "a?b", "--keep", "  two  blanks ", "$(touch hurt)", "`id`;", "semi;"]
    X.columns = [*HOSTILE, *odd, *X.columns[len(HOSTILE) + len(odd) :]]
    X.assign(kind=y).to_csv(tmp_path / "t.csv", index=False)
    arguments = ["select", "t.csv", "--label", "kind", "-k5", "--out=first", "--folds", "0"]
    inffs_command(arguments, tmp_path)
    page = open_page(tmp_path / "first" / "report.html")
    page.fill("#size", "9")
    page.keyboard.press("Enter")
    pins, strikes = ("it's", "-x", "a*", "$(touch hurt)"), (HOSTILE[1], HOSTILE[3], "--keep")
    for word, names in (("Pin", pins), ("Strike out", strikes)):
        for name in names:
            page.fill("#search", name)
            page.get_by_role("button", name=f"{word} {name}", exact=True).click()
    command = settled(page, "command")
    words = shlex.split(command)
    assert words[:2] == ["inffs", "select"]
    assert words[words.index("--out") + 1] == "first-choice"
    script = f'inffs() {{ {shlex.quote(sys.executable)} -P -m inffs "$@"; }}\n{command}\n'
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True, capture_output=True)
    kept = pd.read_csv(tmp_path / "first-choice" / "selected.csv").columns
    assert set(kept) - {"kind"} == {row["feature"] for row in downloaded(page)}
    assert not (tmp_path / "hurt").exists()
    assert page.evaluate("window.hurt") is None


def inffs_command(arguments, folder):
    start = f"import sys; sys.argv = {['inffs', *arguments]!r}; from inffs.cli import main; main()"
    subprocess.run([sys.executable, "-P", "-c", start], cwd=folder, check=True, capture_output=True)


def test_hostile_names_stay_text_while_choosing(open_page, hostile_page):
    page = open_page(hostile_page)
    page.fill("#search", "<")
    for place in range(page.locator("#table tbody .toggle").count()):
        page.locator("#table tbody .toggle").nth(place).click()
    page.fill("#size", "30")
    page.keyboard.press("Enter")
    assert "<" in page.locator("#live").inner_text() + page.locator("#difference").inner_text()
    settled(page, "python")
    downloaded(page)
    assert page.evaluate("window.hurt") is None


def test_screen_readers_get_the_same_facts(page):
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-valuemin") == "1"
    assert slider.get_attribute("aria-valuemax") == "13"
    assert "accuracy" in slider.get_attribute("aria-valuetext")
    assert page.get_by_role("spinbutton", name="Features to select").count() == 1
    assert page.get_by_role("rowheader", name="proline").count() >= 1
    toggles = page.locator("#table .toggle")
    assert toggles.count() == 26
    names = {toggles.nth(place).get_attribute("aria-label") for place in range(26)}
    assert len(names) == 26
    assert page.get_by_role("list", name="Selected features").get_by_role("listitem").count() == 5
    assert page.locator("#live").get_attribute("role") == "status"
    unnamed = (
        "[...document.querySelectorAll('button, input, [role=slider]')].filter(node => "
        "!(node.textContent.trim() || node.ariaLabel || node.labels?.length)).length"
    )
    assert page.evaluate(unnamed) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_and_wide_while_choosing(scheme, open_page, wine_page):
    page = open_page(wine_page, color_scheme=scheme, viewport={"width": 390, "height": 800})
    page.locator("#table .toggle").nth(1).click()
    page.fill("#size", "12")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    handle, line, svg = page.evaluate(
        """['#handle', '#scores svg .cut', '#scores svg'].map(name => {
        const box = document.querySelector(name).getBoundingClientRect();
        return {x: box.x, y: box.y, width: box.width, height: box.height}; })"""
    )
    assert abs(handle["x"] + handle["width"] / 2 - line["x"]) < 2
    assert 0 <= handle["y"] - svg["y"] <= svg["height"] - handle["height"]


def test_without_javascript_nothing_pretends_to_work(browser, wine_page):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(wine_page.as_uri())
    for name in ("#handle", "#choose", "#export", "#download"):
        assert not page.locator(name).is_visible()
    context.close()
