"""Which configuration an agent runs under, and which one a ledger is replayed under (formats.md
section 5, Configuration; decision D26)."""

from __future__ import annotations

import ctypes
import enum
import hashlib
from typing import BinaryIO, NamedTuple, Optional, Union

from axilog._blobs import EMPTY_HASH, BlobStore
from axilog._ledger_check import read_lines
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


class FirstReset(NamedTuple):
    """The first reset of a ledger, whose input is the configuration."""

    configuration: str
    """The hash of the configuration, in hexadecimal."""
    sequence: int
    offset: int


class ConfigurationSource(enum.Enum):
    """Where the configuration of a replay came from."""

    LEDGER = "ledger"
    CALLER = "caller"
    BUILT_IN = "built-in"


class ConfigurationProblem(enum.Enum):
    """Why a ledger's configuration cannot be had."""

    CALLER_DIFFERS = "the policies given are not its policies; give those it was made under"
    BLOB_DIFFERS = "its blob beside the ledger is altered; restore it, or give its policies"
    MISSING = "it has no blob, and the built-in policies are not its policies"


ConfigurationChoice = Union[tuple[Configuration, ConfigurationSource], ConfigurationProblem]


def complete_configuration(
    recorded: Optional[Configuration],
    policies: Optional[PolicySet],
    permit_truncated: Optional[bool],
    stop_on_invalid: Optional[bool],
    manifest: Optional[str],
) -> Configuration:
    """The configuration with a caller's settings. A setting that is ``None`` is as ``recorded``;
    without ``recorded`` the policies are the built-in ones, both switches are off, and there is no
    manifest."""
    default = Configuration(PolicySet.builtin()) if recorded is None else recorded
    return Configuration(
        default.policies if policies is None else policies,
        default.permit_truncated if permit_truncated is None else bool(permit_truncated),
        default.stop_on_invalid if stop_on_invalid is None else bool(stop_on_invalid),
        default.manifest if manifest is None else manifest,
    )


def find_first_reset(source: BinaryIO) -> Optional[FirstReset]:
    """Finds the first control observation with an input, which only a reset has. Returns ``None``
    at the first line that is no ledger line: verification reports that one."""
    entry = ax_ledger_entry_t()
    tag = ctypes.create_string_buffer(16)
    for offset, line in read_lines(source):
        is_whole = line.endswith(b"\n")
        code = lib.ax_ledger_line_parse(ctypes.byref(entry), tag, line, len(line))
        if not is_whole or code != ReturnCode.OK:
            return None
        if entry.tag != AX_TAG_OBS:
            continue
        try:
            observation = Observation.parse(ctypes.string_at(entry.payload, entry.payload_len))
        except RecordError:
            return None
        if observation.oracle_id == "ax.control" and observation.input_hash != EMPTY_HASH:
            return FirstReset(observation.input_hash, entry.sequence, offset)
    return None


def choose_configuration(
    reset: Optional[FirstReset], blobs: BlobStore, policies: Optional[PolicySet]
) -> ConfigurationChoice:
    """Chooses the configuration under which a ledger with this first reset replays, which must have
    the hash that the reset names.

    If the caller gives ``policies``, they must be the ledger's. Else the configuration is the blob
    beside the ledger, or where there is none the built-in policies. The two switches are always the
    ledger's: of their four combinations the one whose hash fits. A ledger without a reset names no
    configuration, and replays under ``policies`` or the built-in ones.

    Raises PolicyError for a configuration that no policy file can express, and LedgerIOError.
    """
    if reset is None:
        if policies is not None:
            return Configuration(policies), ConfigurationSource.CALLER
        return Configuration(PolicySet.builtin()), ConfigurationSource.BUILT_IN
    digest = reset.configuration
    if policies is not None:
        found = _find_switches(policies, digest, None)
        if found is None:
            found = _find_switches(policies, digest, _read_manifest(blobs, digest))
        if found is None:
            return ConfigurationProblem.CALLER_DIFFERS
        return found, ConfigurationSource.CALLER
    data = blobs.get(digest, _MAX_BYTES)
    if data is not None:
        if hashlib.sha256(data).hexdigest() != digest:
            return ConfigurationProblem.BLOB_DIFFERS
        return Configuration.parse(data, blobs.path(digest)), ConfigurationSource.LEDGER
    found = _find_switches(PolicySet.builtin(), digest, None)
    return ConfigurationProblem.MISSING if found is None else (found, ConfigurationSource.BUILT_IN)


def _read_manifest(blobs: BlobStore, digest: str) -> Optional[str]:
    """Reads which manifest the configuration with this hash names, where its blob is good."""
    data = blobs.get(digest, _MAX_BYTES)
    if data is None or hashlib.sha256(data).hexdigest() != digest:
        return None
    return Configuration.parse(data, blobs.path(digest)).manifest


def _find_switches(
    policies: PolicySet, digest: str, manifest: Optional[str]
) -> Optional[Configuration]:
    """Finds the configuration of these policies and this manifest that has this hash."""
    for permit_truncated in (False, True):
        for stop_on_invalid in (False, True):
            configuration = Configuration(policies, permit_truncated, stop_on_invalid, manifest)
            if configuration.hash() == digest:
                return configuration
    return None
