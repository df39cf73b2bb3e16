"""Every format, written with its own library: the tests compare what our readers make of it."""

from pathlib import Path

import numpy as np
import pytest

NAMES = [f"gene {j}" for j in range(8)]


def sample(classes=("healthy", "ill")):
    """30 x 8 numbers, text labels, sample names; columns 1 and 4 carry the class."""
    rng = np.random.default_rng(3)
    codes = np.arange(30) % len(classes)
    X = rng.normal(size=(30, 8)).round(4)
    X[:, 1] += 2 * codes
    X[:, 4] -= codes
    labels = np.array(classes, dtype=object)[codes]
    samples = np.array([f"s{i}" for i in range(30)], dtype=object)
    return X, labels, samples


def frame():
    import pandas as pd

    X, labels, samples = sample()
    table = pd.DataFrame(X, columns=NAMES)
    table.insert(0, "sample", samples)
    table["status"] = labels
    return table


def _csv(path):
    frame().to_csv(path, index=False)


def _tsv(path):
    frame().to_csv(path, index=False, sep="\t")


def _parquet(path):
    frame().to_parquet(path)


def _feather(path):
    frame().to_feather(path)


def _npz(path):
    X, labels, samples = sample()
    np.savez(path, X=X, status=labels.astype(str), sample=samples.astype(str), feature_names=NAMES)


def _npy(path):
    np.save(path, sample()[0])


def _mat(path):
    from scipy.io import savemat

    X, labels, _ = sample()
    savemat(path, {"X": X, "Y": (labels == "ill").astype(float)[:, None]})


def _arff(path):
    X, labels, _ = sample()
    lines = ["@RELATION r", *(f"@ATTRIBUTE '{name}' NUMERIC" for name in NAMES)]
    lines += ["@ATTRIBUTE status {healthy,ill}", "@DATA"]
    lines += [",".join([*map(str, row), text]) for row, text in zip(X, labels, strict=True)]
    Path(path).write_text("\n".join(lines) + "\n")


def _svmlight(path):
    from sklearn.datasets import dump_svmlight_file

    X, labels, _ = sample()
    X[np.abs(X) < 0.5] = 0
    dump_svmlight_file(X, labels == "ill", str(path), zero_based=False)


def _h5ad(path):
    import anndata
    import pandas as pd
    from scipy import sparse

    X, labels, samples = sample()
    X[np.abs(X) < 0.5] = 0
    obs = pd.DataFrame({"status": pd.Categorical(labels)}, index=samples.astype(str))
    data = anndata.AnnData(sparse.csr_matrix(X), obs=obs, var=pd.DataFrame(index=NAMES))
    data.write_h5ad(path)


def _loom(path):
    import h5py

    X, labels, samples = sample()
    X[np.abs(X) < 0.5] = 0
    with h5py.File(path, "w") as file:
        file["matrix"] = X.T
        file["row_attrs/Gene"] = np.array(NAMES, dtype="S")
        file["col_attrs/CellID"] = samples.astype("S")
        file["col_attrs/status"] = labels.astype("S")


def _mtx(path):
    from scipy import sparse
    from scipy.io import mmwrite

    X, _, samples = sample()
    X[np.abs(X) < 0.5] = 0
    mmwrite(path, sparse.coo_matrix(X.T))
    path.with_name("barcodes.tsv").write_text("\n".join(samples) + "\n")
    rows = [f"ENS{place}\t{name}\tGene Expression\n" for place, name in enumerate(NAMES)]
    path.with_name("features.tsv").write_text("".join(rows))


def _xlsx(path, rows=None, sheet="first", **others):
    """A workbook, as small as the standard allows it; ``others`` are rows of further sheets."""
    import zipfile
    from xml.sax.saxutils import escape

    if rows is None:
        table = frame()
        rows = [list(table), *table.to_numpy(dtype=object).tolist()]
    sheets = {sheet: rows, **others}
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"

    def related(what, targets):
        ends = "".join(
            f'<Relationship Id="rId{place}" Type="{office}/{what}" Target="{target}"/>'
            for place, target in enumerate(targets, 1)
        )
        return f'<Relationships xmlns="{package}/relationships">{ends}</Relationships>'

    places = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        f'relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.'
        'main+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{place}.xml" '
            f'ContentType="{kind}.worksheet+xml"/>'
            for place in places
        )
        + "</Types>",
        "_rels/.rels": related("officeDocument", ["xl/workbook.xml"]),
        "xl/workbook.xml": f'<workbook {space} xmlns:r="{office}"><sheets>'
        + "".join(
            f'<sheet name="{escape(name)}" sheetId="{place}" r:id="rId{place}"/>'
            for place, name in enumerate(sheets, 1)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": related(
            "worksheet", [f"worksheets/sheet{place}.xml" for place in places]
        ),
    }
    for place, content in enumerate(sheets.values(), 1):
        cells = "".join(f"<row>{''.join(map(_xlsx_cell, row))}</row>" for row in content)
        parts[f"xl/worksheets/sheet{place}.xml"] = (
            f"<worksheet {space}><sheetData>{cells}</sheetData></worksheet>"
        )
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')


def _xlsx_cell(value):
    from xml.sax.saxutils import escape

    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>' if value else "<c/>"
    return f"<c><v>{value!r}</v></c>"


def r_writer():
    """The package that writes R's files, which its older versions only read."""
    rdata = pytest.importorskip("rdata")
    if not hasattr(rdata, "write_rds"):
        pytest.skip("this rdata only reads")
    return rdata


def with_objects(frame):
    """The frame with its text as objects: rdata does not write the text of pandas 3."""
    texts = frame.select_dtypes(exclude="number").columns
    frame = frame.astype(dict.fromkeys(texts, object))
    frame.columns, frame.index = frame.columns.astype(object), frame.index.astype(object)
    return frame


def _r(path):
    rdata = r_writer()
    table = frame().rename(columns={name: name.replace(" ", ".") for name in NAMES})
    table = with_objects(table).reset_index(drop=True)
    if path.suffix == ".rds":
        rdata.write_rds(path, table)
    else:
        rdata.write_rda(path, {"expr": table})


def _stata(path):
    frame().rename(columns={name: name.replace(" ", "_") for name in NAMES}).to_stata(
        path, write_index=False
    )


def _spss(path):
    pyreadstat = pytest.importorskip("pyreadstat")
    table = frame().rename(columns={name: name.replace(" ", "_") for name in NAMES})
    pyreadstat.write_sav(table, path)


def _sas(path):
    pyreadstat = pytest.importorskip("pyreadstat")
    table = frame().rename(columns={name: name.replace(" ", "_") for name in NAMES})
    pyreadstat.write_xport(table, path, file_format_version=5)


def _series_matrix(path):
    X, labels, samples = sample()
    rows = [[f'"{name}"', *map(str, values)] for name, values in zip(NAMES, X.T, strict=True)]
    lines = [
        ["!Series_geo_accession", '"GSE1"'],
        ["!Sample_geo_accession", *(f'"{each}"' for each in samples)],
        ["!Sample_characteristics_ch1", *(f'"status: {each}"' for each in labels)],
        ["!series_matrix_table_begin"],
        ["ID_REF", *(f'"{each}"' for each in samples)],
        *rows,
        ["!series_matrix_table_end"],
    ]
    path.write_text("".join("\t".join(line) + "\n" for line in lines))


def _gct(path):
    X, labels, samples = sample()
    rows = [[name, *map(str, values)] for name, values in zip(NAMES, X.T, strict=True)]
    lines = [["#1.3"], [str(len(NAMES)), str(len(X)), "0", "1"], ["id", *samples]]
    lines += [["status", *labels], *rows]
    path.write_text("".join("\t".join(line) + "\n" for line in lines))


# ending: (writer, label, index, whether small values were set to zero)
KINDS = {
    ".csv": (_csv, "status", "sample", False),
    ".csv.gz": (_csv, "status", "sample", False),
    ".tsv": (_tsv, "status", "sample", False),
    ".tsv.gz": (_tsv, "status", "sample", False),
    ".parquet": (_parquet, "status", "sample", False),
    ".feather": (_feather, "status", "sample", False),
    ".npz": (_npz, "status", "sample", False),
    ".npy": (_npy, None, None, False),
    ".mat": (_mat, "Y", None, False),
    ".arff": (_arff, "status", None, False),
    ".svmlight": (_svmlight, "label", None, True),
    ".h5ad": (_h5ad, "status", None, True),
    ".loom": (_loom, "status", None, True),
    ".mtx": (_mtx, None, None, True),
    ".xlsx": (_xlsx, "status", "sample", False),
    ".rds": (_r, "status", "sample", False),
    ".rda": (_r, "status", "sample", False),
    ".dta": (_stata, "status", "sample", False),
    ".sav": (_spss, "status", "sample", False),
    ".xpt": (_sas, "status", "sample", False),
    "_series_matrix.txt": (_series_matrix, "status", None, False),
    ".gct": (_gct, "status", None, False),
}


def write(kind, folder):
    """The file of a kind; gives its path, label and index options, and the numbers it holds."""
    writer, label, index, thinned = KINDS[kind]
    path = Path(folder) / f"table{kind}"
    writer(path)
    X = sample()[0]
    if thinned:
        X[np.abs(X) < 0.5] = 0
    return path, label, index, X
