"""Verification and replay of the lines of a ledger file, one line in memory at a time.

formats.md section 6 (Verification verdicts, Replay). The library gives every verdict on a record.
This module adds what only a reader of the file knows: torn and over-long lines, and byte offsets.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple, Optional, TypeVar

from axilog._oracle_models import OracleModels
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
from axilog.errors import CallError, LedgerDefect
from axilog.faults import Faults
from axilog.observation import Observation


class EarlierHead(NamedTuple):
    """A head that somebody noted: a ledger that only grew since still has it."""

    entries: int
    """The number of records at that time, the genesis counted, and a seal too."""
    head: bytes
    """The chain value of the last of them."""


@dataclass(frozen=True)
class Expectations:
    """What the caller knows about a ledger from elsewhere. The chain has no key, so whoever can
    write the file can rewrite all of it or cut its end off, and only such knowledge shows that."""

    entries: Optional[int] = None
    """How many records the ledger has, the genesis counted and a seal not."""
    head: Optional[bytes] = None
    """The chain value of the last record, or of the record before the seal."""
    models: Mapping[str, str] = field(default_factory=dict)
    """The model id that each oracle must have, by oracle id."""
    earlier_heads: tuple[EarlierHead, ...] = ()
    """Heads that were noted while the ledger was shorter, or as long as it is."""


RecordVisitor = Callable[[Entry, int, Optional[Observation]], None]
"""A function that is called with every good record in order: the record, the offset of its line,
and the parsed observation where the record is one."""


def read_lines(source: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yields the lines of a ledger with their offsets, reading at most ``MAX_LINE_BYTES`` of each.
    A line without its line feed is over-long if it has that many bytes, and else torn; the caller
    stops there."""
    offset = 0
    while line := source.readline(MAX_LINE_BYTES):
        yield offset, line
        offset += len(line)


Look = TypeVar("Look")
# A writer that appends all the time could else keep its readers for ever.
_MAX_LOOKS = 5


def look_until_settled(
    source: BinaryIO, look: Callable[[], Look], find_doubt: Callable[[Look], Optional[str]]
) -> Look:
    """Looks at a ledger with ``look``, and again while ``find_doubt`` says what is wrong with it,
    the ledger has changed its length meanwhile, and the looks differ. Returns what the last look
    found.

    A reader takes no lock: it may see the first half of a line whose second half is being written,
    or the beginning of a torn line that a writer moves aside and the end of the line in its place.
    """
    length = _measure(source)
    found = look()
    for _ in range(_MAX_LOOKS - 1):
        doubt, now = find_doubt(found), _measure(source)
        if doubt is None or now == length:
            break
        length = now
        found = look()
        if find_doubt(found) == doubt:
            break
    return found


def _measure(source: BinaryIO) -> Optional[int]:
    """The length of a source, which stands at its first byte then; ``None`` where it has none."""
    if not source.seekable():
        return None
    length = source.seek(0, os.SEEK_END)
    source.seek(0)
    return length


class LedgerCheck:
    """The result of verifying the ledger in ``source``, or with ``configuration`` of replaying it
    under these rules. Making the object reads ``source`` to its first defect or its end."""

    def __init__(
        self,
        source: BinaryIO,
        configuration: Optional[Configuration],
        expected: Expectations,
        visitor: Optional[RecordVisitor] = None,
    ) -> None:
        self.configuration = configuration
        self.defect: Optional[LedgerDefect] = None
        """The first thing that is wrong with the ledger."""
        self.entries = 0
        """How many records are good."""
        self.head = b""
        """The chain value of the last good record."""
        self.sealed = False
        """Whether the last good record is a seal."""
        self.profiles: set[Profile] = set()
        """The profiles that the observations are written in."""
        self._expected = expected
        self._visitor = visitor
        self._models = OracleModels()
        self._entry = ax_ledger_entry_t()
        self._tag = ctypes.create_string_buffer(16)
        self._faults = ct_fault_flags_t()
        self._replay = ax_replay_ctx_t()
        # Where the first record beyond the expected number begins, where the last record begins,
        # and which record has the expected head.
        self._surplus_offset = 0
        self._last_offset = 0
        self._expected_head_sequence: Optional[int] = None
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
            faults = Faults.from_struct(self._faults)
            raise CallError(ReturnCode(code), faults, "beginning a replay under the policies")
        if configuration is not None and configuration.manifest is not None:
            manifest = bytes.fromhex(configuration.manifest)
            lib.ax_replay_set_manifest(ctypes.byref(self._replay), manifest)
        self._check_lines(source)

    def _check_lines(self, source: BinaryIO) -> None:
        end = 0
        for offset, line in read_lines(source):
            sequence = self.entries
            refusal = self._check_line(offset, line)
            if refusal is not None:
                verdict, reason = refusal
                self.defect = LedgerDefect(verdict, sequence, offset, reason)
                return
            end = offset + len(line)
        expected = self._expected
        missing = [earlier for earlier in expected.earlier_heads if earlier.entries > self.entries]
        if missing:
            entries, head = min(missing, key=lambda earlier: earlier.entries)
            reason = (
                f"the ledger has {self.entries} records; it had {entries} when its head "
                f"{head.hex()} was noted"
            )
            self.defect = LedgerDefect(Verdict.TRUNCATED, self.entries, end, reason)
            return
        verdict = Verdict(
            lib.ax_replay_finish(
                ctypes.byref(self._replay),
                expected.entries or 0,
                expected.head,
                ctypes.byref(self._faults),
            )
        )
        if verdict is not Verdict.OK:
            place = self._locate_mismatch(verdict, end)
            self.defect = LedgerDefect(verdict, *place, self._describe_mismatch())

    def _check_line(self, offset: int, line: bytes) -> Optional[tuple[Verdict, str]]:
        """Checks one line; returns the verdict and the reason if anything is wrong with it."""
        if not line.endswith(b"\n"):
            if len(line) < MAX_LINE_BYTES:
                return Verdict.TORN, (
                    f"the last line is incomplete: {len(line)} bytes without a line feed. Its "
                    "write was interrupted, or the end of the file was cut off; every line before "
                    "it is whole. axilog.Ledger.open moves these bytes to a file LEDGER.torn-N, "
                    "unless they follow a seal or the file is no ledger"
                )
            reason = f"the line is longer than {MAX_LINE_BYTES} bytes, the most there can be"
            return Verdict.NON_CANONICAL, reason
        entry = self._entry
        code = lib.ax_ledger_line_parse(ctypes.byref(entry), self._tag, line, len(line))
        if code != ReturnCode.OK:
            return Verdict.NON_CANONICAL, "the line is not a ledger line in canonical form"
        return self._check_record(offset, entry)

    def _check_record(self, offset: int, entry: ax_ledger_entry_t) -> Optional[tuple[Verdict, str]]:
        sequence = self.entries
        chain = bytes(entry.chain)
        if self._expected.entries == sequence:
            self._surplus_offset = offset
        if self._expected.head == chain:
            self._expected_head_sequence = sequence
        self._last_offset = offset
        verdict = Verdict(
            lib.ax_replay_feed(
                ctypes.byref(self._replay), ctypes.byref(entry), ctypes.byref(self._faults)
            )
        )
        if verdict is not Verdict.OK:
            return verdict, self._describe_refusal(verdict, entry.sequence)
        self.entries = sequence + 1
        self.head = chain
        # The other kind of proof binds a raw answer.
        self.sealed = entry.tag == AX_TAG_PROOF and ctypes.string_at(
            entry.payload, entry.payload_len
        ).endswith(b'"kind":"SEAL"}')
        observation = None
        if entry.tag == AX_TAG_OBS:
            observation = Observation.parse(ctypes.string_at(entry.payload, entry.payload_len))
            model = self._expected.models.get(observation.oracle_id, observation.model_id)
            if model != observation.model_id:
                return Verdict.MODEL_MISMATCH, (
                    f"the oracle {json.dumps(observation.oracle_id)} has the model "
                    f"{json.dumps(observation.model_id)}, expected {json.dumps(model)}"
                )
            # The library sets this flag where it has no room for an oracle.
            if self._faults.size:
                found = self._models.find_mismatch(observation.oracle_id, observation.model_id)
                if found is not None:
                    return Verdict.MODEL_MISMATCH, found
            self.profiles.add(observation.profile)
        if self._visitor is not None:
            self._visitor(Entry.from_struct(entry), offset, observation)
        return self._check_earlier_heads(chain)

    def _check_earlier_heads(self, chain: bytes) -> Optional[tuple[Verdict, str]]:
        """Compares the last record with the heads that were noted when it was the last one."""
        for entries, head in self._expected.earlier_heads:
            if entries == self.entries and head != chain:
                return Verdict.ALTERED, (
                    f"the chain value behind {entries} records is {chain.hex()}, and was "
                    f"{head.hex()} when that head was noted: what stands up to here was written "
                    "anew"
                )
        return None

    def _describe_refusal(self, verdict: Verdict, sequence: int) -> str:
        if verdict is Verdict.REORDERED and self.sealed:
            return "a record behind the seal"
        if verdict is Verdict.REORDERED and sequence != self.entries:
            return f"found the sequence number {sequence}, expected {self.entries}"
        return VERDICT_MEANINGS[verdict]

    def _locate_mismatch(self, verdict: Verdict, end: int) -> tuple[int, int]:
        """The sequence and the offset at which the ledger stops being as expected."""
        expected = self._expected.entries
        if verdict is Verdict.TRUNCATED:
            return self.entries, end
        if expected is not None and expected < self.entries and self._surplus_offset > 0:
            return expected, self._surplus_offset
        return max(self.entries - 1, 0), self._last_offset

    def _describe_mismatch(self) -> str:
        if self.entries == 0:
            return "the file is empty, not even a genesis"
        counted = self.entries - int(self.sealed)
        expected = self._expected
        if expected.entries not in (None, counted):
            return f"the ledger has {counted} records, expected {expected.entries}"
        if expected.head is not None:
            place = "no record has"
            if self._expected_head_sequence is not None:
                place = f"the ledger goes on after record {self._expected_head_sequence}, which has"
            return f"the head is {self.head.hex()}; {place} the expected one, {expected.head.hex()}"
        return VERDICT_MEANINGS[Verdict.TRUNCATED]

    def take_line(self, line: bytes) -> bool:
        """Takes one more line of a good ledger, which the caller is about to append. Returns
        whether it is good too."""
        return self._check_line(self._last_offset, line) is None

    def restore_agent(self) -> Optional[ax_agent_ctx_t]:
        """The agent as a good replay leaves it, without a sink; ``None`` after a verification or a
        defect."""
        agent = ax_agent_ctx_t()
        faults = ct_fault_flags_t()
        code = lib.ax_replay_agent(
            ctypes.byref(self._replay), ctypes.byref(agent), ctypes.byref(faults)
        )
        return agent if code == ReturnCode.OK else None

    def complete_last_step(self, agent: ax_agent_ctx_t) -> None:
        """Commits the records that an interrupted last step lacks to the sink of ``agent``, which
        :meth:`restore_agent` must have returned. Raises CallError."""
        faults = ct_fault_flags_t()
        code = lib.ax_replay_complete(
            ctypes.byref(self._replay), ctypes.byref(agent), ctypes.byref(faults)
        )
        if code != ReturnCode.OK:
            found = Faults.from_struct(faults)
            raise CallError(ReturnCode(code), found, "completing an interrupted step")


# The same sentences as those of `axilog verify`; a test compares them.
VERDICT_MEANINGS = {
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
"""What each verdict says about the record that it names."""
