"""Questions that need an operator: typed programs, found from the words and executed exactly."""
