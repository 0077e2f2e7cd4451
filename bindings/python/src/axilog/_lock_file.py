"""The file ``LEDGER.lock``: the id of the process that writes the ledger, for error messages only.

The lock itself is the operating system's, on the ledger file, and ends with the process. A lock
file that a killed process left behind therefore blocks nobody, and a file of that name that holds
anything else is never overwritten (docs/ledger.md).
"""

from __future__ import annotations

import os
import re
from typing import Optional

_CONTENT = re.compile(r"axilog ([0-9]+)\s*", re.ASCII)


def write_lock_file(ledger: str) -> Optional[str]:
    """Writes the id of this process, which must have the lock on ``ledger``, and returns the path
    of the lock file, or ``None`` where the file cannot be written."""
    path = ledger + ".lock"
    try:
        if os.path.exists(path) and os.path.getsize(path) > 0 and read_holder(ledger) is None:
            return None
        with open(path, "w", encoding="ascii", newline="") as file:
            file.write(f"axilog {os.getpid()}\n")
    except OSError:
        return None
    return path


def read_holder(ledger: str) -> Optional[int]:
    """Reads the process id in the lock file of ``ledger``; ``None`` where there is none."""
    try:
        with open(ledger + ".lock", encoding="ascii") as file:
            content = _CONTENT.fullmatch(file.read(64))
    except (OSError, ValueError):
        return None
    return int(content.group(1)) if content else None


def remove_lock_file(path: str) -> None:
    """Removes the lock file at ``path``, or leaves it to the next process, which overwrites it."""
    try:
        os.unlink(path)
    except OSError:
        pass
