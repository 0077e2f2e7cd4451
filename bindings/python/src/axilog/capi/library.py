"""Finds and loads the shared library ``libaxilog_host``, which has the functions of ``libaxilog``
too, and checks its version."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from axilog.capi import functions, host

ABI_VERSION = (0, 2)
"""The version of the C interface that this package was written for, major and minor. It needs a
library with the same major and at least this minor version."""

LIBRARY_VARIABLE = "AXILOG_LIBRARY"


class LibraryError(ImportError):
    """The shared library is missing, cannot be loaded, or has another version."""


def file_name() -> str:
    """The file name of the shared library on this system."""
    names = {"darwin": "libaxilog_host.dylib", "win32": "axilog_host.dll"}
    return names.get(sys.platform, "libaxilog_host.so")


def library_path() -> Path:
    """The path of the library: what the environment variable ``AXILOG_LIBRARY`` names, or else the
    file that the wheel put into this package."""
    named = os.environ.get(LIBRARY_VARIABLE)
    return Path(named) if named else Path(__file__).parent.parent / file_name()


def _load(path: Path) -> ctypes.CDLL:
    origin = f", which {LIBRARY_VARIABLE} names" if os.environ.get(LIBRARY_VARIABLE) else ""
    if not path.is_file():
        remedy = (
            f"correct {LIBRARY_VARIABLE}, or unset it to use the library of the installed package"
            if origin
            else "install the package (`pip install ./bindings/python` in a checkout of axilog, "
            f"which builds it with cargo), or name the library in {LIBRARY_VARIABLE}"
        )
        raise LibraryError(f"axilog: there is no file {path}{origin}; {remedy}")
    try:
        # The path is absolute, so that the loader searches no other directories.
        library = ctypes.CDLL(str(path.resolve()))
    except OSError as error:
        raise LibraryError(f"axilog: cannot load {path}{origin}: {error}") from error
    _check_version(library, path, origin)
    try:
        functions.set_prototypes(library)
        host.set_prototypes(library)
    except AttributeError as error:
        raise LibraryError(
            f"axilog: {path}{origin} lacks a function of libaxilog_host: {error}; build it with "
            "`cargo build --release -p axilog-host`"
        ) from error
    return library


def _check_version(library: ctypes.CDLL, path: Path, origin: str) -> None:
    try:
        ax_abi_version = library.ax_abi_version
    except AttributeError as error:
        raise LibraryError(
            f"axilog: {path}{origin} is not libaxilog_host: it has no function ax_abi_version"
        ) from error
    ax_abi_version.restype = ctypes.c_uint32
    ax_abi_version.argtypes = []
    number = int(ax_abi_version())
    found = (number >> 16, number & 0xFFFF)
    if found[0] != ABI_VERSION[0] or found[1] < ABI_VERSION[1]:
        wanted = "{}.{}".format(*ABI_VERSION)
        raise LibraryError(
            f"axilog: {path}{origin} has version {found[0]}.{found[1]} of the C interface, and "
            f"this package needs {wanted} (or a later minor version); use the library that was "
            "built with this package"
        )


lib: ctypes.CDLL = _load(library_path())
"""The library; its functions have their C names and types. Calls release the GIL."""


def golden_genesis_hash() -> bytes:
    """Reads ``AX_GOLDEN_GENESIS_HASH``, the chain value of every ledger's genesis."""
    return bytes((ctypes.c_uint8 * 32).in_dll(lib, "AX_GOLDEN_GENESIS_HASH"))
