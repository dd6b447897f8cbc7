"""The router of INSES: passages or the graph (Algorithm 2)."""
