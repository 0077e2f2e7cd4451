"""The blobs beside a ledger: the files of what its records name by SHA-256 only, which are inputs,
configurations and the raw bytes of inadmissible answers.

formats.md section 6, Blobs: the path is ``LEDGER.blobs/<first two hex digits>/<sha256>``. A blob is
written under another name, synced and renamed, so that a crash never leaves a part of one under its
hash. The empty string has no blob.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from typing import Optional

from axilog._ledger_file import sync_directory
from axilog.errors import LedgerIOError

EMPTY_HASH = hashlib.sha256(b"").hexdigest()
_HASH = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """The blobs of the ledger at the path ``ledger``. Their directory may be absent: the first
    :meth:`put` makes it."""

    def __init__(self, ledger: str) -> None:
        self._ledger = ledger
        self._directory = ledger + ".blobs"

    def path(self, digest: str) -> str:
        """The path that the blob with this hash has, be there one or not."""
        return os.path.join(self._directory, digest[:2], digest)

    def put(self, data: bytes) -> None:
        """Writes ``data`` as a blob, which is on disk when this returns. A blob that is already
        there stays, unless its bytes are altered. Raises LedgerIOError."""
        digest = hashlib.sha256(data).hexdigest()
        if not data:
            return
        path = self.path(digest)
        try:
            if _hash_file(path) != digest:
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
        # Every directory on the way may be new, so each of their names must become durable.
        for directory in (shard, self._directory, os.path.dirname(self._directory)):
            sync_directory(directory)

    def get(self, digest: str, limit: int) -> Optional[bytes]:
        """Reads the blob with this hash, or ``None`` where there is no such blob. The caller checks
        the hash: the bytes may be altered, and a blob longer than ``limit`` is cut off there.
        Raises LedgerIOError."""
        path = self.path(digest)
        try:
            with open(path, "rb") as file:
                return file.read(limit)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise LedgerIOError(self._ledger, f"read the blob {path}", error) from error

    def contains(self, digest: str) -> bool:
        """Whether there is a file for this hash. Its bytes are not read."""
        return digest == EMPTY_HASH or os.path.isfile(self.path(digest))

    def recompute_hashes(self) -> Iterator[tuple[str, bool]]:
        """Hashes every blob and yields its path, and whether the hash is the one in its name. Files
        with other names are skipped. Raises LedgerIOError."""
        if not os.path.exists(self._directory):
            return
        try:
            for shard in sorted(os.listdir(self._directory)):
                directory = os.path.join(self._directory, shard)
                if not os.path.isdir(directory):
                    continue
                for name in sorted(os.listdir(directory)):
                    if _HASH.fullmatch(name):
                        path = os.path.join(directory, name)
                        yield path, self.path(_hash_file(path) or "") == path
        except OSError as error:
            raise LedgerIOError(self._ledger, "read the blobs", error) from error


def _hash_file(path: str) -> Optional[str]:
    """SHA-256 of a file in hexadecimal, in constant memory; ``None`` where there is no file."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while chunk := file.read(1 << 16):
                digest.update(chunk)
    except FileNotFoundError:
        return None
    return digest.hexdigest()
