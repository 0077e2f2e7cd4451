"""The blobs beside a ledger: the files of what its records name by SHA-256 only, which are inputs,
configurations and the raw bytes of inadmissible answers.

formats.md section 6, Blobs: the path is ``LEDGER.blobs/<first two hex digits>/<sha256>``. A blob is
written under another name, synced and renamed, so that a crash never leaves a part of one under its
hash. The empty string has no blob. A blob is a regular file, and what else has its name is neither
read nor waited for; blobs are written into directories, and into none that a link leads to.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import stat
from collections.abc import Container
from typing import Optional

from axilog._ledger_file import fill_file, sync_directory
from axilog._regular_file import create_temporary, open_for_reading
from axilog.errors import LedgerIOError

EMPTY_HASH = hashlib.sha256(b"").hexdigest()
_HASH = re.compile(r"[0-9a-f]{64}")
# The errors of a path that leads to no file: something else stands in the place of a directory on
# the way, or a circle of links.
_LEADS_NOWHERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


class BlobStore:
    """The blobs of the ledger at the path ``ledger``. Their directory may be absent: the first
    :meth:`put` makes it."""

    def __init__(self, ledger: str) -> None:
        self.ledger = ledger
        """The path of the ledger."""
        # Absolute, so that it means the same when the process changes its working directory.
        self._directory = os.path.abspath(ledger + ".blobs")

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
            for directory in (self._directory, os.path.dirname(path)):
                _make_directory(directory)
            if not _has_hash(path, digest):
                self._write(path, data)
        except OSError as error:
            raise LedgerIOError.of_action(self.ledger, f"write the blob {path}", error) from error

    def _write(self, path: str, data: bytes) -> None:
        temporary, file = create_temporary(path)
        try:
            fill_file(file, data)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        # Every directory on the way may be new, so each of their names must become durable.
        shard = os.path.dirname(path)
        for directory in (shard, self._directory, os.path.dirname(self._directory)):
            sync_directory(directory)

    def get(self, digest: str, limit: int) -> Optional[bytes]:
        """Reads the blob with this hash, or ``None`` where there is no such blob. The caller checks
        the hash: the bytes may be altered, and a blob longer than ``limit`` is cut off there. What
        has a blob's name and is no regular file has no bytes, which is no blob's content. Raises
        LedgerIOError."""
        path = self.path(digest)
        try:
            with io.BufferedReader(open_for_reading(path)) as file:
                # A buffer of the limit's length is made at once, whatever the file's length is.
                length = os.fstat(file.fileno()).st_size
                return file.read(min(limit, length))
        except OSError as error:
            if error.errno == errno.EINVAL:
                return b""
            if error.errno in _LEADS_NOWHERE:
                return None
            raise LedgerIOError.of_action(self.ledger, f"read the blob {path}", error) from error

    def contains(self, digest: str) -> bool:
        """Whether there is a file for this hash. Its bytes are not read."""
        if digest == EMPTY_HASH:
            return True
        try:
            return stat.S_ISREG(os.lstat(self.path(digest)).st_mode)
        except OSError:
            return False

    def list_files(self) -> list[tuple[str, Optional[str]]]:
        """Lists the files among the blobs, each with the hash that it should have; one that is not
        named or not placed like a blob has ``None``. What vanishes meanwhile is left out: a writer
        may move files aside. Raises LedgerIOError."""
        files: list[tuple[str, Optional[str]]] = []
        try:
            for shard in _list_directory(self._directory):
                if not _is_directory(shard):
                    files.append((shard, None))
                    continue
                for path in _list_directory(shard):
                    name = os.path.basename(path)
                    is_blob = _HASH.fullmatch(name) and self.path(name) == path
                    files.append((path, name if is_blob else None))
        except OSError as error:
            raise LedgerIOError.of_action(self.ledger, "list the blobs", error) from error
        return files

    def list_unnamed_files(self, named: Container[str]) -> list[tuple[str, Optional[str]]]:
        """Lists, as :meth:`list_files` does, the files that are not among ``named``, and the
        directories that stand in the place of blobs. Blobs in what a link leads to are left out.
        Raises LedgerIOError."""
        if not _is_directory(self._directory):
            return []
        files = self.list_files()
        return [
            (path, digest)
            for path, digest in files
            if (digest not in named or _is_directory(path))
            and not (digest is None and _leads_to_directory(path))
        ]

    def move_aside(self, files: list[tuple[str, Optional[str]]]) -> str:
        """Moves files out of the blobs, durably, to ``LEDGER.left-behind``, and returns its path. A
        name that is taken there gets a number behind it. Raises LedgerIOError."""
        aside = f"{self.ledger}.left-behind"
        try:
            _make_directory(aside)
            for path, _ in files:
                target = plain = os.path.join(aside, os.path.basename(path))
                number = 2
                while os.path.lexists(target):
                    target = f"{plain}.{number}"
                    number += 1
                os.rename(path, target)
            # The new names are durable before the old ones are gone for good.
            sync_directory(aside)
            sync_directory(os.path.dirname(aside))
            for directory in {os.path.dirname(path) for path, _ in files}:
                sync_directory(directory)
        except OSError as error:
            action = f"move what was left behind to {aside}"
            raise LedgerIOError.of_action(self.ledger, action, error) from error
        return aside


def _is_directory(path: str) -> bool:
    """Whether ``path`` is a directory itself, and no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _leads_to_directory(path: str) -> bool:
    return os.path.islink(path) and os.path.isdir(path)


def _list_directory(path: str) -> list[str]:
    """The paths in a directory, sorted; none where there is no directory."""
    try:
        names = os.listdir(path)
    except OSError as error:
        if error.errno in _LEADS_NOWHERE:
            return []
        raise
    return [os.path.join(path, name) for name in sorted(names, key=os.fsencode)]


def _make_directory(path: str) -> None:
    """Makes a directory where there is none. Raises OSError, also for a link to one."""
    try:
        os.mkdir(path)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            reason = (
                f"{path} is a link or a file, expected a directory; move it away, and what it "
                "holds into a directory"
            )
            raise NotADirectoryError(errno.ENOTDIR, reason) from None


def _has_hash(path: str, expected: str) -> bool:
    """Whether a regular file with this SHA-256, in hexadecimal, is at ``path``. Needs constant
    memory. Raises OSError."""
    digest = hashlib.sha256()
    try:
        with open_for_reading(path) as file:
            while chunk := file.read(1 << 16):
                digest.update(chunk)
    except OSError as error:
        if error.errno == errno.EINVAL or error.errno in _LEADS_NOWHERE:
            return False
        raise
    return digest.hexdigest() == expected
