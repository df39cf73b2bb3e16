"""The long profile in pieces, each written down as soon as it is done; a second call goes on.

    python -m tests.trust.long_profile FILE [--jobs 2]

More than 100,000 cases: every method's share of 20,000 awkward tables, 30,000 in every form against
exact arithmetic and each other, folders with several runs in them, and 88,000 damaged files. FILE
gets a line of JSON per piece: what was tried, how many cases, how they ended, and the first failing
one.
"""

import argparse
import json
import multiprocessing
import time
import traceback
import warnings
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.trust import test_forms, test_mixing, test_mutants, test_properties
from tests.trust.tables import ENTRIES, tame_knobs, try_tables

PIECE = 1000


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


def damage(ending, seed):
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return test_mutants.damage(ending, PIECE, seed, Path(folder))


def pieces():
    """Name, function and arguments of every piece; the seed is its number."""
    for number in range(20):
        yield f"numbers {number}", try_tables, (test_forms.cases, PIECE, test_forms.check_numbers)
    for number in range(10):
        yield f"forms {number}", forms, (PIECE,)
    yield "forms on dask", partial(forms, distributed=True), (100,)
    yield "folders", try_tables, (test_mixing.folders, 100, test_mixing.check_folder)
    for ending in [*test_mutants.BINARY, *test_mutants.TEXT]:
        for number in range(4):
            yield f"damage {number} of {ending}", damage, (ending,)
    for key in ENTRIES:
        yield f"answers of {key}", test_properties.thoroughly, (key,)
        yield f"invariance of {key}", invariance, (key,)


def run_piece(seed):
    name, function, arguments = list(pieces())[seed]
    began, outcome = time.process_time(), {}
    warnings.simplefilter("error")
    try:
        ended = function(*arguments, seed=seed)
        outcome = {str(key): count for key, count in ended.items()}
    except Exception as error:
        told = "".join(traceback.format_exception(error))
        outcome = {"failed": told[-4000:], "notes": getattr(error, "__notes__", [])}
    return {"piece": name, "seconds": round(time.process_time() - began, 1), **outcome}


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
    given = parser.parse_args()
    known = given.file.read_text().splitlines() if given.file.exists() else []
    done = {json.loads(line)["piece"] for line in known if '"failed"' not in line}
    given.file.write_text("".join(f"{line}\n" for line in known if '"failed"' not in line))
    todo = [seed for seed, each in enumerate(pieces()) if each[0] not in done]
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool, given.file.open("a") as out:
        for line in pool.imap_unordered(run_piece, todo):
            out.write(json.dumps(line) + "\n")
            out.flush()
    print("{} cases, failed: {}".format(*total(given.file)))


if __name__ == "__main__":
    main()
