"""Which configuration an agent runs under, and which one a ledger is replayed under (formats.md
section 5, Configuration; decision D26)."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Optional, Union

from axilog._blobs import EMPTY_HASH, BlobStore
from axilog._ledger_check import read_lines
from axilog._oracle_call import CONTROL_ORACLE
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


class ConfigurationDiffers(NamedTuple):
    """The configuration of a ledger is not the expected one, or its blob holds other bytes."""

    reason: str
    """What was found, in words."""


class ConfigurationMissing(NamedTuple):
    """A ledger has no blob of its configuration, and its policies are not the built-in ones."""


ConfigurationChoice = Union[Configuration, ConfigurationDiffers, ConfigurationMissing]


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
    for entry, offset in _parse_lines(source):
        if entry.tag != AX_TAG_OBS:
            continue
        observation = _parse_observation(entry)
        if observation is None:
            return None
        if observation.oracle_id == CONTROL_ORACLE and observation.input_hash != EMPTY_HASH:
            return FirstReset(observation.input_hash, entry.sequence, offset)
    return None


def _parse_lines(source: BinaryIO) -> Iterator[tuple[ax_ledger_entry_t, int]]:
    """Yields the entry of each line and the line's offset, up to a line that is no ledger line. The
    same struct is filled anew for each line."""
    entry = ax_ledger_entry_t()
    tag = ctypes.create_string_buffer(16)
    for offset, line in read_lines(source):
        is_whole = line.endswith(b"\n")
        code = lib.ax_ledger_line_parse(ctypes.byref(entry), tag, line, len(line))
        if not is_whole or code != ReturnCode.OK:
            return
        yield entry, offset


def _parse_observation(entry: ax_ledger_entry_t) -> Optional[Observation]:
    try:
        return Observation.parse(ctypes.string_at(entry.payload, entry.payload_len))
    except RecordError:
        return None


def choose_configuration(
    reset: Optional[FirstReset], blobs: BlobStore, policies: Optional[PolicySet]
) -> ConfigurationChoice:
    """Chooses the configuration under which a ledger with this first reset replays, which must have
    the hash that the reset names.

    If the caller expects policies, they must be the ledger's. Else the configuration is the blob
    beside the ledger, or where there is none the built-in policies. The two switches are the
    ledger's: of their four combinations the one whose hash fits. A ledger without a reset names no
    configuration, and replays under the policies that the caller expects, or the built-in ones.

    Raises PolicyError for a configuration that no policy file can express, and LedgerIOError.
    """
    if reset is None:
        return Configuration(PolicySet.builtin() if policies is None else policies)
    digest = reset.configuration
    if policies is not None:
        found = _find_switches(policies, digest, None)
        if found is not None:
            return found
        kept = _read_named_configuration(blobs, digest)
        if kept is None:
            return ConfigurationDiffers(
                "the given policies do not give it by themselves, and without its file nobody can "
                "tell whether they are different ones or a manifest belongs to it too"
            )
        found = _find_switches(policies, digest, kept.manifest)
        return found or ConfigurationDiffers("the given policies are different ones")
    data = blobs.get(digest, _MAX_BYTES)
    if data is not None:
        if hashlib.sha256(data).hexdigest() != digest:
            return ConfigurationDiffers(f"{blobs.path(digest)} holds other bytes")
        return Configuration.parse(data, blobs.path(digest))
    return _find_switches(PolicySet.builtin(), digest, None) or ConfigurationMissing()


def read_manifest_hash(blobs: BlobStore, digest: str) -> Optional[str]:
    """Reads which manifest the configuration with this hash names, where its blob is good.
    Raises PolicyError for one that no policy file can express, and LedgerIOError."""
    kept = _read_named_configuration(blobs, digest)
    return None if kept is None else kept.manifest


def _read_named_configuration(blobs: BlobStore, digest: str) -> Optional[Configuration]:
    """Reads the configuration with this hash, where its blob is good. Raises as read_manifest_hash
    does."""
    data = blobs.get(digest, _MAX_BYTES)
    if data is None or hashlib.sha256(data).hexdigest() != digest:
        return None
    return Configuration.parse(data, blobs.path(digest))


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
