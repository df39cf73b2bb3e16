"""The catalogue: one line per method. A class is imported at its first use.

Methods are also written as text, ``KEY[param=value,...]``, in the syntax of the command line.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from inffs._utils.words import (
    did_you_mean,
    find_named,
    parse_brackets,
    split_outside_brackets,
    write_literal,
)


@dataclass(frozen=True)
class Entry:
    """A method of the catalogue.

    Costs use T for samples, n for features, G for classes, i for iterations and b for the number of
    features to select.

    Parameters
    ----------
    key : str
        The name of the method in commands and in :func:`inffs.rank`.
    target : str
        Module and class.
    kind : str
        Filter, wrapper or embedded.
    targets : tuple of str
        The target types that the class accepts; empty for a method that ignores y.
    paper : str
        The publication.
    cost : str
        The time of this implementation.
    keeps : str
        The float64 values that a fit stores besides the table, for T < n. Everything else takes
        blocks of scikit-learn's ``working_memory`` or a few vectors.
    paper_cost : str
        The time in Table 1 of the Inf-FS paper; empty for methods that the paper does not list.

    See Also
    --------
    inffs.catalogue : All entries.

    Examples
    --------
    >>> import inffs
    >>> inffs.catalogue()[0].class_name
    'InfFSU'
    """

    key: str
    target: str
    kind: str
    targets: tuple[str, ...]
    paper: str
    cost: str
    keeps: str = ""
    paper_cost: str = ""

    @property
    def supervised(self) -> bool:
        """Whether the method needs y."""
        return bool(self.targets)

    @property
    def class_name(self) -> str:
        return self.target.split(":")[1]

    @property
    def estimator(self) -> Any:
        """The selector class."""
        module, name = self.target.split(":")
        return getattr(import_module(f"inffs.{module}"), name)


_NONE: tuple[str, ...] = ()
_CLASSES = ("classification",)
_LABELS = (*_CLASSES, "multilabel")
_NUMBERS = (*_LABELS, "regression")
_EVERY = (*_NUMBERS, "survival")

# fmt: off
ENTRIES: tuple[Entry, ...] = (
    # --- Inf-FS ---
    Entry("inf-fs-u", "inf_fs:InfFSU", "filter", _NONE, "Roffo et al. 2020, TPAMI", "O(n^2 T)", "n T / 2", "O(n^3 (1 + T))"),
    Entry("inf-fs-s", "inf_fs:InfFSS", "filter", _EVERY, "Roffo et al. 2020, TPAMI", "O(nT)", "", "O(T^2 + n^3 (1 + T))"),
    Entry("inf-fs-c", "inf_fs_c:InfFSC", "filter", _NUMBERS, "inffs developers 2026", "O(bnT)", "4 n T"),
    # --- unsupervised ---
    Entry("laplacian", "methods.laplacian:LaplacianScore", "filter", _NONE, "He, Cai, Niyogi 2005, NIPS", "O(T^2 n)", "", "N/A"),
    Entry("mcfs", "methods.mcfs:MCFS", "filter", _NONE, "Cai, Zhang, He 2010, KDD", "O(T^2 n)", "T^2", "N/A"),
    Entry("llcfs", "methods.llcfs:LLCFS", "filter", _NONE, "Zeng, Cheung 2011, TPAMI", "O(i(T^2 n + T^3))", "n T", "N/A"),
    Entry("cfs", "methods.cfs:CFS", "filter", _NONE, "Roffo et al. 2020, TPAMI", "O(Tn^2)", "n T", "O(Tn^2 / 2)"),
    Entry("udfs", "methods.udfs:UDFS", "filter", _NONE, "Yang et al. 2011, IJCAI", "O(iT^2 n)", "n T", "N/A"),
    Entry("dgufs", "methods.dgufs:DGUFS", "wrapper", _NONE, "Guo, Zhu 2018, AAAI", "O(i(T^2 n + T^3))", "n T + 4 T^2", "N/A"),
    Entry("fsasl", "methods.fsasl:FSASL", "wrapper", _NONE, "Du, Shen 2015, KDD", "O(i(T^2 n + T^3))", "6 T^2", "O(n^3 + Tn^2)"),
    Entry("ufsol", "methods.ufsol:UFSOL", "wrapper", _NONE, "Guo et al. 2017, ICME", "O(iT^2 n)", "3 n T", "O(iTGn^3)"),
    # --- supervised: filters ---
    Entry("relieff", "methods.relieff:ReliefF", "filter", _NUMBERS, "Kononenko 1994, ECML", "O(T^2 n)", "n T", "O(iTnG)"),
    Entry("mi", "methods.mutual_information:MutualInformation", "filter", _EVERY, "Zaffalon, Hutter 2002, UAI", "O(Tn)", "", "O(T^2 n^2)"),
    Entry("fisher", "methods.fisher:FisherScore", "filter", _EVERY, "Gu, Li, Han 2011, UAI", "O(Tn)", "", "O(Tn)"),
    Entry("ecfs", "methods.ecfs:ECFS", "filter", _NUMBERS, "Roffo, Melzi 2016, NFMCP", "O(Tn + n log n)", "", "O(Tn + n^2)"),
    Entry("ilfs", "methods.ilfs:ILFS", "filter", _LABELS, "Roffo, Melzi, Castellani, Vinciarelli 2017, ICCV", "O(TnG + in)", "", "O(n^2.37 + in + T + G)"),
    # --- supervised: information criteria ---
    Entry("mrmr", "methods.information_criteria:MRMR", "filter", _NUMBERS, "Peng, Long, Ding 2005, IEEE TPAMI", "O(bTn)", "1.2 n T"),
    Entry("mifs", "methods.information_criteria:MIFS", "filter", _NUMBERS, "Battiti 1994, IEEE TNN", "O(bTn)", "1.2 n T"),
    Entry("cife", "methods.information_criteria:CIFE", "filter", _NUMBERS, "Lin, Tang 2006, ECCV", "O(bTn)", "1.2 n T"),
    Entry("icap", "methods.information_criteria:ICAP", "filter", _NUMBERS, "Jakulin 2005, PhD thesis", "O(bTn)", "1.2 n T"),
    Entry("jmi", "methods.information_criteria:JMI", "filter", _NUMBERS, "Yang, Moody 1999, NIPS", "O(bTn)", "1.2 n T"),
    Entry("cmim", "methods.information_criteria:CMIM", "filter", _NUMBERS, "Fleuret 2004, JMLR", "O(bTn)", "1.2 n T"),
    Entry("mri", "methods.information_criteria:MRI", "filter", _NUMBERS, "Wang, Wei, Yang, Wang 2017, IEEE TKDE", "O(bTn)", "1.2 n T"),
    # --- supervised: wrappers and embedded ---
    Entry("svm-rfe", "methods.svm_rfe:SVMRFE", "wrapper", _CLASSES, "Guyon, Weston, Barnhill, Vapnik 2002, Machine Learning", "O(n(T^2 + nT))", "2 n T + T^2", "O(T^2 n log n)"),
    Entry("fsv", "methods.fsv:FSV", "embedded", _CLASSES, "Bradley, Mangasarian 1998, ICML", "O(inT)", "n T", "O(T^2 n^2)"),
    Entry("lasso-hinge", "methods.lasso_hinge:LassoHinge", "embedded", ("classification", "regression"), "van de Geer 2008, Annals of Statistics", "O(inT)", "2.4 n T", "O(T^2 n^2)"),
    Entry("lasso-unhinged", "methods.lasso_unhinged:LassoUnhinged", "embedded", _NUMBERS, "van Rooyen, Menon, Williamson 2015, NIPS", "O(Tn)", "", "O(T^2 n^2)"),
    Entry("nhtp", "methods.hard_thresholding:NHTP", "embedded", _NUMBERS, "Zhou, Xiu, Qi 2021, JMLR", "O(i(Tn + Tb^2))", "n T", "N/A"),
    Entry("grahtp", "methods.hard_thresholding:GraHTP", "embedded", _NUMBERS, "Yuan, Li, Zhang 2014, ICML", "O(i(Tn + Tb^2))", "n T"),
    Entry("svm-rce", "methods.svm_rce:SVMRCE", "wrapper", _CLASSES, "Yousef, Jung, Showe, Showe 2007, BMC Bioinformatics", "O(Tn)", ""),
    Entry("l0-svm", "methods.l0_svm:L0SVM", "embedded", _CLASSES, "Weston, Elisseeff, Schölkopf, Tipping 2003, JMLR", "O(iT^2 n)", "n T + T^2"),
    Entry("ensemble-svm-rfe", "methods.svm_rfe:EnsembleSVMRFE", "wrapper", _CLASSES, "Abeel, Helleputte, Van de Peer, Dupont, Saeys 2010, Bioinformatics", "O(iT^2 n)", "2 n T + T^2"),
    Entry("sw-svm-rfe", "methods.svm_rfe:SWSVMRFE", "wrapper", _CLASSES, "Yu, Han, Berens 2012, IEEE/ACM TCBB", "O(n(T^2 + nT))", "2 n T + 2 T^2"),
)
# fmt: on


def default_method(labelled: bool, survival: bool = False) -> str:
    """Return the key of the method that is used where none is given."""
    if not labelled:
        return "inf-fs-u"
    return "inf-fs-s" if survival else "inf-fs-c"


def catalogue() -> tuple[Entry, ...]:
    """List all methods, in the order of Table 1 of the paper, followed by our additions.

    Returns
    -------
    tuple of Entry
        The key, class, kind, paper and cost of each method.

    See Also
    --------
    inffs.rank : Fit a method by its key.

    Examples
    --------
    >>> from inffs import catalogue
    >>> [entry.key for entry in catalogue()][:2]
    ['inf-fs-u', 'inf-fs-s']
    """
    return ENTRIES


def find_entry(key: str) -> Entry:
    """Return the catalogue entry with this key.

    The error for an unknown key suggests similar keys.

    Parameters
    ----------
    key : str
        A key of :func:`catalogue`, as ``inffs methods`` lists them.

    Returns
    -------
    Entry

    See Also
    --------
    inffs.catalogue : All entries.

    Examples
    --------
    >>> from inffs.methods import find_entry
    >>> find_entry("mcfs").estimator.__name__
    'MCFS'
    """
    return find_named(key, {entry.key: entry for entry in ENTRIES}, "method")


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

    def build(self, **defaults: Any) -> Any:
        """Return the selector; ``defaults`` set parameters that were not given, if it has them."""
        return find_entry(self.key).estimator(**self.with_defaults(**defaults).params)

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
    known = list(method_parameters(spec.key))
    for name in spec.params:
        if name not in known:
            hint = did_you_mean(name, known, f"It has {', '.join(known)}.")
            raise ValueError(f"The method {spec.key} has no parameter {name!r}. {hint}")
    return spec


def parse_methods(text: str) -> list[str]:
    """Split a list of methods at the commas outside brackets."""
    return [part.strip() for part in split_outside_brackets(text)]


def method_parameters(key: str) -> dict[str, Any]:
    """Return the parameters of a method and their defaults."""
    signature = inspect.signature(find_entry(key).estimator)
    return {name: parameter.default for name, parameter in signature.parameters.items()}
