"""Sizes and counts that bound what a request may ask for."""

UPLOAD_MAX_BYTES = 4 * 1024**3
"""Largest request with files."""

BODY_MAX_BYTES = 1024 * 1024
"""Largest request without files, and of anybody who may not upload any. It is never written to the disk."""

BODY_QUIET_S = 20.0
"""A request that sends nothing for this long is given up."""

BODY_PATIENCE_S = 30.0
BODY_LEAST_RATE = 1024.0
"""Bytes a second that a body must bring on the whole, from this many seconds on."""

UPLOADS_AT_ONCE = 8
"""Files that one person may send at once; more may wait."""

UPLOADS_KEPT = 500
"""Uploads that one person may have begun of which nothing was made yet."""

SOURCES_AT_ONCE = 3
"""Files elsewhere that one person may have looked at at once."""

RESUMABLE_MAX_BYTES = 64 * 1024**3
"""Largest file that may arrive in pieces."""

UPLOAD_KEPT_S = 48 * 3600
"""How long an upload is kept after its last piece, unless something is made of it."""

DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
"""Largest request without files."""

FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 50

PROBLEMS_KEPT = 20_000
"""Bad rows stored per import; more are counted only."""

LOGIN_FAILURES = 10
"""Wrong passwords for one user name from one address, or from one known device, before further attempts wait."""

LOGIN_FAILURES_OF_ACCOUNT = 100
"""The same for one user name from all addresses and unknown devices."""

LOGIN_FAILURES_OF_ADDRESS = 50
"""The same from one address for all user names. People behind one address share it."""

LOGIN_WINDOW_S = 300
"""How long failed attempts are counted, and the first lock of an account; each further lock is twice as long."""

LOGIN_LOCK_MAX_S = 3600
LOGIN_LEVEL_KEPT_S = 24 * 3600
"""How long an account must have been free of locks for the next one to be short again."""

DEVICE_COOKIE_AGE = 180 * 24 * 3600
"""How long a browser that logged in to an account is known to it."""

OPEN_SNAPSHOTS = 8
"""Snapshots that the web process keeps memory-mapped."""

RUNS_WAITING_MAX = 100
"""Runs that one person may have waiting; those of a comparison count each."""

JOBS_WAITING_MAX = 50
"""Jobs that one person may have waiting."""

LARGE_IMPORT_BYTES = 50 * 1024**2
LARGE_INDEX = 20_000
"""Files of an import, and entities and passages of an index, from which it is done by the worker of long jobs."""

RUN_SECONDS_MAX = 1800.0
"""How long a worker may be at one run, until it ends or pauses."""

JOB_HOURS_MAX = {
    "import": 24.0,
    "index": 72.0,
    "train": 72.0,
    "label": 72.0,
    "evaluate": 72.0,
    "extract": 168.0,
    "synthesise": 72.0,
    "review": 12.0,
    "self-train": 2.0,
    "study": 336.0,
    "test": 12.0,
    "checkpoint": 1.0,
    "calibrate": 1.0,
}
"""How long a worker may be at one job. What most of them keep on their way is gone on with when it is tried again."""

HEAD_S = 10.0
"""How long a client may take for the head of a request."""

HEAD_MAX_BYTES = 64 * 1024
ADDRESS_MAX_BYTES = 32 * 1024
"""Largest head of a request, and of it the address."""

UNREAD_S = 60.0
"""How long a client may read nothing of what is sent to it."""

WAITING_PER_ADDRESS = 100
"""Connections of one address that have yet to send something; beyond that the oldest is dropped."""

OPEN_FILES = 65_536
"""Descriptors that are asked of the system."""

REQUESTS_OF_CLIENT = 4, 300
REQUESTS_OF_ADDRESS = 16, 600
REQUESTS = 32, 1000
"""Requests that are worked on at once, and those that may wait for their turn: of a client, of an address, in all."""

SOCKETS_OF_PERSON = 40
SOCKETS_OF_ADDRESS = 500
"""Sockets that may be open at once."""

LINKS_OPENED_OF_ADDRESS = 240, 60
"""Requests for shared links that one address may send, and in how many seconds: a page sends two or three."""

WEBHOOK_TIMEOUT_S = 10.0
"""How long a webhook's server may take to accept a connection, and then to respond."""

SOCKET_THREADS = 4
"""Threads for the queries of all sockets."""
