"""What every module may use: memory, threads, files, progress."""
