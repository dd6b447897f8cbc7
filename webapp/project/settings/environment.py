"""The environment as read once for this process, and the addresses that follow from it."""

from __future__ import annotations

from webapp.project import env, home
from webapp.project.layout import ServerLayout

ENV = env.read()
home.make_private(ENV.home)
LAYOUT = ServerLayout(ENV.home)
DATABASE_ADDRESS = ENV.database_url or LAYOUT.database_url
REDIS_ADDRESS = ENV.redis_url or LAYOUT.redis_url
