"""Sources of graphs that are read again, by hand or on a schedule, and what came of each refresh."""
