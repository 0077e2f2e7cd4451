"""Whether an observation is an answer that may be acted on, and so may feed a question (SRS-004
section 11.2, SHALL-014; decision D32)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from axilog._oracle_call import RESERVED_IDS
from axilog.capi.constants import AX_TAG_OBS, AX_TAG_POLICY, AX_TAG_TRANS

_OBS, _TRANS = AX_TAG_OBS.decode(), AX_TAG_TRANS.decode()
_POLICY = AX_TAG_POLICY.decode()

NO_ANSWER = "it is the time or a control input, and no answer"
UNJUDGED = "no policy judged it, and one is required"


class Standing(NamedTuple):
    """What a ledger decided on an observation."""

    ledger_seq: int
    """The observation's sequence."""
    refusal: Optional[str]
    """Why it may not be acted on, as the end of a sentence about it; ``None`` where it may."""
    is_judged: bool = False
    """Whether any policy judged it."""

    @property
    def is_answer(self) -> bool:
        """Whether it is an oracle's answer, and neither the time nor a control input."""
        return self.refusal != NO_ANSWER


class StandingReader:
    """Reads the standing of each observation from the records of a ledger, in their order."""

    def __init__(self) -> None:
        # The last observation, where it is an answer on which nothing was decided yet.
        self._last: Optional[tuple[str, int]] = None
        self._is_judged = False

    def take(self, tag: str, record: Mapping[str, Any]) -> Optional[tuple[str, Standing]]:
        """Takes the next record. Gives the ``obs_hash`` and the standing of the observation of
        which it says something: an observation itself, and the same one again with the transition
        behind it."""
        if tag == _OBS:
            self._is_judged = False
            obs_hash, ledger_seq = str(record["obs_hash"]), int(record["ledger_seq"])
            if record["oracle_id"] in RESERVED_IDS:
                self._last = None
                return obs_hash, Standing(ledger_seq, NO_ANSWER)
            self._last = obs_hash, ledger_seq
            return obs_hash, Standing(ledger_seq, "no decision was made on it")
        if tag == _POLICY:
            self._is_judged = True
        if tag != _TRANS or self._last is None:
            return None
        (obs_hash, ledger_seq), self._last = self._last, None
        return obs_hash, Standing(ledger_seq, _find_refusal(record), self._is_judged)

    def take_payload(self, tag: str, payload: bytes) -> Optional[tuple[str, Standing]]:
        """Takes the next record, as :meth:`take` does, from its bytes."""
        if tag == _POLICY:
            # Of a policy's record only that it is there is read.
            return self.take(tag, {})
        return self.take(tag, json.loads(payload)) if tag in (_OBS, _TRANS) else None


def _find_refusal(transition: Mapping[str, Any]) -> Optional[str]:
    if transition["violation"] is not None:
        return "it is a breach"
    state = transition["next_state"]
    return (
        None if state == "ENABLED" else f"it was permitted, and the agent was in {state} behind it"
    )
