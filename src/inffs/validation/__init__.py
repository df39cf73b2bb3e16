"""Tables by columns, on disk or on a cluster, and what is checked before a column is scored."""
