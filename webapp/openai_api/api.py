"""``/v1/models`` and ``/v1/chat/completions``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.errors import ClewError
from webapp.accounts.views import UserView
from webapp.answers import fair_queue
from webapp.api.deferred import DeferredResponse, call_when_closed
from webapp.api.errors import get_status
from webapp.openai_api.chat import parse_chat
from webapp.openai_api.chat_models import ChatModel, find_chat_model, list_chat_models
from webapp.openai_api.completions import Completion, begin_completion
from webapp.openai_api.errors import handle_chat_error, render_chat_error


class ChatProtocolView(UserView):
    """A view of the chat protocol, which is documented elsewhere and has errors of its own shape."""

    schema = None

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response | None]:
        """The one for that shape."""
        return handle_chat_error


class ModelsView(ChatProtocolView):
    """Graphs as models."""

    def get(self, request: Request) -> Response:
        """Those that the user may ask."""
        return Response({"object": "list", "data": [_render_model(model) for model in list_chat_models(self.user)]})


class ModelView(ChatProtocolView):
    """A model."""

    def get(self, request: Request, name: str) -> Response:
        """One of them."""
        return Response(_render_model(find_chat_model(self.user, name)))


class ChatCompletionsView(ChatProtocolView):
    """Questions as chats."""

    def post(self, request: Request) -> HttpResponseBase:
        """Answer the last message."""
        chat = parse_chat(request.data)
        completion = begin_completion(chat, find_chat_model(self.user, chat.model), self.user)
        response: HttpResponseBase
        if chat.stream:
            response = StreamingHttpResponse(completion.stream(), content_type="text/event-stream")
            response.headers["X-Accel-Buffering"] = "no"  # a proxy is to pass each chunk on
        else:
            response = DeferredResponse(lambda: _respond(completion))
        call_when_closed(response, completion.close)
        response.headers["Cache-Control"] = "no-store"
        for name, value in fair_queue.build_limit_headers(self.user).items():
            response.headers[name] = value
        return response


def handle_unknown_address(request: HttpRequest) -> JsonResponse:
    """An address under ``/v1/`` that is none."""
    message = "There is no such address. Clew has /v1/models and /v1/chat/completions."
    error = {"message": message, "type": "not_found_error", "param": None, "code": "not_found"}
    return JsonResponse({"error": error}, status=404)


async def _respond(completion: Completion) -> HttpResponse:
    try:
        return JsonResponse(await completion.answer())
    except ClewError as error:
        return JsonResponse(render_chat_error(error), status=get_status(error))


def _render_model(model: ChatModel) -> dict[str, Any]:
    created = int(model.graph.created_at.timestamp())
    return {"id": model.id, "object": "model", "created": created, "owned_by": "clew"}
