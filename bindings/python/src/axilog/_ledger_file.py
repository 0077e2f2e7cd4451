"""The ledger file on disk: locked against other writers, appended to one whole step at a time.

formats.md section 6 and docs/ledger.md. A step counts as recorded once its bytes are synced; where
they cannot all be written, the file is cut back to its length before; and once the path is found to
lead to the file that they are in. The lock is that of flock, which the command ``axilog`` takes
too.
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

from axilog._lock_file import LockFile, read_holder, write_lock_file
from axilog._regular_file import FilePlace, create_new, open_for_appending
from axilog.entry import MAX_LINE_BYTES
from axilog.errors import (
    LedgerBusyError,
    LedgerDisplacedError,
    LedgerError,
    LedgerIOError,
    LedgerMissingError,
)


class LedgerFile:
    """A ledger file that is open for writing and locked."""

    def __init__(self, path: str, file: io.FileIO) -> None:
        self.path = path
        self._file = file
        self._process = os.getpid()
        self._lock_file: Optional[LockFile] = None
        self._displacement = ""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise LedgerBusyError(path, read_holder(path)) from None
        except OSError as error:
            file.close()
            raise LedgerIOError.of_action(path, "lock the ledger", error) from error
        try:
            self.length = os.fstat(file.fileno()).st_size
            self._place = FilePlace.of(path, file)
            # The file may have been replaced before it was locked, and the new one may be locked by
            # another writer.
            self.check_place()
            self._lock_file = write_lock_file(path)
            if self.length == 0:
                # The process that created the file may have died before its name was durable.
                sync_directory(os.path.dirname(self._place.path))
        except LedgerError:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise LedgerIOError.of_action(path, "open the ledger", error) from error

    @classmethod
    def open(cls, path: str, create: bool) -> LedgerFile:
        """Opens and locks the ledger file at ``path``; with ``create`` makes it where it is absent.

        The last part of the path must be the file's own name; links to directories on the way are
        followed.

        Raises LedgerBusyError, LedgerMissingError, LedgerIOError, LedgerDisplacedError, and
        LedgerError for a path that is a symbolic link or no regular file, or a system without
        flock.
        """
        if fcntl is None:
            raise LedgerError(path, "cannot be locked: ledger files need a POSIX system")
        try:
            if create:
                try:
                    return cls(path, create_new(path))
                except FileExistsError:
                    pass
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                raise LedgerError(
                    path,
                    f"is a symbolic link to {os.readlink(path)}; a ledger is written by its own "
                    "name, so that no link can be turned to another file meanwhile; name the file "
                    "that the link leads to",
                )
            if not stat.S_ISREG(mode):
                raise LedgerError(path, "is not a regular file, which a ledger must be")
            return cls(path, open_for_appending(path))
        except FileNotFoundError as error:
            if create:
                raise LedgerIOError.of_action(path, "create the ledger", error) from error
            reason = "there is no such ledger; axilog.Ledger.create begins one"
            raise LedgerMissingError(path, reason) from error
        except OSError as error:
            if isinstance(error, LedgerError):
                raise
            raise LedgerIOError.of_action(path, "open the ledger", error) from error

    def open_reader(self) -> io.BufferedReader:
        """Opens a reader at the first byte. All readers share one position, so use one at a time;
        closing a reader leaves the file open."""
        raw = io.FileIO(self._file.fileno(), "r", closefd=False)
        raw.seek(0)
        return io.BufferedReader(raw, 1 << 16)

    def append(self, lines: bytes) -> None:
        """Appends whole lines and syncs them. Where that fails, the file is cut back to its length
        before, and the text of the LedgerIOError says whether that succeeded. Raises
        LedgerDisplacedError where the path leads elsewhere then or the file has another length; the
        lines are taken back."""
        self.check_open()
        try:
            self._write(lines)
            sync_file(self._file.fileno())
        except BaseException as error:
            action = self._undo_append()
            if isinstance(error, OSError):
                raise LedgerIOError.of_action(self.path, action, error) from error
            raise
        self.length += len(lines)
        try:
            self.check_place()
        except LedgerDisplacedError:
            self.length -= len(lines)
            # Bytes that something else has cut off or written stay: they show that it has.
            if os.fstat(self._file.fileno()).st_size == self.length + len(lines):
                self._undo_append()
            raise

    def check_place(self) -> None:
        """Checks that the path leads to the file that is open, and that it has the bytes that were
        written. Raises LedgerDisplacedError, from then on with every call."""
        if not self._displacement:
            self._displacement = self._place.find_displacement(self.length)
        if self._displacement:
            raise LedgerDisplacedError(self.path, self._displacement)

    def sync(self) -> None:
        """Makes durable what another process wrote. Raises LedgerIOError, LedgerDisplacedError."""
        try:
            sync_file(self._file.fileno())
        except OSError as error:
            raise LedgerIOError.of_action(self.path, "sync the ledger", error) from error
        self.check_place()

    def _write(self, lines: bytes) -> None:
        # The file is open for appending: where something else has cut it off, no hole arises.
        rest = memoryview(lines)
        while rest:
            rest = rest[os.write(self._file.fileno(), rest) :]

    def _undo_append(self) -> str:
        try:
            if os.fstat(self._file.fileno()).st_size >= self.length:
                os.ftruncate(self._file.fileno(), self.length)
            sync_file(self._file.fileno())
        except OSError:
            # The next opening finds a torn line, a step to complete, or the whole step.
            return "append (the next opening shows whether the step was recorded)"
        return "append (nothing was recorded)"

    def move_torn_line(self, offset: int) -> tuple[str, int]:
        """Moves the incomplete last line, which begins at ``offset``, to a new file
        ``LEDGER.torn-N``. The copy is durable before the line is cut off here.

        Returns the path of the new file and its size in bytes. Raises LedgerIOError, and
        LedgerDisplacedError where something else has cut the file off meanwhile.
        """
        self.check_open()
        self.check_place()
        try:
            reader = self.open_reader()
            reader.seek(offset)
            torn = reader.read(MAX_LINE_BYTES)
            path = self._write_torn_file(torn)
        except OSError as error:
            raise LedgerIOError.of_action(self.path, "move the torn line aside", error) from error
        try:
            os.ftruncate(self._file.fileno(), offset)
            sync_file(self._file.fileno())
        except OSError as error:
            raise LedgerIOError.of_action(self.path, "cut off the torn line", error) from error
        self.length = offset
        return path, len(torn)

    def _write_torn_file(self, torn: bytes) -> str:
        number = 1
        while True:
            path = f"{self.path}.torn-{number}"
            try:
                file = create_new(path)
                break
            except FileExistsError:
                number += 1
        try:
            fill_file(file, torn)
            sync_directory(os.path.dirname(path))
        except BaseException:
            # The ledger still holds these bytes, so a partial copy is of no use.
            os.unlink(path)
            raise
        return path

    def check_open(self) -> None:
        """Raises LedgerError where the file is closed, or was opened by another process, and
        LedgerDisplacedError where the path was found to lead elsewhere."""
        if self._file.closed:
            raise LedgerError(self.path, "is closed; open the ledger again to write to it")
        if os.getpid() != self._process:
            raise LedgerError(
                self.path,
                f"was opened by process {self._process}, and only that one may write it; after a "
                "fork, open the ledger in the process that uses it",
            )
        if self._displacement:
            raise LedgerDisplacedError(self.path, self._displacement)

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
                self._lock_file.remove()
            # Another thread may be starting a child process, which still has the file open and so
            # would keep the lock.
            fcntl.flock(self._file.fileno(), fcntl.LOCK_UN)
        elif self._lock_file is not None:
            self._lock_file.close()
        self._file.close()


def fill_file(file: io.FileIO, data: bytes) -> None:
    """Writes ``data`` to a new file, makes it durable and closes it. Raises OSError."""
    with file:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file.fileno(), rest) :]
        os.fsync(file.fileno())


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
