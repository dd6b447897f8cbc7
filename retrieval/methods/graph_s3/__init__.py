"""Graph-S3: an agent that searches the graph."""
