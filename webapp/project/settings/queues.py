"""Redis and what runs over it: cache, channel layer, Celery."""

from __future__ import annotations

from kombu.common import Broadcast
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from webapp.project.settings.environment import REDIS_ADDRESS

REDIS_URL = REDIS_ADDRESS

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_ADDRESS,
        "KEY_PREFIX": "clew",
        # Sessions are in the database too: a cache that is away must not make every request wait for seconds.
        "OPTIONS": {"socket_timeout": 5, "retry": Retry(ConstantBackoff(0.05), 1)},
    }
}
SESSION_ENGINE = "webapp.accounts.sessions"

CHANNEL_LAYERS = {
    "default": {
        # Who listens to a group is kept in the process and ends with it; two connections to Redis serve all sockets.
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [{"address": REDIS_ADDRESS, "socket_timeout": 10}], "prefix": "clew:live:"},
    }
}

CELERY_BROKER_URL = REDIS_ADDRESS.replace("unix://", "redis+socket://", 1)
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": "clew:celery:",
    # Work of a dead worker is found by its missing heartbeat, long before the broker would send it again.
    "visibility_timeout": 7 * 24 * 3600,
    # A connection whose other end is silent, as behind a proxy that drops packets, is given up and made anew.
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 5,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # for ever: a worker that gave up would have to be started by hand
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False  # tasks go on, and sending one twice is harmless
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "jobs"
CELERY_TASK_CREATE_MISSING_QUEUES = True
CELERY_TASK_QUEUES = (Broadcast("warm", routing_key="warm"),)  # its messages reach all workers that answer
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TASK_SEND_SENT_EVENT = False
