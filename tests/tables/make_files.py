"""Every format, written with its own library: the tests compare what our readers make of it."""

from pathlib import Path

import numpy as np

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
