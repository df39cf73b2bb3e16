"""Compare methods on a table and recommend one.

Data sets x methods x sizes x splits. Every trial is independent, kept as soon as it is done, and
never run twice.
"""

from inffs.comparison.page import write_run_report
from inffs.comparison.process import Limits
from inffs.comparison.recommendation import Recommendation
from inffs.comparison.runner import compare, status
from inffs.comparison.store import Store
from inffs.comparison.trial import pick

__all__ = ["Limits", "Recommendation", "Store", "compare", "pick", "status", "write_run_report"]
