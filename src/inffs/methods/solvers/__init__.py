"""What several methods share: support vector machines, linear programs, neighbours, LARS."""
