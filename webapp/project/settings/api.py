"""REST framework and the OpenAPI schema."""

from __future__ import annotations

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "webapp.accounts.authentication.BearerToken",
        "webapp.accounts.authentication.Session",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["webapp.accounts.permissions.Viewer"],
    "DEFAULT_FILTER_BACKENDS": ["webapp.api.access.OnlyVisible"],
    "DEFAULT_PAGINATION_CLASS": "webapp.api.pagination.Pages",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["webapp.api.parsers.Json"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "webapp.api.errors.handle",
    "PAGE_SIZE": 50,
    "URL_FORMAT_OVERRIDE": None,  # ?format= is ours: what to download
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Clew",
    "DESCRIPTION": "Question answering over knowledge graphs. Log in with a session cookie and `X-CSRFToken`, "
    "or send `Authorization: Bearer TOKEN`.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "/static/swagger-ui",  # served from a Python package: settings/data.py
    "SWAGGER_UI_FAVICON_HREF": "/static/swagger-ui/favicon-32x32.png",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "webapp.answers.event_schema.with_events",
        "webapp.api.schema.answered_whole",
    ],
    "ENUM_NAME_OVERRIDES": {
        "TestOutcomeEnum": "webapp.graph_tests.models.RoundOutcome",
        "TestCauseEnum": "webapp.graph_tests.models.Cause",
        "TestDecisionEnum": "webapp.graph_tests.models.Decision",
        "WorkStateEnum": "webapp.jobs.models.JobState",
        "RunStateEnum": "webapp.answers.models.RunState",
        "ReviewItemStateEnum": "webapp.review.models.ItemState",
        "VerdictKindEnum": "webapp.review.models.VerdictKind",
        "QueueKindEnum": "webapp.review.models.QueueKind",
        "ReviewEventKindEnum": "webapp.review.models.EventKind",
        "FlagKindEnum": "webapp.answers.models.FlagKind",
        "OutcomeEnum": "webapp.experiments.models.QuestionOutcome",
        "JobKindEnum": "webapp.jobs.models.JobKind",
        "CorrectionStateEnum": ["kept", "open", "undone"],
        "NodeKindEnum": ["entity", "cvt", "literal"],
        "StageStateEnum": ["waiting", "running", "done", "skipped", "failed", "stopped"],
        "LanguageTestStateEnum": ["waiting", "done", "failed"],
        "GraphFormatEnum": "webapp.graphs.reading.FORMAT_CHOICES",
        "SourceKindEnum": "webapp.sources.models.SourceKind",
        "RefreshCauseEnum": "webapp.sources.models.Cause",
        "RefreshOutcomeEnum": "webapp.sources.models.Outcome",
        "ModelColumnTypeEnum": "retrieval.kg.model.data_model.COLUMN_TYPES",
        "GraphStateEnum": "webapp.graphs.models.GraphState",
    },
}
