"""What every room may use: memory, threads, progress."""
