"""What every call of ``axilog/host.h`` needs: paths, texts that the library gives, and errors."""

from __future__ import annotations

import errno
import os
from ctypes import c_void_p, string_at
from typing import Union

from axilog.capi import lib
from axilog.capi.host import AXH_ERR_ARGUMENT, AXH_ERR_IO, AXH_ERR_LEDGER
from axilog.errors import AxilogError, LedgerError, LedgerIOError, LedgerMissingError

Path = Union[str, "os.PathLike[str]"]


def encode_path(path: Path) -> bytes:
    """A path as C takes it. Raises ValueError for one with a NUL."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"found the path {os.fspath(path)!r}, expected one without NUL")
    return name


def take_string(text: c_void_p) -> bytes:
    """Copies a text that the library has given, and frees it there."""
    try:
        return string_at(text.value or 0)
    finally:
        lib.axh_string_free(text)


def make_error(status: int, path: str, of_ledger: type[LedgerError]) -> Exception:
    """The exception for what the last call on this thread returned. ``of_ledger`` says that the
    ledger cannot be used as it is."""
    reason = lib.axh_last_error().decode()
    if status == AXH_ERR_ARGUMENT:
        return ValueError(reason)
    # The library's sentence begins with the path, and so do those of these exceptions.
    reason = reason.removeprefix(f"{path}: ")
    if status == AXH_ERR_LEDGER:
        return of_ledger(path, reason)
    if status != AXH_ERR_IO:
        return AxilogError(reason)
    number = lib.axh_last_os_error()
    if number == errno.ENOENT:
        return LedgerMissingError(path, reason)
    return LedgerIOError(path, reason, number) if number else LedgerError(path, reason)
