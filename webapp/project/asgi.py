"""The ASGI application: HTTP by Django, sockets by Channels."""

from __future__ import annotations

import os
import sys

import django

# A request gives the interpreter's lock back at each query: it must not wait long for it behind others' Python code.
sys.setswitchinterval(0.001)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.project.settings")
django.setup()  # loads the apps, so it must come before the imports below

from channels.routing import ProtocolTypeRouter  # noqa: E402

from webapp.project.handler import OneHopHandler  # noqa: E402
from webapp.project.routing import websocket_application  # noqa: E402
from webapp.project.uploads import limit_body  # noqa: E402
from webapp.uploads.streams import wrap_application  # noqa: E402

http = OneHopHandler()
application = ProtocolTypeRouter(
    {"http": wrap_application(http, otherwise=limit_body(http)), "websocket": websocket_application}
)
