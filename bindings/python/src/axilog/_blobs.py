"""What a ledger names by hash only, kept beside it: inputs, configurations, raw bytes of answers
that were not admitted.

formats.md section 6, Blobs: ``LEDGER.blobs/<first two hex digits>/<sha256>``. A blob is there whole
or not at all: it is written under another name, synced, and renamed. The empty string needs none.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from typing import Optional

from axilog._storage import sync_dir
from axilog.errors import LedgerIOError

_EMPTY = hashlib.sha256(b"").hexdigest()
_NAME = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """The blobs of one ledger; nothing needs to exist."""

    def __init__(self, ledger: str) -> None:
        self._ledger = ledger
        self._dir = ledger + ".blobs"

    def path(self, digest: str) -> str:
        """Where the blob with this hash is, or would be."""
        return os.path.join(self._dir, digest[:2], digest)

    def put(self, data: bytes) -> None:
        """Keeps ``data``; on return it is on disk. A blob that is there and damaged is replaced."""
        digest = hashlib.sha256(data).hexdigest()
        if not data:
            return
        path = self.path(digest)
        try:
            if _hash_of(path) != digest:
                self._write(path, data)
        except OSError as error:
            raise LedgerIOError(self._ledger, f"write the blob {path}", error) from error

    def _write(self, path: str, data: bytes) -> None:
        shard = os.path.dirname(path)
        os.makedirs(shard, exist_ok=True)
        temporary = path + ".tmp"
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        # The names themselves: the blob's, its directory's, and that of all blobs.
        for directory in (shard, self._dir, os.path.dirname(self._dir)):
            sync_dir(directory)

    def get(self, digest: str, limit: int) -> Optional[bytes]:
        """The bytes under this hash, unchecked; ``None`` where there is no such blob. One that is
        longer than ``limit`` is cut there, so that its hash cannot be right."""
        path = self.path(digest)
        try:
            with open(path, "rb") as file:
                return file.read(limit)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise LedgerIOError(self._ledger, f"read the blob {path}", error) from error

    def contains(self, digest: str) -> bool:
        """Whether there is a blob under this hash; what is in it is not looked at."""
        return digest == _EMPTY or os.path.isfile(self.path(digest))

    def recompute(self) -> Iterator[tuple[str, bool]]:
        """The path of every blob there is, and whether its bytes have the hash that it is named by.
        Other files are left alone."""
        if not os.path.exists(self._dir):
            return
        try:
            for shard in sorted(os.listdir(self._dir)):
                directory = os.path.join(self._dir, shard)
                if not os.path.isdir(directory):
                    continue
                for name in sorted(os.listdir(directory)):
                    if _NAME.fullmatch(name):
                        path = os.path.join(directory, name)
                        yield path, self.path(_hash_of(path) or "") == path
        except OSError as error:
            raise LedgerIOError(self._ledger, "read the blobs", error) from error


def _hash_of(path: str) -> Optional[str]:
    """SHA-256 of a file, in constant memory; ``None`` where there is none."""
    found = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while piece := file.read(1 << 16):
                found.update(piece)
    except FileNotFoundError:
        return None
    return found.hexdigest()
