"""The canonicalizer of the live harness X-0L (binding answers Q56 to Q59): the one JSON object in the text
of a language model, and its canonical form, by the code that judges X-0L's own sessions."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Optional

from axilog_harness import _native

__all__ = ["Canonicalized", "canonicalize"]


class Canonicalized(NamedTuple):
    """A text, canonicalized.

    Attributes:
        status: ``OK``; ``PARSE_ERROR`` where a part of the text carries structure and is not valid JSON, whatever
            else there is; ``AMBIGUOUS_MULTI_BLOCK`` where the text holds more than one object; ``NO_JSON`` where
            it holds none.
        raw_hash: SHA-256 of the text as it came, in hexadecimal.
        block: The object exactly as it stands in the text; ``None`` unless the status is ``OK``, like the
            members behind it.
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
        text: The text as the model gave it, prose and fences around the object included.

    Returns:
        What was found; an error of the text is a status, and no exception.
    """
    return Canonicalized(*_native.canonicalize(text))
