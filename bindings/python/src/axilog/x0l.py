"""The canonicalizer of the live harness X-0L (binding answers Q56 to Q59): the one JSON object in
the text of a language model, and its canonical form, by the code that judges X-0L's own sessions.

:func:`axilog.canonical_json` is something else: it writes a value as canonical JSON, and reads no
text."""

from __future__ import annotations

import json
from ctypes import byref, c_void_p
from typing import Any, NamedTuple, Optional

from axilog._host_call import take_string
from axilog.canonical import canonical_json
from axilog.capi import lib
from axilog.capi.host import AXH_NOT_OK, AXH_OK

__all__ = ["Canonicalized", "canonicalize"]


class Canonicalized(NamedTuple):
    """A text, canonicalized.

    Attributes:
        status: ``OK``; ``PARSE_ERROR`` where a part of the text carries structure and is not valid
            JSON, whatever else there is; ``AMBIGUOUS_MULTI_BLOCK`` where the text holds more than
            one object; ``NO_JSON`` where it holds none.
        raw_hash: SHA-256 of the text as it came, in hexadecimal.
        block: The object exactly as it stands in the text; ``None`` unless the status is ``OK``,
            like the members after it.
        canonical: Its canonical form (RFC 8785).
        canonicalized_hash: SHA-256 of the canonical form, in hexadecimal.
    """

    status: str
    raw_hash: str
    block: Optional[str]
    canonical: Optional[str]
    canonicalized_hash: Optional[str]

    def load(self) -> Any:
        """The object as a dict of Python's.

        Raises:
            ValueError where the status is not ``OK``.
        """
        if self.canonical is None:
            raise ValueError(f"the text holds no one JSON object: {self.status}")
        return json.loads(self.canonical)


def canonicalize(text: str) -> Canonicalized:
    """Canonicalizes the text of a language model. Other threads run meanwhile.

    Args:
        text: The text as the model gave it, prose and fences around the object included; at most
            64 MiB of UTF-8.

    Returns:
        What was found; an error of the text is a status, and no exception.

    Raises:
        ValueError for a text that is longer, or has a lone surrogate.
    """
    given, report = text.encode(), c_void_p()
    status = lib.axh_canonicalize(given, len(given), byref(report))
    if status not in (AXH_OK, AXH_NOT_OK):
        raise ValueError(lib.axh_last_error().decode())
    found = json.loads(take_string(report))
    return Canonicalized(
        found["status"],
        found["raw_hash"],
        found.get("block"),
        canonical_json(found["json"]).decode() if "json" in found else None,
        found.get("canonicalized_hash"),
    )
