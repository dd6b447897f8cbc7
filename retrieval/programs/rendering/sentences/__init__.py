"""The answer of a run in one English sentence, written from its program or from its relation paths."""
