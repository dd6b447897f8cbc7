"""Follow-ups: a question that leans on the one before it, as one that stands on its own."""
