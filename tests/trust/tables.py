"""Awkward tables: a few knobs make one, so that hypothesis can draw and shrink them."""

import os
import warnings
from collections import Counter
from dataclasses import dataclass

import hypothesis
import numpy as np
from hypothesis import strategies as st

from inffs import catalogue

CASES = int(os.environ.get("INFFS_CASES", 0))
ENTRIES = {entry.key: entry for entry in catalogue()}
QUIRKS = (
    "ties",
    "constants",
    "duplicates",
    "near-duplicates",
    "dominant",
    "denormals",
    "mixed scales",
    "zeros",
    "far from zero",
    "one ulp",
    "class",
)
DTYPES = ("float64", "float64", "float32", "float16", "int64", "int8", "uint8", "bool")
LAYOUTS = ("C", "Fortran", "read-only", "strided", "reversed")


def try_tables(tables, cases, check, seed=None):
    """Check so many tables; counts what ``check`` returned. Without a seed always the same ones.

    ``INFFS_CASES`` in the environment makes them random. With a seed the first that fails is told
    as it is: to look for the smallest takes longer than a thousand more.
    """
    outcomes = Counter()
    phases = [hypothesis.Phase.generate] if seed is not None else list(hypothesis.Phase)

    @hypothesis.settings(
        max_examples=max(1, cases), deadline=None, database=None, derandomize=not CASES,
        phases=phases,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(case=tables)
    def try_table(case):
        outcomes[check(case)] += 1

    (try_table if seed is None else hypothesis.seed(seed)(try_table))()
    return outcomes


def fitted(key, X, y, size="auto"):
    """The method with its defaults; warnings of rounding (overflow, 0 / 0) are failures.

    Of the bootstrap samples four instead of forty: a table of sixty classes takes minutes else.
    """
    selector = ENTRIES[key].estimator(n_features_to_select=size)
    given = {"random_state": 0, "n_estimators": 4}
    selector.set_params(**{name: given[name] for name in given if name in selector.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return selector.fit(X, y)


@dataclass(frozen=True)
class Knobs:
    """What makes a table; equal knobs make equal tables."""

    samples: int
    features: int
    classes: int
    quirks: frozenset
    exponent: int
    dtype: str
    layout: str
    seed: int

    @property
    def size(self):
        """Features to keep; in every fourth table the method finds how many, which takes longer."""
        return "auto" if self.seed % 4 == 0 else -(-self.features // 2)

    def table(self):
        """X and y as the knobs say."""
        rng = np.random.default_rng(self.seed)
        y = rng.permutation(np.arange(self.samples) % self.classes)
        X = rng.normal(size=(self.samples, self.features))
        for quirk in QUIRKS:
            if quirk in self.quirks:
                X = _APPLY[quirk](X, y, rng)
        return lay_out(as_type(X, self.dtype, self.exponent), self.layout), y


def _some(rng, n):
    """About a third of the columns, at least one."""
    return rng.choice(n, size=max(1, n // 3), replace=False)


def _constants(X, y, rng):
    X[:, _some(rng, X.shape[1])] = rng.normal()
    return X


def _duplicates(X, y, rng):
    X[:, _some(rng, X.shape[1])] = X[:, :1]
    return X


def _near_duplicates(X, y, rng):
    columns = _some(rng, X.shape[1])
    X[:, columns] = X[:, :1] * (1 + 1e-14 * rng.normal(size=(X.shape[0], columns.size)))
    return X


def _dominant(X, y, rng):
    X[:, rng.integers(X.shape[1])] *= 1e12
    return X


def _denormals(X, y, rng):
    X[:, _some(rng, X.shape[1])] *= 5e-320
    return X


def _mixed_scales(X, y, rng):
    return X * 10.0 ** rng.integers(-12, 13, size=X.shape[1])


def _zeros(X, y, rng):
    return X * (rng.random(X.shape) < 0.2)


def _far_from_zero(X, y, rng):
    columns = _some(rng, X.shape[1])
    X[:, columns] += 1e9
    return X


def _one_ulp(X, y, rng):
    """Columns whose values are neighbours among the floating-point numbers."""
    columns = _some(rng, X.shape[1])
    base = 10.0 ** rng.integers(-9, 10, columns.size)
    X[:, columns] = base + np.spacing(base) * np.round(2 * X[:, columns])
    return X


def _class(X, y, rng):
    X[:, _some(rng, X.shape[1])] = y[:, None]
    return X


_APPLY = {
    "ties": lambda X, y, rng: np.round(X),
    "constants": _constants,
    "duplicates": _duplicates,
    "near-duplicates": _near_duplicates,
    "dominant": _dominant,
    "denormals": _denormals,
    "mixed scales": _mixed_scales,
    "zeros": _zeros,
    "far from zero": _far_from_zero,
    "one ulp": _one_ulp,
    "class": _class,
}


def as_type(X, dtype, exponent):
    """The table in another type; the exponent scales where the type can hold it."""
    if dtype == "bool":
        return X > 0
    if dtype.startswith(("int", "uint")):
        limits = np.iinfo(dtype)
        low, high = max(limits.min, -(2**50)), min(limits.max, 2**50)
        return np.clip(np.round(10 * X), low, high).astype(dtype)
    if dtype == "float64":
        with np.errstate(over="ignore"):  # infinity is refused by name
            return X * 10.0**exponent
    limit = float(np.finfo(dtype).max)
    bounded = min(max(exponent, -20), 20) if dtype == "float32" else 0
    return np.clip(X * 10.0**bounded, -limit, limit).astype(dtype)


def lay_out(X, layout):
    """The same values, stored another way."""
    if layout == "Fortran":
        return np.asfortranarray(X)
    if layout == "strided":
        wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), dtype=X.dtype)
        wide[::2, ::3] = X
        return wide[::2, ::3]
    if layout == "reversed":
        return X[::-1, ::-1].copy()[::-1, ::-1]
    if layout == "read-only":
        X.setflags(write=False)
    return X


@st.composite
def knobs(draw, max_samples=60, max_features=80):
    """Knobs of a random table."""
    samples = draw(st.integers(2, max_samples))
    return Knobs(
        samples=samples,
        features=draw(st.integers(1, max_features)),
        classes=draw(st.integers(2, samples)),
        quirks=draw(st.frozensets(st.sampled_from(QUIRKS), max_size=4)),
        exponent=draw(st.one_of(st.just(0), st.integers(-300, 300))),
        dtype=draw(st.sampled_from(DTYPES)),
        layout=draw(st.sampled_from(LAYOUTS)),
        seed=draw(st.integers(0, 2**32 - 1)),
    )


@st.composite
def tame_knobs(draw, max_samples=60, max_features=80):
    """Knobs of a table on which nothing is decided by rounding."""
    samples = draw(st.integers(8, max_samples))
    return Knobs(
        samples=samples,
        features=draw(st.integers(1, max_features)),
        classes=draw(st.integers(2, samples // 3)),
        quirks=frozenset(),
        exponent=0,
        dtype="float64",
        layout=draw(st.sampled_from(LAYOUTS)),
        seed=draw(st.integers(0, 2**32 - 1)),
    )
