"""Opening regular files by their own names: never through a symbolic link, and without waiting for
the other end of a pipe that somebody has put in a file's place. And the place of an open file."""

from __future__ import annotations

import errno
import io
import os
import secrets
import stat
from typing import NamedTuple

# Windows has none of these but O_BINARY, and no ledger file is written there.
_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_for_reading(path: str) -> io.FileIO:
    """Opens a regular file for reading. Raises OSError, with EINVAL where the path names anything
    else, such as a symbolic link or a pipe."""
    return _open(path, os.O_RDONLY, "rb")


def open_for_appending(path: str) -> io.FileIO:
    """Opens a regular file for reading, and for writing behind its last byte. Raises as
    :func:`open_for_reading` does."""
    return _open(path, os.O_RDWR | os.O_APPEND, "rb+")


def create_new(path: str) -> io.FileIO:
    """Creates a file for reading, and for writing behind its last byte. Its mode is what the umask
    leaves of 0666. Raises FileExistsError where anything has the name, and OSError."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | _FLAGS
    return io.FileIO(os.open(path, flags, 0o666), "rb+")


def create_temporary(target: str) -> tuple[str, io.FileIO]:
    """Creates a file beside ``target`` with a name that nobody can predict, and returns its path
    too. Raises OSError."""
    path = os.path.join(os.path.dirname(target), f".{secrets.token_hex(16)}.tmp")
    return path, create_new(path)


def _open(path: str, flags: int, mode: str) -> io.FileIO:
    # What the opening of a device does is the device's; so the kind is looked at before, and once
    # more behind it.
    _check_kind(os.lstat(path).st_mode)
    descriptor = os.open(path, flags | _FLAGS)
    try:
        _check_kind(os.fstat(descriptor).st_mode)
        return io.FileIO(descriptor, mode)
    except BaseException:
        os.close(descriptor)
        raise


def _check_kind(mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    found = "a pipe, socket or device"
    if stat.S_ISLNK(mode):
        found = "a symbolic link"
    elif stat.S_ISDIR(mode):
        found = "a directory"
    advice = "expected a regular file; move it away, or name another file"
    raise OSError(errno.EINVAL, f"found {found}, {advice}")


class FilePlace(NamedTuple):
    """The path that a file was opened under, and the file's device and inode, which tell it from
    every other file as long as it is open."""

    path: str
    """Absolute, so that it means the same when the process changes its working directory."""
    device: int
    inode: int

    @classmethod
    def of(cls, path: str, file: io.FileIO) -> FilePlace:
        """The place of ``file``, which was opened under ``path``. Raises OSError."""
        status = os.fstat(file.fileno())
        return cls(os.path.abspath(path), status.st_dev, status.st_ino)

    def find_displacement(self, length: int) -> str:
        """Compares the file that the path leads to, by its own name and not through a link, with
        the one that was opened. Returns what was found, what was expected and what to do, or an
        empty string where it is the same and has ``length`` bytes."""
        expected = f"expected the one that is open (device {self.device}, inode {self.inode})"
        advice = "put it back under this name, if it can be found, and open it again"
        try:
            status = os.lstat(self.path)
        except FileNotFoundError:
            return f"found no file, {expected}: it was renamed or removed; {advice}"
        except OSError as error:
            return f"{expected}, and what is there cannot be looked up: {error.strerror}"
        if (status.st_dev, status.st_ino) != (self.device, self.inode):
            found = f"found another file (device {status.st_dev}, inode {status.st_ino})"
            return f"{found}, {expected}: it was replaced; {advice}"
        if status.st_size != length:
            return (
                f"found {status.st_size} bytes, expected {length}: another program has cut the "
                "file off or written to it; keep the file as it is, and compare it with a copy"
            )
        return ""
