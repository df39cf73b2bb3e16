"""The paper's experiments as rounds of the comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from inffs._utils.progress import track
from inffs.comparison.dataset import Dataset
from inffs.comparison.methods import ComparedMethod
from inffs.comparison.process import Children, Limits
from inffs.comparison.protocol import OFFICIAL, Protocol
from inffs.comparison.runner import Round, by_trial, run, to_evaluate
from inffs.comparison.store import Plan, Store
from inffs.comparison.trial import Trial
from inffs.cuts import CUTS
from reproduction.compared import find_methods
from reproduction.cutting import CHOOSING, REFIT, REPORTING, STUDY, CutsProtocol, CutsRound
from reproduction.datasets import DataError, load_spec
from reproduction.packed import PackedStore

CNN_SIZES = (0.05, 0.10, 0.15, 0.20, 0.25)
CARDINALITY = tuple(step / 20 for step in range(1, 21))
FINE_CARDINALITY = tuple(step / 200 for step in range(50, 91))
# Where the paper's claims are comes first; what takes longest comes last.
ORDER = (
    "colon", "leukemia", "lymphoma", "prostate", "lung", "dexter", "madelon", "gina", "gisette",
    "office-googlenet", "office-caffenet", "voc2007", "caltech101",
)  # fmt: skip
ROOT = (str(Path(__file__).parents[1]),)  # where the processes of the trials find this package
LOGARITHM = "colon[log=true]"
GROWTH = "growth"
LARGEST = ("voc2007", "caltech101")
FINE = "fine cardinality"
QUICK: dict[str, Any] = {
    "names": ("colon", "madelon"),
    "methods": ("variance", "fisher", "inf-fs-u", "inf-fs-s"),
    "splits": 2,
}
_INF_FS = ("inf-fs-u", "inf-fs-s")
_CARDINALITY = (*_INF_FS, "relieff", "mi", "variance", "random")
_SLOW_CUTS = ("predict", "stability")
_LONG_CUTS = (
    "mean-shift", "mean-shift-fixed", "mean-shift-isj", "mixture", "gap", "second-difference",
    "fdr",
)  # fmt: skip
_CUT_RANKINGS = (
    "inf-fs-s", "fisher", "mi", "relieff", "ecfs", "inf-fs-u", "laplacian", "mcfs", "variance",
)  # fmt: skip


def reproduce(
    out: str | Path,
    *,
    names: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    sizes: tuple[float, ...] | None = None,
    splits: int | None = None,
    tuned: bool = False,
    third_party: bool = False,
    evaluators: tuple[str, ...] = ("linear",),
    limits: Limits | None = None,
    n_jobs: int = 1,
    budget: float | None = None,
    retry: bool = False,
    note: Callable[[str], None] = lambda text: None,
) -> bool:
    """Run the paper's challenges into the folder ``out``, resuming what is there.

    Parameters
    ----------
    out : path
        Folder of the results.
    names : iterable of str, optional
        Data sets; default: all, in the order of :data:`ORDER`. ``colon[log=true]`` is colon with
        logarithmic values, ``growth`` tables made to see how the time of a fit grows, ``cuts`` the
        study of the cuts on eleven data sets and ``cuts:NAME`` on one of them.
    methods : iterable of str, optional
        ``KEY`` or ``KEY[param=value]``; default: all methods and the baselines.
    sizes : tuple, optional
        Numbers or shares of features instead of the paper's.
    splits : int, optional
        Repetitions instead of the paper's 20.
    tuned : bool, default=False
        The second setting: rivals choose their parameters by cross-validation too.
    third_party : bool, default=False
        Selectors of other packages take part.
    evaluators : tuple of str
        Models that evaluate the selected features: names of :data:`inffs.evaluation.EVALUATORS`.
    limits, n_jobs, budget, retry
        As for :func:`inffs.comparison.runner.run`.
    note : callable
        Told, in a sentence, of a data set that could not be had.

    Returns
    -------
    bool
        Whether all is done.

    Raises
    ------
    DataError
        If none of the data sets can be loaded.

    See Also
    --------
    write_reproduction : The page about it.

    Examples
    --------
    >>> from reproduction.suite import reproduce
    >>> reproduce("results", names=["colon"], splits=2)  # doctest: +SKIP
    True
    """
    chosen = find_methods(methods, tuned, third_party)
    if methods is None and not tuned:
        chosen += equal_weights()
    rounds = _at_least_one(
        replace(each, protocol=replace(each.protocol, evaluators=evaluators))
        for each in paper_rounds(names, tuple(chosen), sizes, splits, tuned, note)
    )
    return run(
        rounds, PackedStore(out), limits, n_jobs=n_jobs, budget=budget, retry=retry, path=ROOT
    )


def _at_least_one(rounds: Iterator[Round]) -> Iterator[Round]:
    """The rounds; an error where there is none, because nothing would be run."""
    first = next(rounds, None)
    if first is None:
        raise DataError(
            "Nothing was run: none of the data sets could be loaded. Set INFFS_DATA to the folder "
            "that holds their files, or allow downloads."
        )
    yield first
    yield from rounds


def paper_rounds(
    names: Iterable[str] | None,
    chosen: tuple[ComparedMethod, ...],
    sizes: tuple[float, ...] | None = None,
    splits: int | None = None,
    tuned: bool = False,
    note: Callable[[str], None] = lambda text: None,
) -> Iterator[Round]:
    """The rounds of the benchmark, loaded one after the other."""
    for name in names or (*ORDER[:7], LOGARITHM, GROWTH, *ORDER[7:]):
        if name == GROWTH:
            yield from _growth_rounds(chosen)
            continue
        study, _, only = name.partition(":")
        cuts = study == STUDY
        for each in (only,) if only else (*CHOOSING, *REPORTING) if cuts else (name,):
            try:
                dataset = load_spec(each)
            except DataError as error:
                note(f"{each} is left out: {error}")
                continue
            if cuts:
                yield from _cuts_rounds(dataset, chosen, splits)
            else:
                yield from _rounds_of(dataset, chosen, sizes, splits, tuned)


def _rounds_of(
    dataset: Dataset,
    chosen: tuple[ComparedMethod, ...],
    sizes: tuple[float, ...] | None,
    splits: int | None,
    tuned: bool,
) -> Iterator[Round]:
    protocol = Protocol(tuned=tuned)
    if dataset.challenge == "cnn":
        protocol = replace(protocol, sizes=CNN_SIZES)
    large = dataset.name.startswith(LARGEST)
    if large:
        protocol = replace(protocol, n_splits=5, folds=1, Cs=(1e-5, 1e-4, 1e-3, 1e-2))
    protocol = replace(
        protocol, sizes=sizes or protocol.sizes, n_splits=splits or protocol.n_splits
    )
    if dataset.name.endswith("(log)"):
        chosen = tuple(each for each in chosen if each.key in _INF_FS or each.baseline)
    if dataset.official_test is not None:
        official = replace(protocol, n_splits=1, study=OFFICIAL)
        yield Round(dataset, official, chosen)
    yield Round(dataset, protocol, chosen)
    if large and sizes is None and not tuned:
        yield from _cardinality_rounds(dataset, protocol, chosen)


def _cardinality_rounds(
    dataset: Dataset, protocol: Protocol, chosen: tuple[ComparedMethod, ...]
) -> Iterator[Round]:
    """From few features to all of them; in small steps where the paper sees the best part.

    Weights are equal: to choose them for each of twenty sizes takes hours per split.
    """
    named = tuple(replace(each, grid=()) for each in chosen if each.name in _CARDINALITY)
    study = replace(protocol, sizes=CARDINALITY, automatic=False, study="cardinality")
    if named:
        yield Round(dataset, study, named)
    inf_fs = tuple(each for each in named if each.key in _INF_FS)
    if inf_fs and dataset.name.startswith("voc2007"):
        yield Round(dataset, replace(study, sizes=FINE_CARDINALITY, study=FINE), inf_fs)


def equal_weights() -> list[ComparedMethod]:
    """The second reading of the paper: Inf-FS without a choice of weights."""
    names = {"inf-fs-u": "inf-fs-u (alpha 0.5)", "inf-fs-s": "inf-fs-s (equal weights)"}
    return [ComparedMethod(key, label=label) for key, label in names.items()]


def full_splits(dataset: str) -> int:
    """Splits of a data set when its run is complete (a slow method's are fewer)."""
    return 5 if dataset.startswith(LARGEST) else Protocol.n_splits


def _growth_rounds(chosen: tuple[ComparedMethod, ...]) -> Iterator[Round]:
    """Tables of 60 samples and more and more features, to see how the time of a fit grows.

    No weights are chosen, so the reading with equal ones is left out.
    """
    protocol = Protocol(sizes=(10,), n_splits=3, Cs=(1.0,), folds=2, automatic=False, study=GROWTH)
    left = {each.name for each in equal_weights()}
    fixed = tuple(
        replace(each, grid=()) for each in chosen if not each.baseline and each.name not in left
    )
    for n in (1000, 2000, 4000, 8000):
        rng = np.random.default_rng(n)
        y = np.arange(60) % 2
        X = rng.normal(size=(60, n))
        X[:, :10] += y[:, None]
        names = [f"x{place}" for place in range(1, n + 1)]
        made = Dataset(f"made, {n} features", X, y, names, "made", None, GROWTH)
        yield Round(made, protocol, fixed, Limits(fit_timeout=120.0))


def _cuts_rounds(
    dataset: Dataset, chosen: tuple[ComparedMethod, ...], splits: int | None
) -> Iterator[Round]:
    """Nine rankings with their default parameters, each ended by every cut.

    About fifteen sizes are evaluated in every trial, so C is not chosen: it is 0.1, and 0.01 where
    there are many samples. The cuts that rank parts of the table again take longer than all others
    together and get a round of their own with at most five splits. Those that often keep nearly
    everything are left out where a linear SVM on everything takes seconds.
    """
    T, n = dataset.X.shape
    many = T > 1000
    left = (*_SLOW_CUTS, *(_LONG_CUTS if many and n > 600 else ()))
    protocol = CutsProtocol(
        n_splits=splits or 20,
        Cs=(1e-2,) if many else (1e-1,),
        automatic=False,
        study=STUDY,
        cuts=tuple(name for name in CUTS if name not in left),
    )
    named = tuple(replace(each, grid=()) for each in chosen if each.key in _CUT_RANKINGS)
    limits = Limits(fit_timeout=300.0, slow_fit=1e9)
    yield CutsRound(dataset, protocol, named, limits)
    few = min(protocol.n_splits, 5)
    again = replace(protocol, n_splits=few, sizes=(), cuts=_SLOW_CUTS, study=REFIT)
    yield CutsRound(dataset, again, named, limits)


def evaluate_stored(
    dataset: Dataset, plan: Plan, store: Store, evaluators: tuple[str, ...], n_jobs: int = 1
) -> int:
    """Evaluate the stored features of a plan with further models; the number of trials."""
    protocol = replace(Protocol.of_details(plan.details or {}), evaluators=evaluators)
    trials = []
    for rows in by_trial(store.of_plan(plan, evaluator=None)).values():
        first = rows.iloc[0]
        trial = Trial(ComparedMethod(str(first["method"])), int(first["split"]), protocol)
        if (stored := to_evaluate(trial, rows)) is not None:
            trials.append(stored)
    with Children(ROOT) as children:
        found = children.run_all(dataset, trials, Limits(), None, n_jobs)
        for done in track(found, f"evaluating trials on {plan.dataset}", len(trials)):
            store.append(done)
    return len(trials)
