"""Text that users write and read: ``NAME[param=value,...]``, similar names, counts and lists."""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
_LONGEST_NAME = 160
_OPENING, _CLOSING = "([{", ")]}"


def near_names(word: str, known: Iterable[str], cutoff: float = 0.4) -> list[str]:
    """Up to three known names that are similar to the word, most similar first."""
    return difflib.get_close_matches(word, list(known), n=3, cutoff=cutoff)


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The question "Did you mean ...?", or another sentence if no name is similar.

    Examples
    --------
    >>> did_you_mean("fischer", ["fisher", "mi"])
    'Did you mean fisher?'
    """
    near = near_names(word, known)
    return f"Did you mean {' or '.join(near)}?" if near else otherwise


def find_named(word: str, known: Mapping[str, T], kind: str) -> T:
    """Return the value of a name, ignoring case; raise for an unknown name and list similar ones.

    Examples
    --------
    >>> find_named("MI", {"mi": 1, "fisher": 2}, "method")
    1
    """
    if word in known:
        return known[word]
    alike = [name for name in known if name.casefold() == word.casefold().replace("_", "-")]
    if len(alike) == 1:
        return known[alike[0]]
    hint = did_you_mean(word, known, f"Known: {', '.join(known)}.")
    raise ValueError(f"There is no {kind} {word!r}. {hint}")


def parse_brackets(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of ``NAME`` or ``NAME[param=value,...]``.

    Values are Python literals (numbers, True, None, quoted text, lists); a bare word is text.

    Examples
    --------
    >>> parse_brackets("mcfs[n_neighbors=3, mode=fast]")
    ('mcfs', {'n_neighbors': 3, 'mode': 'fast'})
    """
    name, bracket, rest = text.strip().partition("[")
    if bracket and not rest.endswith("]"):
        raise ValueError(f"{text!r} lacks the closing bracket: write KEY[param=value,...].")
    params = {}
    for part in split_outside_brackets(rest[:-1]):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ValueError(f"{part.strip()!r} in {text!r} is not of the form param=value.")
        params[key.strip()] = read_literal(value.strip())
    return name.strip(), params


def write_literal(value: Any) -> str:
    """Text from which :func:`read_literal` returns the value; plain words need no quotes."""
    text = str(value)
    plain = not set(text) & set(",[](){}='\" ")
    bare = isinstance(value, str) and plain and read_literal(text) == text
    return text if bare else repr(value)


def read_literal(text: str) -> Any:
    """A Python literal, or the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def split_outside_brackets(text: str) -> list[str]:
    """Split at the commas outside of brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for sign in text:
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


def visible(text: str) -> str:
    r"""The text with control characters escaped, so that a terminal does not interpret them.

    Line ends and tabs stay. Marks that change the direction of the text are escaped, too.

    Examples
    --------
    >>> visible("\x1b[2Ja name\u202e")
    '\\x1b[2Ja name\\u202e'
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun in the singular or plural.

    Examples
    --------
    >>> counted(1, "class", "classes"), counted(1200, "feature")
    ('1 class', '1,200 features')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def listed(words: list[str], before_last: str = "and") -> str:
    """Words as a list in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    parts = [", ".join(words[:-1]), words[-1]] if len(words) > 1 else words
    return f" {before_last} ".join(parts)


def best_of(size: int, noun: str = "") -> str:
    """A phrase for the first features of a ranking.

    Examples
    --------
    >>> best_of(1), best_of(3), best_of(1, "score"), best_of(3, "score")
    ('best one', 'best 3', 'best score', 'best 3 scores')
    """
    if size == 1:
        return f"best {noun or 'one'}"
    return f"best {size} {noun}s" if noun else f"best {size}"


def with_symbol(feature: str, symbol: str | None) -> str:
    """A feature with its symbol, if it has another one: "DDR1 (1007_s_at)"."""
    return f"{symbol} ({feature})" if symbol and symbol != feature else feature


def display_names(names: Sequence[str], symbols: Mapping[str, str] | None = None) -> list[str]:
    """Names for people: printable, not too long, and told apart where they are equal or empty.

    A feature of ``symbols`` is shown as "symbol (feature)".
    """
    named = [with_symbol(name, (symbols or {}).get(name)) for name in names]
    seen, shown = Counter(named), []
    for place, name in enumerate(named):
        clean = shortened(name, _LONGEST_NAME)
        if not clean.isprintable():
            clean = "".join(
                sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in clean
            )
        if not clean.strip():
            clean = f"(no name, column {place + 1})"
        elif seen[name] > 1:
            clean = f"{clean} (column {place + 1})"
        shown.append(clean)
    return shown


def shortened(text: str, most: int) -> str:
    """A long text without its end."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
