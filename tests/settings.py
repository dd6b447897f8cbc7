"""Clew's settings for tests: a data directory of their own, and nothing of the developer's environment."""

import atexit
import os
import shutil
import tempfile

HOME = tempfile.mkdtemp(prefix="clew-test-")
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
for name in (
    "CLEW_HOSTS",
    "DATABASE_URL",
    "REDIS_URL",
    "CLEW_STORAGE",
    "CLEW_ENCODER",
    "CLEW_DEVICE",
    "CLEW_LAYERS",
    "CLEW_ANSWER_PROCESSES",
    "CLEW_INDEX_PROCESSES",
    "CLEW_ADMIN_PASSWORD",
):
    os.environ.pop(name, None)
for name in ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY"):
    os.environ.pop(name, None)
os.environ["CLEW_HOME"] = HOME
os.environ["CLEW_PORT"] = "8000"
os.environ["CLEW_SELF_TRAINING"] = "0"

from webapp.project.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
