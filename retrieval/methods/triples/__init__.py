"""What the methods that score triples share."""
