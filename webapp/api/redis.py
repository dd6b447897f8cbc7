"""The connection to Redis."""

from __future__ import annotations

import functools

import redis
from django.conf import settings
from redis.backoff import ConstantBackoff
from redis.retry import Retry


@functools.cache
def get_redis_client() -> redis.Redis:
    """This process's connection pool to Redis. A connection that broke is made anew, once."""
    return redis.Redis.from_url(
        settings.REDIS_URL, decode_responses=True, socket_timeout=5, retry=Retry(ConstantBackoff(0.05), 1)
    )
