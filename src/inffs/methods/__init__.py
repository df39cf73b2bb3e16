"""All methods, by catalogue key and by class name (``inffs.methods.MCFS``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inffs.methods.entries import ENTRIES, Entry, catalogue, default_method, find_entry

if TYPE_CHECKING:
    from inffs.inf_fs import InfFSS as InfFSS
    from inffs.inf_fs import InfFSU as InfFSU
    from inffs.inf_fs_c import InfFSC as InfFSC
    from inffs.methods.cfs import CFS as CFS
    from inffs.methods.dgufs import DGUFS as DGUFS
    from inffs.methods.ecfs import ECFS as ECFS
    from inffs.methods.fisher import FisherScore as FisherScore
    from inffs.methods.fsasl import FSASL as FSASL
    from inffs.methods.fsv import FSV as FSV
    from inffs.methods.hard_thresholding import NHTP as NHTP
    from inffs.methods.hard_thresholding import GraHTP as GraHTP
    from inffs.methods.ilfs import ILFS as ILFS
    from inffs.methods.information_criteria import CIFE as CIFE
    from inffs.methods.information_criteria import CMIM as CMIM
    from inffs.methods.information_criteria import ICAP as ICAP
    from inffs.methods.information_criteria import JMI as JMI
    from inffs.methods.information_criteria import MIFS as MIFS
    from inffs.methods.information_criteria import MRI as MRI
    from inffs.methods.information_criteria import MRMR as MRMR
    from inffs.methods.l0_svm import L0SVM as L0SVM
    from inffs.methods.laplacian import LaplacianScore as LaplacianScore
    from inffs.methods.lasso_hinge import LassoHinge as LassoHinge
    from inffs.methods.lasso_unhinged import LassoUnhinged as LassoUnhinged
    from inffs.methods.llcfs import LLCFS as LLCFS
    from inffs.methods.mcfs import MCFS as MCFS
    from inffs.methods.mutual_information import MutualInformation as MutualInformation
    from inffs.methods.relieff import ReliefF as ReliefF
    from inffs.methods.svm_rce import SVMRCE as SVMRCE
    from inffs.methods.svm_rfe import SVMRFE as SVMRFE
    from inffs.methods.svm_rfe import SWSVMRFE as SWSVMRFE
    from inffs.methods.svm_rfe import EnsembleSVMRFE as EnsembleSVMRFE
    from inffs.methods.udfs import UDFS as UDFS
    from inffs.methods.ufsol import UFSOL as UFSOL

__all__ = ["Entry", "catalogue", "find_entry", "rank", *(entry.class_name for entry in ENTRIES)]


def rank(
    X: Any, y: Any = None, method: str | None = None, *, sample_weight: Any = None, **params: Any
) -> Any:
    """Fit the method with this catalogue key and return the fitted selector.

    A :class:`inffs.TableWarning` reports what makes the result unreliable, as in ``fit``, and also
    columns that repeat each other.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        Samples in rows, features in columns.
    y : array of shape (n_samples,), optional
        The target: required by supervised methods, ignored by the others.
    method : str, optional
        A key of :func:`catalogue`. The default is ``"inf-fs-c"`` for classification and
        regression, ``"inf-fs-s"`` for survival times, and ``"inf-fs-u"`` without a target.
    sample_weight : array of shape (n_samples,), optional
        Sample weights, for methods that accept them. Weight 2 counts a sample twice.
    **params
        Parameters of the class of the method.

    Returns
    -------
    FeatureSelector
        The fitted selector: ``scores_``, ``order_``, ``cut_``, ``transform``.

    See Also
    --------
    inffs.catalogue : All methods and their keys.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs import rank
    >>> X, y = load_iris(return_X_y=True)
    >>> rank(X, y, method="fisher", n_features_to_select=2).order_
    array([2, 3, 0, 1])
    """
    from inffs.guards import warn_about
    from inffs.target import is_record

    method = method or default_method(y is not None, is_record(y))
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    selector = find_entry(method).estimator(**params).fit(X, y, **weights)
    warn_about(selector, X, slow=True)
    return selector


def __getattr__(name: str) -> Any:
    for entry in ENTRIES:
        if entry.class_name == name:
            return entry.estimator
    raise AttributeError(f"module 'inffs.methods' has no attribute {name!r}")
