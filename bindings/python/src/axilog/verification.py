"""Verification and replay of ledger files, for those who trust nobody (SRS-004 section 13)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple, Optional, Union

from axilog._blobs import Blobs
from axilog._check import Check, Expected, See
from axilog._recorder import Recorder
from axilog._rules import Choice, Reset, Source, Unusable, choose, first_reset
from axilog.entry import Entry
from axilog.enums import Health, Profile, Verdict
from axilog.errors import (
    ConfigurationError,
    Fault,
    LedgerError,
    LedgerIOError,
    LedgerMissingError,
    PolicyError,
)
from axilog.observation import Observation
from axilog.policy_set import PolicySet

Path = Union[str, "os.PathLike[str]"]
_HEAD = re.compile(r"[0-9A-Fa-f]{64}")
_MAX_NAMED = 20


@dataclass
class BlobReport:
    """What was found of the blobs beside a ledger."""

    checked: int = 0
    """How many were recomputed."""
    altered: list[str] = field(default_factory=list)
    """The paths of those whose bytes have another hash than their name."""
    missing_count: int = 0
    """How many observations have an input without a blob."""
    missing: list[tuple[int, str]] = field(default_factory=list)
    """The sequence and the path of the first 20 of those."""


@dataclass(frozen=True)
class Report:
    """What :func:`verify` or :func:`replay` found. The fields are those of ``axilog verify --json``
    and ``axilog replay --json``; text is in hexadecimal where it is a hash."""

    ledger: str
    """The file."""
    verdict: Verdict
    """What it is."""
    ok: bool
    """Whether all that was asked for is good, the blobs included."""
    sequence: Optional[int] = None
    """Where it is not good: the first bad record, or the first missing one."""
    offset: Optional[int] = None
    """Where it is not good: where that record's line begins, in bytes."""
    reason: Optional[str] = None
    """Where it is not good: what was found and what was expected."""
    entries: Optional[int] = None
    """Where it is good: how many records it has, genesis and seal counted."""
    head: Optional[str] = None
    """Where it is good: the chain value of the last record."""
    sealed: Optional[bool] = None
    """Where it is good: whether that is a seal."""
    profiles: tuple[Profile, ...] = ()
    """Where it is good: how its observations are written."""
    models_checked: bool = True
    """Whether every oracle was held to its model: at most 32 are."""
    blobs: Optional[BlobReport] = None
    """What was found of the blobs, where that was asked for."""
    health: Optional[Health] = None
    """Replay: the agent's state at the end."""
    fault_count: Optional[int] = None
    """Replay: faults since the last reset."""
    last_timestamp: Optional[int] = None
    """Replay: the last accepted time."""
    configuration: Optional[str] = None
    """Replay: the hash of the rules."""
    configuration_source: Optional[str] = None
    """Replay: where the rules came from: ``ledger``, ``caller`` or ``built-in``."""
    interrupted: Optional[bool] = None
    """Replay: whether the last step lacks records, which opening for writing completes."""

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
    """Checks hashes, chain, canonical forms, order, witnesses and models of a ledger file, one line
    in memory at a time, as ``axilog verify`` does.

    ``expect_head`` is the chain value of the last record (64 hexadecimal digits, the seal's or the
    one before it) and ``expect_entries`` the number of records (genesis counted, a seal not): take
    them from elsewhere, since the chain has no key. ``expect_models`` has the model that an oracle
    must have, by oracle id. With ``blobs`` every blob beside the ledger is recomputed and the one
    of every input looked for.

    Raises LedgerMissingError and LedgerIOError. What is wrong with the ledger is in the report.
    """
    name = os.fspath(path)
    expected = _expected(expect_head, expect_entries, expect_models or {})
    store, found = Blobs(name), BlobReport()

    def see(entry: Entry, offset: int, observation: Optional[Observation]) -> None:
        if observation is not None and not store.contains(observation.input_hash):
            found.missing_count += 1
            if len(found.missing) < _MAX_NAMED:
                place = store.path(observation.input_hash)
                found.missing.append((observation.ledger_seq, place))

    try:
        with _open(name) as file:
            check = Check(file, None, expected, see if blobs else None)
    except OSError as error:
        raise _unread(name, error) from error
    if not blobs:
        return _report(name, check)
    for place, good in store.recompute():
        found.checked += 1
        if not good:
            found.altered.append(place)
    return _report(name, check, found)


def replay(
    path: Path,
    *,
    policies: Optional[PolicySet] = None,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
) -> Report:
    """Runs policies and agent afresh on the recorded observations and compares every record, byte
    for byte, as ``axilog replay`` does. No oracle is called. The file is read twice, one line in
    memory at a time.

    The rules are the ledger's configuration, kept beside it; where it is missing, the built-in
    policies serve if they are the ledger's, else ``policies`` must be them. The others are as in
    :func:`verify`.

    Raises ConfigurationError where the ledger is good but its rules cannot be had, LedgerError for
    what is no regular file, LedgerMissingError and LedgerIOError.
    """
    name = os.fspath(path)
    expected = _expected(expect_head, expect_entries, expect_models or {})
    try:
        with _open(name) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise LedgerError(name, "is not a regular file, which a ledger must be")
            replayed = replay_stream(file, name, policies, expected)
    except OSError as error:
        raise _unread(name, error) from error
    check, source = replayed
    agent = None if check.fault is not None or source is None else check.agent()
    if agent is None or source is None or check.configuration is None:
        return _report(name, check)
    health, faults = Health(agent.health), agent.fault_accumulator
    recorder = Recorder()
    recorder.attach(agent)
    check.complete(agent)
    return _report(
        name,
        check,
        health=health,
        fault_count=faults,
        last_timestamp=agent.last_timestamp,
        configuration=check.configuration.hash(),
        configuration_source=source.value,
        interrupted=bool(recorder.entries),
    )


class Replayed(NamedTuple):
    """A replayed ledger."""

    check: Check
    """What was found; of a verification where the rules could not be had."""
    source: Optional[Source]
    """Where the rules came from; ``None`` where they could not be had."""


def replay_stream(
    source: BinaryIO,
    path: str,
    policies: Optional[PolicySet],
    expected: Expected,
    see: Optional[See] = None,
) -> Replayed:
    """Replays the ledger that ``source`` gives, under the rules that it names."""
    blobs = Blobs(path)
    source.seek(0)
    reset = first_reset(source)
    source.seek(0)
    unreadable: Optional[PolicyError] = None
    choice: Choice
    try:
        choice = choose(reset, blobs, policies)
    except PolicyError as error:
        choice, unreadable = Unusable.MISSING, error
    if not isinstance(choice, Unusable):
        return Replayed(Check(source, choice[0], expected, see), choice[1])

    # What is wrong with the ledger itself matters more than its rules.
    check = Check(source, None, expected, see)
    others = choice is not Unusable.MISSING
    if check.fault is not None and _comes_first(check.fault, reset, others):
        return Replayed(check, None)
    digest, sequence, offset = reset or Reset("", 0, 0)
    if unreadable is not None:
        raise ConfigurationError(
            path,
            f"{unreadable}; a configuration with an operator outside GT, LT, GE, LE cannot be "
            "replayed here",
        )
    if not others:
        raise ConfigurationError(
            path,
            f"its configuration {digest} is missing: no file {blobs.path(digest)}, and the "
            "built-in policies are others; give the policies it was made under",
        )
    reason = f"the ledger was made under the configuration {digest}; {choice.value}"
    check.fault = Fault(Verdict.CONFIG_MISMATCH, sequence, offset, reason)
    return Replayed(check, None)


def _comes_first(fault: Fault, reset: Optional[Reset], others: bool) -> bool:
    if others:
        return reset is None or fault.sequence <= reset.sequence
    # A torn line ends a ledger that is good without it, which needs its rules all the same.
    return fault.verdict is not Verdict.TORN


def _open(path: str) -> BinaryIO:
    return open(path, "rb", buffering=1 << 16)


def _unread(path: str, error: OSError) -> LedgerError:
    if isinstance(error, LedgerError):
        return error
    if isinstance(error, FileNotFoundError):
        return LedgerMissingError(path, "there is no such ledger")
    return LedgerIOError(path, "read the ledger", error)


def _expected(head: Optional[str], entries: Optional[int], models: Mapping[str, str]) -> Expected:
    if head is not None and not _HEAD.fullmatch(head):
        raise ValueError(f"expect_head: found {head!r}, expected 64 hexadecimal digits")
    if entries is not None and not 1 <= entries < 2**64:
        raise ValueError(f"expect_entries: found {entries!r}, expected a number from 1")
    return Expected(entries, None if head is None else bytes.fromhex(head), models)


def _report(
    path: str,
    check: Check,
    blobs: Optional[BlobReport] = None,
    *,
    health: Optional[Health] = None,
    fault_count: Optional[int] = None,
    last_timestamp: Optional[int] = None,
    configuration: Optional[str] = None,
    configuration_source: Optional[str] = None,
    interrupted: Optional[bool] = None,
) -> Report:
    whole = blobs is None or not (blobs.altered or blobs.missing_count)
    if check.fault is not None:
        verdict, sequence, offset, reason = check.fault
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
        ok=whole,
        entries=check.entries,
        head=check.head.hex(),
        sealed=check.sealed,
        profiles=tuple(sorted(check.profiles)),
        models_checked=check.models_checked,
        blobs=blobs,
        health=health,
        fault_count=fault_count,
        last_timestamp=last_timestamp,
        configuration=configuration,
        configuration_source=configuration_source,
        interrupted=interrupted,
    )
