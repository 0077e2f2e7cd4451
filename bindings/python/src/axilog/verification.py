"""Verification and replay of ledger files, which need no oracle and trust nobody (SRS-004 section
13; formats.md section 6). The library makes both; this module gives its findings their types."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Optional, Union

from axilog._host_call import Path
from axilog._host_check import (
    EarlierHeads,
    check_ledger,
    expect_rules,
    make_expectations,
)
from axilog._notebook import make_list
from axilog.capi import lib
from axilog.enums import Health, Profile, Verdict
from axilog.policy_set import PolicySet


class AuditVerdict(enum.Enum):
    """The verdict over checks of a ledger: those of an audit, or of the blobs alone."""

    OK = "OK"
    """Every check was made and passed."""
    FAILED = "FAILED"
    """A check was made and failed."""
    INCOMPLETE = "INCOMPLETE"
    """No check failed, and one could not be made."""


@dataclass(frozen=True)
class BlobReport:
    """What :func:`verify` found about the blobs beside a ledger (formats.md section 6, Blobs). All
    are counted, and the first 20 of each kind are named."""

    checked: int
    """How many blobs were hashed."""
    altered_count: int
    """How many blobs have another hash than their name, or another length than their record
    says."""
    altered: list[str]
    """The paths of the first of them."""
    missing_count: int
    """How many blobs that a record names are not there."""
    missing: list[tuple[Optional[int], str]]
    """The first of them: the sequence of the observation that needs the blob, ``None`` for a
    manifest or schema, and its path."""
    unread_count: int
    """How many blobs were not read, since they have more than 67108864 bytes."""
    unread: list[str]
    """The paths of the first of them."""
    unreferenced_count: int
    """How many files no record names, as an interrupted writer leaves them; no failure. 0 where the
    ledger has a defect, since records after it may name them."""
    unreferenced: list[str]
    """The paths of the first of them."""
    bound_answers: int
    """How many raw answers a RAW record binds."""
    unbound_answers: int
    """How many observations lack a part of their answer and have no RAW record after them."""

    @property
    def verdict(self) -> AuditVerdict:
        """FAILED where a blob that a record names is missing or altered, else INCOMPLETE where one
        was not read."""
        if self.altered_count or self.missing_count:
            return AuditVerdict.FAILED
        return AuditVerdict.INCOMPLETE if self.unread_count else AuditVerdict.OK


@dataclass(frozen=True)
class Report:
    """What :func:`verify` or :func:`replay` found. The fields are those of ``axilog verify --json``
    and ``axilog replay --json``; hashes are in hexadecimal. A report is true where ``ok`` is."""

    ledger: str
    """The path of the ledger."""
    verdict: Union[Verdict, AuditVerdict]
    """``Verdict.OK``, or the kind of the ledger's first defect; ``AuditVerdict.FAILED`` where only
    a blob is missing or altered, ``AuditVerdict.INCOMPLETE`` where one was too long to be read."""
    ok: bool
    """Whether the verdict is OK."""
    sequence: Optional[int] = None
    """In a ledger with a defect: the first bad record, or the first missing one."""
    offset: Optional[int] = None
    """In a ledger with a defect: where that record's line begins, in bytes."""
    reason: Optional[str] = None
    """In a ledger with a defect: what was found and what was expected."""
    entries: Optional[int] = None
    """In a good ledger: how many records it has, genesis and seal counted."""
    head: Optional[str] = None
    """In a good ledger: the chain value of the last record."""
    sealed: Optional[bool] = None
    """In a good ledger: whether the last record is a seal."""
    profiles: tuple[Profile, ...] = ()
    """In a good ledger: the profiles that its observations are written in."""
    deployed: Optional[dict[str, Any]] = None
    """Where deployed gateways wrote records that SRS-004 forbids or does not have: how many, and
    what, as ``axilog verify --json`` has it."""
    blobs: Optional[BlobReport] = None
    """What was found about the blobs; ``None`` where ``verify`` was not asked to check them."""
    health: Optional[Health] = None
    """After a good replay: the agent's state at the end."""
    fault_count: Optional[int] = None
    """After a good replay: how many faults the agent counted since the last reset."""
    last_timestamp: Optional[int] = None
    """After a good replay: the last accepted time."""
    configuration: Optional[str] = None
    """After a good replay: the hash of the configuration."""
    configuration_source: Optional[str] = None
    """After a good replay: where the configuration is from: ``ledger``, ``caller``,
    ``built-in``."""
    permit_truncated: Optional[bool] = None
    """After a good replay: whether the ledger judges a TRUNCATED answer like a COMPLETE one."""
    stop_on_invalid: Optional[bool] = None
    """After a good replay: whether an inadmissible answer stops the ledger's agent."""
    interrupted: Optional[bool] = None
    """After a good replay: whether the last step lacks records, which ``Agent.open`` adds."""

    def __bool__(self) -> bool:
        return self.ok

    def _repr_html_(self) -> str:
        """The verdict and what was found, as notebooks show it."""
        caption = f"{self.verdict.name}: {self.ledger}"
        left_out = ("ledger", "verdict", "ok", "blobs")
        members = [(f.name, getattr(self, f.name)) for f in fields(self) if f.name not in left_out]
        if self.blobs is not None:
            counts = [(f.name, getattr(self.blobs, f.name)) for f in fields(self.blobs)]
            members += [(f"blobs: {name}", n) for name, n in counts if isinstance(n, int)]
        return make_list(caption, members)


def verify(
    path: Path,
    *,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    extends: EarlierHeads = (),
    blobs: bool = False,
) -> Report:
    """Verifies a ledger file as ``axilog verify`` does: hashes, chain, canonical forms, order,
    witnesses and models. One line is in memory at a time, and other threads run meanwhile.

    Args:
        path: The ledger file.
        expect_head: The chain value that the last record must have, or the one before the seal; 64
            hexadecimal digits. Keep it elsewhere: the chain has no key, so whoever can write the
            file can rewrite all of it.
        expect_entries: How many records there must be, the genesis counted and a seal not.
        expect_models: The model id that each oracle must have, by oracle id.
        extends: Heads that were noted earlier, each with the number of records then, the genesis
            and a seal counted: the ledger must be that one, grown or as it was.
        blobs: Whether to compare the files in ``LEDGER.blobs`` with the records. A blob that a
            record names and that is missing or altered makes the report false, and the verdict
            ``AuditVerdict.FAILED`` where the records alone are OK. A file that no record names, as
            a killed writer leaves one, is named too. Memory then grows with the number of distinct
            blobs.

    Returns:
        The report. A defect of the ledger is in it and raises nothing.

    Raises:
        LedgerError for a path that is no regular file, LedgerMissingError, LedgerIOError, and
        ValueError for an expectation out of range.
    """
    expected = make_expectations(expect_head, expect_entries, expect_models, extends)
    expected.blobs = int(bool(blobs))
    return make_report(check_ledger(lib.axh_verify, path, expected))


def replay(
    path: Path,
    *,
    policies: Optional[PolicySet] = None,
    permit_truncated: bool = False,
    stop_on_invalid: bool = False,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    extends: EarlierHeads = (),
) -> Report:
    """Replays a ledger file as ``axilog replay`` does: verifies it, runs policies and agent anew on
    the recorded observations, and compares every record byte for byte. No oracle is called. The
    file is read twice, one line in memory at a time.

    Args:
        path: The ledger file.
        policies: The policies that the ledger must have. Without them its own are taken, which the
            blob of its configuration holds; where that is missing, the built-in ones must be its
            own.
        permit_truncated: Whether the ledger must judge a TRUNCATED answer like a COMPLETE one. Both
            switches are compared as soon as one of them is true or ``policies`` are given.
        stop_on_invalid: Whether an inadmissible answer must stop the ledger's agent.
        expect_head: As in :func:`verify`.
        expect_entries: As in :func:`verify`.
        expect_models: As in :func:`verify`.
        extends: As in :func:`verify`.

    Returns:
        The report. A defect of the ledger is in it and raises nothing.

    Raises:
        ConfigurationError where the ledger is good but its configuration cannot be had, and as
        :func:`verify` does.
    """
    expected = make_expectations(expect_head, expect_entries, expect_models, extends)
    expect_rules(expected, policies, permit_truncated, stop_on_invalid)
    return make_report(check_ledger(lib.axh_replay, path, expected))


def make_report(found: dict[str, Any]) -> Report:
    """The report of what the library has found: gives the members of its object their types."""
    named = found["verdict"]
    found["verdict"] = Verdict[named] if named in Verdict.__members__ else AuditVerdict(named)
    found["profiles"] = tuple(Profile[name] for name in found.get("profiles", ()))
    if "health" in found:
        found["health"] = Health[found["health"]]
    if "blobs" in found:
        missing = [(blob["ledger_seq"], blob["path"]) for blob in found["blobs"]["missing"]]
        found["blobs"] = BlobReport(**{**found["blobs"], "missing": missing})
    return Report(**found)
