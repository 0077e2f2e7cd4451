"""Drives the agent of ``libaxilog`` itself through the raw structs, as a program on a device does:
it has no file and no lock, and a sink gets each record."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from ctypes import byref
from typing import Any, NamedTuple, Optional

import axilog
from axilog.capi import lib
from axilog.capi.constants import AX_CANONICAL_BUFFER_SIZE, AX_MAX_OBS_BYTES
from axilog.capi.structs import (
    append_t,
    ax_agent_ctx_t,
    ax_evidence_t,
    ax_ledger_entry_t,
    ax_ledger_sink_t,
    ax_obs_input_t,
    ax_policy_ctx_t,
    ax_policy_registry_t,
    ax_policy_t,
    ct_fault_flags_t,
)

_LINE_BYTES = AX_CANONICAL_BUFFER_SIZE + 224


class Entry(NamedTuple):
    """A record that was committed."""

    tag: str
    payload: bytes
    sequence: int


class Chain:
    """A chain of records, and the lines of its ledger."""

    def __init__(self) -> None:
        self.context = ax_agent_ctx_t()
        self.faults = ct_fault_flags_t()
        self.entries: list[Entry] = []
        self.lines = bytearray()
        lib.ax_agent_init(byref(self.context), byref(self.faults))
        genesis = ax_ledger_entry_t()
        lib.ax_ledger_genesis_entry(byref(genesis))
        self.lines += _format_line(byref(genesis))
        self._sink = ax_ledger_sink_t(append_t(self._append), None)
        self.context.ledger.sink = ctypes.pointer(self._sink)

    def record(self, tag: str, payload: bytes) -> None:
        """Commits a record as it stands."""
        evidence = ax_evidence_t(tag.encode(), payload, len(payload))
        assert (
            lib.ax_ledger_record(byref(self.context.ledger), byref(evidence), byref(self.faults))
            == 0
        )

    def _append(self, user: Any, entry: Any) -> int:
        found = entry.contents
        payload = ctypes.string_at(found.payload, found.payload_len)
        self.entries.append(Entry(found.tag.decode(), payload, found.sequence))
        self.lines += _format_line(entry)
        return 0


class RawAgent(Chain):
    """An agent under policies, each of which is taken as it is."""

    def __init__(
        self,
        policies: Iterable[axilog.Policy],
        permit_truncated: bool = False,
        stop_on_invalid: bool = False,
        manifest: Optional[str] = None,
    ) -> None:
        super().__init__()
        ordered = sorted(policies, key=lambda policy: policy.policy_id.encode())
        rows = [
            ax_policy_t(p.policy_id.encode(), p.threshold, int(p.comparison), int(p.enabled))
            for p in ordered
        ]
        # The registry points into these tables.
        self._table = (ax_policy_t * len(rows))(*rows)
        self._selectors = (ctypes.c_char_p * len(rows))(*(p.selector.encode() for p in ordered))
        self._registry = ax_policy_registry_t(self._table, len(rows), self._selectors)
        self.policy = ax_policy_ctx_t()
        code = lib.ax_policy_init_with_registry(
            byref(self.policy),
            byref(self._registry),
            byref(self.context.ledger),
            byref(self.context),
            byref(self.faults),
        )
        assert code == 0
        self.policy.permit_truncated = int(permit_truncated)
        self.policy.stop_on_invalid = int(stop_on_invalid)
        if manifest is not None:
            self.policy.has_manifest = 1
            self.policy.manifest[:] = bytes.fromhex(manifest)
        self._work = ctypes.create_string_buffer(AX_MAX_OBS_BYTES)

    def observe(self, output: bytes, oracle_id: str, model_id: str, question: bytes) -> list[Entry]:
        """Observes an answer, and gives the records of the step."""
        call = ax_obs_input_t()
        lib.ax_obs_input_init(byref(call))
        call.oracle_id, call.model_id = oracle_id.encode(), model_id.encode()
        call.input, call.input_len = question, len(question)
        call.output, call.output_len = output, len(output)
        return self._step(lib.ax_agent_observe, byref(call))

    def control(self, input_class: axilog.InputClass) -> list[Entry]:
        """Observes a control input."""
        return self._step(lib.ax_agent_observe_control, int(input_class))

    def time(self, timestamp: int) -> list[Entry]:
        """Observes the time."""
        return self._step(lib.ax_agent_observe_time, timestamp)

    def configuration_hash(self) -> str:
        """The SHA-256 of what the agent runs under, in hexadecimal."""
        out = ctypes.create_string_buffer(32)
        assert lib.ax_policy_config_hash(byref(self.policy), out, byref(self.faults)) == 0
        return out.raw.hex()

    def _step(self, function: Any, value: Any) -> list[Entry]:
        before = len(self.entries)
        faults = ct_fault_flags_t()
        work, size = self._work, ctypes.c_size_t(AX_MAX_OBS_BYTES)
        code = function(byref(self.context), byref(self.policy), value, work, size, byref(faults))
        assert code in (axilog.ReturnCode.OK, axilog.ReturnCode.ENCODING), code
        return self.entries[before:]


def forge_ledger(path: str, records: list[tuple[str, bytes]]) -> None:
    """Writes a ledger of these records, each a tag and its bytes: every hash and the chain fit, as
    whoever can write the file can make them fit."""
    chain = Chain()
    for tag, payload in records:
        chain.record(tag, payload)
    with open(path, "wb") as file:
        file.write(chain.lines)


def _format_line(entry: Any) -> bytes:
    buffer = ctypes.create_string_buffer(_LINE_BYTES)
    written = lib.ax_ledger_line_write(buffer, len(buffer), entry)
    assert written > 0
    return ctypes.string_at(buffer, written)
