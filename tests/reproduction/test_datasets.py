"""Data sets: the catalogue, the files byte for byte, and every way a download can go wrong."""

import hashlib
import os
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from reproduction import datasets
from reproduction.fetch import DataError, download, locate
from reproduction.readers import read_gina
from reproduction.registry import DataFile

CONTENT = b"x1,x2,class\n1,2,0\n3,4,1\n"
RIGHT = hashlib.sha256(CONTENT).hexdigest()
DATA = Path(os.environ.get("INFFS_DATA", "nowhere"))
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="INFFS_DATA names no folder")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.endswith("gone.csv"):
            self.send_error(404)
            return
        if self.path.endswith("moved.csv"):
            self.send_response(302)
            self.send_header("Location", "/right.csv")  # the bytes are right there
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        if self.path.endswith("cut.csv"):
            self.wfile.write(CONTENT[:10])
        elif self.path.endswith("stall.csv"):
            self.wfile.write(CONTENT[:10])
            self.wfile.flush()
            time.sleep(2)
        else:
            self.wfile.write(CONTENT)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    service = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.daemon_threads = True
    thread = threading.Thread(target=service.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{service.server_port}/"
    service.shutdown()
    service.server_close()


def test_right_bytes_are_kept_and_not_fetched_again(server, tmp_path):
    file = DataFile("raw/right.csv", server + "right.csv", RIGHT)
    path = download(file, tmp_path)
    assert path.read_bytes() == CONTENT
    dead = DataFile("raw/right.csv", "http://127.0.0.1:9/right.csv", RIGHT)
    assert download(dead, tmp_path) == path


@pytest.mark.parametrize(
    ("name", "sha256", "sentence"),
    [
        ("right.csv", "0" * 64, "not those that were published"),
        ("moved.csv", RIGHT, "not those that were published"),
        ("gone.csv", RIGHT, "404"),
        ("cut.csv", RIGHT, "broke off"),
        ("stall.csv", RIGHT, "broke off"),
    ],
)
def test_bad_download_leaves_nothing(server, tmp_path, name, sha256, sentence):
    with pytest.raises(DataError, match=sentence):
        download(DataFile(f"raw/{name}", server + name, sha256), tmp_path, stall=0.5)
    assert list(tmp_path.iterdir()) == []


def test_no_network(tmp_path):
    with pytest.raises(DataError, match=r"127.0.0.1 cannot be reached.*INFFS_DATA"):
        download(DataFile("raw/a.csv", "http://127.0.0.1:9/a.csv", RIGHT), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_only_https(tmp_path):
    with pytest.raises(DataError, match="not an https address"):
        download(DataFile("raw/a.csv", "http://example.org/a.csv", RIGHT), tmp_path)
    for entry in datasets.known():
        for file in (file for source in entry.sources for file in source.files):
            assert file.address.startswith("https://") or not file.address
            assert ".." not in file.path
            assert (len(file.sha256), len(file.git_blob)) in ((64, 0), (0, 40))


def test_folder_of_the_user_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("INFFS_DATA", str(tmp_path))
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/a.csv").write_bytes(CONTENT)
    assert locate(DataFile("raw/a.csv", "", RIGHT)) == tmp_path / "raw/a.csv"
    (tmp_path / "raw/a.csv").write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(DataError, match="is not the file that was published"):
        locate(DataFile("raw/a.csv", "", RIGHT))
    with pytest.raises(DataError, match="no public address"):
        locate(DataFile("raw/b.csv", "", RIGHT))


def test_catalogue_is_the_papers_table():
    entries = datasets.known()
    assert sum(entry.in_paper for entry in entries) == 11
    assert len(entries) == 13
    assert [entry.name for entry in entries if entry.few_train] == [
        "colon", "leukemia", "lung", "lymphoma", "prostate",
    ]  # fmt: skip
    assert [entry.name for entry in entries if entry.sparse] == ["dexter"]
    assert {entry.name for entry in entries if entry.unbalanced and entry.in_paper} == {
        "colon", "leukemia", "lung", "voc2007", "caltech101",
    }  # fmt: skip


def test_unknown_name_lists_the_near_ones():
    with pytest.raises(ValueError, match=r"no data set 'colin'. Did you mean colon"):
        datasets.load("colin")


def test_status_of_the_eleven():
    status = {entry.name: entry.status for entry in datasets.known() if entry.in_paper}
    rebuilt = {"gisette", "gina"}
    assert {name for name in status if status[name] == "original or rebuilt"} == rebuilt
    assert {name for name in status if status[name] == "other network"} == {"voc2007", "caltech101"}
    assert list(status.values()).count("original") == 7


def test_own_features_of_voc(tmp_path):
    Y = np.eye(4, dtype=int)
    X = np.arange(12.0).reshape(4, 3)
    np.savez(tmp_path / "voc.npz", X=X, Y=Y)
    dataset = datasets.load("voc2007", path=tmp_path / "voc.npz")
    assert dataset.target == "multilabel"
    assert dataset.X.shape == (4, 3)
    assert (dataset.name, dataset.status) == ("voc2007", "your own")
    test = np.array([0, 0, 1, 1])
    np.savez(tmp_path / "split.npz", X=X, Y=Y, difficult=np.ones((4, 4), dtype=int), test=test)
    split = datasets.load("voc2007", path=tmp_path / "split.npz")
    np.testing.assert_array_equal(split.difficult, Y == 0)  # who has the label counts for it
    np.testing.assert_array_equal(split.official_test, test == 1)
    assert split.version != dataset.version
    np.savez(tmp_path / "bad.npz", X=np.zeros((4, 3)), Y=Y + 1)
    with pytest.raises(DataError, match="must be 0 / 1"):
        datasets.load("voc2007", path=tmp_path / "bad.npz")
    np.savez(tmp_path / "none.npz", X=X)
    with pytest.raises(DataError, match="holds no array Y"):
        datasets.load("voc2007", path=tmp_path / "none.npz")
    with pytest.raises(DataError, match="colon takes no path"):
        datasets.load("colon", path=tmp_path / "voc.npz")


@needs_data
def test_voc_as_published():
    voc = datasets.load("voc2007")
    assert (voc.name, voc.X.shape, voc.y.shape) == (
        "voc2007 (other network)", (9963, 4096), (9963, 20),
    )  # fmt: skip
    assert (~voc.official_test).sum() == 5011  # trainval and test of the challenge's own pages
    assert voc.official_test.sum() == 4952
    assert voc.y[:, 14].sum() == 4015  # person
    assert not (voc.difficult & (voc.y == 1)).any()


def test_a_rebuilt_table_never_has_the_originals_name(tmp_path, monkeypatch):
    """The original where it can be had, else the rebuilt one under its own name, else neither."""
    y = np.repeat([-1, 1], 30)
    np.savetxt(tmp_path / "labels", y, fmt="%d")
    (tmp_path / "data").write_text("\n".join(["0 " * 49 + "7"] * 60))
    monkeypatch.setenv("INFFS_DATA", str(tmp_path / "here"))
    monkeypatch.setattr("reproduction.fetch.cache_folder", lambda: tmp_path / "cache")
    entry = datasets.info("gisette")
    original = [DataFile(f"raw/{name}", "http://127.0.0.1:9/x", _sha256(tmp_path / name))
                for name in ("data", "labels")]  # fmt: skip
    (tmp_path / "here/raw").mkdir(parents=True)
    np.savez(tmp_path / "here/g.npz", X=np.ones((60, 50), dtype=np.float16), y=y)
    rebuilt = DataFile("g.npz", "", _sha256(tmp_path / "here/g.npz"))
    sources = (replace(entry.sources[0], files=tuple(original)),
               replace(entry.sources[1], files=(rebuilt,)))  # fmt: skip
    small = replace(entry, shape=(60, 50), sources=sources)
    known = tuple(small if each is entry else each for each in datasets.known())
    monkeypatch.setattr(datasets, "DATASETS", known)
    assert datasets.load("gisette").name == "gisette (rebuilt)"
    for name in ("data", "labels"):
        (tmp_path / name).rename(tmp_path / "here/raw" / name)
    dataset = datasets.load("gisette")
    assert (dataset.name, dataset.status) == ("gisette", "original")
    assert (dataset.X[:, -1] == 7).all()
    np.testing.assert_array_equal(dataset.y, y)
    (tmp_path / "here/g.npz").unlink()
    (tmp_path / "here/raw/labels").unlink()
    with pytest.raises(DataError, match="cannot be reached"):
        datasets.load("gisette")


def _sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_sums_confirm_the_training_part_of_gina(tmp_path):
    y = np.repeat([1, -1, 1], [1550, 1603, 315])
    table = np.column_stack([np.zeros(3468), np.zeros(3468), y]).astype(int)
    table[7, 0] = 164947945
    for offset, fine in ((0, True), (1, False)):
        table[8, 1] = offset
        np.savetxt(tmp_path / "gina.csv", table, "%d", ",", header='"a",b,label', comments="")
        if fine:
            X, labels, names, *_ = read_gina([tmp_path / "gina.csv"])
            assert (X.shape, labels.sum(), names) == ((3153, 2), 1550 - 1603, ["a", "b"])
        else:
            with pytest.raises(DataError, match="not gina's training part"):
                read_gina([tmp_path / "gina.csv"])


def test_a_file_known_by_its_git_blob(server, tmp_path):
    blob = hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest()
    file = DataFile("raw/right.csv", server + "right.csv", git_blob=blob)
    path = download(file, tmp_path)
    assert path.read_bytes() == CONTENT
    path.write_bytes(b"changed")
    assert download(file, tmp_path).read_bytes() == CONTENT
    wrong = DataFile("raw/wrong.csv", server + "right.csv", git_blob="0" * 40)
    with pytest.raises(DataError, match="not those that were published"):
        download(wrong, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["right.csv"]


def test_version_follows_the_content(rng):
    X, y = rng.normal(size=(6, 3)), np.array(list("aabbab"), dtype=object)
    one = datasets.Dataset("t", X, y, list("abc"))
    same = datasets.Dataset("t", X.copy(), y.copy(), list("abc"))
    assert one.version == same.version
    other = X.copy()
    other[0, 0] += 1e-12
    assert datasets.Dataset("t", other, y, list("abc")).version != one.version
    assert datasets.Dataset("t", sparse.csr_matrix(X), y, list("abc")).version != one.version


@needs_data
@pytest.mark.parametrize(
    ("name", "first", "classes"),
    [
        ("colon", 8589.4163, {"n": 22, "t": 40}),
        ("leukemia", -342.0, {"ALL": 47, "AML": 25}),
        ("lung", 199.1, {"adenocarcinoma": 150, "mesothelioma": 31}),
        ("lymphoma", -0.31, {"germinal": 22, "activated": 23}),
        ("prostate", -0.92717769, {"0.0": 50, "1.0": 52}),
        ("madelon", 485.0, {"0": 1000, "1": 1000}),
        ("dexter", 0.0, {"0": 300, "1": 300}),
        ("office-caffenet", None, None),
    ],
)
def test_published_files(name, first, classes):
    dataset, entry = datasets.load(name), datasets.info(name)
    X, y, names = dataset
    assert (X is dataset.X, y is dataset.y, names is dataset.names) == (True, True, True)
    assert dataset.X.shape == entry.shape
    assert len(dataset.names) == entry.shape[1]
    assert sparse.issparse(dataset.X) == entry.sparse
    if first is not None:
        assert dataset.X[0, 0] == pytest.approx(first, rel=1e-6)
        values, counts = np.unique(dataset.y.astype(str), return_counts=True)
        assert dict(zip(values, counts.tolist(), strict=True)) == classes


@needs_data
def test_lymphoma_keeps_its_missing_values():
    X = datasets.load("lymphoma").X
    assert np.isnan(X).mean() == pytest.approx(0.033, abs=0.001)


@needs_data
def test_logarithm():
    raw = datasets.load("colon")
    logged = datasets.load("colon", log=True)
    np.testing.assert_allclose(2.0**logged.X, raw.X)
    assert logged.name == "colon (log)"
    with pytest.raises(ValueError, match="no logarithm"):
        datasets.load("leukemia", log=True)
