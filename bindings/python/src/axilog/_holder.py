"""Who holds a ledger: a process id in ``LEDGER.lock``, for messages only.

The lock itself is the system's, on the ledger file, and ends with the process. A ``LEDGER.lock``
that was left behind says nothing, and one that is something else is left alone.
"""

from __future__ import annotations

import os
import re
from typing import Optional

_TEXT = re.compile(r"axilog ([0-9]+)\s*", re.ASCII)


def announce(ledger: str) -> Optional[str]:
    """Says that this process holds the ledger, whose lock it has; the file to remove at the end.
    ``None`` where it cannot be said."""
    path = ledger + ".lock"
    try:
        if os.path.exists(path) and os.path.getsize(path) > 0 and holder(ledger) is None:
            return None
        with open(path, "w", encoding="ascii", newline="") as file:
            file.write(f"axilog {os.getpid()}\n")
    except OSError:
        return None
    return path


def holder(ledger: str) -> Optional[int]:
    """The process that says it holds the ledger."""
    try:
        with open(ledger + ".lock", encoding="ascii") as file:
            found = _TEXT.fullmatch(file.read(64))
    except (OSError, ValueError):
        return None
    return int(found.group(1)) if found else None


def withdraw(path: str) -> None:
    """Ends an announcement."""
    try:
        os.unlink(path)
    except OSError:
        pass  # The next holder writes over it.
