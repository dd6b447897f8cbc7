"""Django's PostgreSQL backend with a pool that recovers at once from a restart of the server."""
