"""Guards: checks of a table that warn of common mistakes, one sentence each.

A guard is one function and one line of :data:`GUARDS`. It gets a :class:`Look` and returns a
sentence that ends with what to type, or None. Guards never change a result.
"""

from inffs.guards.sentences import TableWarning, look_at, warn_about

__all__ = ["TableWarning", "look_at", "warn_about"]
