"""Programs over a graph that stays in a SPARQL endpoint: read on a sample of it, answered by queries."""
