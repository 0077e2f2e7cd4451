"""The file ``LEDGER.lock``: the id of the process that writes the ledger, for error messages only.

The lock itself is the operating system's, on the ledger file, and ends with the process. A lock
file that a killed process left behind therefore blocks nobody. What has that name and is no lock
file is neither written to nor replaced, and neither is what a link of that name leads to
(docs/ledger.md).
"""

from __future__ import annotations

import os
import re
from typing import Optional

from axilog._regular_file import FilePlace, create_new, open_for_reading

_CONTENT = re.compile(r"axilog ([0-9]+)\s*", re.ASCII)
_MAX_BYTES = 64


class LockFile:
    """The lock file that this process has written. It stays open, since the system may give the
    inode of a removed file to the next file once nobody has it open."""

    def __init__(self, path: str) -> None:
        """Creates the lock file at ``path``. Raises OSError."""
        self._file = create_new(path)
        try:
            content = f"axilog {os.getpid()}\n".encode("ascii")
            self._file.write(content)
            self._length = len(content)
            self._place = FilePlace.of(path, self._file)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Closes the file and leaves it."""
        self._file.close()

    def remove(self) -> None:
        """Removes the file and closes it. Where the ledger was replaced, its new file has a holder
        of its own under the same name, whose lock file stays."""
        try:
            if not self._place.find_displacement(self._length):
                os.unlink(self._place.path)
        except OSError:
            pass  # The next process replaces it.
        self._file.close()


def write_lock_file(ledger: str) -> Optional[LockFile]:
    """Writes the id of this process, which must have the lock on ``ledger``; ``None`` where the
    file cannot be written or something else has its name."""
    path = ledger + ".lock"
    try:
        try:
            return LockFile(path)
        except FileExistsError:
            # A process that was killed left it; it is removed, since it may have other names.
            content = _read(path)
            if content and not _CONTENT.fullmatch(content):
                return None
            os.unlink(path)
            return LockFile(path)
    except (OSError, ValueError):
        return None


def read_holder(ledger: str) -> Optional[int]:
    """Reads the process id in the lock file of ``ledger``; ``None`` where there is none."""
    try:
        content = _CONTENT.fullmatch(_read(ledger + ".lock"))
    except (OSError, ValueError):
        return None
    return int(content.group(1)) if content else None


def _read(path: str) -> str:
    with open_for_reading(path) as file:
        return file.read(_MAX_BYTES).decode("ascii")
