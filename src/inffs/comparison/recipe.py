"""The recommendation as Python: what was measured, on the whole table."""

from __future__ import annotations

from typing import Any

from inffs.comparison.compared import ComparedMethod, find_method
from inffs.comparison.protocol import Protocol
from inffs.comparison.selection import SEARCHES

_PREPARATION = "from inffs.validation.preparation import Preparation"


def write_recipe(
    method: str, size: int | str, protocol: Protocol | None = None, missing: bool = False
) -> str:
    """Lines that make ``X_small`` of ``X`` and ``y`` as the comparison did on its training parts.

    ``size`` is a number of features or "auto"; ``missing`` says that cells of the table are empty.
    """
    protocol = protocol or Protocol()
    compared = find_method(method, protocol.tuned)
    if compared.grid and compared.estimator not in SEARCHES:
        return _by_the_comparison(method, size, protocol)
    scale = protocol.scale or "none"
    given = {"impute": "median"} if missing else {}
    given |= {"scale": scale} if scale != "none" else {}
    seen = "X"
    if protocol.scale is None and not compared.sees_raw:
        seen = "Preparation(scale='standard').of(X)"
    source, call = _call(compared, size, protocol, seen)
    imports = [source, *([_PREPARATION] if given or seen != "X" else [])]
    lines = [f"X = Preparation({_arguments(given)}).of(X)"] if given else []
    lines += [f"selector = {call}", "X_small = selector.transform(X)"]
    return "\n".join([*imports, "", *lines])


def _by_the_comparison(method: str, size: int | str, protocol: Protocol) -> str:
    """Parameters that the comparison chooses by cross-validation have no class of their own."""
    given: dict[str, Any] = {"tuned": True}
    given |= {} if protocol.scale is None else {"scale": protocol.scale}
    given |= {} if protocol.seed == 0 else {"seed": protocol.seed}
    return (
        "import numpy as np\n\nfrom inffs.comparison import pick\n\n"
        f"columns = pick(X, y, {method!r}, {size!r}, {_arguments(given)})\n"
        "X_small = np.asarray(X)[:, columns]"
    )


def _call(
    compared: ComparedMethod, size: int | str, protocol: Protocol, seen: str
) -> tuple[str, str]:
    """What to import, and the expression that gives the fitted selector."""
    params: dict[str, Any] = {"n_features_to_select": size, **compared.params}
    if "random_state" in compared.estimator().get_params():
        params["random_state"] = protocol.seed
    fit = f".fit({seen}, y)" if compared.supervised else f".fit({seen})"
    if compared.grid:
        name = SEARCHES[compared.estimator].__name__
        params |= {"cv": protocol.folds}
        return f"from inffs import {name}", f"{name}({_arguments(params)}).fit({seen}, y)"
    if compared.baseline:
        place = "from inffs.comparison.baselines import BASELINES"
        return place, f"BASELINES[{compared.key!r}]({_arguments(params)}){fit}"
    data = f"{seen}, y" if compared.supervised else seen
    return "from inffs import rank", (
        f"rank({data}, method={compared.key!r}, {_arguments(params)})"
    )


def _arguments(params: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in params.items())
