"""The data model of a graph's files: kinds, names, keys, columns and references, inferred and corrected."""
