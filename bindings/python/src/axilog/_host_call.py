"""What every call of ``axilog/host.h`` needs: paths, texts that the library gives, and errors."""

from __future__ import annotations

import errno
import os
from ctypes import c_void_p, string_at
from typing import Union

from axilog.capi import host, lib
from axilog.errors import (
    AxilogError,
    ConfigurationError,
    IdentityError,
    InputError,
    LedgerBusyError,
    LedgerDamagedError,
    LedgerDisplacedError,
    LedgerError,
    LedgerExistsError,
    LedgerIOError,
    LedgerMissingError,
    LedgerSealedError,
    ModelError,
    NotEnabledError,
    OracleRefusedError,
    PolicyError,
    SchemaError,
    StoppedError,
    TimeRollbackError,
)

Path = Union[str, "os.PathLike[str]"]

_CALL_ERRORS: dict[int, type[AxilogError]] = {
    host.AXH_REASON_QUESTION: InputError,
    host.AXH_REASON_SOURCE: InputError,
    host.AXH_REASON_SCHEMA: InputError,
    host.AXH_REASON_IDENTITY: IdentityError,
    host.AXH_REASON_MODEL: ModelError,
    host.AXH_REASON_ORACLE: OracleRefusedError,
    host.AXH_REASON_TIME: TimeRollbackError,
    host.AXH_REASON_POLICIES: PolicyError,
    host.AXH_REASON_STATE: NotEnabledError,
}
_LEDGER_ERRORS: dict[int, type[LedgerError]] = {
    host.AXH_REASON_SEALED: LedgerSealedError,
    host.AXH_REASON_BINDING: ConfigurationError,
    host.AXH_REASON_CONFIGURATION: ConfigurationError,
    host.AXH_REASON_DECLARATIONS: SchemaError,
    host.AXH_REASON_DISPLACED: LedgerDisplacedError,
    host.AXH_REASON_FAILED: StoppedError,
}
_STATUS_ERRORS: dict[int, type[LedgerError]] = {
    host.AXH_ERR_HANDLE: LedgerError,
    host.AXH_ERR_FORKED: LedgerError,
    host.AXH_ERR_EXISTS: LedgerExistsError,
    host.AXH_ERR_LOCKED: LedgerBusyError,
}


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


def make_error(
    status: int, path: str, damaged: type[LedgerError] = LedgerDamagedError
) -> Exception:
    """The exception for what the last call on this thread returned; ``damaged`` for a ledger with a
    defect."""
    text, reason = lib.axh_last_error().decode(), lib.axh_last_reason()
    if reason in _CALL_ERRORS:
        return _CALL_ERRORS[reason](text)
    if status == host.AXH_ERR_ARGUMENT:
        return ValueError(text)
    # The library's sentence begins with the path, and so do those of these exceptions.
    text = text.removeprefix(f"{path}: ")
    number = lib.axh_last_os_error()
    if number == errno.ENOENT:
        return LedgerMissingError(path, text)
    if number:
        return LedgerIOError(path, text, number)
    if reason in _LEDGER_ERRORS:
        return _LEDGER_ERRORS[reason](path, text)
    if status in _STATUS_ERRORS:
        return _STATUS_ERRORS[status](path, text)
    if status == host.AXH_ERR_LEDGER:
        return damaged(path, text)
    return LedgerError(path, text) if status == host.AXH_ERR_IO else AxilogError(text)
