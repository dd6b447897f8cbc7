"""What a graph is like: figures, schema, what changed between two versions, and whether its files are whole."""
