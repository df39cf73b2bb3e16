"""Checks of tables, targets and weights, and tables that stay on disk or on a cluster."""
