"""Secret key, hosts, cookies and passwords."""

from __future__ import annotations

from webapp.project import secret
from webapp.project.settings.environment import ENV

SECRET_KEY = ENV.secret_key or secret.ensure_key(ENV.home)

ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *ENV.hosts]
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ENV.hosts]
CSRF_FAILURE_VIEW = "webapp.api.views.csrf_failure"

SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
# Cookies on localhost are shared between ports: two installations must not log each other out.
SESSION_COOKIE_NAME = f"clew_session_{ENV.port}"
CSRF_COOKIE_NAME = f"clew_csrf_{ENV.port}"
DEVICE_COOKIE_NAME = f"clew_device_{ENV.port}"

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 8}},
    {"NAME": "webapp.accounts.passwords.EnoughVisible"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["username"]},
    },
]
