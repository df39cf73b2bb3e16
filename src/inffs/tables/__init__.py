"""Reading and writing tables: one small reader a format, a registry, and what is about tables.

Label by name or position, index column, dropping by pattern, samples as columns, encoding of
text, imputation: a :class:`Table` that comes out of :func:`read_table` is ready for a selector.
"""

from inffs._engine.files import new_file, sha256_of
from inffs.tables._formats import FORMATS, Format, find_format
from inffs.tables._read import read_table, write_table
from inffs.tables._sheet import Sheet, Table

__all__ = [
    "FORMATS",
    "Format",
    "Sheet",
    "Table",
    "find_format",
    "new_file",
    "read_table",
    "sha256_of",
    "write_table",
]
