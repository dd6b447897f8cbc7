"""What a process that reads files does in tests; it imports this module by its name, without Django."""

import errno
import os
import time

from retrieval.kg.build.from_files import write_version

write = write_version


def crash(*_args, **_more):
    os.abort()


def wait(*_args, **_more):
    time.sleep(60)


def write_to_a_full_disk(*args, **more):
    real, written = os.fsync, []

    def fsync(handle):
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(handle)
        real(handle)

    os.fsync = fsync
    try:
        return write(*args, **more)
    finally:
        os.fsync = real
