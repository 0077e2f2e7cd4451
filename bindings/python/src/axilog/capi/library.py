"""The shared library: where it is, and whether it is one this package was written for."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from axilog.capi import functions

ABI_VERSION = (0, 1)
"""The version of the C surface that this package was written for. A library serves it with the
same major and at least this minor version."""

OVERRIDE = "AXILOG_LIBRARY"


class LibraryError(ImportError):
    """The shared library is not there, cannot be loaded, or is of another version."""


def file_name() -> str:
    """What the shared library is called on this system."""
    return {"darwin": "libaxilog.dylib", "win32": "axilog.dll"}.get(sys.platform, "libaxilog.so")


def library_path() -> Path:
    """The file that is loaded: the one that the environment variable ``AXILOG_LIBRARY`` names, or
    else the one that the wheel put beside this package."""
    override = os.environ.get(OVERRIDE)
    return Path(override) if override else Path(__file__).parent.parent / file_name()


def _load(path: Path) -> ctypes.CDLL:
    named = f", which {OVERRIDE} names" if os.environ.get(OVERRIDE) else ""
    if not path.is_file():
        remedy = (
            f"correct {OVERRIDE}, or unset it to use the library of the installed package"
            if named
            else "install the package (`pip install ./bindings/python` in a checkout of axilog, "
            f"which builds it with cargo), or name the library in {OVERRIDE}"
        )
        raise LibraryError(f"axilog: there is no file {path}{named}; {remedy}")
    try:
        # Resolved, so that no search path of the loader has a say in which file it is.
        library = ctypes.CDLL(str(path.resolve()))
    except OSError as error:
        raise LibraryError(f"axilog: cannot load {path}{named}: {error}") from error
    _check_version(library, path, named)
    try:
        functions.bind(library)
    except AttributeError as error:
        raise LibraryError(
            f"axilog: {path}{named} lacks a function of libaxilog: {error}"
        ) from error
    return library


def _check_version(library: ctypes.CDLL, path: Path, named: str) -> None:
    try:
        asked = library.ax_abi_version
    except AttributeError as error:
        raise LibraryError(
            f"axilog: {path}{named} is not libaxilog: it has no function ax_abi_version"
        ) from error
    asked.restype = ctypes.c_uint32
    asked.argtypes = []
    number = int(asked())
    found = (number >> 16, number & 0xFFFF)
    if found[0] != ABI_VERSION[0] or found[1] < ABI_VERSION[1]:
        wanted = "{}.{}".format(*ABI_VERSION)
        raise LibraryError(
            f"axilog: {path}{named} has version {found[0]}.{found[1]} of the C interface, and this "
            f"package needs {wanted} (or a later minor version); use the library that was built "
            f"with this package"
        )


lib: ctypes.CDLL = _load(library_path())
"""The library, every function with its types. Calls release the GIL."""


def golden_genesis_hash() -> bytes:
    """``AX_GOLDEN_GENESIS_HASH``: the chain value of every ledger's genesis."""
    return bytes((ctypes.c_uint8 * 32).in_dll(lib, "AX_GOLDEN_GENESIS_HASH"))
