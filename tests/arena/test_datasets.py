"""Data sets: the catalogue, the files byte for byte, and every way a download can go wrong."""

import hashlib
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from inffs.arena.data import datasets
from inffs.arena.data.fetch import DataError, download, locate
from inffs.arena.data.registry import DataFile, OpenML

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
            self.send_header("Location", "ftp://127.0.0.1/right.csv")
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
        assert all(file.address.startswith("https://") or not file.address for file in entry.files)
        assert all(".." not in file.path for file in entry.files)


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


def test_own_features_of_voc(tmp_path):
    Y = np.eye(4, dtype=int)
    np.savez(tmp_path / "voc.npz", X=np.arange(12.0).reshape(4, 3), Y=Y)
    dataset = datasets.load("voc2007", path=tmp_path / "voc.npz")
    assert dataset.multi_label
    assert dataset.X.shape == (4, 3)
    np.savez(tmp_path / "bad.npz", X=np.zeros((4, 3)), Y=Y + 1)
    with pytest.raises(DataError, match="must be 0 / 1"):
        datasets.load("voc2007", path=tmp_path / "bad.npz")
    with pytest.raises(DataError, match="needs your own features"):
        datasets.load("voc2007")


def test_another_set_under_the_openml_number_is_refused():
    entry, source = datasets.info("gina"), OpenML(1038, "gina_agnostic", 3)
    bunch = SimpleNamespace(
        details={"name": "gina_agnostic"},
        data=np.zeros((2, 3)),
        target=[1, -1],
        feature_names="abc",
    )
    assert datasets.from_bunch(entry, source, bunch).status == "original"
    bunch.details = {"name": "iris"}
    with pytest.raises(DataError, match="is 'iris' with 3 features, not 'gina_agnostic'"):
        datasets.from_bunch(entry, source, bunch)


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
