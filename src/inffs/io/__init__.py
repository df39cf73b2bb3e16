"""Reading and writing tables: one reader per format, and what they share.

Label by name or position, index column, dropping by pattern, samples as columns, encoding of
text, imputation: :func:`read_table` returns a :class:`Table` that is ready for a selector.
"""

from inffs.io._formats import FORMATS
from inffs.io._read import read_table, write_table
from inffs.io._sheet import Table

__all__ = ["FORMATS", "Table", "read_table", "write_table"]
