"""What the report says in sentences: the methods paragraph, citations, how to repeat the run."""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from inffs._utils.code import constructor_call, estimators_in, import_line
from inffs._utils.words import counted
from inffs.meta.constrained import constraints_of, unconstrained
from inffs.methods import catalogue
from inffs.report._check import Check

_PACKAGES = ("numpy", "scipy", "scikit-learn", "joblib")


def find_key(selector: Any) -> str | None:
    """The catalogue key of a selector's class."""
    name = type(unconstrained(selector)).__name__
    for entry in catalogue():
        if entry.class_name == name:
            return entry.key
    return None


def title_of(selector: Any) -> str:
    """The first sentence of the class's docstring, or its name."""
    made = type(unconstrained(selector))
    first = (inspect.getdoc(made) or "").split("\n\n")[0].replace("\n", " ").strip()
    return first.rstrip(".") if first else made.__name__


def references_of(selector: Any) -> list[str]:
    """The papers named in the docstrings of the class, and of the methods that it asked."""
    selector = unconstrained(selector)
    asked = [*getattr(selector, "selectors_", ()), getattr(selector, "best_selector_", None)]
    makers = [type(selector), *(type(each) for each in asked if hasattr(each, "scores_"))]
    return list(dict.fromkeys(paper for maker in makers for paper in _papers(maker)))


def _papers(maker: type) -> list[str]:
    text = inspect.getdoc(maker) or ""
    found = re.search(r"References\n-+\n(.*?)(?:\n\n[A-Z][\w ]*\n-+\n|\Z)", text, re.S)
    if not found:
        return []
    papers = re.split(r"\n\s*\n|\n(?=\.\. \[)", found.group(1).strip())
    return [" ".join(re.sub(r"^\.\. \[\d+\]\s*", "", paper).split()) for paper in papers]


def versions() -> dict[str, str]:
    """Versions of everything that took part."""
    from inffs._version import __version__

    found = {"python": platform.python_version(), "inffs": __version__}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def given_parameters(selector: Any) -> dict[str, Any]:
    """The selector's parameters as plain values, for text and JSON."""
    return plain_values(unconstrained(selector).get_params(deep=False))


def plain_values(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters as text and JSON take them."""
    plain = (str, int, float, bool, type(None))
    return {
        name: value if isinstance(value, plain) else _plain(value) for name, value in params.items()
    }


_TECHNICAL = ("n_features_to_select", "memory_limit", "n_jobs", "verbose")


def _telling(selector: Any) -> dict[str, Any]:
    """The parameters that a reader of a paper needs."""
    given = given_parameters(selector)
    told = {name: value for name, value in given.items() if name not in _TECHNICAL}
    if told.get("missing") == "refuse":
        del told["missing"]
    return told | plain_values(constraints_of(selector))


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return value.item()
    return value if isinstance(value, (str, int, float, bool)) else repr(value)


def methods_paragraph(
    selector: Any, shape: tuple[int, int], check: Check | None, done: Sequence[str] = ()
) -> str:
    """A paragraph for a methods section; ``done`` says what was done to the data before."""
    T, n = shape
    key = find_key(selector)
    named = type(unconstrained(selector)).__name__ + (f" ({key})" if key else "")
    params = ", ".join(f"{name} = {_rounded(value)}" for name, value in _telling(selector).items())
    found = versions()
    were = "was" if selector.n_features_ == 1 else "were"
    text = "".join(f"{sentence} " for sentence in done) + (
        f"Features were ranked on {counted(T, 'sample')} and {counted(n, 'feature')} with {named} "
        f"as implemented in inffs {found['inffs']}" + (f" ({params})" if params else "") + ". "
        f"{selector.n_features_:,} of {counted(n, 'feature')} {were} kept (rule: "
        f"{selector.cut_.name}; {_lowered(selector.cut_.why)}"
    )
    if check is not None:
        text += " " + _checked(check)
    software = ", ".join(f"{name} {number}" for name, number in found.items() if name != "inffs")
    text += f" Computations used {software}."
    papers = references_of(selector)
    return text + (f" Reference: {' '.join(papers)}" if papers else "")


def _lowered(sentence: str) -> str:
    """A sentence as the end of a bracket."""
    words = sentence.rstrip(".")
    return (words[:1].lower() + words[1:] if words else "no reason given") + ")."


def _checked(check: Check) -> str:
    size = check.sizes[check.chosen]
    best = "best feature" if size == 1 else f"{size:,} best features"
    measure = f"{'an' if check.words.measure[0] in 'aR' else 'a'} {check.words.measure}"
    return (
        f"In a stratified {check.folds}-fold cross-validation with the ranking, and all that was "
        f"learned from the data before it, repeated inside every training fold, "
        f"{check.words.judge} on the {best} reached {measure} of {check.accuracy:.1%} (standard "
        f"error {check.error(check.kept):.1%}){_other_measures(check)}; all features reached "
        f"{measure} of {check.whole.mean():.1%} and as many features drawn at random "
        f"{check.chance:.1%}."
    )


def _other_measures(check: Check) -> str:
    if "auc" not in check.others:
        return ""
    balanced, area = (
        check.others[name][0][:, check.chosen] for name in ("balanced_accuracy", "auc")
    )
    return f", a balanced accuracy of {balanced.mean():.1%} and an AUC of {np.nanmean(area):.3f}"


def _rounded(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return "(" + ", ".join(_rounded(part) for part in value) + ")"
    return str(value)


def python_lines(
    selector: Any,
    reading: dict[str, Any] | None = None,
    steps: Sequence[Any] = (),
    missing: Sequence[str] = (),
) -> str:
    """The run in Python; parameters at their defaults are left out.

    ``reading`` holds "path" and what else :func:`read_table` was told; without it X and y are to be
    there already. ``steps`` are scikit-learn's transformers before the selector,
    ``missing`` flags that only the command has.
    """
    imports = [import_line(part) for part in estimators_in(selector)]
    made = constructor_call(selector)
    before, X, y = [], "X", "y"
    if reading is not None:
        before, X, y = _read_lines(dict(reading)), "table.X", "table.y"
        imports.append("from inffs.io import read_table")
        if reading.get("time"):
            imports.append("from inffs.survival_times import survival_of")
            y = "y"
    fit = f"fit({X}, {y})" if getattr(selector, "_supervised", False) else f"fit({X})"
    run = [f"selector = {made}.{fit}"]
    if steps:
        imports += ["from sklearn.pipeline import make_pipeline", *map(import_line, steps)]
        stages = ", ".join([*map(constructor_call, steps), made])
        run = [f"pipeline = make_pipeline({stages}).{fit}", "selector = pipeline[-1]"]
    after = ["kept = [table.names[place] for place in selector.get_support(indices=True)]"]
    lines = [*sorted(set(imports)), "", *before, *run]
    notes = [f"# without {flag}, which only the command has" for flag in missing]
    return "\n".join(notes + lines + after * (reading is not None))


def _read_lines(reading: dict[str, Any]) -> list[str]:
    beside = ("path", "time", "event")
    told = {name: value for name, value in reading.items() if name not in beside}
    given = "".join(f", {name}={value!r}" for name, value in told.items())
    lines = [f"table = read_table({reading['path']!r}{given})"]
    return lines + (_survival_lines(reading, told) if "time" in reading else [])


def _survival_lines(reading: dict[str, Any], told: dict[str, Any]) -> list[str]:
    """Both columns of survival times, each read as a label."""
    given = "".join(f", {name}={value!r}" for name, value in told.items() if name != "drop")
    pairs = [(role, reading[role]) for role in ("time", "event")]
    names = ", ".join(repr(name) for _, name in reversed(pairs))
    return [
        *(f"{role} = read_table({reading['path']!r}, label={name!r}{given}).y"
          for role, name in pairs),
        f"y = survival_of(event, time, {names})",
    ]  # fmt: skip
