"""Verification and replay of ledger files, which need no oracle and trust nobody (SRS-004 section
13; formats.md section 6)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO, NamedTuple, Optional, Union

from axilog._blobs import BlobStore
from axilog._ledger_check import Expectations, LedgerCheck, RecordVisitor
from axilog._ledger_configuration import (
    ConfigurationChoice,
    ConfigurationProblem,
    ConfigurationSource,
    FirstReset,
    choose_configuration,
    find_first_reset,
)
from axilog._recorder import Recorder
from axilog.entry import Entry
from axilog.enums import Health, Profile, Verdict
from axilog.errors import (
    ConfigurationError,
    LedgerDefect,
    LedgerError,
    LedgerIOError,
    LedgerMissingError,
    PolicyError,
)
from axilog.observation import Observation
from axilog.policy_set import PolicySet

Path = Union[str, "os.PathLike[str]"]
_HASH = re.compile(r"[0-9A-Fa-f]{64}")
_MAX_MISSING_LISTED = 20


@dataclass
class BlobReport:
    """What :func:`verify` found about the blobs beside a ledger (formats.md section 6, Blobs)."""

    checked: int = 0
    """How many blobs were hashed."""
    altered: list[str] = field(default_factory=list)
    """The paths of the blobs whose bytes have another hash than their name."""
    missing_count: int = 0
    """How many observations have an input without a blob."""
    missing: list[tuple[int, str]] = field(default_factory=list)
    """The sequence of the observation and the path of its blob, for the first 20 missing blobs."""


@dataclass(frozen=True)
class Report:
    """What :func:`verify` or :func:`replay` found. The fields are those of ``axilog verify --json``
    and ``axilog replay --json``; hashes are in hexadecimal. A report is true where ``ok`` is."""

    ledger: str
    """The path of the ledger."""
    verdict: Verdict
    """What the ledger is: OK, or the kind of its first defect."""
    ok: bool
    """Whether the verdict is OK and, where they were checked, the blobs are good too."""
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
    models_checked: bool = True
    """Whether each oracle was checked to have one model: the library does so for 32 oracles."""
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
    interrupted: Optional[bool] = None
    """After a good replay: whether the last step lacks records, which ``Ledger.open`` adds."""

    def __bool__(self) -> bool:
        return self.ok


def verify(
    path: Path,
    *,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    blobs: bool = False,
) -> Report:
    """Verifies a ledger file as ``axilog verify`` does: hashes, chain, canonical forms, order,
    witnesses and models. One line is in memory at a time.

    Args:
        path: The ledger file.
        expect_head: The chain value that the last record must have, or the one before the seal; 64
            hexadecimal digits. Keep it elsewhere: the chain has no key, so whoever can write the
            file can rewrite all of it.
        expect_entries: How many records there must be, the genesis counted and a seal not.
        expect_models: The model id that each oracle must have, by oracle id.
        blobs: Whether to hash every blob beside the ledger, and to look for that of every input.

    Returns:
        The report. A defect of the ledger is in it and raises nothing.

    Raises:
        LedgerMissingError, LedgerIOError, and ValueError for an expectation out of range.
    """
    name = os.fspath(path)
    expected = _make_expectations(expect_head, expect_entries, expect_models or {})
    store, blob_report = BlobStore(name), BlobReport()

    def find_missing_blob(entry: Entry, offset: int, observation: Optional[Observation]) -> None:
        if observation is not None and not store.contains(observation.input_hash):
            blob_report.missing_count += 1
            if len(blob_report.missing) < _MAX_MISSING_LISTED:
                blob = store.path(observation.input_hash)
                blob_report.missing.append((observation.ledger_seq, blob))

    try:
        with open(name, "rb", buffering=1 << 16) as file:
            check = LedgerCheck(file, None, expected, find_missing_blob if blobs else None)
    except OSError as error:
        raise _reading_error(name, error) from error
    if not blobs:
        return _make_report(name, check)
    for blob, is_good in store.recompute_hashes():
        blob_report.checked += 1
        if not is_good:
            blob_report.altered.append(blob)
    return _make_report(name, check, blob_report)


def replay(
    path: Path,
    *,
    policies: Optional[PolicySet] = None,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
) -> Report:
    """Replays a ledger file as ``axilog replay`` does: verifies it, runs policies and agent anew on
    the recorded observations, and compares every record byte for byte. No oracle is called. The
    file is read twice, one line in memory at a time.

    Args:
        path: The ledger file.
        policies: The policies that the ledger was made under. They are needed only where the blob
            of its configuration is missing and its policies are not the built-in ones.
        expect_head: As in :func:`verify`.
        expect_entries: As in :func:`verify`.
        expect_models: As in :func:`verify`.

    Returns:
        The report. A defect of the ledger is in it and raises nothing.

    Raises:
        ConfigurationError where the ledger is good but its configuration cannot be had, LedgerError
        for a path that is no regular file, LedgerMissingError, LedgerIOError, and ValueError for an
        expectation out of range.
    """
    name = os.fspath(path)
    expected = _make_expectations(expect_head, expect_entries, expect_models or {})
    try:
        with open(name, "rb", buffering=1 << 16) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise LedgerError(name, "is not a regular file, which a ledger must be")
            replayed = replay_stream(file, name, policies, expected)
    except OSError as error:
        raise _reading_error(name, error) from error
    check, source = replayed
    agent = None if check.defect is not None or source is None else check.restore_agent()
    if agent is None or source is None or check.configuration is None:
        return _make_report(name, check)
    health, faults = Health(agent.health), agent.fault_accumulator
    recorder = Recorder()
    recorder.attach(agent)
    check.complete_last_step(agent)
    return replace(
        _make_report(name, check),
        health=health,
        fault_count=faults,
        last_timestamp=agent.last_timestamp,
        configuration=check.configuration.hash(),
        configuration_source=source.value,
        interrupted=bool(recorder.entries),
    )


class LedgerReplay(NamedTuple):
    """The replay of a ledger, or its verification where its configuration cannot be had."""

    check: LedgerCheck
    """What was found."""
    source: Optional[ConfigurationSource]
    """Where the configuration came from; ``None`` where it cannot be had."""


def replay_stream(
    source: BinaryIO,
    path: str,
    policies: Optional[PolicySet],
    expected: Expectations,
    visitor: Optional[RecordVisitor] = None,
) -> LedgerReplay:
    """Replays the ledger in ``source``, whose path is ``path``, under the configuration that it
    names. Raises ConfigurationError and LedgerIOError."""
    blobs = BlobStore(path)
    source.seek(0)
    reset = find_first_reset(source)
    source.seek(0)
    policy_error: Optional[PolicyError] = None
    choice: ConfigurationChoice
    try:
        choice = choose_configuration(reset, blobs, policies)
    except PolicyError as error:
        choice, policy_error = ConfigurationProblem.MISSING, error
    if not isinstance(choice, ConfigurationProblem):
        configuration, chosen_from = choice
        return LedgerReplay(LedgerCheck(source, configuration, expected, visitor), chosen_from)

    # A defect of the ledger itself matters more than its configuration.
    check = LedgerCheck(source, None, expected, visitor)
    differs = choice is not ConfigurationProblem.MISSING
    if check.defect is not None and _comes_first(check.defect, reset, differs):
        return LedgerReplay(check, None)
    digest, sequence, offset = reset or FirstReset("", 0, 0)
    if policy_error is not None:
        raise ConfigurationError(
            path,
            f"{policy_error}; a configuration with an operator outside GT, LT, GE, LE cannot be "
            "replayed here",
        )
    if not differs:
        raise ConfigurationError(
            path,
            f"its configuration {digest} is missing: no file {blobs.path(digest)}, and the "
            "built-in policies are not its policies; give the policies it was made under",
        )
    reason = f"the ledger was made under the configuration {digest}; {choice.value}"
    check.defect = LedgerDefect(Verdict.CONFIG_MISMATCH, sequence, offset, reason)
    return LedgerReplay(check, None)


def _comes_first(defect: LedgerDefect, reset: Optional[FirstReset], differs: bool) -> bool:
    """Whether the report names ``defect`` rather than the configuration, which differs or is
    missing."""
    if differs:
        return reset is None or defect.sequence <= reset.sequence
    # Without its torn line the ledger is good, and so needs its configuration all the same.
    return defect.verdict is not Verdict.TORN


def _reading_error(path: str, error: OSError) -> LedgerError:
    if isinstance(error, LedgerError):
        return error
    if isinstance(error, FileNotFoundError):
        return LedgerMissingError(path, "there is no such ledger")
    return LedgerIOError(path, "read the ledger", error)


def _make_expectations(
    head: Optional[str], entries: Optional[int], models: Mapping[str, str]
) -> Expectations:
    if head is not None and not _HASH.fullmatch(head):
        raise ValueError(f"expect_head: found {head!r}, expected 64 hexadecimal digits")
    if entries is not None and not 1 <= entries < 2**64:
        raise ValueError(f"expect_entries: found {entries!r}, expected a number from 1")
    return Expectations(entries, None if head is None else bytes.fromhex(head), models)


def _make_report(path: str, check: LedgerCheck, blobs: Optional[BlobReport] = None) -> Report:
    if check.defect is not None:
        verdict, sequence, offset, reason = check.defect
        return Report(
            ledger=path,
            verdict=verdict,
            ok=False,
            sequence=sequence,
            offset=offset,
            reason=reason,
            models_checked=check.models_checked,
            blobs=blobs,
        )
    return Report(
        ledger=path,
        verdict=Verdict.OK,
        ok=blobs is None or not (blobs.altered or blobs.missing_count),
        entries=check.entries,
        head=check.head.hex(),
        sealed=check.sealed,
        profiles=tuple(sorted(check.profiles)),
        models_checked=check.models_checked,
        blobs=blobs,
    )
