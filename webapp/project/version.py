"""The version, as CHANGELOG.md and pyproject.toml say it."""

VERSION = "0.1.0"
