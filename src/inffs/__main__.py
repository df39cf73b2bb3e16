"""``python -m inffs``: the same as the ``inffs`` command."""

from inffs.cli import main

if __name__ == "__main__":
    main()
