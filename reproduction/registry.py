"""The benchmark's data sets: the paper's Table 2, where each comes from, and its checksums."""

from __future__ import annotations

from dataclasses import dataclass

_MICROARRAY = (
    "https://raw.githubusercontent.com/ramhiser/datamicroarray/"
    "a95f6f68ed3debf48ee54f198435fa12aa655b16/data/"
)
_LYMPHOMA = (
    "https://raw.githubusercontent.com/zhonghuawu/design/"
    "907248a802e9fa1529dd6abfd3fc6b1f8f76d46b/datas/DLBCL-Stanford/"
)
_SPLS = "https://raw.githubusercontent.com/cran/spls/e3a2ab62ead4c84f78baf81bd3ecda4e70316961/data/"
_NIPS = (
    "https://raw.githubusercontent.com/jlries61/SPM_vs_XGBOOST/"
    "0a516bc7c9adfb7527c3651167900c8a2cf2522d/Data/Classification/"
)
_GISETTE_AT = "https://archive.ics.uci.edu/ml/machine-learning-databases/gisette/GISETTE/"
_OFFICE = (
    "https://raw.githubusercontent.com/LeoGautheron/OfficeCaltechDomainAdaptation/"
    "0bcf68398284dbef34b04b70e5b897815b11147b/features/"
)


ORIGINAL, REBUILT, OTHER_NETWORK = "original", "rebuilt", "other network"


@dataclass(frozen=True)
class DataFile:
    """One file of a data set: its place under the data folder, its address ("" if none), its hash.

    The hash is a sha256, or a git blob (sha1 of a header and the bytes) where only that is known.
    """

    path: str
    address: str
    sha256: str = ""
    git_blob: str = ""


@dataclass(frozen=True)
class Source:
    """One way to have a data set: what it then is, its files and who reads them."""

    status: str
    reader: str
    files: tuple[DataFile, ...]


@dataclass(frozen=True)
class DatasetInfo:
    """A data set of the catalogue.

    ``samples``, ``features``, ``classes``, ``balance`` and the five flags are the paper's Table 2
    (``overlap`` is "not stated" for the microarrays); ``shape`` is what :func:`load` gives. Of the
    ``sources`` the first that can be had is taken; a table that is not the original says so in its
    name, so that two sources are never taken for one table.
    """

    name: str
    challenge: str
    samples: str
    features: int
    classes: int
    balance: str
    shape: tuple[int, int]
    origin: str
    sources: tuple[Source, ...]
    note: str = ""
    few_train: bool = False
    overlap: str = "no"
    noise: bool = False
    sparse: bool = False
    in_paper: bool = True

    @property
    def unbalanced(self) -> bool:
        return self.balance not in ("", "23/22", "50/52") and "K" not in self.balance

    @property
    def status(self) -> str:
        """Original, rebuilt, or of another network; "original or rebuilt" where both may be had."""
        return " or ".join(source.status for source in self.sources)

    def title(self, source: Source) -> str:
        """The name to print: a table that is not the original says what it is."""
        return self.name if source.status == ORIGINAL else f"{self.name} ({source.status})"


def _microarray(
    name: str, samples: int, features: int, balance: str, **more: object
) -> DatasetInfo:
    return DatasetInfo(
        name,
        "microarray",
        str(samples),
        features,
        2,
        balance,
        (samples, features),
        few_train=True,
        overlap="not stated",
        **more,  # type: ignore[arg-type]
    )


_COLON = DataFile(
    "raw/COLON/alon.RData",
    _MICROARRAY + "alon.RData",
    "76ea2ffa6226e29237bbe3f41a68ec42ca9ec3bbdbf3f19613cd254fd5fcc1c7",
)
_GOLUB = DataFile(
    "raw/LEUKEMIA/golub.RData",
    _MICROARRAY + "golub.RData",
    "594f5507597fb2352d210c803a88a218fbf6d1f2705372029e5738815216747b",
)
_GORDON = DataFile(
    "raw/LUNG/gordon.RData",
    _MICROARRAY + "gordon.RData",
    "09173f9c7b7d30bbbeca08b945755a03ad7601f4560bb185d47e3e441fc096f3",
)
_DLBCL = DataFile(
    "raw/LYMPHOMA/DLBCL-Stanford.arff",
    _LYMPHOMA + "DLBCL-Stanford.arff",
    "3de64ae70fbe2a192c04b63afa6e0ce5c045f62e81aa64588f011a1877303253",
)
_SINGH = DataFile(
    "raw/PROSTATE/prostate.RData",
    _SPLS + "prostate.RData",
    "834b9a449dd122adce672e95185510bd2810b3d878b82dcf2a2b3a5d8cd38a2d",
)
_DEXTER = DataFile(
    "raw/DEXTER/DEXTER.zip",
    _NIPS + "DEXTER/DEXTER.zip",
    "1caf52d5629647f0138b4341103c5d7a1cc446c0ec23b81906c6d2670afb87d4",
)
_MADELON = DataFile(
    "raw/MADELON/madelon_train.csv",
    _NIPS + "MADELON/madelon_train.csv",
    "6ca6855ed1d8501300f38c192be1316a48573289b9c17d7f5a99823b2ce475ca",
)
_GISETTE = tuple(
    DataFile(f"raw/GISETTE/{name}", f"{_GISETTE_AT}{name}", sha256)
    for name, sha256 in (
        (
            "gisette_train.data",
            "6d4c5e998afe67937b9e77a3334e03c85e545ebc65a6eb1333ffc14125cfc389",
        ),
        (
            "gisette_train.labels",
            "42bd681fe51b161f033df773df14a0116e492676555ab14616c1b72edc054075",
        ),
    )
)
_GISETTE_REBUILT = DataFile(
    "npz/GISETTE_REBUILT.npz",
    "",
    "d6be43396cb70a04c8e1a2a53ce1946b78d5877bcfdb7da5f3d5020d08b329ce",
)
_GINA = DataFile(
    "raw/GINA/gina_agnostic.csv",
    "https://raw.githubusercontent.com/datasets/openml-datasets/"
    "33fdb1a80bb44d92180fba7af46ef0622d54e52b/data/gina_agnostic/gina_agnostic.csv",
    git_blob="837a55489933224ade95eda8df41b8c6fd9f694b",
)
_GINA_REBUILT = DataFile(
    "npz/GINA_REBUILT.npz", "", "725fca46a03f66d671f1ef76ad6b1a9ffcf66aee109bcbb29c8c01d071b2c3bf"
)
_CALTECH = DataFile(
    "npz/CALTECH101_CNN4096.npz",
    "",
    "2f611d00d32911942648b9db4273e32e6c5fce99cf2cdf75293446ddedad7a9c",
)
_VOC = DataFile(
    "npz/VOC2007_CNN4096.npz",
    "",
    "122c1e4011ac270b5f47c8c408d4ee9d43c66a77cd5b5b195faabfe0338a0bce",
)
_CAFFENET = DataFile(
    "raw/OFFICE/CaffeNet4096_dslr.mat",
    _OFFICE + "CaffeNet4096/dslr.mat",
    "2c7472bd590cad4318d77b643d6cd48c923c63df0eb9e74e5db25061677978fc",
)
_GOOGLENET = tuple(
    DataFile(f"raw/OFFICE/GoogleNet1024_{part}.mat", f"{_OFFICE}GoogleNet1024/{part}.mat", sha256)
    for part, sha256 in (
        ("amazon", "bae9ee6e8f7ca305120dd970f2c90471f4ef8dda4cb2ad2404c38bb26cb56ba9"),
        ("dslr", "5f7c6211581f846b7b5534429fb62bfb7e490e88aacfc8bee97eb0b0224dbd89"),
        ("webcam", "57774bbdf97433b5fb5a6333e302f077444c069537138b60ef417f48ee65d296"),
    )
)

DATASETS: tuple[DatasetInfo, ...] = (
    _microarray(
        "colon",
        62,
        2000,
        "40/22",
        noise=True,
        sources=(Source(ORIGINAL, "rdata", (_COLON,)),),
        origin="Alon et al. 1999, PNAS; copy of the R package datamicroarray",
        note="raw intensities; colon[log=true] gives their logarithm",
    ),
    _microarray(
        "leukemia",
        72,
        7129,
        "47/25",
        noise=True,
        sources=(Source(ORIGINAL, "rdata", (_GOLUB,)),),
        origin="Golub et al. 1999, Science; copy of the R package datamicroarray",
        note="raw average differences, negative values occur",
    ),
    _microarray(
        "lung",
        181,
        12533,
        "31/150",
        noise=True,
        sources=(Source(ORIGINAL, "rdata", (_GORDON,)),),
        origin="Gordon et al. 2002, Cancer Research; copy of the R package datamicroarray",
    ),
    _microarray(
        "lymphoma",
        45,
        4026,
        "23/22",
        sources=(Source(ORIGINAL, "lymphoma", (_DLBCL,)),),
        origin="Alizadeh et al. 2000, Nature; ARFF copy of the Stanford DLBCL table",
        note="two normal samples of the file are dropped; 3.3 % of the values are missing and are "
        "imputed inside each training part (what the paper did with them is unknown)",
    ),
    _microarray(
        "prostate",
        102,
        6033,
        "50/52",
        sources=(Source(ORIGINAL, "rdata", (_SINGH,)),),
        origin="Singh et al. 2002, Cancer Cell; copy of the R package spls",
        note="logarithm, standardised per array: one of two public copies with 6033 genes",
    ),
    DatasetInfo(
        "dexter",
        "nips",
        "2600",
        20000,
        2,
        "1.3K/1.3K",
        (600, 20000),
        sources=(Source(ORIGINAL, "dexter", (_DEXTER,)),),
        origin="NIPS 2003 feature selection challenge (Guyon et al.)",
        note="600 of the paper's 2600 rows: the labels of the 2000 test rows are not public",
        overlap="yes",
        noise=True,
        sparse=True,
    ),
    DatasetInfo(
        "gisette",
        "nips",
        "6000",
        5000,
        2,
        "3K/3K",
        (6000, 5000),
        sources=(
            Source(ORIGINAL, "nips", _GISETTE),
            Source(REBUILT, "npz", (_GISETTE_REBUILT,)),
        ),
        origin="NIPS 2003 feature selection challenge; MNIST digits 4 and 9",
        note="the challenge's training part; where it cannot be downloaded and the data folder has "
        "it, a table rebuilt from MNIST after the published recipe",
        overlap="yes",
        noise=True,
    ),
    DatasetInfo(
        "gina",
        "nips",
        "3153",
        970,
        2,
        "1.5K/1.6K",
        (3153, 970),
        sources=(
            Source(ORIGINAL, "gina", (_GINA,)),
            Source(REBUILT, "npz", (_GINA_REBUILT,)),
        ),
        origin="IJCNN 2007 agnostic learning challenge; two-digit MNIST numbers",
        note="the challenge's training part; where it cannot be downloaded and the data folder has "
        "it, a table rebuilt from MNIST",
        overlap="yes",
    ),
    DatasetInfo(
        "madelon",
        "nips",
        "2000",
        500,
        2,
        "1K/1K",
        (2000, 500),
        sources=(Source(ORIGINAL, "csv", (_MADELON,)),),
        origin="NIPS 2003 feature selection challenge (Guyon et al.)",
        overlap="yes",
        noise=True,
    ),
    DatasetInfo(
        "voc2007",
        "cnn",
        "~10K",
        4096,
        20,
        "unbalanced",
        (9963, 4096),
        sources=(Source(OTHER_NETWORK, "labels", (_VOC,)),),
        origin="PASCAL VOC 2007 images and labels (Everingham et al.)",
        note="all 9963 images with several labels each, activations of EfficientNet-Lite0 instead "
        "of the paper's VGG; voc2007[path=FILE.npz] takes features of your own",
        overlap="yes",
        noise=True,
    ),
    DatasetInfo(
        "caltech101",
        "cnn",
        "~10K",
        4096,
        102,
        "unbalanced",
        (9144, 4096),
        sources=(Source(OTHER_NETWORK, "npz", (_CALTECH,)),),
        origin="Caltech 101 images (Fei-Fei et al.)",
        note="all 9144 images, activations of EfficientNet-Lite0 instead of the paper's VGG",
        overlap="yes",
        noise=True,
    ),
    DatasetInfo(
        "office-caffenet",
        "cnn",
        "157",
        4096,
        10,
        "unbalanced",
        (157, 4096),
        sources=(Source(ORIGINAL, "mat", (_CAFFENET,)),),
        origin="Office-Caltech, DSLR images, CaffeNet features (Gautheron)",
        note="not in the paper: an extra set of CNN features",
        in_paper=False,
    ),
    DatasetInfo(
        "office-googlenet",
        "cnn",
        "1410",
        1024,
        10,
        "unbalanced",
        (1410, 1024),
        sources=(Source(ORIGINAL, "mat", _GOOGLENET),),
        origin="Office-Caltech, amazon, dslr and webcam images, GoogleNet features (Gautheron)",
        note="not in the paper: an extra set of CNN features",
        in_paper=False,
    ),
)
