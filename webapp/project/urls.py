"""The address space: the API, and the front end for everything else."""

from __future__ import annotations

from django.urls import include, path, re_path

from webapp.project.pages import front_end

handler500 = "webapp.api.views.server_error"

urlpatterns = [
    path("api/v1/", include("webapp.project.api_urls")),
    re_path(r"^(?!api/|ws/).*$", front_end),
]
