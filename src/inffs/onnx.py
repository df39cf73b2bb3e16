"""Export of fitted selectors to ONNX with skl2onnx.

A fitted selector keeps fixed columns, so its ONNX graph is a single ``Gather`` node.
"""

from __future__ import annotations

from typing import Any

from sklearn.feature_selection import SelectorMixin

__all__ = ["register"]


def register() -> None:
    """Register all selectors of inffs with skl2onnx.

    Call it once before :func:`skl2onnx.to_onnx`. Pipelines that contain a selector can then be
    converted like any other pipeline. The call can be repeated.

    See Also
    --------
    inffs.rank : Fits a selector by the key of its method.

    Examples
    --------
    >>> import inffs.onnx
    >>> inffs.onnx.register()  # doctest: +SKIP
    >>> onnx_model = skl2onnx.to_onnx(pipeline, X[:1])  # doctest: +SKIP
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError as error:
        raise ImportError(
            "inffs.onnx.register() needs skl2onnx: pip install 'inffs[onnx]'", name="skl2onnx"
        ) from error
    for selector in _selector_classes():
        update_registered_converter(
            selector, f"Inffs{selector.__name__}", _output_shape, _convert, overwrite=True
        )


def _selector_classes() -> list[type]:
    """Every public selector: the methods of the catalogue and the meta-estimators."""
    import inffs
    from inffs import meta
    from inffs.methods import catalogue

    named = [getattr(module, name) for module in (inffs, meta) for name in module.__all__]
    found = [entry.estimator for entry in catalogue()] + named
    return list(dict.fromkeys(each for each in found if _is_selector(each)))


def _is_selector(candidate: Any) -> bool:
    return isinstance(candidate, type) and issubclass(candidate, SelectorMixin)


def _output_shape(operator: Any) -> None:
    columns = operator.inputs[0].type
    kept = int(operator.raw_operator.get_support().sum())
    rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = type(columns)([rows, kept])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    from onnx import TensorProto

    kept = operator.raw_operator.get_support(indices=True)
    indices = scope.get_unique_variable_name("selected_columns")
    container.add_initializer(indices, TensorProto.INT64, [len(kept)], kept.tolist())
    container.add_node(
        "Gather",
        [operator.inputs[0].full_name, indices],
        operator.outputs[0].full_name,
        name=scope.get_unique_operator_name("SelectColumns"),
        op_version=11,
        axis=1,
    )
