"""Apps, middleware, templates, language and time."""

from __future__ import annotations

from webapp.project import env
from webapp.project.settings.environment import ENV

DEBUG = False
ROOT_URLCONF = "webapp.project.urls"
ASGI_APPLICATION = "webapp.project.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"

COMMAND = env.COMMAND
CLEW = ENV
"""Settings of Clew's own, for code that needs them: ``settings.CLEW.port``."""

# Mail goes to a relay; without one none is sent.
EMAIL_HOST, _, _port = ENV.mail_host.partition(":")
EMAIL_PORT = int(_port or {"none": 25, "starttls": 587, "tls": 465}[ENV.mail_tls])
EMAIL_USE_TLS, EMAIL_USE_SSL = ENV.mail_tls == "starttls", ENV.mail_tls == "tls"
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = ENV.mail_user, ENV.mail_password
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = ENV.mail_from

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "rest_framework",
    "drf_spectacular",
    "channels",
    "webapp.accounts",
    "webapp.api",
    "webapp.uploads",
    "webapp.jobs",
    "webapp.graphs",
    "webapp.vocabulary",
    "webapp.edits",
    "webapp.questions",
    "webapp.language_models",
    "webapp.experiments",
    "webapp.studies",
    "webapp.review",
    "webapp.answers",
    "webapp.sources",  # looks at a new version before it is tested
    "webapp.graph_tests",
    "webapp.webhooks",
    "webapp.sharing",
    "webapp.live",
    "webapp.project",
]

MIDDLEWARE = [
    "webapp.project.middleware.security_headers",
    "webapp.api.middleware.plain_addresses",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "webapp.api.middleware.CompressJson",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "webapp.jobs.unsent.middleware",
]

TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
APPEND_SLASH = False
