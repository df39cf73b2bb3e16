"""Python code that repeats the recommended selection on the whole table."""

from __future__ import annotations

from typing import Any

from sklearn.preprocessing import StandardScaler

from inffs._utils.code import constructor_call, import_line
from inffs.comparison.methods import ComparedMethod, find_method
from inffs.comparison.protocol import Protocol
from inffs.comparison.selection import SEARCHES
from inffs.validation.preparation import Preparation


def write_recipe(
    method: str,
    size: int | str,
    protocol: Protocol | None = None,
    missing: bool = False,
    target_type: str = "auto",
) -> str:
    """Write code that makes ``X_small`` of ``X`` and ``y`` as in the trials of the comparison.

    ``size`` is a number of features or "auto"; ``missing``: whether cells of the table are empty.
    """
    protocol = protocol or Protocol()
    compared = find_method(method, protocol.tuned)
    if compared.baseline or (compared.grid and compared.estimator not in SEARCHES):
        return _by_pick(method, size, protocol, target_type)
    before = Preparation("median" if missing else None, protocol.scale or "none").steps()
    scaled = [] if compared.sees_raw or protocol.scale is not None else [StandardScaler()]
    selector = _selector(compared, size, protocol, target_type)
    lines = [f"X = {_pipeline(before)}.fit_transform(X)"] if before else []
    last = "[-1]" if scaled else ""
    target = "X, y" if compared.supervised or compared.grid else "X"
    lines += [f"selector = {_pipeline([*scaled, selector])}.fit({target}){last}"]
    lines += ["X_small = selector.transform(X)"]
    imports = {import_line(each) for each in [*before, *scaled, selector]}
    if len(before) > 1 or scaled:
        imports.add("from sklearn.pipeline import make_pipeline")
    return "\n".join([*sorted(imports), "", *lines])


def _pipeline(steps: list[Any]) -> str:
    """One estimator, or a pipeline of several."""
    calls = ", ".join(map(constructor_call, steps))
    return calls if len(steps) == 1 else f"make_pipeline({calls})"


def _by_pick(method: str, size: int | str, protocol: Protocol, target_type: str) -> str:
    """Baselines, and parameters chosen by cross-validation, have no public class."""
    given: dict[str, Any] = {"tuned": True} if protocol.tuned else {}
    given |= {} if protocol.scale is None else {"scale": protocol.scale}
    given |= {} if protocol.seed == 0 else {"seed": protocol.seed}
    given |= {} if target_type == "auto" else {"target_type": target_type}
    arguments = "".join(f", {name}={value!r}" for name, value in given.items())
    return (
        "import numpy as np\n\nfrom inffs.comparison import pick\n\n"
        f"columns = pick(X, y, {method!r}, {size!r}{arguments})\n"
        "X_small = np.asarray(X)[:, columns]"
    )


def _selector(
    compared: ComparedMethod, size: int | str, protocol: Protocol, target_type: str
) -> Any:
    """The selector that the comparison evaluated, not fitted."""
    kind = SEARCHES[compared.estimator] if compared.grid else compared.estimator
    selector = kind(n_features_to_select=size, **compared.params)
    further = {"random_state": protocol.seed, "target_type": target_type}
    further |= {"cv": protocol.folds} if compared.grid else {}
    known = selector.get_params()
    return selector.set_params(**{name: further[name] for name in further.keys() & known.keys()})
