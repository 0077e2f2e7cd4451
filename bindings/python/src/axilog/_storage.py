"""The file under a ledger: locked against other writers, written a whole step at once.

formats.md section 6 and docs/ledger.md. Bytes are acknowledged when they are synced; what cannot be
written whole is taken back. The lock is flock's, as the command ``axilog`` takes it.
"""

from __future__ import annotations

import io
import os
import stat
from typing import Optional

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

from axilog import _holder
from axilog.entry import MAX_LINE_BYTES
from axilog.errors import LedgerBusyError, LedgerError, LedgerIOError, LedgerMissingError


class Storage:
    """A ledger file open for writing."""

    def __init__(self, path: str, file: io.FileIO) -> None:
        self.path = path
        self._file = file
        self._process = os.getpid()
        self._announced: Optional[str] = None
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise LedgerBusyError(path, _holder.holder(path)) from None
        except OSError as error:
            file.close()
            raise LedgerIOError(path, "lock the ledger", error) from error
        self._announced = _holder.announce(path)
        try:
            self.length = os.fstat(file.fileno()).st_size
            if self.length == 0:
                # Whoever created it may have been interrupted before its name was durable.
                sync_dir(os.path.dirname(path))
        except OSError as error:
            self.close()
            raise LedgerIOError(path, "open the ledger", error) from error

    @classmethod
    def open(cls, path: str, create: bool) -> Storage:
        """Opens the ledger at ``path``; with ``create`` also where there is none."""
        if fcntl is None:
            raise LedgerError(path, "cannot be locked: ledger files need a POSIX system")
        try:
            if create:
                try:
                    return cls(path, io.FileIO(path, "x+"))
                except FileExistsError:
                    pass
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise LedgerError(path, "is not a regular file, which a ledger must be")
            return cls(path, io.FileIO(path, "r+"))
        except FileNotFoundError as error:
            if create:
                raise LedgerIOError(path, "create the ledger", error) from error
            reason = "there is no such ledger; axilog.Ledger.create begins one"
            raise LedgerMissingError(path, reason) from error
        except OSError as error:
            if isinstance(error, LedgerError):
                raise
            raise LedgerIOError(path, "open the ledger", error) from error

    def reader(self) -> io.BufferedReader:
        """Its bytes from the first. One reader at a time; it does not close the file."""
        raw = io.FileIO(self._file.fileno(), "r", closefd=False)
        raw.seek(0)
        return io.BufferedReader(raw, 1 << 16)

    def append(self, data: bytes) -> None:
        """Adds whole lines and syncs them. Where that fails, what was written is taken back, and
        the error says whether that is certain."""
        self.check_open()
        try:
            self._write(data)
            sync_file(self._file.fileno())
        except BaseException as error:
            action = self._take_back()
            if isinstance(error, OSError):
                raise LedgerIOError(self.path, action, error) from error
            raise
        self.length += len(data)

    def sync(self) -> None:
        """Makes durable what was found in the file."""
        try:
            sync_file(self._file.fileno())
        except OSError as error:
            raise LedgerIOError(self.path, "sync the ledger", error) from error

    def _write(self, data: bytes) -> None:
        at = self.length
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._file.fileno(), rest, at)
            at += written
            rest = rest[written:]

    def _take_back(self) -> str:
        try:
            os.ftruncate(self._file.fileno(), self.length)
            sync_file(self._file.fileno())
        except OSError:
            # The next opening finds a torn line, a step to complete, or the whole step.
            return "append (the next opening shows whether the step was recorded)"
        return "append (nothing was recorded)"

    def set_torn_aside(self, offset: int) -> tuple[str, int]:
        """Moves everything from ``offset`` on, an incomplete last line, to ``LEDGER.torn-N``: it is
        durable there before it is cut off here. The new file, and how many bytes it has."""
        self.check_open()
        try:
            reader = self.reader()
            reader.seek(offset)
            torn = reader.read(MAX_LINE_BYTES)
            path = self._keep(torn)
        except OSError as error:
            raise LedgerIOError(self.path, "move the torn line aside", error) from error
        try:
            os.ftruncate(self._file.fileno(), offset)
            sync_file(self._file.fileno())
        except OSError as error:
            raise LedgerIOError(self.path, "cut off the torn line", error) from error
        self.length = offset
        return path, len(torn)

    def _keep(self, torn: bytes) -> str:
        number = 1
        while True:
            path = f"{self.path}.torn-{number}"
            try:
                file = open(path, "xb")
                break
            except FileExistsError:
                number += 1
        try:
            with file:
                file.write(torn)
                file.flush()
                os.fsync(file.fileno())
            sync_dir(os.path.dirname(path))
        except BaseException:
            # A part of a copy is of no use; the ledger still holds the bytes.
            os.unlink(path)
            raise
        return path

    def check_open(self) -> None:
        """Raises LedgerError where this process may not write the file (any more)."""
        if self._file.closed:
            raise LedgerError(self.path, "is closed")
        if os.getpid() != self._process:
            raise LedgerError(
                self.path,
                f"was opened by process {self._process}, and only that one may write it; after a "
                "fork, open the ledger in the process that uses it",
            )

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._file.closed

    def close(self) -> None:
        """Gives the lock back and closes the file. Closing twice does nothing."""
        if self._file.closed:
            return
        # A fork's child shares the lock with its parent and must leave it alone.
        if os.getpid() == self._process:
            if self._announced is not None:
                _holder.withdraw(self._announced)
            # A child that is being started elsewhere in the process may still have the file open,
            # and the lock with it, so closing is not enough.
            fcntl.flock(self._file.fileno(), fcntl.LOCK_UN)
        self._file.close()


def sync_file(descriptor: int) -> None:
    """Makes the bytes of a file durable."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    elif hasattr(fcntl, "F_FULLFSYNC"):  # macOS, where fsync stops at the drive's cache
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def sync_dir(path: str) -> None:
    """Makes the names in a directory durable."""
    descriptor = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
