"""The report in a real browser: no errors, no network, a table that works, harmless names."""

from pathlib import Path

import numpy as np
import pytest

from inffs import Consensus, rank
from tests.report.conftest import column, write_report

pytestmark = pytest.mark.browser


def show_column(page, name):
    page.locator("summary", has_text="Columns").click()
    page.check(f"#columns input[data-column={name}]")


def test_comparison_page_runs_and_loads_nothing(open_page, tmp_path):
    """Data sets, methods and reasons with hostile names, from their results to the page."""
    from inffs.comparison.page import write_run_report
    from tests.comparison.made_results import LEVELS, results, stored
    from tests.report.hostile import HOSTILE

    rows = results(LEVELS, HOSTILE[:3], challenge="own")
    skipped = {"status": "skipped", "reason": HOSTILE[0], "accuracy": None}
    rows += [{**row, "method": HOSTILE[2], "trial": f"s{place}", **skipped}
             for place, row in enumerate(rows[:30])]  # fmt: skip
    stored(tmp_path, rows)
    page = open_page(write_run_report(tmp_path))
    assert page.evaluate("window.hurt") is None
    assert HOSTILE[0] in page.locator("body").inner_text()
    assert page.locator("script").count() == 1


def test_tables_of_a_comparison_sort(open_page, tmp_path):
    from inffs.comparison.page import write_run_report
    from tests.comparison.made_results import LEVELS, own, stored

    stored(tmp_path, own({**LEVELS, "all": 0.88}))
    page = open_page(write_run_report(tmp_path))
    table = page.locator("#best table")
    head = table.locator("thead th", has_text="accuracy")
    shown = table.locator("tbody td:nth-child(4)")
    for order in ("descending", "ascending"):
        head.locator("button").click()
        values = [float(text) for text in shown.all_inner_texts()]
        assert head.get_attribute("aria-sort") == order
        assert values == sorted(values, reverse=order == "descending")
    for _ in range(2):  # what is empty stays last either way
        table.locator("thead th", has_text="stability").locator("button").click()
        assert table.locator("tbody td:first-child").all_inner_texts()[-1] == "all"
    assert page.locator("button.copy").is_visible()


def test_names_and_labels_are_shown_and_never_run(open_page, hostile_page):
    page = open_page(hostile_page)
    assert page.evaluate("window.hurt") is None
    page.fill("#search", "<")
    shown = column(page, 2)
    assert "<script>window.hurt = 1</script>" in shown
    assert "<!--<script>" in shown
    for place in range(page.locator("#table tbody button").count()):
        page.locator("#table tbody button").nth(place).click()
        assert "has rank" in page.locator("#why h3").inner_text()
    page.locator("#table tbody tr").first.hover()
    assert page.evaluate("window.hurt") is None
    assert page.title() == "</title><script>1</script>"
    assert "<b>low</b>" in page.locator("#classes").inner_html().replace("&lt;", "<").replace(
        "&gt;", ">"
    )


def test_an_inline_script_could_not_run_even_if_it_got_in(open_page, hostile_page, tmp_path):
    text = Path(hostile_page).read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    broken.write_text(text.replace("<main>", "<main><script>window.hurt = 9</script>"))
    context = open_page(hostile_page).context
    page = context.new_page()
    page.goto(broken.as_uri())
    assert page.evaluate("window.hurt") is None


def test_table_sorts_filters_and_turns_pages(open_page, hostile_page):
    page = open_page(hostile_page)
    assert column(page, 1)[:3] == ["1", "2", "3"]
    fisher = page.locator("#table th[data-key=fisher]")
    assert not fisher.is_visible()
    show_column(page, "fisher")
    fisher.locator("button").click()
    values = [float(text) for text in column(page, "fisher")]
    assert values == sorted(values, reverse=True)
    assert fisher.get_attribute("aria-sort") == "descending"
    fisher.locator("button").click()
    values = [float(text) for text in column(page, "fisher")]
    assert values == sorted(values)
    page.locator("#table th[data-key=place] button").click()
    page.click("#next")
    assert column(page, 1) == [str(place) for place in range(26, 41)]
    assert page.locator("#next").is_disabled()
    page.fill("#search", "X1")
    assert set(column(page, 2)) == {f"x1{digit}" for digit in range(10)}
    assert "10 of 40 features match" in page.locator("#status").inner_text()
    page.fill("#search", "")
    page.check("#only-kept")
    assert column(page, 1) == [str(place) for place in range(1, 13)]


def test_what_is_missing_sorts_last_and_ties_by_place(open_page, tmp_path):
    """Fold changes are given for counts only, where values do not look like logarithms."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 12)), np.arange(40) % 2
    X[:, :6] = rng.poisson(2 + y[:, None] * np.arange(6))
    selector = rank(X, y, method="fisher", n_features_to_select=3)
    page = open_page(write_report(selector, X, y, tmp_path / "r.html", folds=0))
    show_column(page, "fold_change")
    head = page.locator("#table th[data-key=fold_change] button")
    for sign in (-1, 1):
        head.click()
        shown = [float(text or "nan") for text in column(page, "fold_change")]
        assert shown[:6] == sorted(shown[:6], key=lambda value: sign * value)
        assert np.isnan(shown[6:]).all()
        places = [int(text) for text in column(page, "place")[6:]]
        assert places == sorted(places)


@pytest.mark.parametrize("width", [1280, 1920])
def test_the_ranking_fits_its_box_and_columns_can_be_chosen(width, open_page, hostile_page):
    page = open_page(hostile_page)
    page.set_viewport_size({"width": width, "height": 900})
    box = "document.querySelector('#ranking .wide')"
    page.reload()
    assert page.evaluate(f"{box}.scrollWidth <= {box}.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#table th[data-key=auc]").is_visible()
    page.locator("summary", has_text="Columns").click()
    page.uncheck("#columns input[data-column=auc]")
    assert not page.locator("#table th[data-key=auc]").is_visible()
    assert page.locator("#table td[data-key=auc]").first.is_hidden()


def test_columns_give_way_until_the_table_fits(open_page, tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 20)), np.arange(30) % 2
    names = [f"a measurement with a long name, number {place:03d}" for place in range(20)]
    several = Consensus(["fisher", "mi", "relieff", "mrmr", "inf-fs-s"], n_features_to_select=4)
    path = write_report(several.fit(X, y), X, y, tmp_path / "r.html", feature_names=names, folds=2)
    page = open_page(path, viewport={"width": 1280, "height": 900})
    box = "document.querySelector('#ranking .wide')"
    assert page.evaluate(f"{box}.scrollWidth <= {box}.clientWidth")
    assert page.locator("#table th[data-key=auc]").is_visible()
    assert not page.locator("#table th[data-key=difference]").is_visible()
    show_column(page, "difference")
    assert page.locator("#table th[data-key=difference]").is_visible()


def test_printing_shows_all_selected_features(open_page, tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 60)), np.arange(40) % 2
    selector = rank(X, y, method="fisher", n_features_to_select=33)
    page = open_page(write_report(selector, X, y, tmp_path / "r.html", folds=0))
    assert len(column(page, "place")) == 25
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert column(page, "place") == [str(place) for place in range(1, 34)]
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(column(page, "place")) == 25


def test_keyboard_reaches_the_table_and_the_reasons(open_page, hostile_page):
    page = open_page(hostile_page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus("#search")
    page.keyboard.type("x9")
    page.locator("#table tbody button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#why h3").inner_text().startswith("Why x9 ")
    assert page.evaluate("document.activeElement.id") == "why"


def test_everything_has_a_name_for_screen_readers(open_page, hostile_page):
    page = open_page(hostile_page)
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1
    unnamed = page.evaluate(
        """[...document.querySelectorAll('svg[role=img]')].filter(svg =>
            svg.getAttribute('aria-labelledby').split(' ').some(
                id => !document.getElementById(id)?.textContent.trim())).length"""
    )
    assert unnamed == 0
    assert page.locator("svg[role=img]").count() >= 10
    assert page.get_by_label("Search").count() == 1
    assert page.locator("th:not([scope])").count() == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(node => node.id)")
    assert len(ids) == len(set(ids))
    links = page.evaluate("[...document.links].map(a => a.getAttribute('href').slice(1))")
    assert set(links) <= set(ids)


def contrast(page, selector):
    """Contrast of an element's text with the ground it stands on (WCAG)."""
    return page.evaluate(
        """selector => {
        const light = text => { const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3)
            .map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        let node = document.querySelector(selector);
        const style = getComputedStyle(node);
        const ink = light(node instanceof SVGElement ? style.fill : style.color);
        while (node && /rgba\\(.*, 0\\)/.test(getComputedStyle(node).backgroundColor))
            node = node.parentElement;
        const ground = light(getComputedStyle(node).backgroundColor);
        return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05); }""",
        selector,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_readable(scheme, open_page, hostile_page):
    page = open_page(hostile_page, color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(17, 22, 29)")
    for selector in ("body", ".meta", "nav a", "#table td button", "svg .tick", ".cut-name", "th"):
        assert contrast(page, selector) >= 4.5, selector


def test_narrow_screen_does_not_scroll_sideways(open_page, hostile_page):
    page = open_page(hostile_page, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("#table tbody button").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_prints_without_controls(open_page, hostile_page):
    page = open_page(hostile_page)
    page.emulate_media(media="print")
    assert not page.locator("#search").is_visible()
    assert not page.locator("nav").is_visible()
    assert page.locator("#table").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_javascript_the_first_rows_are_there(browser, hostile_page):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(Path(hostile_page).as_uri())
    assert page.locator("#table tbody tr").count() == 25
    assert not page.locator("#search").is_visible()
    context.close()


def test_fifty_thousand_features_stay_quick(open_page, big_page):
    """All sorts and four searches take less than sorting 50,000 bare numbers a hundred times."""
    assert Path(big_page).stat().st_size < 5_000_000
    page = open_page(big_page)
    assert "50,000 features" in page.locator("#status").inner_text()
    spent, yardstick = page.evaluate(
        """() => {
        const time = work => {
            const start = performance.now(); work(); return performance.now() - start; };
        const search = document.getElementById('search');
        const heads = [...document.querySelectorAll('#table thead button')];
        const use = () => {
            for (const head of heads) head.click();
            for (const word of ['1', '12', '123', '']) {
                search.value = word; search.dispatchEvent(new Event('input')); } };
        const bare = () => { for (let k = 0; k < 10; k++)
            Array.from({length: 50000}, () => Math.random()).sort((a, b) => a - b); };
        use(); bare();
        return [time(use), time(bare)]; }"""
    )
    assert spent < 10 * yardstick
    page.fill("#search", "ENSG00000012345")
    assert column(page, 2) == ["ENSG00000012345"]


def test_choosing_among_fifty_thousand_stays_quick(open_page, big_page):
    """Eighty steps of the handle and eighty pins take less than sorting bare numbers 160 times."""
    page = open_page(big_page)
    page.wait_for_selector("#handle:not([hidden])")
    spent, yardstick = page.evaluate(
        """() => {
        const time = work => {
            const start = performance.now(); work(); return performance.now() - start; };
        const handle = document.getElementById('handle');
        const press = key => handle.dispatchEvent(new KeyboardEvent('keydown', {key}));
        const use = () => { for (let k = 0; k < 20; k++) {
            for (const key of ['ArrowRight', 'End', 'PageDown', 'Home']) press(key);
            for (let row = 0; row < 4; row++)
                document.querySelectorAll('#table .toggle')[2 * row].click(); } };
        const bare = () => { for (let k = 0; k < 10; k++)
            Array.from({length: 50000}, () => Math.random()).sort((a, b) => a - b); };
        use(); bare();
        return [time(use), time(bare)]; }"""
    )
    assert spent < 16 * yardstick
