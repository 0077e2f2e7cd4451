"""The rules that an agent runs under, as its ledger names them (formats.md section 5)."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Optional

from axilog import policy_file
from axilog.capi import lib
from axilog.capi.structs import ax_agent_ctx_t, ax_policy_ctx_t, ct_fault_flags_t
from axilog.enums import ReturnCode
from axilog.errors import CallError
from axilog.faults import Faults
from axilog.policy_set import PolicySet


@dataclass(frozen=True)
class Configuration:
    """Policies and the two switches. Its hash is the input of every reset in a ledger."""

    policies: PolicySet
    """The policies, disabled ones included."""
    permit_truncated: bool = False
    """A TRUNCATED answer is evaluated like a COMPLETE one, and is no breach by itself."""
    stop_on_invalid: bool = False
    """An inadmissible answer stops the agent rather than alarm it."""

    @classmethod
    def parse(cls, data: bytes, where: str = "") -> Configuration:
        """Reads the canonical text. Raises PolicyError."""
        settings = policy_file.parse_configuration(data, where)
        policies = PolicySet._unjudged(settings.policies)
        return cls(policies, settings.permit_truncated, settings.stop_on_invalid)

    def canonical(self) -> bytes:
        """The canonical text, which a ledger keeps as a blob."""
        return policy_file.configuration(
            self.policies, self.permit_truncated, self.stop_on_invalid
        ).encode()

    def hash(self) -> str:
        """SHA-256 of the canonical text in hexadecimal, as the library computes it."""
        out = ctypes.create_string_buffer(32)
        faults = ct_fault_flags_t()
        code = lib.ax_policy_config_hash(
            ctypes.byref(self._context(None)), out, ctypes.byref(faults)
        )
        if code != ReturnCode.OK:
            raise CallError(ReturnCode(code), Faults.of(faults), "the hash of the configuration")
        return out.raw.hex()

    def _context(self, agent: Optional[ax_agent_ctx_t]) -> ax_policy_ctx_t:
        """A C context under these rules, for ``agent`` and its ledger; it borrows both."""
        context = ax_policy_ctx_t()
        faults = ct_fault_flags_t()
        code = lib.ax_policy_init_with_registry(
            ctypes.byref(context),
            ctypes.byref(self.policies._registry),
            None if agent is None else ctypes.byref(agent.ledger),
            None if agent is None else ctypes.byref(agent),
            ctypes.byref(faults),
        )
        if code != ReturnCode.OK:
            raise CallError(ReturnCode.SCHEMA, Faults.of(faults), "the policies")
        context.permit_truncated = int(self.permit_truncated)
        context.stop_on_invalid = int(self.stop_on_invalid)
        return context
