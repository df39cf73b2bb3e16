"""One publication: its experiments, its claims, and whether they hold here."""
