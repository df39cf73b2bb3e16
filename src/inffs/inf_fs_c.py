"""Inf-FS by conditional paths: each feature is ranked by what it adds to those before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from inffs._utils.words import counted
from inffs.base import FeatureSelector, TakesWeights
from inffs.conditional import ConditionalPath, ConditionalWalk, SelectedFeature, class_axes
from inffs.cuts import Samples
from inffs.graph import unit_profiles
from inffs.graph.curves import curves_of
from inffs.graph.pairs import BUDGET, operations
from inffs.measures.moments import positive
from inffs.ranking import as_frame
from inffs.scores import Ranking
from inffs.validation.checks import find_columns

_EXACT_VALUES = 2**27  # profiles of at most a gigabyte are kept in double precision


@dataclass(frozen=True)
class Explanation:
    """Why a feature has its place in the ranking.

    Attributes
    ----------
    feature, place : int
        Its column, and its place in ``order_`` from 1.
    path, step : int or None
        The path it was selected on and its place there, from 1; None if it was never selected.
    kind : {"line", "curve", "pair"} or None
        How it was associated with the target when it was selected.
    partner : int or None
        The other feature of its pair.
    gain : float
        Its score.
    alone : float
        The share of its variance that the target explains, without any other feature.
    redundant_with : int or None
        The selected feature that accounts for most of this association.
    redundant_share : float
        The share of ``alone`` that it accounts for.
    why : str
        All of this in a few sentences.
    """

    feature: int
    place: int
    path: int | None
    step: int | None
    kind: str | None
    partner: int | None
    gain: float
    alone: float
    redundant_with: int | None
    redundant_share: float
    why: str

    def __str__(self) -> str:
        return self.why


class InfFSC(TakesWeights, FeatureSelector):
    """Rank features by what each adds to those selected before it (Inf-FS_C).

    Features and class axes are the nodes of a graph with signed edges: rho_ij between the profiles
    of two features (values standardised, clipped at 2 deviations, norm 1), and s_ig between a
    feature and a class axis. The method follows a path S from feature to feature. The next feature
    is the one with the largest gain::

        sum_g C_ig^2 / (lambda + q_i)
        C = s - rho_.S (lambda I + rho_SS)^-1 s_S

    Here C is the association and q_i the part of the feature that S does not explain, and
    lambda = 10 ln(n) / (T d). The inverse is the resolvent of the Inf-FS paper ((I - rA)^-1, Eqs.
    12 to 15) on the selected nodes, with alternating signs. A path ends when no remaining feature
    exceeds half of the chi-square bound for the best of n noise features. A new path then begins
    among the features that are left. In terms of regression this is greedy forward selection with a
    ridge on class axes, with restarts. It is a method of this package, not of the Inf-FS paper.

    A feature also counts for a curved association, which cosines of its ranks describe. If no
    single feature is significant, the first path looks for the pair of features whose product
    explains most of the target. Both have to pass the 5 % level of the best noise feature or noise
    pair. A table that is too small to support a curve or a pair is ranked by straight lines only.

    Every class has the same weight, however many samples it has. The selection therefore favours
    balanced accuracy. Classes, a 0 / 1 matrix (multilabel) and a continuous target are treated
    alike. Scales and signs of the columns do not matter. ``order_`` is the order of selection. The
    scores along it need not decrease, because each new path begins with a large gain.

    A selection takes O(n (T + d)) time per feature and O(n (T + d)) memory for d axes (the number
    of classes minus 1). A search for pairs takes at most 2 n^2 T (d + 1) operations. Most tables
    need no search or one.

    Parameters
    ----------
    curves : bool, default=True
        Whether curved associations count.
    pairs : bool or "auto", default="auto"
        Whether to look for pairs of features. With "auto" they are skipped where one search takes
        more than 2e10 operations, and ``pair_search_`` reports it.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to select. Without a number the paths hold min(n, 200) features, and the
        remaining ones follow by their own association with the target.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN). "refuse" raises an error. "ignore" measures every
        feature on the samples that have a value.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The gain of each feature on a path. All other features have lower scores, in proportion to
        their own association with the target.
    paths_ : list of inffs.conditional.ConditionalPath
        The paths. A feature on a path has a gain, a kind ("line", "curve" or "pair"), evidence, a
        noise level and a contribution per class. ``path_frame()`` shows them with names.
    pair_search_ : str
        Whether the method looked for pairs, and how many it found.

    See Also
    --------
    InfFSS : Scores each feature on its own.

    References
    ----------
    G. Roffo, S. Melzi, U. Castellani, A. Vinciarelli, M. Cristani, "Infinite Feature Selection: A
    Graph-based Feature Filtering Approach", IEEE TPAMI 2020: the resolvent of a feature graph.

    S. Chen, S. A. Billings, W. Luo, "Orthogonal least squares methods and their application to
    non-linear system identification", International Journal of Control 50, 1989: forward selection
    by conditional gain.

    B. Laurent, P. Massart, "Adaptive estimation of a quadratic functional by model selection",
    Annals of Statistics 28, 2000: the chi-square bound.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from inffs import InfFSC
    >>> data = load_breast_cancer()
    >>> selector = InfFSC(n_features_to_select=3).fit(data.data, data.target)
    >>> data.feature_names[selector.order_[:3]].tolist()
    ['worst perimeter', 'worst concave points', 'worst texture']
    """

    _supervised = True
    _sparse = True
    _lazy = True
    _scale_free = True
    _longest_search = 200
    _targets = ("classification", "multilabel", "regression")
    _parameter_constraints: dict = {
        **FeatureSelector._parameter_constraints,
        "curves": ["boolean"],
        "pairs": ["boolean", StrOptions({"auto"})],
    }

    def __init__(
        self,
        *,
        curves: bool = True,
        pairs: Any = "auto",
        n_features_to_select: Any = "auto",
        missing: str = "refuse",
        target_type: str = "auto",
    ) -> None:
        self.curves = curves
        self.pairs = pairs
        self.n_features_to_select = n_features_to_select
        self.missing = missing
        self.target_type = target_type

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> Ranking:
        X, y, sample_weight = samples.X, samples.known_target, samples.sample_weight
        T, n = X.shape
        asked = self._size_asked(self.n_features_in_)
        dtype = np.float64 if n * T <= _EXACT_VALUES else np.float32
        profiles = unit_profiles(X, "clipped", dtype, sample_weight)
        target = class_axes(y, sample_weight)
        curves = curves_of(X, profiles, sample_weight) if self.curves else None
        affordable = operations(n, T, target.axes.shape[1]) <= BUDGET
        pairs = affordable if self.pairs == "auto" else self.pairs
        walk = ConditionalWalk(profiles, target, sample_weight, curves, pairs)
        paths = walk.follow(min(n, self._longest_search if asked is None else asked))
        self.paths_ = [path.among(columns) for path in paths]
        self.pair_search_ = _pair_search(self.pairs, pairs, walk)
        self._keep_reasons(walk, columns)
        return _scored(paths, walk)

    def _keep_reasons(self, walk: ConditionalWalk, columns: np.ndarray) -> None:
        """Keep what ``explain`` needs, numbered as in the input."""
        n = self.n_features_in_
        self._alone, self._share, self._redundant_with = np.zeros(n), np.zeros(n), np.full(n, -1)
        self._alone[columns] = walk.alone
        self._share[columns] = np.minimum(1.0, walk.shared / positive(walk.alone))
        self._redundant_with[columns] = np.append(columns, -1)[walk.redundant_with]

    def path_frame(self) -> Any:
        """Return the paths as a data frame, one row per selected feature, with its name.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            path, step, feature, kind ("line", "curve" or "pair"), partner (the other feature of a
            pair), gain, evidence and noise (the level for the evidence). polars after
            ``set_output(transform="polars")``, pandas otherwise.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from inffs import InfFSC
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> InfFSC(n_features_to_select=2).fit(X, y).path_frame()["feature"].tolist()
        ['petal length (cm)', 'petal width (cm)']
        """
        check_is_fitted(self)
        names = self._get_names()
        found = self._on_paths()
        selected = [each for _, _, each in found]
        columns = {
            "path": [path for path, _, _ in found],
            "step": [step for _, step, _ in found],
            "feature": [names[each.feature] for each in selected],
            "kind": [each.kind for each in selected],
            "partner": [None if each.partner is None else names[each.partner] for each in selected],
            "gain": [each.gain for each in selected],
            "evidence": [each.evidence for each in selected],
            "noise": [each.noise for each in selected],
        }
        return as_frame(columns, self)

    def explain(self, feature: int | str) -> Explanation:
        """Explain the place of a feature, and which selected feature makes it redundant.

        Parameters
        ----------
        feature : int or str
            A column number or, if the table had names, a name or a pattern of one name.

        Returns
        -------
        Explanation
            Its ``why`` is the explanation in sentences.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from inffs import InfFSC
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> explanation = InfFSC(n_features_to_select=2).fit(X, y).explain("petal width (cm)")
        >>> explanation.redundant_with, round(explanation.redundant_share, 2)
        (2, 0.99)
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        named = find_columns(feature, self.n_features_in_, names, "feature")
        if len(named) != 1:
            raise ValueError(f"feature={feature!r} names {len(named)} features: give one.")
        i = named[0]
        at = {each.feature: (path, step, each) for path, step, each in self._on_paths()}
        path, step, added = at.get(i, (None, None, None))
        other = int(self._redundant_with[i])
        found = Explanation(
            feature=i,
            place=int(self.ranking_[i]),
            path=path,
            step=step,
            kind=None if added is None else added.kind,
            partner=None if added is None else added.partner,
            gain=float(self.scores_[i]),
            alone=float(self._alone[i]),
            redundant_with=None if other < 0 else other,
            redundant_share=float(self._share[i]),
            why="",
        )
        return replace(found, why=" ".join(self._sentences(found)))

    def _on_paths(self) -> list[tuple[int, int, SelectedFeature]]:
        """The features on paths, each with the number of its path and its place there, from 1."""
        return [
            (number, step, each)
            for number, path in enumerate(self.paths_, start=1)
            for step, each in enumerate(path.selected, start=1)
        ]

    def _sentences(self, found: Explanation) -> list[str]:
        name = self._name_of(found.feature)
        if found.alone == 0.0 and found.kind in (None, "line"):
            return [
                f"Feature {name} is last ({found.place}): it has no association with the target."
            ]
        sentences = [
            f"Feature {name} has place {found.place} of {self.n_features_in_}.",
            f"The target explains {found.alone:.0%} of its variance.",
        ]
        if found.path is None:
            sentences.append("It is on no path; features like it are ordered by that share.")
        elif found.step == 1:
            sentences.append(
                f"It is the first of path {found.path}, with a gain of {found.gain:.3g}."
            )
        else:
            sentences.append(
                f"It is number {found.step} of path {found.path} and adds {found.gain:.3g} to the "
                "features before it."
            )
        if found.kind == "curve":
            sentences.append("Its association with the target is curved.")
        if found.partner is not None:
            partner = self._name_of(found.partner)
            sentences.append(f"It was selected together with feature {partner}, for their product.")
        if found.redundant_with is not None:
            other = self._name_of(found.redundant_with)
            share = f"{found.redundant_share:.0%}"
            sentences.append(f"Feature {other} accounts for {share} of its association.")
        return sentences


def _pair_search(asked: Any, searched: bool, walk: ConditionalWalk) -> str:
    """Whether pairs were looked for and found, in a sentence."""
    if not searched:
        if not asked:
            return "Pairs were not looked for (pairs=False)."
        count = operations(walk.n, walk.T, walk.n_axes)
        return (
            f"Pairs were skipped: one search takes {count:.1e} operations, more than "
            f"{BUDGET:.0e}. Set pairs=True to look for them all the same."
        )
    if walk.pair_searches == 0:
        return "No search for pairs was needed."
    found = counted(walk.pairs_found, "pair") if walk.pairs_found else "no pair"
    return f"{counted(walk.pair_searches, 'search', 'searches')} found {found}."


def _scored(paths: list[ConditionalPath], walk: ConditionalWalk) -> Ranking:
    selected = [each for path in paths for each in path.selected]
    chosen, rest = [each.feature for each in selected], walk.rest()
    scores = np.empty(walk.n)
    scores[chosen] = [each.gain for each in selected]
    most = walk.alone[rest].max(initial=0.0)
    scores[rest] = walk.alone[rest] * min(1.0, scores[chosen].min() / most) if most > 0 else 0.0
    return Ranking(scores, own_order=np.concatenate([chosen, rest]).astype(int))
