"""numpydoc's validation of what a user meets first: the front door and every method."""

import re
import sys

from numpydoc.validate import validate

import inffs
from inffs.selector import FeatureSelector
from inffs.subset import SHARED

WANTED = {
    "GL08": "a docstring",
    "PR01": "all parameters",
    "PR02": "no parameter that is not there",
    "RT01": "Returns",
    "EX01": "Examples",
    "SA01": "See Also",
}
# inf_fs.py is as long as a file may be: its classes wait for a See Also
SHORT = {"InfFS", "InfFSS", "InfFSU"}
NO_CALL = {"RoundingWarning", "__version__"}


def public_names():
    yield from (f"inffs.{name}" for name in inffs.__all__ if name not in NO_CALL)
    for entry in inffs.catalogue():
        if entry.target.startswith("methods."):
            yield f"inffs.methods.{entry.class_name}"


def complaints(name):
    """The wanted parts that the docstring of this object lacks."""
    last = name.rpartition(".")[2]
    spared = {"SA01"} if last in SHORT else set()
    for code, text in validate(name)["errors"]:
        if code == "PR01" and set(re.findall(r"'(\w+)'", text)) <= set(SHARED):
            continue  # every selector takes them: the base class tells of them
        if code in WANTED and code not in spared:
            yield f"{name}: {WANTED[code]} wanted ({code}: {text})"


def main():
    """Print every complaint; 1 if there is one."""
    found = [line for name in public_names() for line in complaints(name)]
    told = FeatureSelector.__doc__
    found += [f"FeatureSelector: {wish} wanted" for wish in SHARED if f"    {wish} :" not in told]
    print("\n".join(found) or f"{len(set(public_names()))} docstrings are complete")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
