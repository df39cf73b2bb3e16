"""Text of the report: the methods paragraph, citations, how to repeat the run."""

from __future__ import annotations

import inspect
import platform
import re
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from inffs._utils.words import counted
from inffs.meta.constrained import constraints_of, unconstrained
from inffs.methods import catalogue
from inffs.report._check import Check

_PACKAGES = ("numpy", "scipy", "scikit-learn", "joblib")

_SCORES_OF = {
    "inf-fs-c": "A feature is scored by what it adds to the features selected before it. Where "
    "no feature adds more than noise, a new path begins, and its first score is high again.",
}


def find_key(selector: Any) -> str | None:
    """The catalogue key of a selector's class."""
    name = type(unconstrained(selector)).__name__
    for entry in catalogue():
        if entry.class_name == name:
            return entry.key
    return None


def scores_explained(selector: Any) -> str:
    """What the scores of the method mean, where they are not a value per feature."""
    return _SCORES_OF.get(find_key(selector) or "", "")


def references_of(selector: Any) -> list[str]:
    """The papers in the docstrings of the class, and of the methods that it combines."""
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
    """Versions of all packages that were used."""
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
    return {name: _plain(value) for name, value in params.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return value.item()
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


_TECHNICAL = ("n_features_to_select", "memory_limit", "n_jobs", "verbose")


def methods_paragraph(
    selector: Any, shape: tuple[int, int], check: Check | None, done: Sequence[str] = ()
) -> str:
    """A paragraph for a methods section; ``done`` are sentences about preparation."""
    T, n = shape
    key, cut, found = find_key(selector), selector.cut_, versions()
    given = given_parameters(selector) | plain_values(constraints_of(selector))
    params = ", ".join(
        f"{name} = {_rounded(value)}"
        for name, value in given.items()
        if name not in _TECHNICAL and (name, value) != ("missing", "refuse")
    )
    size = f"selected {selector.n_features_:,} of {counted(n, 'feature')}"
    own = check is not None and check.from_rule  # the sentence about the evaluation has the rest
    sentences = [
        *done,
        f"Features were ranked on {counted(T, 'sample')} and {counted(n, 'feature')} with "
        f"{type(unconstrained(selector)).__name__}{f' ({key})' if key else ''} as implemented in "
        f"inffs {found['inffs']}{f' ({params})' if params else ''}.",
        *([] if cut.name == "given" else [f"The rule {cut.name} {size}."]),
        *(["The selection is not a finding."] if cut.forced else []),
        *([] if own else [cut.why]),
        *([] if check is None else [_checked(check), check.left_out]),
        "Computations used "
        + ", ".join(f"{name} {number}" for name, number in found.items() if name != "inffs")
        + ".",
    ]
    if papers := references_of(selector):
        sentences.append(f"Reference: {' '.join(papers)}")
    return " ".join(filter(None, sentences))


def _checked(check: Check) -> str:
    size, words = check.sizes[check.chosen], check.words
    best = "first feature" if size == 1 else f"first {size:,} features"
    error = f"{words.error(check.error(check.kept))}{' percentage points' * words.share}"
    others = ""
    if check.beside is not None:
        name, values, area = check.beside
        others = f" ({name} {check.text(values.mean())}, AUC {area:.3f})"
    return (
        f"In a cross-validation ({check.folds} folds) the ranking was repeated in every training "
        f"part, and {words.model} predicted the samples left out. Its {words.measure} was "
        f"{check.text(check.score)} (standard error {error}) with the {best} of every fold"
        f"{others}, {check.text(check.whole.mean())} with all features and "
        f"{check.text(check.at_random)} with as many random features."
    )


def _rounded(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_rounded, value))})"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


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
    before: list[str] = []
    X, y, groups = "X", "y", ""
    if reading is not None:
        more, before = _read_lines(dict(reading))
        imports += more
        X, y = "table.X", "y" if reading.keys() & {"time", "labels_of"} else "table.y"
        groups = ", groups=groups" * ("group" in reading)
    fit = f"fit({X}, {y}{groups})" if getattr(selector, "_supervised", False) else f"fit({X})"
    run = [f"selector = {made}.{fit}"]
    if steps:
        imports += ["from sklearn.pipeline import make_pipeline", *map(import_line, steps)]
        stages = ", ".join([*map(constructor_call, steps), made])
        fit = fit.replace("groups=", f"{type(selector).__name__.lower()}__groups=")
        run = [f"pipeline = make_pipeline({stages}).{fit}", "selector = pipeline[-1]"]
    after = ["kept = [table.names[place] for place in selector.get_support(indices=True)]"]
    lines = [*sorted(set(imports)), "", *before, *run]
    notes = [f"# without {flag}, which only the command has" for flag in missing]
    return "\n".join(notes + lines + after * (reading is not None))


def _read_lines(reading: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Imports, and the lines that read the table, and columns of the target and of groups."""
    path, parts = reading.pop("path"), ("time", "event", "labels_of", "group")
    beside = {part: reading.pop(part) for part in parts if part in reading}
    given = "".join(f", {name}={value!r}" for name, value in reading.items())
    imports, lines = ["from inffs.io import read_table"], [f"table = read_table({path!r}{given})"]
    given = "".join(
        f", {name}={value!r}" for name, value in reading.items() if name not in ("label", "drop")
    )

    def column(name: str) -> str:
        return f"read_table({path!r}, label={name}{given}).y"

    if "time" in beside:
        imports.append("from inffs.target import survival_of")
        lines += [f"{part} = {column(repr(beside[part]))}" for part in ("time", "event")]
        lines.append(f"y = survival_of(event, time, {beside['event']!r}, {beside['time']!r})")
    if "labels_of" in beside:
        imports.append("import numpy as np")
        labels = f"[{column('name')} for name in {beside['labels_of']!r}]"
        lines.append(f"y = np.column_stack({labels})")
    if "group" in beside:
        lines.append(f"groups = {column(repr(beside['group']))}")
    return imports, lines


def estimators_in(estimator: Any) -> list[Any]:
    """An estimator and all estimators among its parameters."""
    inside = [value for value in estimator.get_params(deep=False).values() if _is_estimator(value)]
    return [estimator, *(part for value in inside for part in estimators_in(value))]


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def import_line(estimator: Any) -> str:
    """The import of the class of an estimator from the shortest public module."""
    made = type(estimator)
    parts = made.__module__.split(".")
    for end in range(1, len(parts)):
        place = ".".join(parts[:end])
        if made.__name__ in getattr(sys.modules.get(place), "__all__", ()):
            return f"from {place} import {made.__name__}"
    return f"from {made.__module__} import {made.__name__}"


def constructor_call(estimator: Any) -> str:
    """The call that constructs an estimator, without parameters at their defaults."""
    defaults = inspect.signature(type(estimator)).parameters
    params = ", ".join(
        f"{name}={_literal(value)}"
        for name, value in estimator.get_params(deep=False).items()
        if name == "n_features_to_select" or not _same(value, defaults[name].default)
    )
    return f"{type(estimator).__name__}({params})"


def _literal(value: Any) -> str:
    if _is_estimator(value):
        return constructor_call(value)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and repr(value) == repr(default)
