"""A file system that runs out of room: the kernel refuses to let files grow, as a full one does."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def disk_to_fill() -> Iterator[Callable[[int], None]]:
    """Call what this gives with a size: from then on, to the end of the block, no file of this process grows beyond it.

    Writing more fails with EFBIG.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
