"""The raw answers of a ledger, admitted again and compared with the observations that do not hold
them (formats.md section 3, Admission; section 6, Raw answers)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Optional

from axilog._admission import (
    COMPARED_BYTES,
    AnswerFit,
    AnswerText,
    Fit,
    compare_answer,
)
from axilog._blobs import EMPTY_HASH, BlobStore
from axilog._named_blobs import RawAnswer, lacks_answer, read_raw_answer
from axilog.entry import Entry
from axilog.errors import InputError
from axilog.inputs import canonical_input
from axilog.observation import Observation

_MAX_NAMED = 20


class RawAnswerComparison:
    """The comparison of raw answers with their observations, in progress. Each answer is read whole
    once, however many observations it has. Memory grows with the number of distinct answers."""

    def __init__(self, store: BlobStore, limit: int) -> None:
        self.too_long = 0
        """How many answers are longer than what is read."""
        self.faults = 0
        """How many answers are not recorded as admission makes them."""
        self.named: list[str] = []
        """The first of them, in words."""
        self._store = store
        # The most bytes of a blob that are read.
        self._limit = limit
        # The last record, if it is an observation that lacks its answer.
        self._unheld: Optional[Observation] = None
        # The answers that were read; None for one whose blob is missing, damaged or too long.
        self._texts: dict[str, Optional[AnswerText]] = {}
        # The questions of refused answers, and whether each is there and admissible.
        self._questions: dict[str, bool] = {}

    def take_record(
        self, entry: Entry, observation: Optional[Observation], may_refuse: Callable[[str], bool]
    ) -> None:
        """Takes the next good record of the ledger. ``may_refuse`` says of an oracle whether a
        schema may be why an admissible answer of it was refused. Raises LedgerIOError."""
        unheld, self._unheld = self._unheld, None
        if observation is not None:
            self._unheld = observation if lacks_answer(observation) else None
            return
        raw = None if unheld is None else read_raw_answer(entry)
        if unheld is None or raw is None:
            return
        text = self._check_text(raw.sha256)
        if text is None:
            self.too_long += int(raw.bytes > self._limit)
            return
        fit, reason = self._compare(unheld, raw, text)
        if fit is Fit.RECORDED:
            return
        if fit is Fit.ADMISSIBLE:
            if may_refuse(unheld.oracle_id) or not self._has_good_question(unheld):
                return
            reason = (
                "it is admissible, and is recorded as INVALID_OUTPUT without a schema that it "
                "could violate"
            )
        self.faults += 1
        if len(self.named) < _MAX_NAMED:
            self.named.append(f"the raw answer of observation {unheld.ledger_seq}: {reason}")

    def _check_text(self, digest: str) -> Optional[AnswerText]:
        """Reads an answer whole, unless it was read before."""
        if digest not in self._texts:
            answer = self._read(digest, self._limit)
            is_whole = answer is not None and hashlib.sha256(answer).hexdigest() == digest
            self._texts[digest] = AnswerText.of(answer) if answer is not None and is_whole else None
        return self._texts[digest]

    def _compare(self, observation: Observation, raw: RawAnswer, text: AnswerText) -> AnswerFit:
        if text.raw_bytes != raw.bytes:
            reason = f"it has {text.raw_bytes} bytes, and its RAW record says {raw.bytes}"
            return AnswerFit(Fit.DIFFERS, reason)
        beginning = self._read(raw.sha256, COMPARED_BYTES) or b""
        return compare_answer(observation, text, beginning)

    def _has_good_question(self, observation: Observation) -> bool:
        """Whether the question was admissible, so that only the answer can be why it was refused. A
        question that cannot be read is a matter of another check."""
        digest = observation.input_hash
        if digest not in self._questions:
            question = self._read(digest, self._limit) or b""
            try:
                found = hashlib.sha256(canonical_input(question)).hexdigest()
            except InputError:
                found = ""
            self._questions[digest] = found == digest
        return self._questions[digest]

    def _read(self, digest: str, limit: int) -> Optional[bytes]:
        return b"" if digest == EMPTY_HASH else self._store.get(digest, limit)
