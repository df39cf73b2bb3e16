"""Measures in exact rational arithmetic, straight from their definitions: slow and right."""

import math
from fractions import Fraction


def _columns(X):
    return [[Fraction(float(value)) for value in column] for column in X.T]


def _root(square):
    """The square root of a fraction that may be far below what a float holds."""
    if square == 0:
        return 0.0
    half = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(square / Fraction(4) ** half), half)


def _mean(values):
    return sum(values) / len(values)


def _variance(values):
    mean = _mean(values)
    return sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)


def fisher(X, y):
    """sum_g (mu_ig - mu_i)^2 / sum_g sigma_ig^2 per column, as a fraction; None for 0 / 0."""
    ratios = []
    for column in _columns(X):
        groups = [[v for v, label in zip(column, y, strict=True) if label == g] for g in set(y)]
        overall = _mean(column)
        between = sum((_mean(group) - overall) ** 2 for group in groups)
        within = sum(_variance(group) for group in groups)
        ratios.append(None if within == 0 else between / within)
    return ratios


def dispersion(X):
    """std / largest std per column, as floats."""
    variances = [_variance(column) for column in _columns(X)]
    largest = max(variances)
    return [_root(variance / largest) for variance in variances]


def pearson(X):
    """|correlation| of every pair of columns, as nested lists of floats."""
    centred = []
    for column in _columns(X):
        mean = _mean(column)
        centred.append([value - mean for value in column])

    def product(a, b):
        return sum(p * q for p, q in zip(a, b, strict=True))

    norms = [product(column, column) for column in centred]
    return [
        [_root(product(a, b) ** 2 / (p * q)) for b, q in zip(centred, norms, strict=True)]
        for a, p in zip(centred, norms, strict=True)
    ]


def share(x, y, weight):
    """r^2 of two vectors whose samples count ``weight`` times; None for a constant one."""
    x, y, weight = ([Fraction(float(value)) for value in each] for each in (x, y, weight))

    def centred(values):
        mean = sum(w * v for w, v in zip(weight, values, strict=True)) / sum(weight)
        return [value - mean for value in values]

    x, y = centred(x), centred(y)
    xx, yy, xy = (
        sum(w * a * b for w, a, b in zip(weight, p, q, strict=True))
        for p, q in ((x, x), (y, y), (x, y))
    )
    return xy**2 / (xx * yy) if xx * yy else None


def cox(x, time, event):
    """U^2 / I of the partial likelihood at 0, ties by Efron; None where I is 0."""
    x = [Fraction(float(value)) for value in x]
    slope = spread = 0
    for moment in sorted({t for t, died in zip(time, event, strict=True) if died}):
        risk = [v for v, t in zip(x, time, strict=True) if t >= moment]
        dead = [v for v, t, died in zip(x, time, event, strict=True) if t == moment and died]
        for place in range(len(dead)):
            left = Fraction(place, len(dead))
            count, total, square = (
                sum(v**power for v in risk) - left * sum(v**power for v in dead)
                for power in range(3)
            )
            slope += dead[place] - total / count
            spread += square / count - (total / count) ** 2
    return slope**2 / spread if spread else None
