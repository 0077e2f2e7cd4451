"""The configuration: what an agent runs under and its ledger names by hash (formats.md section
5)."""

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
    """Policies, two switches, and the manifest that a ledger is bound to. Every reset in a ledger
    records the hash of its configuration."""

    policies: PolicySet
    """The policies, disabled ones included."""
    permit_truncated: bool = False
    """Whether a TRUNCATED answer is evaluated like a COMPLETE one, instead of being a breach."""
    stop_on_invalid: bool = False
    """Whether an inadmissible answer stops the agent, instead of raising the alarm."""
    manifest: Optional[str] = None
    """The SHA-256 of the :class:`axilog.Manifest` that the ledger is bound to from its first reset
    on, 64 lower-case hexadecimal digits; ``None`` without one. The library never reads it."""

    def __post_init__(self) -> None:
        """Raises PolicyError for a manifest that is no SHA-256."""
        if self.manifest is not None:
            policy_file.check_manifest(self.manifest)

    @classmethod
    def parse(cls, data: bytes, where: str = "") -> Configuration:
        """Parses the canonical text of a configuration, as :meth:`canonical` writes it. ``where``
        is its name in messages. Raises PolicyError."""
        settings = policy_file.parse_configuration(data, where)
        policies = PolicySet._without_checks(settings.policies)
        return cls(policies, settings.permit_truncated, settings.stop_on_invalid, settings.manifest)

    def canonical(self) -> bytes:
        """The canonical text of the configuration, which a ledger keeps as a blob."""
        return policy_file.format_configuration(
            self.policies, self.permit_truncated, self.stop_on_invalid, self.manifest
        ).encode()

    def hash(self) -> str:
        """The SHA-256 of the canonical text in hexadecimal, which the library computes."""
        out = ctypes.create_string_buffer(32)
        faults = ct_fault_flags_t()
        code = lib.ax_policy_config_hash(
            ctypes.byref(self._make_context(None)), out, ctypes.byref(faults)
        )
        if code != ReturnCode.OK:
            raise CallError(
                ReturnCode(code), Faults.from_struct(faults), "hashing the configuration"
            )
        return out.raw.hex()

    def _make_context(self, agent: Optional[ax_agent_ctx_t]) -> ax_policy_ctx_t:
        """Makes a C policy context with this configuration. It borrows ``agent`` and its ledger."""
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
            raise CallError(
                ReturnCode.SCHEMA, Faults.from_struct(faults), "setting up the policies"
            )
        context.permit_truncated = int(self.permit_truncated)
        context.stop_on_invalid = int(self.stop_on_invalid)
        if self.manifest is not None:
            context.has_manifest = 1
            context.manifest[:] = bytes.fromhex(self.manifest)
        return context
