"""The Python client of Clew: ask knowledge graphs over HTTP. It loads neither the engine nor the server."""

from clew.answer import Answer
from clew.client import AsyncClient, Client
from clew.errors import ApiError

__all__ = ["Answer", "ApiError", "AsyncClient", "Client"]
