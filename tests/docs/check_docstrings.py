"""numpydoc's validation of everything public: what the modules name in their ``__all__``."""

import importlib
import pkgutil
import sys

from numpydoc.validate import validate

import inffs

WANTED = {
    "GL08": "a docstring",
    "PR01": "all parameters",
    "PR02": "no parameter that is not there",
    "RT01": "Returns",
    "EX01": "Examples",
    "SA01": "See Also",
}


def public_objects():
    """Name and object of every class and function in a module's ``__all__``; aliases once."""
    found = {}
    paths = [module.name for module in pkgutil.iter_modules(inffs.__path__, "inffs.")]
    for path in ["inffs", *paths]:
        module = importlib.import_module(path)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if callable(thing):
                found.setdefault(id(thing), (f"{path}.{name}", thing))
    return list(found.values())


def complaints(name):
    """The wanted parts that the docstring of this object lacks."""
    for code, text in validate(name)["errors"]:
        if code in WANTED:
            yield f"{name}: {WANTED[code]} wanted ({code}: {text})"


def main():
    """Print every complaint; 1 if there is one."""
    names = [name for name, _ in public_objects()]
    found = [line for name in names for line in complaints(name)]
    print("\n".join(found) or f"{len(names)} docstrings are complete")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
