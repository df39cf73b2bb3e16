"""The long profile in pieces, each written down as soon as it is done; a second call goes on.

    python -m tests.trust.long_profile FILE [--jobs 2] [--only numbers] [--seed 1000]

More than 150,000 cases: every method's share of 20,000 awkward tables, 30,000 in every form against
exact arithmetic and each other, 10,000 with numeric targets and survival times, 11,000 written and
read back, folders with several runs in them, and 88,000 damaged files. FILE gets a line of JSON per
piece: what was tried, how many cases, how they ended, and the first failing one. With ``--minutes``
the isolated readers then meet damaged files for so long, other ones in each run.
"""

import argparse
import json
import multiprocessing
import secrets
import time
import traceback
import warnings
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from inffs.guards.sentences import TableWarning
from inffs.io._formats import FORMATS
from tests.forked import forking
from tests.io import test_write_and_read
from tests.trust import test_forms, test_mixing, test_mutants, test_properties, test_targets
from tests.trust.tables import ENTRIES, tame_knobs, try_tables

PIECE = 1000
TARGETS = test_targets.cases, PIECE, test_targets.check_targets
WRITTEN = [
    ("text", ".csv"), ("text", ".csv.gz"), ("text", ".tsv"), ("arrow", ".parquet"),
    ("arrow", ".feather"), ("npz",), ("mat",), ("arff",), ("svmlight",), ("h5ad",),
    ("samples_as_columns",),
]  # fmt: skip


def forms(count, seed, distributed=False):
    with TemporaryDirectory() as folder:
        return try_tables(
            test_forms.cases,
            count,
            lambda case: test_forms.check_forms(case, Path(folder), distributed),
            seed,
        )


def invariance(key, seed):
    count = 10 if key in test_properties.SLOW else 50
    return test_properties.run(key, count, tame_knobs(), test_properties.check_invariance, seed)


def written(name, *ending, seed):
    """Tables that a test of another module writes and reads back; processes are forks."""
    read_back = vars(test_write_and_read)[f"test_{name}"].hypothesis.inner_test
    with TemporaryDirectory() as folder, forking():
        return try_tables(
            test_write_and_read.tables(),
            PIECE,
            lambda table: read_back(*ending, table=table, tmp_path=Path(folder)),
            seed,
        )


def damage(ending, seed, count=PIECE):
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return test_mutants.damage(ending, count, seed, Path(folder))


def pieces():
    """Name, function and arguments of every piece; the seed is its number."""
    for number in range(20):
        yield f"numbers {number}", try_tables, (test_forms.cases, PIECE, test_forms.check_numbers)
    for number in range(10):
        yield f"forms {number}", forms, (PIECE,)
    yield "forms on dask", partial(forms, distributed=True), (100,)
    for number in range(10):
        yield f"targets {number}", try_tables, TARGETS
    for name, *endings in WRITTEN:
        yield f"written {name} {' '.join(endings)}", written, (name, *endings)
    yield "folders", try_tables, (test_mixing.folders, 100, test_mixing.check_folder)
    for ending in [*test_mutants.BINARY, *test_mutants.TEXT]:
        for number in range(4):
            yield f"damage {number} of {ending}", damage, (ending,)
    for key in ENTRIES:
        yield f"answers of {key}", test_properties.thoroughly, (key,)
        yield f"invariance of {key}", invariance, (key,)


def fuzzing(minutes):
    """Pieces for the isolated readers in turn, until the time is over."""
    end = time.monotonic() + 60 * minutes
    readers = [ending for form in FORMATS if form.isolated for ending in form.endings]
    while time.monotonic() < end:
        for ending in (each for each in test_mutants.BINARY + test_mutants.TEXT if each in readers):
            seed = secrets.randbits(32)
            yield f"fuzzing {ending} with {seed}", partial(damage, count=100), (ending,), seed


def run_piece(place, seed):
    return record(*list(pieces())[place], place + seed)


def record(name, function, arguments, seed):
    """The line of a piece."""
    began, outcome = time.process_time(), {}
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", TableWarning)
    try:
        ended = function(*arguments, seed=seed)
        outcome = {str(key): count for key, count in ended.items()}
    except Exception as error:
        told = "".join(traceback.format_exception(error))
        outcome = {"failed": told[-4000:], "notes": getattr(error, "__notes__", [])}
    seconds = round(time.process_time() - began, 1)
    return {"piece": name, "seed": seed, "seconds": seconds, **outcome}


def total(path):
    """Tables that ended well, and the pieces that did not."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    ended = ("None", "answered", "refused", *test_mutants.ENDS)
    counted = sum(line.get(how, 0) for line in lines for how in ended)
    return counted, [line["piece"] for line in lines if "failed" in line]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="pieces whose names begin so")
    parser.add_argument("--seed", type=int, default=0, help="of the first piece")
    parser.add_argument("--minutes", type=float, default=0)
    given = parser.parse_args()
    known = given.file.read_text().splitlines() if given.file.exists() else []
    known = [line for line in known if '"failed"' not in line]
    done = {json.loads(line)["piece"] for line in known}
    given.file.write_text("".join(f"{line}\n" for line in known))
    todo = [place for place, (name, *_) in enumerate(pieces())
            if name.startswith(given.only) and name not in done]  # fmt: skip
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool, given.file.open("a") as out:
        lines = pool.imap_unordered(partial(run_piece, seed=given.seed), todo)
        for line in chain(lines, (record(*piece) for piece in fuzzing(given.minutes))):
            out.write(json.dumps(line) + "\n")
            out.flush()
    print("{} cases, failed: {}".format(*total(given.file)))


if __name__ == "__main__":
    main()
