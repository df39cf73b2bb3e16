"""Make a matrix of numbers: encode text, fill in missing values."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from scipy import sparse

from inffs._utils.words import counted
from inffs.io._sheet import Sheet, arrow_to_numpy, quoted
from inffs.validation.checks import looks_like_groups
from inffs.validation.missing import count_missing, few_values

ENCODINGS = ("onehot", "ordinal")
IMPUTATIONS = ("median", "knn", "later", "keep")
_LEVELS = 10  # text with more different values, and on few samples each, is hardly a feature
_COLUMNS = 200  # numeric ones that are looked at for groups of samples
_MOSTLY = 0.8  # of the cells are numbers: the others are probably mistakes

_FEATURES = (
    "gene", "symbol", "probe", "id_ref", "feature", "ensembl", "ensg", "transcript", "protein",
    "cpg", "otu", "taxon", "mirna", "metabolite", "variable", "hugo",
)  # fmt: skip


def to_numbers(sheet: Sheet, encode: str | None) -> tuple[Any, list[str], list[str]]:
    """The matrix, its column names and notes; text without a choice of ``encode`` is refused."""
    if not sheet.mixed:
        X = sheet.columns
        return (X if X.dtype.kind == "f" else X.astype(np.float64)), list(sheet.names), []
    text = sheet.text_places()
    if not text:
        return _matrix(sheet.columns), list(sheet.names), []
    if encode is None:
        raise ValueError(_not_numeric(sheet, text))
    import pyarrow as pa

    columns: list[Any] = []
    names: list[str] = []
    for place, name in enumerate(sheet.names):
        column = sheet.columns.column(place)
        coded = {name: column}
        if place in set(text):
            coded = _encode(arrow_to_numpy(column), name, encode)
        columns += coded.values()
        names += coded
    what = "text column was" if len(text) == 1 else "text columns were"
    note = f"{len(text):,} {what} encoded ({encode}): {quoted([sheet.names[at] for at in text])}."
    return _matrix(pa.Table.from_arrays(columns, names=names)), names, [note]


def _matrix(table: Any) -> np.ndarray:
    """Columns of numbers as an array: float32 where every column is, float64 otherwise."""
    import pyarrow as pa

    for place, kind in enumerate(table.schema.types):
        if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            column = table.column(place).cast(pa.float64())
            table = table.set_column(place, table.column_names[place], column)
    is_single = set(table.schema.types) == {pa.float32()}
    frame = table.to_pandas(ignore_metadata=True)
    return np.ascontiguousarray(frame.to_numpy(np.float32 if is_single else np.float64))


def refuse_text(sheet: Sheet) -> None:
    """Raise if a column is not numeric."""
    if text := sheet.text_places():
        raise ValueError(_not_numeric(sheet, text))


def _encode(values: np.ndarray, name: str, how: str | None) -> dict[str, np.ndarray]:
    """Codes of one text column: a column a value, or the value's place among the sorted ones.

    Values that are all numbers are sorted as numbers: "10" stands after "9".
    """
    levels = sorted({str(value) for value in values if value is not None})
    if how == "onehot" and len(levels) == values.size > 2:
        raise ValueError(
            f"The text column {quoted([name])} is different in every row, as a sample name is: "
            f"one column per value has no information: index={name!r} or drop=[{name!r}]."
        )
    with contextlib.suppress(ValueError):
        levels = sorted(levels, key=float)
    code_of = {level: float(at) for at, level in enumerate(levels)}
    codes = np.array([np.nan if value is None else code_of[str(value)] for value in values])
    if how == "ordinal":
        return {name: codes}
    missing = np.isnan(codes)
    return {
        f"{name}={level}": np.where(missing, np.nan, codes == at) for at, level in enumerate(levels)
    }


def _first_offence(column: Any) -> str:
    """The first cell that is not a number in a column that is nearly numeric; else nothing."""
    values = arrow_to_numpy(column)
    wrong = [row for row, value in enumerate(values)
             if value is not None and not _is_number(value)]  # fmt: skip
    if not 0 < len(wrong) <= (1 - _MOSTLY) * len(values):
        return ""
    first = f"{quoted([str(values[wrong[0]])])} in row {wrong[0]}, counted from 0"
    return f"all numbers but {len(wrong):,}, the first {first}"


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _not_numeric(sheet: Sheet, text: list[int]) -> str:
    shown, names = [], []
    for place in text[:5]:
        column, name = sheet.columns.column(place), quoted([sheet.names[place]])
        count, offence = len(column.unique()), _first_offence(column)
        shown.append(f"{name} ({offence or f'{count:,} different value' + 's' * (count != 1)})")
        if not offence and count > max(_LEVELS, len(column) // 20):
            names.append(name)
    more = f" and {len(text) - 5:,} more" if len(text) > 5 else ""
    what = "column is" if len(text) == 1 else "columns are"
    remedy = "drop it (drop=[...] takes names and patterns), or say what it is"
    how = "encode='onehot' or encode='ordinal'"
    advice = f"Encode text as numbers ({how}), {remedy}"
    if names:
        others = f"Encode other text as numbers ({how}). "
        advice = (
            f"{others if len(names) < len(text) else ''}Text that names samples or groups, as in "
            f"{' and '.join(names)}, is no feature: {remedy}"
        )
    return (
        f"{len(text):,} {what} not numeric: {', '.join(shown)}{more}. {advice}: "
        f"{_sample_names(sheet, text)}, groups=... for samples that belong together, label=... for "
        f"the classes.{_groups(sheet, text)}{_on_its_side(sheet, text)}"
    )


def _groups(sheet: Sheet, text: list[int]) -> str:
    """A proposal where samples with the same text resemble each other, as those of a patient do."""
    others = [place for place in range(len(sheet.names)) if place not in set(text)]
    chosen = others[:: max(1, len(others) // _COLUMNS)]
    if not chosen:
        return ""
    X = np.column_stack([arrow_to_numpy(sheet.columns.column(place)) for place in chosen])
    for place in text[:5]:
        values = arrow_to_numpy(sheet.columns.column(place))
        if looks_like_groups(values, X):
            name = sheet.names[place]
            return (
                f" Samples with the same {quoted([name])} resemble each other: if these are "
                "several samples of one patient, keep them together (groups=... with this column)."
            )
    return ""


def _sample_names(sheet: Sheet, text: list[int]) -> str:
    """The parameter for sample names, with the first text column that has no value twice."""
    T = sheet.columns.num_rows
    unique = (place for place in text if len(sheet.columns.column(place).unique()) == T > 2)
    place = next(unique, None)
    name = "..." if place is None else repr(sheet.names[place])
    return f"index={name} for the sample names"


def _on_its_side(sheet: Sheet, text: list[int]) -> str:
    """A proposal where the first column holds names of features, not of samples."""
    head = sheet.names[0].lower().replace(" ", "_").strip("#_")
    if text != [0] or not any(head.startswith(word) for word in _FEATURES):
        return ""
    return f" {quoted([sheet.names[0]])} looks as if samples are columns here (transpose=True)."


def fill_in(X: Any, names: list[str], how: str | None) -> tuple[Any, list[str]]:
    """The matrix without missing values, and notes; refused without a choice of ``how``."""
    values = X.data if sparse.issparse(X) else X
    _refuse_infinity(X, names)
    missing = np.isnan(values)
    if not missing.any():
        return X, []
    if sparse.issparse(X) and how != "keep":
        raise ValueError(
            f"{int(missing.sum()):,} stored values of the sparse matrix are NaN: "
            "fill them in before, or drop their columns."
        )
    if how == "keep":
        kept = f"{int(missing.sum()):,} values are missing and stay so in the table."
        thin = few_values(count_missing(X), X.shape[0], lambda place: quoted([names[place]]))
        return X, [kept, thin] if thin else [kept]
    counts = missing.sum(axis=0)
    _refuse_missing(counts, names, X.shape[0], how)
    what = counted(int(counts.sum()), "missing value")
    where = counted(int((counts > 0).sum()), "column")
    if how == "later":
        were = "was" if counts.sum() == 1 else "were"
        return X, [f"There {were} {what} in {where}."]
    return _filled(X, how), [f"{what} in {where} filled in ({how})."]


def _filled(X: np.ndarray, how: str | None) -> np.ndarray:
    from sklearn.impute import KNNImputer, SimpleImputer

    imputer = KNNImputer() if how == "knn" else SimpleImputer(strategy="median")
    return imputer.fit_transform(X)


def _refuse_infinity(X: Any, names: list[str]) -> None:
    if np.isinf(X.data if sparse.issparse(X) else X).any():
        rows, columns = (abs(X) == np.inf).nonzero()
        raise ValueError(
            f"Column {quoted([names[columns[0]]])} holds infinity (row {rows[0]}): "
            "replace the value or drop the column."
        )


def _refuse_missing(counts: np.ndarray, names: list[str], T: int, how: str | None) -> None:
    places = np.flatnonzero(counts)
    empty = [names[place] for place in np.flatnonzero(counts == T)]
    if how is not None and not empty:
        return
    if how is not None:
        raise ValueError(f"No value at all in {quoted(empty)}: drop what is empty (drop=[...]).")
    worst = places[np.argsort(-counts[places], kind="stable")]
    shown = ", ".join(f"{quoted([names[p]])} ({counts[p]:,} of {T:,})" for p in worst[:5])
    more = f" and {worst.size - 5:,} more" if worst.size > 5 else ""
    what = "column has" if worst.size == 1 else "columns have"
    raise ValueError(
        f"{worst.size:,} {what} missing values: {shown}{more}. Fill them in (impute='median' "
        "or impute='knn'), leave them out (missing='ignore') or drop these columns (drop=[...])."
    )
