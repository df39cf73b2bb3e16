"""The features associated with the target, at a false discovery rate.

Permutation tests of the association of every feature with the target, one by one.

The statistic of a feature is the share of its variance that the target explains: of its profile
(values standardised, clipped at two standard deviations, norm 1) the squared length along the axes
of the target. The axes span the classes, the labels or the numbers; for survival times there is one
axis, the martingale residuals, which gives the log-rank (Cox score) test. It is the evidence of a
single feature in conditional paths. With curves, the share along a feature's curve (cosines of its
ranks, without the straight part) is tested as well, and twice the smaller p-value counts.

The p-value of a feature compares its statistic with the same feature's statistics under permuted
targets, never with those of other features. So it holds for counts, ties, skewed values and small
classes. The number of permutations adapts itself (Besag and Clifford 1991): a feature leaves when
ten permutations have reached its statistic, as most features without an association do early. The
others go on until Benjamini and Hochberg's rule is settled (stopping early is valid with these
p-values: Fischer, Barry, Ramdas 2024) or a budget is spent.

What is permuted are independent units. Rows of weight zero are left out; rows that repeat each
other with the same target are one unit, whatever their weights, as copies add no evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import orth
from scipy.stats import false_discovery_control
from sklearn.utils import check_random_state

from inffs._utils.threads import column_blocks, dense, threaded
from inffs.conditional import class_axes
from inffs.cuts.cut import Cut, RankAgain, SizeRule
from inffs.cuts.samples import Samples, equal_rows, sample_of_rows
from inffs.evaluation.folds import by_appearance
from inffs.graph.curves import curve_rows
from inffs.graph.profiles import clipped_rows
from inffs.measures.survival import martingale_residuals
from inffs.scores import Ranking
from inffs.target import MULTILABEL, REGRESSION, Target, class_target, is_record
from inffs.validation.checks import take_rows

HITS = 10  # permutations that reach a feature's statistic before it leaves
_FIRST, _GROWTH = 50, 4  # permutations of the first stage, and of all stages so far to the next
_DRAWN = 2**27  # target values that are drawn at most, beyond _LEAST permutations
_LEAST = 1000
_FINE = 2e10  # operations within which small p-values are made smaller than the rule needs
_VALUES = 2**22  # of a temporary array
_WIDTH = 256  # columns of a block at most
_TIE = 1e-9  # statistics nearer than this, relatively, are equal
_LEFT = 1e-9  # of the squared length of an axis: less is explained by the covariates


@dataclass(frozen=True)
class FalseDiscoveryRate(SizeRule):
    """Keep all features that are associated with the target, at a false discovery rate of q.

    Each feature is tested on its own (:func:`inffs.cuts.false_discovery_rate.p_values`). The share
    of its variance that the target explains is compared with the shares under permuted targets.
    Benjamini and Hochberg's rule (1995) decides which features are significant. The method only
    ranks them. All methods use the same test, because the scores of a method have no such null
    distribution: a weak feature may score lower beside a good one than under permuted targets.

    Significant features come first in ``order_``, and both parts keep the order of the method. If
    no feature is significant, the first one is kept because a selection cannot be empty, and the
    cut is marked ``forced``.

    Counts, ties, skewed values, small classes, missing values, survival times, several labels and
    weights need no option. 100 samples by 20,000 features take about a second.

    Parameters
    ----------
    q : float, default=0.1
        The expected share of false discoveries among the selected features.
    curves : bool, default=False
        Whether to test curved associations as well, for example values that vary more in one class.
        Straight associations then need half the p-value, and the tests take about four times as
        long.
    random_state : int, RandomState or None, default=0
        Seed of the permutations.

    See Also
    --------
    inffs.StabilitySelection : Bounds the false features by resampling.

    References
    ----------
    Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
    Statistical Society B 57, 1995.

    Examples
    --------
    >>> from inffs import InfFSS
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSS(n_features_to_select="fdr").fit(X, y).n_features_
    13
    """

    q: float = 0.1
    curves: bool = False
    random_state: Any = 0

    def __post_init__(self) -> None:
        if not 0 < self.q < 1:
            raise ValueError(f"FalseDiscoveryRate takes q between 0 and 1, not q={self.q!r}.")

    takes_weights = True

    def __call__(self, ranking: Ranking, samples: Samples, rank_again: RankAgain) -> Cut:
        """The significant features."""
        if samples.target is None:
            raise ValueError(
                "The cut 'fdr' needs labels, and this method does not use them: use a supervised "
                "method, or the cut 'stability'."
            )
        found = p_values(
            samples.X, samples.target.values, samples.sample_weight, samples.groups,
            samples.covariates, curves=self.curves, q=self.q, random_state=self.random_state,
        )  # fmt: skip
        q_values = false_discovery_control(found)
        found = np.flatnonzero(q_values <= self.q)
        rate = f"{self.q:.0%}".replace("%", " %")
        if found.size == 0:
            why = (
                f"No feature is significantly associated with the target (false discovery rate "
                f"{rate}, permutation tests). The best feature is kept because a selection "
                "cannot be empty."
            )
            return Cut("fdr", 1, why, q_values, forced=True)
        why = (
            f"{found.size:,} of {ranking.scores.size:,} features are significantly associated with "
            f"the target: at most {rate} of them are expected to be false discoveries "
            "(permutation tests)."
        )
        return Cut("fdr", found.size, why, q_values, features=found)


def p_values(
    X: Any,
    target: np.ndarray,
    sample_weight: np.ndarray | None = None,
    groups: Any = None,
    covariates: np.ndarray | None = None,
    *,
    curves: bool = False,
    q: float = 0.1,
    random_state: Any = 0,
) -> np.ndarray:
    """Test each column of X for an association with the target by permutations.

    Each p-value is valid by itself: under independence it is at most p with probability at most p.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows. Missing values (NaN) are left out, feature by feature.
    target : ndarray of shape (n_samples,) or (n_samples, n_labels)
        A checked target: class codes, a 0 / 1 matrix, floats or survival times.
    sample_weight : ndarray of shape (n_samples,), optional
        Samples of weight zero are left out; beyond that weights change nothing.
    groups : array of shape (n_samples,), optional
        Samples of one group belong together. Where all samples of a group have the same target,
        the groups are tested by their means, and their targets are permuted. Otherwise values are
        centred within groups and targets are permuted within groups.
    covariates : ndarray of shape (n_samples, n_columns), optional
        The design whose effects were removed from X. They are removed from every permuted target as
        well (Freedman and Lane 1983), so that it has no more degrees of freedom than the real one.
    curves : bool, default=False
        Whether to test for curved associations as well: a different variance in one class, say.
    q : float, default=0.1
        The false discovery rate that the p-values have to resolve.
    random_state : int, RandomState or None, default=0
        Seed of the permutations.

    Returns
    -------
    ndarray of shape (n_features,)

    Notes
    -----
    A feature without association costs about 100 permutations, O(T d) each in matrix products, d
    axes. At most 2 n / q permutations are drawn, fewer where they hold more than 2^27 values.

    References
    ----------
    J. Besag, P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991.

    D. Freedman, D. Lane, "A nonstochastic interpretation of reported significance levels", Journal
    of Business and Economic Statistics 1, 1983.

    L. Fischer, T. Barry, A. Ramdas, "Multiple testing with anytime-valid Monte Carlo p-values",
    arXiv:2404.15586, 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.cuts.false_discovery_rate import p_values
    >>> X, y = load_wine(return_X_y=True)
    >>> bool((p_values(X, y) < 0.01).all())
    True
    """
    units = Units.of(X, target, sample_weight, groups, covariates)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    if units is None:
        return np.ones(X.shape[1])
    straight = _sequential(units, q, rng)
    if not curves:
        return straight
    curved = _sequential(replace(units, curved=True), q, rng)
    return np.minimum(2 * np.minimum(straight, curved), 1.0)


@dataclass(frozen=True)
class Units:
    """What is permuted: rows of a table, or groups of rows.

    ``axes`` (n_units, d) span the target. ``groups`` holds the group of every row, or None; groups
    are units of their own, or ``strata`` inside which rows are permuted. ``design`` (n_units, k) is
    an orthonormal basis of what was removed from the features, or None. ``curved`` asks for the
    curves of the features instead of their profiles.
    """

    X: Any
    rows: np.ndarray
    axes: np.ndarray
    groups: np.ndarray | None
    strata: list[np.ndarray]
    design: np.ndarray | None = None
    curved: bool = False

    @classmethod
    def of(
        cls, X: Any, target: Any, sample_weight: Any, groups: Any, covariates: Any = None
    ) -> Units | None:
        """None where the target of the units does not vary within any stratum."""
        if sample_weight is not None and not np.all(sample_weight):
            rows = np.flatnonzero(sample_weight)
            X, target = take_rows(X, rows), target[rows]
            groups = None if groups is None else np.asarray(groups)[rows]
            covariates = None if covariates is None else covariates[rows]
        copies = sample_of_rows(X, equal_rows(X, target))
        rows = np.sort(np.unique(copies, return_index=True)[1])
        target = target[rows]
        if groups is not None:
            groups = by_appearance(np.asarray(groups)[rows])
            first = np.unique(groups, return_index=True)[1]
            if _equal(target, target[first][groups]).all():
                target, strata = target[first], [np.arange(first.size)]
            else:
                strata = [np.flatnonzero(groups == group) for group in range(first.size)]
        else:
            strata = [np.arange(rows.size)]
        strata = [each for each in strata if not _equal(target[each], target[each[:1]]).all()]
        if not strata:
            return None
        units = cls(X, rows, _axes(target), groups, strata)
        if covariates is None:
            return units
        design = units.of_units(covariates[rows].astype(np.float64))
        design = np.column_stack([np.ones(len(design)), design])
        units = replace(units, design=orth(design, rcond=_LEFT))
        return replace(units, axes=units.drawn(np.arange(len(units.axes))[None])[0])

    def of_units(self, block: np.ndarray) -> np.ndarray:
        """Values of rows as values of units: the means of groups, or without them."""
        if self.groups is None:
            return block
        means = _group_means(block, self.groups)
        return means if len(means) == len(self.axes) else block - means[self.groups]

    def drawn(self, places: np.ndarray) -> np.ndarray:
        """Axes of permuted targets without the effects of the design, (count, n_units, d)."""
        axes = self.axes[places]
        if self.design is None:
            return axes
        axes = axes - self.design @ (self.design.T @ axes)
        lengths, turn = np.linalg.eigh(np.swapaxes(axes, 1, 2) @ axes)
        scale = np.where(lengths > _LEFT, 1 / np.sqrt(np.maximum(lengths, _LEFT)), 0.0)
        return axes @ (turn * scale[:, None])

    def vectors(self, columns: np.ndarray) -> np.ndarray:
        """Unit vectors of some columns, (1, n_columns, n_units), of their curves (4, ...)."""
        block = dense(self.X[:, columns])[self.rows].astype(np.float64)
        if self.groups is not None:
            largest = np.nanmax(np.abs(_group_means(block, self.groups)), axis=0, initial=0.0)
            block = self.of_units(block)
            flat = ~(np.nanmax(np.abs(block - block[0]), axis=0, initial=0.0) > 1e-13 * largest)
            block[:, flat] = 0.0
        rows = np.ascontiguousarray(block.T)
        profiles = clipped_rows(rows)
        return np.moveaxis(curve_rows(rows, profiles), 1, 0) if self.curved else profiles[None]

    def permutations(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Places of the units, shape (count, n_units), permuted inside the strata."""
        places = np.tile(np.arange(len(self.axes), dtype=np.int32), (count, 1))
        for stratum in self.strata:
            places[:, stratum] = stratum[rng.random((count, stratum.size)).argsort(axis=1)]
        return places


def _equal(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.asarray(np.all(np.reshape(left == right, (len(left), -1)), axis=1))


def _axes(target: np.ndarray) -> np.ndarray:
    if is_record(target):
        target = martingale_residuals(target["time"], target["event"])
    if target.ndim == 1 and target.dtype.kind in "iu":
        codes = np.unique(target, return_inverse=True)[1]
        return class_axes(class_target(codes)).axes
    return class_axes(Target(REGRESSION if target.ndim == 1 else MULTILABEL, target)).axes


def _group_means(block: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Means of the values that are present; NaN where a group has none."""
    member = sparse.csr_array((np.ones(groups.size), (groups, np.arange(groups.size))))
    present = ~np.isnan(block)
    count = member @ present.astype(float)
    sums = member @ np.where(present, block, 0.0)
    return np.divide(sums, count, out=np.full_like(sums, np.nan), where=count > 0)


def _sequential(units: Units, q: float, rng: np.random.Generator) -> np.ndarray:
    """Stages of permutations; in each, features leave that have been reached often enough."""
    n, (T, d) = units.X.shape[1], units.axes.shape
    most = max(_LEAST, min(int(np.ceil(2 * n / q)), _DRAWN // T))
    p, hits, running = np.ones(n), np.zeros(n, dtype=int), np.arange(n)
    done, spent = 0, 0.0
    while running.size and done < most:
        count = min(max(_FIRST, (_GROWTH - 1) * done), most - done, max(1, 4 * _VALUES // T))
        places = units.permutations(count, rng)
        hits[running], last = _more_hits(units, running, hits[running], places)
        left = last > 0
        p[running[left]] = HITS / (done + last[left])
        done, spent = done + count, spent + 2.0 * count * T * d * running.size
        running = running[~left]
        p[running] = HITS / (done + HITS - hits[running])
        q_values = false_discovery_control(p)[running]
        if (q_values <= (q / 10 if spent < _FINE else q)).all():
            return p
    p[running] = (1 + hits[running]) / (1 + done)
    return p


def _more_hits(
    units: Units, columns: np.ndarray, hits: np.ndarray, places: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How many permutations have reached the statistic of each column with these ones.

    Also the number, from 1, of the one with which they are enough; 0 where they are not.
    """
    T, d = units.axes.shape
    at_once = max(1, _VALUES // (T * d))

    def of_block(block: slice) -> tuple[np.ndarray, np.ndarray]:
        vectors = units.vectors(columns[block])
        least = _explained(units.drawn(np.arange(T)[None]), vectors) * (1 - _TIE)
        so_far, last = hits[block], np.zeros(least.size, dtype=int)
        for start in range(0, len(places), at_once):
            reach = _explained(units.drawn(places[start : start + at_once]), vectors) >= least
            total = so_far + reach.sum(axis=0)
            new = (so_far < HITS) & (total >= HITS)
            counts = so_far[new] + np.cumsum(reach[:, new], axis=0)
            last[new] = start + 1 + (counts >= HITS).argmax(axis=0)
            so_far = total
        return so_far, last

    found = threaded(of_block, column_blocks(columns.size, T, _WIDTH * T), "testing features")
    reached, last = zip(*found, strict=True)
    return np.concatenate(reached), np.concatenate(last)


def _explained(axes: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Shares (count, k) along axes (count, T, d), summed over the vectors (v, k, T)."""
    count, T, d = axes.shape
    directions = np.moveaxis(axes, 1, 2).reshape(count * d, T)
    shares = (np.square(directions @ rows.T).reshape(count, d, -1).sum(axis=1) for rows in vectors)
    return sum(shares, start=np.zeros((count, vectors.shape[1])))
