"""Trials: contestants, splits, the run and the store that keeps every result."""
