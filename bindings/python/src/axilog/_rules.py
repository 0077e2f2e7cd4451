"""The rules that a caller asks for, and the choice of those that a ledger names (formats.md section
5, Configuration; decision D26)."""

from __future__ import annotations

import ctypes
import enum
import hashlib
from typing import BinaryIO, NamedTuple, Optional, Union

from axilog._blobs import Blobs
from axilog._check import lines
from axilog.capi import lib
from axilog.capi.constants import AX_TAG_OBS
from axilog.capi.structs import ax_ledger_entry_t
from axilog.configuration import Configuration
from axilog.enums import ReturnCode
from axilog.errors import RecordError
from axilog.observation import Observation
from axilog.policy_set import PolicySet

# A configuration is a few kilobytes at most: 64 policies of bounded length.
_MAX_BYTES = 1 << 20
_EMPTY = hashlib.sha256(b"").hexdigest()


class Reset(NamedTuple):
    """The first reset of a ledger, whose input is the configuration."""

    configuration: str
    sequence: int
    offset: int


class Source(enum.Enum):
    """Where rules came from."""

    LEDGER = "ledger"
    CALLER = "caller"
    BUILT_IN = "built-in"


class Unusable(enum.Enum):
    """Why there are no rules."""

    CALLER_DIFFERS = "the policies given are others"
    BLOB_DIFFERS = "the bytes of its blob are others"
    MISSING = "there is no blob, and the built-in policies are others"


Choice = Union[tuple[Configuration, Source], Unusable]


def given(
    recorded: Optional[Configuration],
    policies: Optional[PolicySet],
    permit_truncated: Optional[bool],
    stop_on_invalid: Optional[bool],
) -> Configuration:
    """The rules that a caller asks for: what it leaves out is as recorded, or else the built-in
    policies without any permission."""
    default = Configuration(PolicySet.builtin()) if recorded is None else recorded
    return Configuration(
        default.policies if policies is None else policies,
        default.permit_truncated if permit_truncated is None else bool(permit_truncated),
        default.stop_on_invalid if stop_on_invalid is None else bool(stop_on_invalid),
    )


def first_reset(source: BinaryIO) -> Optional[Reset]:
    """The first control observation whose input is not empty, as only a reset's is. Stops before
    anything that is no ledger line; verification says what is wrong there."""
    entry = ax_ledger_entry_t()
    tag = ctypes.create_string_buffer(16)
    for offset, line in lines(source):
        whole = line.endswith(b"\n")
        parsed = lib.ax_ledger_line_parse(ctypes.byref(entry), tag, line, len(line))
        if not whole or parsed != ReturnCode.OK:
            return None
        if entry.tag != AX_TAG_OBS:
            continue
        try:
            observation = Observation.parse(ctypes.string_at(entry.payload, entry.payload_len))
        except RecordError:
            return None
        if observation.oracle_id == "ax.control" and observation.input_hash != _EMPTY:
            return Reset(observation.input_hash, entry.sequence, offset)
    return None


def choose(reset: Optional[Reset], blobs: Blobs, caller: Optional[PolicySet]) -> Choice:
    """The rules under which a ledger with this first reset replays. Policies that the caller names
    must be the ledger's; else its blob is taken; else, where there is none, the built-in policies,
    if they are the ledger's. The two switches are the ledger's own in any case: of the four
    combinations the one whose hash fits. A ledger without a reset names no rules.

    Raises PolicyError for a configuration that no policy file can express, LedgerIOError.
    """
    if reset is None:
        if caller is not None:
            return Configuration(caller), Source.CALLER
        return Configuration(PolicySet.builtin()), Source.BUILT_IN
    if caller is not None:
        found = _with_hash(caller, reset.configuration)
        return Unusable.CALLER_DIFFERS if found is None else (found, Source.CALLER)
    data = blobs.get(reset.configuration, _MAX_BYTES)
    if data is not None:
        if hashlib.sha256(data).hexdigest() != reset.configuration:
            return Unusable.BLOB_DIFFERS
        return Configuration.parse(data, blobs.path(reset.configuration)), Source.LEDGER
    found = _with_hash(PolicySet.builtin(), reset.configuration)
    return Unusable.MISSING if found is None else (found, Source.BUILT_IN)


def _with_hash(policies: PolicySet, digest: str) -> Optional[Configuration]:
    for truncated in (False, True):
        for invalid in (False, True):
            configuration = Configuration(policies, truncated, invalid)
            if configuration.hash() == digest:
                return configuration
    return None
