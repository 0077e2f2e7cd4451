"""Verification and replay of the lines of a ledger file, one line in memory at a time.

formats.md section 6 (Verification verdicts, Replay). The library gives every verdict on a record.
This module adds what only a reader of the file knows: torn and over-long lines, and byte offsets.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import BinaryIO, Optional

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
from axilog.enums import ReturnCode, Verdict
from axilog.errors import CallError, LedgerDefect
from axilog.faults import Faults
from axilog.observation import Observation

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


class LedgerCheck:
    """The result of verifying the ledger in ``source``, or with ``configuration`` of replaying it
    under these rules. Making the object reads ``source`` to its first defect or its end."""

    def __init__(
        self,
        source: BinaryIO,
        configuration: Optional[Configuration],
        visitor: RecordVisitor,
    ) -> None:
        self.configuration = configuration
        self.defect: Optional[LedgerDefect] = None
        """The first thing that is wrong with the ledger."""
        self.entries = 0
        """How many records are good."""
        self.sealed = False
        """Whether the last good record is a seal."""
        self._visitor = visitor
        self._models = OracleModels()
        self._entry = ax_ledger_entry_t()
        self._tag = ctypes.create_string_buffer(16)
        self._faults = ct_fault_flags_t()
        self._replay = ax_replay_ctx_t()
        # Where the last record begins.
        self._last_offset = 0
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
        verdict = Verdict(
            lib.ax_replay_finish(ctypes.byref(self._replay), 0, None, ctypes.byref(self._faults))
        )
        if verdict is not Verdict.OK:
            reason = VERDICT_MEANINGS[verdict]
            if self.entries == 0:
                reason = "the file is empty, not even a genesis"
            self.defect = LedgerDefect(verdict, self.entries, end, reason)

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
        self._last_offset = offset
        verdict = Verdict(
            lib.ax_replay_feed(
                ctypes.byref(self._replay), ctypes.byref(entry), ctypes.byref(self._faults)
            )
        )
        if verdict is not Verdict.OK:
            return verdict, self._describe_refusal(verdict, entry.sequence)
        self.entries = sequence + 1
        # The other kind of proof binds a raw answer.
        self.sealed = entry.tag == AX_TAG_PROOF and ctypes.string_at(
            entry.payload, entry.payload_len
        ).endswith(b'"kind":"SEAL"}')
        observation = None
        if entry.tag == AX_TAG_OBS:
            observation = Observation.parse(ctypes.string_at(entry.payload, entry.payload_len))
            # The library sets this flag where it has no room for an oracle.
            if self._faults.size:
                found = self._models.find_mismatch(observation.oracle_id, observation.model_id)
                if found is not None:
                    return Verdict.MODEL_MISMATCH, found
        self._visitor(Entry.from_struct(entry), offset, observation)
        return None

    def _describe_refusal(self, verdict: Verdict, sequence: int) -> str:
        if verdict is Verdict.REORDERED and self.sealed:
            return "a record behind the seal"
        if verdict is Verdict.REORDERED and sequence != self.entries:
            return f"found the sequence number {sequence}, expected {self.entries}"
        return VERDICT_MEANINGS[verdict]

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


# The same sentences as those of `axilog verify`.
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
