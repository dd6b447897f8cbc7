"""Long work: rows with progress, queueing by task name, cancelling, worker presence."""
