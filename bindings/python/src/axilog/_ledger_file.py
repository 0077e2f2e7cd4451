"""The ledger file on disk: locked against other writers, appended to one whole step at a time.

formats.md section 6 and docs/ledger.md. A step counts as recorded once its bytes are synced; where
they cannot all be written, the file is cut back to its length before. The lock is that of flock,
which the command ``axilog`` takes too.
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

from axilog._lock_file import read_holder, remove_lock_file, write_lock_file
from axilog.entry import MAX_LINE_BYTES
from axilog.errors import LedgerBusyError, LedgerError, LedgerIOError, LedgerMissingError


class LedgerFile:
    """A ledger file that is open for writing and locked."""

    def __init__(self, path: str, file: io.FileIO) -> None:
        self.path = path
        self._file = file
        self._process = os.getpid()
        self._lock_file: Optional[str] = None
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise LedgerBusyError(path, read_holder(path)) from None
        except OSError as error:
            file.close()
            raise LedgerIOError(path, "lock the ledger", error) from error
        self._lock_file = write_lock_file(path)
        try:
            self.length = os.fstat(file.fileno()).st_size
            if self.length == 0:
                # The process that created the file may have died before its name was durable.
                sync_directory(os.path.dirname(path))
        except OSError as error:
            self.close()
            raise LedgerIOError(path, "open the ledger", error) from error

    @classmethod
    def open(cls, path: str, create: bool) -> LedgerFile:
        """Opens and locks the ledger file at ``path``; with ``create`` makes it where it is absent.

        Raises LedgerBusyError, LedgerMissingError, LedgerIOError, and LedgerError for a path that
        is no regular file or a system without flock.
        """
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

    def open_reader(self) -> io.BufferedReader:
        """Opens a reader at the first byte. All readers share one position, so use one at a time;
        closing a reader leaves the file open."""
        raw = io.FileIO(self._file.fileno(), "r", closefd=False)
        raw.seek(0)
        return io.BufferedReader(raw, 1 << 16)

    def append(self, lines: bytes) -> None:
        """Appends whole lines and syncs them. Where that fails, the file is cut back to its length
        before, and the text of the LedgerIOError says whether that succeeded."""
        self.check_open()
        try:
            self._write(lines)
            sync_file(self._file.fileno())
        except BaseException as error:
            action = self._undo_append()
            if isinstance(error, OSError):
                raise LedgerIOError(self.path, action, error) from error
            raise
        self.length += len(lines)

    def sync(self) -> None:
        """Makes durable what another process wrote. Raises LedgerIOError."""
        try:
            sync_file(self._file.fileno())
        except OSError as error:
            raise LedgerIOError(self.path, "sync the ledger", error) from error

    def _write(self, lines: bytes) -> None:
        offset = self.length
        rest = memoryview(lines)
        while rest:
            written = os.pwrite(self._file.fileno(), rest, offset)
            offset += written
            rest = rest[written:]

    def _undo_append(self) -> str:
        try:
            os.ftruncate(self._file.fileno(), self.length)
            sync_file(self._file.fileno())
        except OSError:
            # The next opening finds a torn line, a step to complete, or the whole step.
            return "append (the next opening shows whether the step was recorded)"
        return "append (nothing was recorded)"

    def move_torn_line(self, offset: int) -> tuple[str, int]:
        """Moves the incomplete last line, which begins at ``offset``, to a new file
        ``LEDGER.torn-N``. The copy is durable before the line is cut off here.

        Returns the path of the new file and its size in bytes. Raises LedgerIOError.
        """
        self.check_open()
        try:
            reader = self.open_reader()
            reader.seek(offset)
            torn = reader.read(MAX_LINE_BYTES)
            path = self._write_torn_file(torn)
        except OSError as error:
            raise LedgerIOError(self.path, "move the torn line aside", error) from error
        try:
            os.ftruncate(self._file.fileno(), offset)
            sync_file(self._file.fileno())
        except OSError as error:
            raise LedgerIOError(self.path, "cut off the torn line", error) from error
        self.length = offset
        return path, len(torn)

    def _write_torn_file(self, torn: bytes) -> str:
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
            sync_directory(os.path.dirname(path))
        except BaseException:
            # The ledger still holds these bytes, so a partial copy is of no use.
            os.unlink(path)
            raise
        return path

    def check_open(self) -> None:
        """Raises LedgerError where the file is closed, or was opened by another process."""
        if self._file.closed:
            raise LedgerError(self.path, "is closed; open the ledger again to write to it")
        if os.getpid() != self._process:
            raise LedgerError(
                self.path,
                f"was opened by process {self._process}, and only that one may write it; after a "
                "fork, open the ledger in the process that uses it",
            )

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        return self._file.closed

    def close(self) -> None:
        """Releases the lock and closes the file. Closing twice does nothing."""
        if self._file.closed:
            return
        # A forked child shares the lock with its parent, which still needs it.
        if os.getpid() == self._process:
            if self._lock_file is not None:
                remove_lock_file(self._lock_file)
            # Another thread may be starting a child process, which still has the file open and so
            # would keep the lock.
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


def sync_directory(path: str) -> None:
    """Makes the names in a directory durable."""
    descriptor = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
