"""Agents that explore a graph step by step: what they may do, what they see, and who decides (Graph-S3)."""
