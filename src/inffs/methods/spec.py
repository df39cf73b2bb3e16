"""Methods as text, ``KEY[param=value,...]``, in the syntax of the command line."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from inffs._utils.words import did_you_mean, parse_brackets, split_outside_brackets, write_literal
from inffs.methods import find_entry
from inffs.methods.entries import Entry


@dataclass(frozen=True)
class MethodSpec:
    """A method of the catalogue and its given parameters.

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
        """Return the selector; ``defaults`` set parameters that were not given, if it has them."""
        return self.entry.estimator(**self.with_defaults(**defaults).params)

    def with_defaults(self, **defaults: Any) -> MethodSpec:
        """Return the method with defaults for those of its parameters that were not given."""
        known = method_parameters(self.key)
        given = {name: value for name, value in defaults.items() if name in known}
        return MethodSpec(self.key, {**given, **self.params})

    def __str__(self) -> str:
        if not self.params:
            return self.key
        return f"{self.key}[{','.join(f'{k}={write_literal(v)}' for k, v in self.params.items())}]"


def parse_method(text: str) -> MethodSpec:
    """Parse ``KEY`` or ``KEY[param=value,...]``; an error names unknown keys and parameters.

    :func:`inffs._utils.words.parse_brackets` describes how values are written.
    """
    find_entry(text.partition("[")[0].strip())
    spec = MethodSpec(*parse_brackets(text))
    for name in spec.params:
        _check_parameter(spec.key, name)
    return spec


def parse_methods(text: str) -> list[str]:
    """Split a list of methods at the commas outside brackets."""
    return [part.strip() for part in split_outside_brackets(text)]


def method_parameters(key: str) -> dict[str, Any]:
    """Return the parameters of a method and their defaults."""
    signature = inspect.signature(find_entry(key).estimator)
    return {name: parameter.default for name, parameter in signature.parameters.items()}


def _check_parameter(key: str, name: str) -> None:
    known = list(method_parameters(key))
    if name not in known:
        hint = did_you_mean(name, known, f"It has {', '.join(known)}.")
        raise ValueError(f"The method {key} has no parameter {name!r}. {hint}")
