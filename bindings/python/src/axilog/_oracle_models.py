"""The models of the oracles beyond those that the library compares in its fixed memory.

SRS-004 section 7.2 (SHALL-008): one oracle has one model in a ledger. The library says from which
record on it lost track, and this table takes over there.
"""

from __future__ import annotations

import hashlib
from typing import Optional

MAX_FURTHER_ORACLES = 1 << 18
"""The most oracles that are compared beyond the library's. A ledger with more is refused, because
nobody could say that none of them changed its model."""


class OracleModels:
    """The model of each further oracle. Both are kept as half a SHA-256: nobody finds two ids with
    the same 128 bits, by chance or by search."""

    def __init__(self) -> None:
        self._models: dict[bytes, bytes] = {}

    def find_mismatch(self, oracle_id: str, model_id: str) -> Optional[str]:
        """Compares the model with the one that the oracle had before. Returns the reason why it is
        refused; ``None`` where it is the same, or the oracle is new."""
        oracle, model = _fingerprint(oracle_id), _fingerprint(model_id)
        if oracle not in self._models and len(self._models) >= MAX_FURTHER_ORACLES:
            return (
                f"the ledger has more than {MAX_FURTHER_ORACLES} oracles, the most whose models "
                "can be compared"
            )
        if self._models.setdefault(oracle, model) != model:
            return "its oracle has another model elsewhere in this ledger"
        return None


def _fingerprint(identity: str) -> bytes:
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).digest()[:16]
