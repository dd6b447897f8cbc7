"""A language model that looks at nothing."""
