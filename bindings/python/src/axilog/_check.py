"""Streaming verification and replay of a ledger file: one line in memory at a time.

formats.md section 6 (Verification verdicts, Replay). Every verdict is the library's; this module
adds what only a reader of files can see, torn and over-long lines, and says where.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Optional

from axilog.capi import lib
from axilog.capi.constants import AX_TAG_OBS, AX_TAG_PROOF
from axilog.capi.structs import (
    ax_agent_ctx_t,
    ax_ledger_entry_t,
    ax_replay_ctx_t,
    ct_fault_flags_t,
)
from axilog.configuration import Configuration
from axilog.entry import MAX_LINE_BYTES, Entry
from axilog.enums import Profile, ReturnCode, Verdict
from axilog.errors import CallError, Fault
from axilog.faults import Faults
from axilog.observation import Observation


@dataclass(frozen=True)
class Expected:
    """What the caller knows about the ledger from elsewhere. An unkeyed chain cannot say it itself:
    whoever can write the file can write it anew, or cut its end off."""

    entries: Optional[int] = None
    """How many records it has, genesis included, a seal not counted."""
    head: Optional[bytes] = None
    """The chain value of its last record, a seal counted or not."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Which model an oracle has, by id."""


See = Callable[[Entry, int, Optional[Observation]], None]
"""Sees every record that is good, in order: the record, the offset of its line, and what it says
where it is an observation."""


def lines(source: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a ledger with their offsets, each at most ``MAX_LINE_BYTES`` long. One without
    its line feed is torn if it is shorter than that, and else too long; nothing useful follows."""
    offset = 0
    while line := source.readline(MAX_LINE_BYTES):
        yield offset, line
        offset += len(line)


class Check:
    """A verification, or with ``configuration`` a replay, of the ledger that ``source`` gives."""

    def __init__(
        self,
        source: BinaryIO,
        configuration: Optional[Configuration],
        expected: Expected,
        see: Optional[See] = None,
    ) -> None:
        self.configuration = configuration
        self.fault: Optional[Fault] = None
        """The first thing that is wrong."""
        self.entries = 0
        """How many records are good."""
        self.head = b""
        """The chain value of the last one."""
        self.sealed = False
        """Whether that is a seal."""
        self.profiles: set[Profile] = set()
        """Which profiles the observations are written in."""
        self._expected = expected
        self._see = see
        self._entry = ax_ledger_entry_t()
        self._tag = ctypes.create_string_buffer(16)
        self._faults = ct_fault_flags_t()
        self._replay = ax_replay_ctx_t()
        # Where the record behind the expected last one, and the last one, begin; and which record
        # has the expected head.
        self._surplus = 0
        self._last = 0
        self._head_at: Optional[int] = None
        registry = None
        if configuration is not None:
            registry = ctypes.byref(configuration.policies._registry)
        code = lib.ax_replay_init(
            ctypes.byref(self._replay),
            registry,
            int(configuration is not None and configuration.permit_truncated),
            int(configuration is not None and configuration.stop_on_invalid),
            ctypes.byref(self._faults),
        )
        if code != ReturnCode.OK:
            raise CallError(ReturnCode(code), Faults.of(self._faults), "the policies")
        self._run(source)

    @property
    def models_checked(self) -> bool:
        """Whether every oracle was held to its model: at most 32 are."""
        return not self._faults.size

    def _run(self, source: BinaryIO) -> None:
        end = 0
        for offset, line in lines(source):
            sequence = self.entries
            refusal = self._line(offset, line)
            if refusal is not None:
                self.fault = Fault(refusal[0], sequence, offset, refusal[1])
                return
            end = offset + len(line)
        expected = self._expected
        verdict = lib.ax_replay_finish(
            ctypes.byref(self._replay),
            expected.entries or 0,
            expected.head,
            ctypes.byref(self._faults),
        )
        if verdict != Verdict.OK:
            self.fault = Fault(Verdict(verdict), *self._place(verdict, end), self._unexpected())

    def _line(self, offset: int, line: bytes) -> Optional[tuple[Verdict, str]]:
        """Takes one line; what is wrong with it, if anything."""
        if not line.endswith(b"\n"):
            if len(line) < MAX_LINE_BYTES:
                return Verdict.TORN, (
                    f"the last line is incomplete: {len(line)} bytes without a line feed. Its "
                    "write was interrupted, or the end was cut off; every line before is whole. "
                    "Unless they stand behind a seal or were never a ledger, the next opening for "
                    "writing moves these bytes aside, to a file LEDGER.torn-N"
                )
            reason = f"the line is longer than {MAX_LINE_BYTES} bytes, the most there can be"
            return Verdict.NON_CANONICAL, reason
        entry = self._entry
        parsed = lib.ax_ledger_line_parse(ctypes.byref(entry), self._tag, line, len(line))
        if parsed != ReturnCode.OK:
            return Verdict.NON_CANONICAL, "the line is not a ledger line in canonical form"
        return self._record(offset, entry)

    def _record(self, offset: int, entry: ax_ledger_entry_t) -> Optional[tuple[Verdict, str]]:
        sequence = self.entries
        chain = bytes(entry.chain)
        if self._expected.entries == sequence:
            self._surplus = offset
        if self._expected.head == chain:
            self._head_at = sequence
        self._last = offset
        replay, faults = ctypes.byref(self._replay), ctypes.byref(self._faults)
        verdict = lib.ax_replay_feed(replay, ctypes.byref(entry), faults)
        if verdict != Verdict.OK:
            return Verdict(verdict), self._reason(Verdict(verdict), entry.sequence)
        self.entries = sequence + 1
        self.head = chain
        self.sealed = entry.tag == AX_TAG_PROOF
        observation = None
        if entry.tag == AX_TAG_OBS:
            observation = Observation.parse(ctypes.string_at(entry.payload, entry.payload_len))
            wanted = self._expected.models.get(observation.oracle_id, observation.model_id)
            if wanted != observation.model_id:
                return Verdict.MODEL_MISMATCH, (
                    f'the oracle "{observation.oracle_id}" has the model '
                    f'"{observation.model_id}", expected "{wanted}"'
                )
            self.profiles.add(observation.profile)
        if self._see is not None:
            self._see(Entry.of(entry), offset, observation)
        return None

    def _reason(self, verdict: Verdict, sequence: int) -> str:
        if verdict is Verdict.REORDERED and self.sealed:
            return "a record behind the seal"
        if verdict is Verdict.REORDERED and sequence != self.entries:
            return f"found the sequence number {sequence}, expected {self.entries}"
        return MEANINGS[verdict]

    def _place(self, verdict: int, end: int) -> tuple[int, int]:
        expected = self._expected.entries
        if verdict == Verdict.TRUNCATED:
            return self.entries, end
        if expected is not None and expected < self.entries and self._surplus > 0:
            return expected, self._surplus
        return max(self.entries - 1, 0), self._last

    def _unexpected(self) -> str:
        if self.entries == 0:
            return "the file is empty, not even a genesis"
        counted = self.entries - int(self.sealed)
        expected = self._expected
        if expected.entries not in (None, counted):
            return f"the ledger has {counted} records, expected {expected.entries}"
        if expected.head is not None:
            place = "no record has"
            if self._head_at is not None:
                place = f"the ledger goes on after record {self._head_at}, which has"
            return f"the head is {self.head.hex()}; {place} the expected one, {expected.head.hex()}"
        return MEANINGS[Verdict.TRUNCATED]

    def agent(self) -> Optional[ax_agent_ctx_t]:
        """The agent after a good replay, without a sink; ``None`` where nothing was decided."""
        agent = ax_agent_ctx_t()
        faults = ct_fault_flags_t()
        code = lib.ax_replay_agent(
            ctypes.byref(self._replay), ctypes.byref(agent), ctypes.byref(faults)
        )
        return agent if code == ReturnCode.OK else None

    def complete(self, agent: ax_agent_ctx_t) -> None:
        """Commits what is missing of an interrupted last step to the sink of ``agent``, which is
        what :meth:`agent` gave."""
        faults = ct_fault_flags_t()
        code = lib.ax_replay_complete(
            ctypes.byref(self._replay), ctypes.byref(agent), ctypes.byref(faults)
        )
        if code != ReturnCode.OK:
            raise CallError(ReturnCode(code), Faults.of(faults), "completing an interrupted step")


MEANINGS = {
    Verdict.OK: "nothing is wrong",
    Verdict.ALTERED: "its bytes do not match its commit, its obs_hash or the chain",
    Verdict.REORDERED: "it stands where it cannot stand",
    Verdict.TRUNCATED: "records are missing behind it",
    Verdict.TORN: "the last line is incomplete",
    Verdict.NON_CANONICAL: "the record is not in its canonical form",
    Verdict.UNWITNESSED: "a decision without the observation or the policies it rests on",
    Verdict.DIVERGED: "replaying the observations gives another record here",
    Verdict.CONFIG_MISMATCH: "a reset under other rules than the ones given",
    Verdict.MODEL_MISMATCH: "its oracle has another model elsewhere in this ledger",
}
"""What a verdict says about the record it names."""
