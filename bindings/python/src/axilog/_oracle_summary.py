"""The oracles of a ledger: with which model each answered, and whether any policy judged it.

SRS-004 section 7.2 (SHALL-008); formats.md section 4: an oracle that no policy covers is permitted
by nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from axilog._oracle_call import RESERVED_IDS
from axilog.capi.constants import AX_TAG_POLICY, AX_TAG_TRANS
from axilog.entry import Entry
from axilog.observation import Observation

_POLICY, _TRANS = AX_TAG_POLICY.decode(), AX_TAG_TRANS.decode()
_VIOLATES_NOTHING = b'"violation":null'


@dataclass
class OracleSummary:
    """What a ledger says about an oracle."""

    model_id: str
    """Its model."""
    unjudged_answers: int = 0
    """How many answers a decision permitted without any policy."""


class Oracles:
    """The oracles of a ledger, by id. Memory grows with their number."""

    def __init__(self) -> None:
        self._known: dict[str, OracleSummary] = {}
        # The oracle of the last observation, if that was an answer that no policy judged.
        self._unjudged: Optional[OracleSummary] = None

    def take_record(self, entry: Entry, observation: Optional[Observation]) -> None:
        """Takes the next good record of the ledger."""
        if entry.tag == _POLICY:
            self._unjudged = None
        if entry.tag == _TRANS:
            if self._unjudged is not None and _VIOLATES_NOTHING in entry.payload:
                self._unjudged.unjudged_answers += 1
            self._unjudged = None
        if observation is None:
            return
        self._unjudged = None
        if observation.oracle_id in RESERVED_IDS:
            return
        oracle = self._known.setdefault(observation.oracle_id, OracleSummary(observation.model_id))
        self._unjudged = oracle

    def by_id(self) -> dict[str, OracleSummary]:
        """The oracles in the byte order of their ids."""
        ids = sorted(self._known, key=lambda text: text.encode("utf-8", "surrogatepass"))
        return {oracle_id: self._known[oracle_id] for oracle_id in ids}
