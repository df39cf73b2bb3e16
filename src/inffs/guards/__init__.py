"""Checks of a table that warn of common mistakes.

A guard is one function and one line of :data:`GUARDS`. It gets a :class:`Look` and returns a
sentence that ends with what to type, or None. Guards never change a result.
"""

from inffs.guards.sentences import TableWarning as TableWarning
from inffs.guards.sentences import look_at as look_at
from inffs.guards.sentences import warn_about as warn_about
