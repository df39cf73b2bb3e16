"""What the stored results say: statistics, figures, the answer and its page."""
