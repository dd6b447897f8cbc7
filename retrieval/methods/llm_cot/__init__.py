"""A language model that looks at nothing and reasons step by step."""
