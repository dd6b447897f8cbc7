"""INSES: a search step by step, with jumps between similar entities."""
