"""Studies as plain Python, for the web process as well: what one trains and tests, its summary, its tables, presets."""
