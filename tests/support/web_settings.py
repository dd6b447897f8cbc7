"""Settings of a web server that a test starts beside itself: the test's database, and limits of its own."""

import json
import os

from webapp.project.settings import *  # noqa: F403

DATABASES["default"]["NAME"] = os.environ["CLEW_TEST_DATABASE"]  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
globals().update(json.loads(os.environ["CLEW_TEST_LIMITS"]))
