"""Ledgers read record by record, each verified before it is given: hashes, chain, canonical form,
order, witnesses and models (SRS-004 section 13; formats.md section 6)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from ctypes import string_at
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from axilog._host_call import Path
from axilog._ledger_reader import LedgerReader, RecordKind
from axilog._notebook import make_list
from axilog.capi.constants import Q16_16_MIN
from axilog.capi.host import axh_record_t
from axilog.decision import Judgement, Transition
from axilog.enums import Completion, Health, InputClass, PolicyResult, Violation
from axilog.observation import Observation


class RawAnswer(NamedTuple):
    """A RAW record: which bytes an observation does not hold whole."""

    sha256: str
    """SHA-256 of the answer as it came, in hexadecimal."""
    size: int
    """How many bytes it has."""


@dataclass(frozen=True)
class Record:
    """A record of a ledger. Of the last four members that one is there which its kind has; the
    genesis and a seal have none."""

    kind: RecordKind
    """What the record is."""
    sequence: int
    """The position in the ledger; the genesis is 0."""
    ledger_seq: Optional[int]
    """The sequence of the observation that the record is or is about; ``None`` for the genesis and
    a seal."""
    time: Optional[int]
    """The last time that the ledger holds up to the record; ``None`` before the first."""
    offset: int
    """Where the record's line begins in the file, in bytes."""
    commit: str
    """The SHA-256 over tag, length and record, in hexadecimal."""
    chain: str
    """The chain value that includes the record, in hexadecimal."""
    payload: bytes
    """The canonical record."""
    observation: Optional[Observation] = None
    """What an oracle answered, or how it failed; the time; a control input."""
    judgement: Optional[Judgement] = None
    """What one policy said of the observation before."""
    transition: Optional[Transition] = None
    """What the observation before made of the agent."""
    raw_answer: Optional[RawAnswer] = None
    """The length and the hash of an answer that the observation before does not hold whole."""
    question: Optional[bytes] = None
    """Of an observation, where :func:`read` was asked for it: the canonical question."""
    answer: Optional[bytes] = None
    """Where :func:`read` was asked for it: the whole answer, of a raw answer as it came, and of an
    observation that holds its answer whole with normalised line ends."""

    def to_dict(self) -> dict[str, Any]:
        """The record as what :func:`json.dumps` takes; ``record`` is the payload."""
        return {
            "kind": self.kind.name,
            "sequence": self.sequence,
            "ledger_seq": self.ledger_seq,
            "time": self.time,
            "offset": self.offset,
            "commit": self.commit,
            "chain": self.chain,
            "record": json.loads(self.payload),
            "question": None if self.question is None else self.question.decode(),
            "answer": None if self.answer is None else self.answer.decode(errors="replace"),
        }

    def _repr_html_(self) -> str:
        """What the record is and holds, as notebooks show it."""
        caption = f"{self.kind.name} {self.sequence}"
        names = ("ledger_seq", "time", "payload", "question", "answer", "chain")
        return make_list(caption, [(name, getattr(self, name)) for name in names])


class Reader(Iterator[Record], AbstractContextManager["Reader"]):
    """The records of a ledger, from :func:`read`. It takes no lock: a program may be writing the
    ledger meanwhile, and a new loop over the reader then gives what was recorded since the last one
    ended. Leaving its ``with`` block closes it."""

    def __init__(self, reader: LedgerReader, questions: bool, answers: bool) -> None:
        self._reader = reader
        self._questions = questions
        self._answers = answers

    def __next__(self) -> Record:
        while True:
            record = self._reader.read_record(self._make_record)
            if record is None:
                raise StopIteration
            # The library knows raw answers and seals by one tag.
            if record.kind in self._reader.kinds:
                return record

    @property
    def entries(self) -> int:
        """How many records were read and verified, those that were left out among them."""
        return int(self._reader.get_state().entries)

    @property
    def head(self) -> Optional[str]:
        """The chain value of the last of them, in hexadecimal; ``None`` before the first."""
        state = self._reader.get_state()
        return bytes(state.head).hex() if state.entries else None

    @property
    def sealed(self) -> bool:
        """Whether the last of them is a seal."""
        return bool(self._reader.get_state().sealed)

    def close(self) -> None:
        """Closes the file. Closing twice does nothing; reading on raises AxilogError."""
        self._reader.close()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<axilog.Reader of {self._reader.path!r}>"

    def _repr_html_(self) -> str:
        """How far the reader has come, as notebooks show it. No record is read for it."""
        caption = f"Reader of {self._reader.path}"
        if self._reader.closed:
            return make_list(caption, [("closed", True)])
        state = (("entries", self.entries), ("head", self.head), ("sealed", self.sealed))
        return make_list(caption, state)

    def _make_record(self, found: axh_record_t) -> Record:
        kind = RecordKind(found.kind)
        about_observation = kind not in (RecordKind.GENESIS, RecordKind.SEAL)
        payload = string_at(found.bytes, found.bytes_len)
        observation = Observation.parse(payload) if kind is RecordKind.OBSERVATION else None
        return Record(
            kind,
            found.sequence,
            found.ledger_seq if about_observation else None,
            found.time or None,
            found.offset,
            bytes(found.commit).hex(),
            bytes(found.chain).hex(),
            payload,
            observation,
            _make_judgement(found) if kind is RecordKind.POLICY else None,
            _make_transition(found) if kind is RecordKind.TRANSITION else None,
            _make_raw_answer(found) if kind is RecordKind.RAW_ANSWER else None,
            self._reader.read_question() if self._questions and observation else None,
            self._read_answer(kind, observation),
        )

    def _read_answer(self, kind: RecordKind, observation: Optional[Observation]) -> Optional[bytes]:
        wanted = self._answers and _leads_to_answer(kind, observation)
        return self._reader.read_raw_answer() if wanted else None


def read(
    path: Path,
    *,
    oracle_id: Optional[str] = None,
    first: int = 0,
    count: Optional[int] = None,
    kinds: Optional[Iterable[RecordKind]] = None,
    questions: bool = False,
    answers: bool = False,
) -> Reader:
    """Reads a ledger record by record. Every record is verified before it is given, and so are
    those before it and those that are left out.

    Args:
        path: The ledger file.
        oracle_id: Give the answers of this oracle alone, and the records after each.
        first: The sequence of the first record to give.
        count: After how many records from there, left out or not, nothing is read.
        kinds: The kinds of the records to give; absent, all.
        questions: Whether each observation has its question, which is read from its blob.
        answers: Whether each record has the whole answer that it leads to.

    Returns:
        The reader, which iterates over the records.

    Raises:
        LedgerMissingError, LedgerIOError, LedgerError for a path that is no regular file, and
        ValueError for an argument out of range. The reader raises BadRecordError at the first
        record that is bad, with the verdict and the place that :func:`verify` gives, and where a
        blob that was asked for is missing or altered.
    """
    reader = LedgerReader(path, oracle_id, first, count, kinds)
    return Reader(reader, questions, answers)


def _leads_to_answer(kind: RecordKind, observation: Optional[Observation]) -> bool:
    """Whether a record leads to a whole answer."""
    if observation is None:
        return kind is RecordKind.RAW_ANSWER
    whole = len(observation.output.encode()) == observation.output_size
    return whole and observation.completion is not Completion.ERROR


def _make_judgement(found: axh_record_t) -> Judgement:
    return Judgement(
        found.policy_id.decode(),
        PolicyResult(found.breached),
        None if found.actual == Q16_16_MIN else found.actual,
        found.threshold,
        found.ledger_seq,
    )


def _make_transition(found: axh_record_t) -> Transition:
    violation = Violation(found.violation)
    return Transition(
        "UNKNOWN" if found.input_class < 0 else InputClass(found.input_class).name,
        Health(found.prev_state),
        Health(found.next_state),
        None if violation is Violation.NONE else violation.name,
        found.fault_count,
        found.ledger_seq,
    )


def _make_raw_answer(found: axh_record_t) -> RawAnswer:
    return RawAnswer(bytes(found.content_hash).hex(), found.output_size)
