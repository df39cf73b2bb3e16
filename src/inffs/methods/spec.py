"""Methods as text: ``KEY[param=value,...]``, as the command and the arena take them."""

from __future__ import annotations

import ast
import difflib
import inspect
from dataclasses import dataclass, field
from typing import Any

from inffs.methods import find_entry
from inffs.methods.registry import Entry

_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class MethodSpec:
    """A method of the catalogue and the parameters somebody gave it.

    Examples
    --------
    >>> spec = parse_method("fisher[n_features_to_select=3]")
    >>> spec.key, spec.params
    ('fisher', {'n_features_to_select': 3})
    >>> str(spec)
    'fisher[n_features_to_select=3]'
    """

    key: str
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def entry(self) -> Entry:
        """The catalogue entry of the key."""
        return find_entry(self.key)

    def build(self, **defaults: Any) -> Any:
        """The selector; ``defaults`` fill in what was not given, where the method has it."""
        return self.entry.estimator(**self.with_defaults(**defaults).params)

    def with_defaults(self, **defaults: Any) -> MethodSpec:
        """The same with parameters that were not given, where the method has them."""
        known = method_parameters(self.key)
        given = {name: value for name, value in defaults.items() if name in known}
        return MethodSpec(self.key, {**given, **self.params})

    def __str__(self) -> str:
        if not self.params:
            return self.key
        return f"{self.key}[{','.join(f'{k}={_written(v)}' for k, v in self.params.items())}]"


def parse_method(text: str) -> MethodSpec:
    """Read ``KEY`` or ``KEY[param=value,...]``; unknown keys and parameters are refused by name.

    Values are Python literals (numbers, True, None, quoted text, lists); a bare word is text.
    """
    key, bracket, rest = text.strip().partition("[")
    find_entry(key.strip())
    if not bracket:
        return MethodSpec(key.strip())
    if not rest.endswith("]"):
        raise ValueError(f"{text!r} lacks the closing bracket: write KEY[param=value,...].")
    spec = MethodSpec(key.strip(), dict(_pairs(rest[:-1], text)))
    for name in spec.params:
        _check_parameter(spec.key, name)
    return spec


def parse_methods(text: str) -> list[str]:
    """Split a list of methods at the commas that stand in no bracket."""
    return [part.strip() for part in _split(text)]


def method_parameters(key: str) -> dict[str, Any]:
    """The parameters of a method and their defaults."""
    signature = inspect.signature(find_entry(key).estimator)
    return {name: parameter.default for name, parameter in signature.parameters.items()}


def _check_parameter(key: str, name: str) -> None:
    known = list(method_parameters(key))
    if name not in known:
        near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"It has {', '.join(known)}."
        raise ValueError(f"The method {key} has no parameter {name!r}. {hint}")


def _pairs(inside: str, text: str) -> list[tuple[str, Any]]:
    pairs = []
    for part in _split(inside):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ValueError(f"{part.strip()!r} in {text!r} is not of the form param=value.")
        pairs.append((name.strip(), _literal(value.strip())))
    return pairs


def _split(inside: str) -> list[str]:
    """Split at the commas that stand in no bracket and no quotes."""
    parts, depth, quote = [""], 0, ""
    for sign in inside:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        depth += (not quote) * ((sign in _OPENING) - (sign in _CLOSING))
        if sign == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part.strip()]


def _literal(value: str) -> Any:
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return {"true": True, "false": False, "none": None}.get(value.lower(), value)


def _written(value: Any) -> str:
    """Text that reads back as the value: bare words stay bare."""
    text = str(value)
    bare = isinstance(value, str) and _literal(text) == text and not set(text) & set(",[](){}='\" ")
    return text if bare else repr(value)
