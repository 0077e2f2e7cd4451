"""The C functions, structs and constants of ``include/axilog/``, through ctypes, and in ``host``
those of ``axilog/host.h`` that the package calls.

Each has its C name: functions on :data:`lib` with ``argtypes`` and ``restype``, the others in the
modules ``structs``, ``constants`` and ``inlines``. Only types are checked: lengths, lifetimes and
NULL are the caller's task, as in C. The package ``axilog`` is built on this module; use it directly
for what the package does not offer.

A ``const char *`` or ``const uint8_t *`` argument takes ``bytes``; an argument that is written to
takes an array from :func:`ctypes.create_string_buffer`.
"""

from axilog.capi import constants, host, inlines, structs
from axilog.capi.library import ABI_VERSION, LibraryError, golden_genesis_hash, lib, library_path

__all__ = [
    "ABI_VERSION",
    "LibraryError",
    "constants",
    "golden_genesis_hash",
    "host",
    "inlines",
    "lib",
    "library_path",
    "structs",
]
