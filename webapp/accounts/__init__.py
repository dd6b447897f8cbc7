"""People, their roles, sessions and API tokens."""
