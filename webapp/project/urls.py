"""The address space: the API, graphs as chat models, the probes, and the front end for everything else."""

from __future__ import annotations

from django.urls import include, path, re_path

from webapp.openai_api.api import ChatCompletionsView, ModelsView, ModelView, handle_unknown_address
from webapp.project.pages import send_front_end
from webapp.project.probes import ReadinessView, show_alive
from webapp.project.shared_pages import send_card, send_embedded_page, send_shared_page

handler500 = "webapp.api.views.server_error"

urlpatterns = [
    path("api/v1/", include("webapp.project.api_urls")),
    path("v1/models", ModelsView.as_view()),
    path("v1/models/<path:name>", ModelView.as_view()),
    path("v1/chat/completions", ChatCompletionsView.as_view()),
    re_path("^v1/", handle_unknown_address),
    path("healthz", show_alive),
    path("readyz", ReadinessView.as_view()),
    path("shared/<str:token>", send_shared_page),
    path("shared/<str:token>/card.png", send_card),
    path("embed/<str:token>", send_embedded_page),
    re_path(r"^(?!api/|ws/).*$", send_front_end),
]
