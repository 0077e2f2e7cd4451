"""The C surface as it stands in ``include/axilog/``, through ctypes.

Everything the headers declare is here under its own name: functions on :data:`lib` with
``argtypes`` and ``restype``, structs, constants. Nothing is added and nothing is checked beyond
types: lengths, lifetimes and NULLs are the caller's, as in C. Programs want the package
``axilog`` itself; this is what it stands on, and what is left for what it does not offer.

A ``const char *`` or ``const uint8_t *`` argument takes ``bytes``, whatever is in them; one that
is written to takes an array from :func:`ctypes.create_string_buffer`.
"""

from axilog.capi import constants, inlines, structs
from axilog.capi.library import ABI_VERSION, LibraryError, golden_genesis_hash, lib, library_path

__all__ = [
    "ABI_VERSION",
    "LibraryError",
    "constants",
    "golden_genesis_hash",
    "inlines",
    "lib",
    "library_path",
    "structs",
]
