"""What the report says in sentences: the methods paragraph, citations, how to repeat the run."""

from __future__ import annotations

import inspect
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from inffs.methods import catalogue
from inffs.report._check import Check
from inffs.subset import SHARED

_PACKAGES = ("numpy", "scipy", "scikit-learn", "joblib")


def find_key(selector: Any) -> str | None:
    """The catalogue key of a selector's class."""
    for entry in catalogue():
        if entry.class_name == type(selector).__name__:
            return entry.key
    return None


def title_of(selector: Any) -> str:
    """The first sentence of the class's docstring, or its name."""
    first = (inspect.getdoc(type(selector)) or "").split("\n\n")[0].replace("\n", " ").strip()
    return first.rstrip(".") if first else type(selector).__name__


def references_of(selector: Any) -> list[str]:
    """The papers named in the class's docstring, in full."""
    text = inspect.getdoc(type(selector)) or ""
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
    plain = (str, int, float, bool, type(None))
    return {
        name: value if isinstance(value, plain) else _plain(value)
        for name, value in selector.get_params(deep=False).items()
    }


_TECHNICAL = ("n_features_to_select", "memory_limit", "n_jobs", "verbose")


def _telling(selector: Any) -> dict[str, Any]:
    """The parameters that a reader of a paper needs."""
    return {
        name: value
        for name, value in given_parameters(selector).items()
        if name not in _TECHNICAL and not (name in SHARED and value in (None, SHARED[name]))
    }


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return value.item()
    return value if isinstance(value, (str, int, float, bool)) else repr(value)


def methods_paragraph(selector: Any, shape: tuple[int, int], check: Check | None) -> str:
    """A paragraph for a methods section."""
    T, n = shape
    key = find_key(selector)
    named = f"{type(selector).__name__}" + (f" ({key})" if key else "")
    params = ", ".join(f"{name} = {_rounded(value)}" for name, value in _telling(selector).items())
    found = versions()
    text = (
        f"Features were ranked on {T:,} samples and {n:,} features with {named} as implemented in "
        f"inffs {found['inffs']}" + (f" ({params})" if params else "") + ". "
        f"{selector.n_features_:,} of {n:,} features were kept (rule: {selector.cut_.name}; "
        f"{_lowered(selector.cut_.why)}"
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
    error = check.selected.std(axis=0, ddof=1)[check.chosen] / check.folds**0.5
    return (
        f"In a stratified {check.folds}-fold cross-validation with the ranking repeated inside "
        f"every training fold, a linear SVM on the {check.sizes[check.chosen]:,} best "
        f"features reached an accuracy of {check.accuracy:.1%} (standard error {error:.1%}); all "
        f"features reached {check.whole.mean():.1%} and as many features drawn at random "
        f"{check.chance:.1%}."
    )


def _rounded(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return "(" + ", ".join(_rounded(part) for part in value) + ")"
    return str(value)


def python_lines(selector: Any) -> str:
    """The run in Python; parameters at their defaults are left out."""
    defaults = inspect.signature(type(selector)).parameters
    params = ", ".join(
        f"{name}={value!r}"
        for name, value in selector.get_params(deep=False).items()
        if name == "n_features_to_select" or not _same(value, defaults[name].default)
    )
    name = type(selector).__name__
    fit = "fit(X, y)" if getattr(selector, "_supervised", False) else "fit(X)"
    found = f"from {type(selector).__module__} import {name}"
    return f"{found}\n\nselector = {name}({params}).{fit}"


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and repr(value) == repr(default)
