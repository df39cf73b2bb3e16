"""Does a tolerance of half a standard error choose better sizes than half a point, on fresh tables?

    git archive ef0e71d --prefix=earlier/ | tar x        # the last tree with the earlier rule
    python benchmarks/fresh_tables.py run earlier FOLDER [--minutes 40]
    python benchmarks/fresh_tables.py summary

The protocol, written before anything was run.

Rules: ``earlier`` (the tree of commit ef0e71d), ``half a point`` (the smallest size whose smoothed
cross-validated score is within half a point of the best, the default before this run) and the
candidate, ``auto`` (a tolerance of half a binomial standard error of the best smoothed share, with
two right and two wrong answers more, and at least half a point; the default since). All three are
those of benchmarks/size_rules.py.

Tables: those of ``TABLES``, none of which had a part in any choice. FOLDER holds clones of their
repositories (the name of a clone is that of the repository). Taken is every table with classes that
was found in them and that has 40 to 600 samples, 20 or more numeric columns and at most 700,000
values, after classes of fewer than ten samples and columns with missing values were left out.
Every table has one label, the one that its documentation names first (of the tasks of MLRepo the
alphabetically first with classes). Of patients there is one sample each: tables of pairs (before
and after, tumor and normal tissue) are left out, and of repeated visits the first one is taken.
Left out are also simulated tables, and tables that share samples with one of
benchmarks/public_tables.py, benchmarks/independent_tables.py, benchmarks/unseen.py, the benchmark
or the documentation. Reading them needs the packages rdata and openpyxl.

Splits: two for every table (70 % for training), the smallest tables first, a line of
docs/data/size-rules-fresh.csv for every split. A run goes on where the last one ended. The linear
SVM with C = 0.1 is measured on the size of every rule, and on the size that is best on the test
part (in hindsight). A table counts if both splits were measured.

Decision: the candidate is adopted if (a) its mean accuracy is at most 0.7 points below that of the
earlier rule, (b) its sizes are at most half of those of the earlier rule (geometric means), and
(c) its mean accuracy is at most 0.7 points below that of half a point.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pandas as pd

from benchmarks.independent_tables import COLUMNS, LEAST, Table, checked, landmarks
from benchmarks.size_rules import LARGEST, EarlierRule, compare
from benchmarks.timing import read_rows, write_row

PATH = Path(__file__).parents[1] / "docs" / "data" / "size-rules-fresh.csv"
RULES = ("earlier", "half a point", "auto")
SPLITS = (101, 102)
MOST = 600  # samples
Parts = tuple[Any, Any]  # values, a sample per row, and classes
Read = Callable[[Path], Parts]


def r_objects(path: Path) -> dict[str, Any]:
    """Saved R data; a data frame is a dictionary, because its columns may be matrices."""
    import rdata

    readers = {**rdata.conversion.DEFAULT_CLASS_MAP, "data.frame": lambda found, _: found}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdata.conversion.convert(rdata.parser.parse_file(path), constructor_dict=readers)


def r_table(part: str, parts: Callable[[Any], Parts]) -> Read:
    """The object that has the name of its file."""
    return lambda folder: parts(r_objects(folder / part)[Path(part).stem])


def labelled(label: str, *others: str) -> Callable[[Any], Parts]:
    """A data frame with its classes in one column; ``others`` are no features."""
    return lambda found: (pd.DataFrame(found).drop(columns=[label, *others]), found[label])


def csv_table(part: str, label: str | int, *others: str, header: int | None = 0) -> Read:
    def table(folder: Path) -> Parts:
        frame = pd.read_csv(folder / part, header=header, na_values="?")
        label_name = frame.columns[label] if isinstance(label, int) else label
        return frame.drop(columns=[label_name, *others]), frame[label_name]

    return table


def metabolites(name: str, **rows: str) -> Read:
    """A sheet of metabolites M1, M2, ...; ``rows`` are the values of the samples to take."""

    def table(folder: Path) -> Parts:
        path = folder / "MetabComparisonBinaryML" / "notebooks" / "data" / f"{name}.xlsx"
        frame = pd.read_excel(path, sheet_name="Data")
        for column, value in rows.items():
            frame = frame[frame[column] == value]
        return frame.filter(regex=r"^M\d+$"), frame["Class"]

    return table


def taxa(name: str, task: str) -> Read:
    """Counts of bacteria: the samples of a task, and their classes."""

    def table(folder: Path) -> Parts:
        place = folder / "MLRepo" / "datasets" / name
        path = next(path for path in (place / "taxatable.txt", place / "refseq" / "taxatable.txt",
                                      place / "gg" / "taxatable.txt") if path.exists())  # fmt: skip
        counts = pd.read_csv(path, sep="\t", index_col=0).T
        tasks = pd.read_csv(place / f"{task}.txt", sep="\t", dtype=str)
        classes = tasks.set_index(tasks.columns[0])["Var"]
        known = [sample for sample in classes.index if sample in counts.index]
        return counts.loc[known], classes[known]

    return table


def spectra(found: Any, label: str) -> Parts:
    """A data set of specmine: the samples are columns."""
    return np.asarray(found["data"]).T, found["metadata"][label]


def curves(found: Any) -> Parts:
    """A data set of ddalpha: points that not all curves have are left out."""
    rows = [pd.Series(each["vals"], index=each["args"]) for each in found["dataf"]]
    return pd.DataFrame(rows), [np.asarray(each).ravel()[0] for each in found["labels"]]


def outlines(found: Any, label: str, **rows: str) -> Parts:
    """Shapes of Momocs, each with the same number of points."""
    points = [np.asarray(pd.DataFrame(each)).ravel() for each in found["coo"].values()]
    taken = np.ones(len(points), dtype=bool)
    for column, value in rows.items():
        taken &= np.asarray(found["fac"][column]) == value
    return np.array(points)[taken], np.asarray(found["fac"][label])[taken]


def coordinates(found: Any, name: str, label: str) -> Parts:
    return landmarks({"points": found[name], "label": found[label]}, "points", "label")


def growth(found: Any) -> Parts:
    boys, girls = np.asarray(found["hgtm"]).T, np.asarray(found["hgtf"]).T
    return np.vstack([boys, girls]), ["boy"] * len(boys) + ["girl"] * len(girls)


def bones(folder: Path) -> Parts:
    found = r_objects(folder / "Morpho" / "data" / "boneData.rda")["boneLM"]
    names = np.asarray(found.coords[found.dims[2]])
    values = np.asarray(found)
    return values.reshape(-1, values.shape[2]).T, [str(name).split("_")[2] for name in names]


def heartbeats(folder: Path) -> Parts:
    """The first lead."""
    leads = []
    for name in ("mfD_healthy", "mfD_LBBB"):
        found = r_objects(folder / "roahd" / "data" / f"{name}.rda")[name]["fDList"][0]["values"]
        leads.append(np.asarray(pd.DataFrame(found)))
    return np.vstack(leads), np.repeat(["healthy", "block"], [len(each) for each in leads])


def first_visits(found: Any) -> Parts:
    rows = np.asarray(found["visit"]) == 1
    return np.asarray(found["cca"])[rows], np.asarray(found["case"])[rows]


def primary_cancers(folder: Path) -> Parts:
    found = r_objects(folder / "msgl" / "data" / "PrimaryCancers.RData")
    return np.asarray(found["x"]), found["classes"]


def mites(folder: Path) -> Parts:
    place = folder / "vegan" / "data"
    values = pd.DataFrame(r_objects(place / "mite.rda")["mite"])
    return values, r_objects(place / "mite.env.rda")["mite.env"]["Substrate"]


def abundance(found: Any, label: str) -> Parts:
    return np.asarray(found.otu_table).T, found.sam_data[label]


def ucr(name: str) -> Read:
    """The training and the test part of the UCR archive, the class in the first column."""

    def table(folder: Path) -> Parts:
        place = folder / "lcid" / "data" / name
        values = np.vstack([np.loadtxt(place / f"{name}_{part}") for part in ("TRAIN", "TEST")])
        return values[:, 1:], values[:, 0]

    return table


def arff_series(part: str) -> Read:
    """Time series with the class in the last column; dimensions stand one after the other."""

    def table(folder: Path) -> Parts:
        rows, place = [], folder / "tsml/src/main/java/experiments/data"
        for kind in ("TRAIN", "TEST"):
            text = (place / f"{part}_{kind}.arff").read_text()
            data = text[text.lower().index("@data") + len("@data") :]
            rows += [line.replace("\\n", ",").replace("'", "").split(",")
                     for line in data.split("\n") if line.strip()]  # fmt: skip
        frame = pd.DataFrame(rows)
        return frame.iloc[:, :-1], frame.iloc[:, -1].str.strip()

    return table


OPENML = "openml-datasets/data/"
TABLES: dict[str, Read] = {
    # expression, metabolites, proteins
    "primary cancers": primary_cancers,
    "cachexia": r_table("specmine.datasets/data/cachexia.rda", lambda o: spectra(o, "Muscle.loss")),
    "propolis": r_table("specmine.datasets/data/propolis.rda", lambda o: spectra(o, "seasons")),
    "cassava": r_table("specmine.datasets/data/cassavaPPD.rda", lambda o: spectra(o, "varieties")),
    "spiked apples": r_table(
        "BioMark/data/SpikePos.RData", lambda o: (np.asarray(o["data"]), o["classes"])
    ),
    "chronic fatigue": metabolites("MTBLS161"),
    "caecum, diet": metabolites("MTBLS547"),
    "lung cancer, serum": metabolites("ST000369", SampleType="Serum"),
    "gastric cancer, urine": metabolites("ST001047", SampleType="Sample"),
    "genes of the cell cycle": r_table("ddalpha/data/geneexp.rda", curves),
    # bacteria and other species
    "diabetes, Sweden": taxa("karlsson", "task-impaired-diabetes"),
    "diabetes, China": taxa("qin2012", "task-healthy-diabetes"),
    "cirrhosis": taxa("qin2014", "task-healthy-cirrhosis"),
    "vagina, origin": taxa("ravel", "task-black-hispanic"),
    "Crohn's disease": taxa("sokol", "task-healthy-cd"),
    "obesity, twins": taxa("turnbaugh", "task-obese-lean-all"),
    "gut, country": taxa("yatsunenko", "task-malawi-venezuela"),
    "Crohn's disease, ileum": taxa("gevers", "task-ileum"),
    "Crohn's disease, children": r_table(
        "microbiomeMarker/data/pediatric_ibd.rda", lambda o: abundance(o, "Class")
    ),
    "oceans": r_table(
        "mixKernel/data/TARAoceans.rda",
        lambda o: (np.asarray(o["pro.NOGs"]), o["sample"]["ocean"]),
    ),
    "mites, substrate": mites,
    # molecules, spectra
    "phenyl": r_table("chemometrics/data/Phenyl.rda", labelled("grp")),
    "bioassay": r_table("chemmodlab/data/aid364.rda", labelled("Outcome")),
    "olive leaves": r_table("rrcov/data/olitos.rda", labelled("grp")),
    "meat, fat": r_table("ddalpha/data/tecator.rda", curves),
    "resin": r_table("FDboost/data/viscosity.RData", lambda o: (np.asarray(o["visAll"]), o["T_C"])),
    "stars": csv_table(
        f"{OPENML}spectrometer/spectrometer.csv", "LRS-class", "LRS-name", "ID-type"
    ),
    # shapes
    "hearts": r_table("Momocs/data/hearts.rda", lambda o: outlines(o, "aut")),
    "wings": r_table("Momocs/data/wings.rda", lambda o: outlines(o, "group")),
    "fishes": r_table("Momocs/data/nsfishes.rda", lambda o: outlines(o, "Superorder")),
    "oak leaves": r_table(
        "Momocs/data/oak.rda", lambda o: outlines(o, "locality", leaf="L1", replica="R1")
    ),
    "brains": r_table("shapes/data/brains.rda", lambda o: coordinates(o, "x", "sex")),
    "cortex": r_table("shapes/data/cortical.rda", lambda o: (np.asarray(o["r"]).T, o["group"])),
    "vertebrae": r_table("shapes/data/mice.rda", lambda o: coordinates(o, "outlines", "group")),
    "sand": r_table("shapes/data/sand.rda", lambda o: coordinates(o, "x", "group")),
    "skulls": bones,
    # curves and series
    "growth": r_table("fda/data/growth.rda", growth),
    "flies": r_table("ddalpha/data/medflies.rda", curves),
    "population": r_table("ddalpha/data/population.rda", curves),
    "heartbeats": heartbeats,
    "multiple sclerosis": r_table("classiFunc/data/DTI.rda", first_visits),
    "beetle or fly": r_table("classiFunc/data/BeetleFly.rda", labelled("target")),
    "faces": ucr("FaceFour"),
    "diatoms": ucr("DiatomSizeReduction"),
    "lightning 2": ucr("Lighting2"),
    "lightning 7": ucr("Lighting7"),
    "beef": ucr("Beef"),
    "ECG": ucr("ECG200"),
    "olive oil": ucr("OliveOil"),
    "fish": ucr("Fish"),
    "Chinatown": arff_series("tsc/Chinatown/Chinatown"),
    "fingers": arff_series("mtsc/ERing/ERing"),
    # people, programs
    "body, sex": r_table("gclus/data/body.RData", labelled("Gender")),
    "arrhythmia": csv_table(f"{OPENML}arrhythmia/arrhythmia.csv", "class"),
    "defects": csv_table(f"{OPENML}kc2/kc2.csv", "problems"),
    "divorce": csv_table("Divorce-Predictors/divorce.csv", -1, header=None),
    "self-care": csv_table("SIT720-Ass-t-1/SCADI (1).csv", -1),
}  # fmt: skip


def fresh_tables(folder: Path) -> Iterator[tuple[str, Table]]:
    """The name, the values and the classes of every table that keeps the protocol."""
    for name, read in TABLES.items():
        X, y = checked(*read(folder))
        small = LEAST <= len(y) <= MOST and X.size <= LARGEST
        if small and X.shape[1] >= COLUMNS and np.unique(y).size > 1:
            yield name, (X, y)


def run(tree: Path, folder: Path, minutes: float) -> None:
    end, earlier = time.monotonic() + 60 * minutes, EarlierRule(tree)
    done = {(row["table"], row["split"]) for row in read_rows(PATH)}
    for name, (X, y) in sorted(fresh_tables(folder), key=lambda table: table[1][0].size):
        for split in SPLITS:
            if time.monotonic() > end:
                return
            if (name, str(split)) not in done:
                write_row(PATH, {"table": name, "split": split, "samples": len(y),
                                 "features": X.shape[1], "classes": np.unique(y).size,
                                 **compare(X, y, earlier, split)})  # fmt: skip


def of_tables(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over the splits, geometric for sizes, of tables of which all were measured."""
    sizes = [f"{rule} size" for rule in RULES]
    rows = rows.assign(**{size: np.log(rows[size]) for size in sizes})
    groups = rows.groupby("table", sort=False)
    table = groups[[*RULES, *sizes, "best", "claimed"]].mean()[groups.size() == len(SPLITS)]
    return table.assign(**{size: np.exp(table[size]) for size in sizes})


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """A line for every rule; differences in points, with the interval of 95 % over tables."""
    from scipy.stats import t

    lines, n, candidate = [], len(table), table[RULES[-1]]
    for rule in RULES:
        line = {"rule": rule, "tables": n, "accuracy": table[rule].mean(),
                "size": np.exp(np.log(table[f"{rule} size"]).mean()),
                "largest loss": (table["best"] - table[rule]).max()}  # fmt: skip
        if rule != RULES[-1]:
            gain = candidate - table[rule]
            error = gain.std() / n**0.5
            half = t.ppf(0.975, n - 1) * error
            line |= {"candidate minus rule": gain.mean(), "error": error,
                     "low": gain.mean() - half, "high": gain.mean() + half,
                     "loses over 2": (gain < -2).mean(),
                     "gains over 2": (gain > 2).mean()}  # fmt: skip
        lines.append(line)
    return pd.DataFrame(lines)


def decision(found: pd.DataFrame) -> dict[str, bool]:
    """What the protocol asks of the candidate."""
    earlier, half, candidate = (found.iloc[place] for place in range(len(RULES)))
    return {
        "a": bool(candidate["accuracy"] >= earlier["accuracy"] - 0.7),
        "b": bool(candidate["size"] <= earlier["size"] / 2),
        "c": bool(candidate["accuracy"] >= half["accuracy"] - 0.7),
    }


def main() -> None:
    if sys.argv[1:] == ["summary"]:
        found = summary(of_tables(pd.read_csv(PATH)))
        print(found.round(3).T.to_string(), decision(found), sep="\n")
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["run"])
    parser.add_argument("tree", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=40.0)
    given = parser.parse_args()
    run(given.tree, given.folder, given.minutes)


if __name__ == "__main__":
    main()
