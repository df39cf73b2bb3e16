"""Reading and writing tables: one small reader per format, a registry, and what is about tables.

Label by name or position, index column, dropping by pattern, samples as columns, encoding of
text, imputation: a :class:`Table` that comes out of :func:`read_table` is ready for a selector.
"""

from inffs.io._formats import FORMATS
from inffs.io._read import read_table, write_table
from inffs.io._sheet import Table

__all__ = ["FORMATS", "Table", "read_table", "write_table"]
