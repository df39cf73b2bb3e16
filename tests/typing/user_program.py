"""A user's program, read by ``mypy --strict`` through the package's py.typed, and run."""

from pathlib import Path
from typing import assert_type

import numpy as np

from inffs import (
    BestOf,
    Consensus,
    Constrained,
    InfFS,
    InfFSC,
    InfFSS,
    InfFSU,
    LogCPM,
    Report,
    RoundingWarning,
    StabilitySelection,
    TableWarning,
    __version__,
    catalogue,
    open_table,
    rank,
    select_genes,
    show_progress,
)
from inffs.comparison import Limits, Store
from inffs.cuts import (
    Cut,
    FalseDiscoveryRate,
    Histogram,
    Knee,
    MeanShift,
    Middle,
    Predict,
    Ranking,
    Samples,
    ScoreCut,
    SizeRule,
    Stability,
    apply_cut,
)
from inffs.evaluation import LinearSVM, Part, find_evaluator, holdout, make_folds
from inffs.measures import dispersion
from inffs.methods import (
    CFS,
    CIFE,
    CMIM,
    DGUFS,
    ECFS,
    FSASL,
    FSV,
    ICAP,
    ILFS,
    JMI,
    L0SVM,
    LLCFS,
    MCFS,
    MIFS,
    MRI,
    MRMR,
    NHTP,
    SVMRCE,
    SVMRFE,
    SWSVMRFE,
    UDFS,
    UFSOL,
    EnsembleSVMRFE,
    Entry,
    FisherScore,
    GraHTP,
    LaplacianScore,
    LassoHinge,
    LassoUnhinged,
    MutualInformation,
    ReliefF,
    find_entry,
)
from inffs.relations import (
    BoundTable,
    Coupling,
    Decorrelation,
    Dispersion,
    Outer,
    Pairwise,
    Precomputed,
    Relation,
)
from inffs.target import make_target
from inffs.validation.lazy import LazyTable

WARNINGS: tuple[type[Warning], ...] = (RoundingWarning, TableWarning)
FUNCTIONS = (rank, select_genes, show_progress)


def keys(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.key for entry in entries if not entry.supervised]


def on_disk(folder: Path) -> LazyTable:
    np.save(folder / "table.npy", np.random.default_rng(0).normal(size=(20, 4)))
    return open_table(folder / "table.npy")


def forms_of_inf_fs() -> list[object]:
    """The forms of Inf-FS with every parameter."""
    return [
        InfFSU(
            alpha=0.3, n_features_to_select=4, regularization="markov", factor=0.8,
            series="exponential", memory_limit=8, missing="ignore",
        ),
        InfFSS(
            weights=(0.5, 0.5, 0.0), n_features_to_select="knee", bins=5, missing="ignore",
            target_type="classification",
        ),
        InfFSC(
            curves=False, pairs=True, n_features_to_select=0.2, missing="refuse",
            target_type="regression",
        ),
        InfFS(
            Coupling(), n_features_to_select=2, regularization="spectral", factor=0.5,
            series="geometric", memory_limit="auto", missing="refuse", target_type="auto",
        ),
    ]  # fmt: skip


def meta_estimators() -> list[object]:
    """Selectors made of selectors, with every parameter."""
    constrained = Constrained(
        InfFSS(), include=["x0"], exclude="x1*", max_correlation=0.9,
        feature_groups={"a": [2, 3]}, group_score="mean", min_features=1, max_features=9,
    )  # fmt: skip
    assert_type(constrained.min_features, int | None)
    return [
        constrained,
        StabilitySelection(
            ReliefF(), max_false=2.0, threshold=0.9, n_per_half=5, pairs=10,
            assumption="r-concave", n_features_to_select="auto", n_jobs=1, random_state=0,
            target_type="auto",
        ),
        Consensus(
            ["fisher", "mi"], how="median", n_features_to_select=2, target_type="auto", n_jobs=1
        ),
        BestOf(
            [InfFSS(), InfFSC()], n_features_to_select=2, cv=3, scoring="accuracy", n_jobs=1,
            target_type="auto",
        ),
    ]  # fmt: skip


def unsupervised_methods() -> list[object]:
    """The unsupervised methods with every parameter."""
    return [
        LaplacianScore(n_neighbors=5, weight="heat", bandwidth=1.0, n_features_to_select=2),
        MCFS(n_neighbors=5, n_components=5, n_nonzero=3, n_features_to_select=2),
        LLCFS(n_clusters=2, n_neighbors=5, beta=0.1, max_iter=20, n_features_to_select=2),
        CFS(n_features_to_select=3, missing="refuse"),
        UDFS(
            n_clusters=2, n_neighbors=5, gamma=0.1, reg=1.0, init=None, max_iter=20,
            n_features_to_select=2,
        ),
        DGUFS(
            alpha=0.5, beta=0.5, n_neighbors=5, max_iter=100, n_features_to_select=2
        ),
        FSASL(
            n_clusters=2, lambda1=1.0, lambda2=1.0, lambda3=1.0, n_neighbors=5,
            max_iter=50, n_features_to_select=2,
        ),
        UFSOL(
            n_clusters=2, alpha=1.0, beta=1.0, n_neighbors=5, max_iter=100,
            random_state=0, n_features_to_select=2,
        ),
    ]  # fmt: skip


def filters() -> list[object]:
    """The supervised filters with every parameter."""
    return [
        ReliefF(n_neighbors=10, sigma=None, n_features_to_select=3, target_type="auto"),
        MutualInformation(
            bins="auto", n_features_to_select=3, missing="ignore", target_type="auto"
        ),
        FisherScore(n_features_to_select=3, missing="ignore", target_type="auto"),
        ECFS(alpha=0.5, n_features_to_select=3, missing="refuse", target_type="auto"),
        ILFS(n_tokens=6, max_iter=15, n_features_to_select=3),
        MRMR(bins=8, n_features_to_select=3, target_type="auto"),
        MIFS(beta=1.0, bins=8, n_features_to_select=3, target_type="auto"),
        CIFE(bins=8, n_features_to_select=3, target_type="auto"),
        ICAP(bins=8, n_features_to_select=3, target_type="auto"),
        JMI(bins=8, n_features_to_select=3, target_type="auto"),
        CMIM(bins=8, n_features_to_select=3, target_type="auto"),
        MRI(bins=8, n_features_to_select=3, target_type="auto"),
    ]


def embedded_methods() -> list[object]:
    """The embedded methods and the wrappers with every parameter."""
    return [
        SVMRFE(C=1.0, step=0.5, n_features_to_select=3),
        SWSVMRFE(C=1.0, step=1, n_features_to_select=3),
        EnsembleSVMRFE(
            n_estimators=10, C=1.0, step=0.2, random_state=0, n_features_to_select=3
        ),
        SVMRCE(
            n_screened=100, n_clusters=10, step=0.1, cv=3, n_repeats=1, C=1.0, random_state=0,
            n_features_to_select=3,
        ),
        L0SVM(C=100.0, max_iter=20, n_features_to_select=3),
        FSV(sparsity=0.05, alpha=5.0, max_iter=50, n_features_to_select=3),
        LassoHinge(alpha="path", n_alphas=50, n_features_to_select=3, target_type="auto"),
        LassoUnhinged(alpha=0.1, n_features_to_select=3, target_type="auto"),
        NHTP(max_iter=2000, tol=1e-6, n_features_to_select=3, target_type="auto"),
        GraHTP(max_iter=100, tol=1e-8, n_features_to_select=3, target_type="auto"),
    ]  # fmt: skip


class UpperHalf(ScoreCut):
    """A rule of the user's that reads the scores."""

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        return (scores.size + 1) // 2, "The better half."


def size_rules() -> list[SizeRule | ScoreCut]:
    """The size rules with every parameter."""
    return [
        Predict(tolerance=0.01, scoring=None, cv=3, estimator=None, random_state=1),
        FalseDiscoveryRate(q=0.05, curves=True, random_state=0),
        Stability(subsamples=4, share=0.5, random_state=0),
        Histogram(), Knee(), MeanShift(), Middle(), UpperHalf(), ScoreCut(), SizeRule(),
    ]  # fmt: skip


def relations(X: np.ndarray, y: np.ndarray) -> list[Relation]:
    """The relations with every parameter, and a table that they can be bound to."""
    n = X.shape[1]
    table = BoundTable(
        X, y, columns=np.arange(n), n_features=n, memory_limit=8.0, sample_weight=None
    )
    assert_type(table.sample_weight, np.ndarray | None)
    return [
        Coupling(weights=(0.4, 0.4, 0.2), bins=5), Decorrelation(kind="spearman", power=2),
        Dispersion(scale="max"), Outer(u=np.ones(n), v=None), Precomputed(matrix=np.eye(n)),
        Pairwise(lambda f, g: float(abs(f @ g)), blocks=False, symmetric=True), Relation(),
    ]  # fmt: skip


def evaluate(X: np.ndarray, y: np.ndarray, folder: Path) -> list[object]:
    """Parts, evaluators and a comparison with every parameter."""
    samples = Samples(X, target=make_target(y), sample_weight=None, groups=None, covariates=None)
    train, test = holdout(y, 0.3, 0, groups=None)
    part = Part(X=X, target=make_target(y), train=train, test=test)
    scores = find_evaluator("ridge", scoring=None, kind="classification").scores(part, [test[:2]])
    assert_type(scores, np.ndarray)
    return [
        samples, LinearSVM(C=0.5), make_folds(y, 3, groups=None, seed=0, repeats=2),
        Ranking(
            scores=np.ones(2), own_order=np.arange(2), size=1, why="Mine.", own_ties=np.zeros(2)
        ),
        Limits(fit_timeout=1.0, memory=None, slow_fit=1.0, slow_splits=1),
        Store(folder=folder),
    ]  # fmt: skip


def fits(X: np.ndarray, y: np.ndarray) -> list[object]:
    """What ``fit`` takes besides the table."""
    patients = np.arange(len(y)) // 3
    batches = np.arange(len(y)) % 5
    weight = np.ones(len(y))
    weighted = InfFSS(n_features_to_select=2).fit(
        X, y, sample_weight=weight, groups=patients, covariates=batches
    )
    plain = ReliefF(n_features_to_select=2).fit(X, y, groups=patients, covariates=batches)
    chunks = FisherScore(n_features_to_select=2).partial_fit(X, y, classes=[0, 1], ranges=None)
    return [weighted, plain, chunks, InfFSC(n_features_to_select=2).fit(X, X[:, :2])]


def selectors() -> list[object]:
    """Every public selector with every parameter, as a type checker sees them."""
    return [
        *forms_of_inf_fs(), *meta_estimators(), *unsupervised_methods(), *filters(),
        *embedded_methods(),
    ]  # fmt: skip


def main(folder: Path) -> list[str]:
    """What the program found, as lines."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 2
    selector = InfFSS(n_features_to_select=2, weights=(0.4, 0.4, 0.2)).fit(X, y)
    unsupervised = InfFSU(alpha=0.5).fit(on_disk(folder))
    relation: Relation = 0.5 * Coupling() + 0.5 * Decorrelation("spearman")
    cut = apply_cut("knee", dispersion(X))
    report = Report(
        selector, X, y, height=400, feature_names=None, title="A title", folds=0, seed=1, run=None,
        groups=None, reasons=None,
    )  # fmt: skip
    page = report.save(folder / "report.html", force=False)
    assert_type(cut, Cut)
    assert_type(cut.size, int)
    assert_type(page, Path)
    assert len(size_rules()) == 10
    assert len(relations(X, y)) == 7
    assert evaluate(X, y, folder)
    assert len(fits(X, y)) == 4
    assert_type(report, Report)
    assert_type(find_entry("fisher").cost, str)
    version: str = __version__
    assert LogCPM().fit_transform(np.ones((2, 2))).shape == (2, 2)
    return [
        version, cut.name, cut.why, page.name, type(relation).__name__,
        str(unsupervised.n_features_), *keys(catalogue()),
    ]  # fmt: skip
