"""Which methods are slow, with parameters under which they are quick, or draw random numbers."""

import inspect
from typing import Any

QUICK_PARAMS: dict[str, dict[str, Any]] = {
    "DGUFS": {"max_iter": 3},
    "EnsembleSVMRFE": {"n_estimators": 2},
    "FSASL": {"max_iter": 2},
    "InfFSU": {"memory_limit": 0},
    "LLCFS": {"max_iter": 2},
    "LassoHinge": {"n_alphas": 3},
    "SVMRCE": {"n_screened": 30, "n_clusters": 3},
    "SVMRFE": {"step": 0.2},
    "SWSVMRFE": {"step": 0.2},
    "UDFS": {"max_iter": 2},
    "UFSOL": {"max_iter": 2},
}
SLOW = {
    "DGUFS",
    "EnsembleSVMRFE",
    "FSASL",
    "FSV",
    "L0SVM",
    "LLCFS",
    "LassoHinge",
    "SVMRCE",
    "SVMRFE",
    "SWSVMRFE",
    "UFSOL",
}


def draws(cls: type) -> bool:
    """Whether a method draws random numbers: moved rows or columns change the draws."""
    return "random_state" in inspect.signature(cls).parameters


def quick_params(cls: type) -> dict[str, Any]:
    """Parameters under which a fit takes little time or memory."""
    return QUICK_PARAMS.get(cls.__name__, {})


def is_slow(cls: type) -> bool:
    """Whether tests try fewer and smaller tables."""
    return cls.__name__ in SLOW
