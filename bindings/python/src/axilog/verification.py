"""Verification and replay of ledger files, which need no oracle and trust nobody (SRS-004 section
13; formats.md section 6)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, NamedTuple, Optional, Union

from axilog._blob_comparison import BlobComparison, BlobReport
from axilog._blobs import BlobStore
from axilog._ledger_check import (
    EarlierHead,
    Expectations,
    LedgerCheck,
    RecordVisitor,
    look_until_settled,
)
from axilog._ledger_configuration import (
    ConfigurationChoice,
    ConfigurationDiffers,
    ConfigurationMissing,
    ConfigurationSource,
    ExpectedRules,
    FirstReset,
    Switches,
    choose_configuration,
    find_first_reset,
)
from axilog._recorder import Recorder
from axilog.enums import Health, Profile, Verdict
from axilog.errors import (
    ConfigurationError,
    LedgerDefect,
    LedgerError,
    LedgerIOError,
    LedgerMissingError,
    PolicyError,
)
from axilog.policy_set import PolicySet

Path = Union[str, "os.PathLike[str]"]
_HASH = re.compile(r"[0-9A-Fa-f]{64}")
EarlierHeads = Sequence[tuple[int, str]]
"""Pairs of a number of records and the head that the ledger had then, as ``Agent.entries`` and
``Agent.head`` give both."""


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
    """After a good replay: whether the last step lacks records, which ``Ledger.open`` adds."""

    def __bool__(self) -> bool:
        return self.ok


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
    witnesses and models. One line is in memory at a time.

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
            record names and that is missing or altered makes the report false; the verdict stays
            the ledger's own. A file that no record names, as a killed writer leaves one, is named
            too. Memory then grows with the number of distinct blobs.

    Returns:
        The report. A defect of the ledger is in it and raises nothing.

    Raises:
        LedgerMissingError, LedgerIOError, and ValueError for an expectation out of range.
    """
    name = os.fspath(path)
    expected = make_expectations(expect_head, expect_entries, expect_models or {}, extends)
    try:
        with open(name, "rb", buffering=1 << 16) as file:

            def look() -> tuple[LedgerCheck, Optional[BlobComparison]]:
                comparison = BlobComparison(BlobStore(name)) if blobs else None
                visitor = None if comparison is None else comparison.take_record
                return LedgerCheck(file, None, expected, visitor), comparison

            check, comparison = look_until_settled(file, look, lambda found: _doubt(found[0]))
    except OSError as error:
        raise reading_error(name, error) from error
    found = None if comparison is None else comparison.finish(check.defect is None)
    return _make_report(name, check, found)


def _doubt(check: LedgerCheck) -> Optional[str]:
    return None if check.defect is None else str(check.defect)


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
        ConfigurationError where the ledger is good but its configuration cannot be had, LedgerError
        for a path that is no regular file, LedgerMissingError, LedgerIOError, and ValueError for an
        expectation out of range.
    """
    name = os.fspath(path)
    expected = make_expectations(expect_head, expect_entries, expect_models or {}, extends)
    rules = make_expected_rules(policies, permit_truncated, stop_on_invalid)
    with open_ledger(name) as file:
        check, source = replay_stream(file, name, rules, expected)
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
        permit_truncated=check.configuration.permit_truncated,
        stop_on_invalid=check.configuration.stop_on_invalid,
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
    rules: ExpectedRules,
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
        choice = choose_configuration(reset, blobs, rules)
    except PolicyError as error:
        choice, policy_error = ConfigurationMissing(), error
    if not isinstance(choice, (ConfigurationDiffers, ConfigurationMissing)):
        configuration, chosen_from = choice
        return LedgerReplay(LedgerCheck(source, configuration, expected, visitor), chosen_from)

    # A defect of the ledger itself matters more than its configuration.
    check = LedgerCheck(source, None, expected, visitor)
    differs = isinstance(choice, ConfigurationDiffers)
    if check.defect is not None and _comes_first(check.defect, reset, differs):
        return LedgerReplay(check, None)
    digest, sequence, offset = reset or FirstReset("", 0, 0)
    if policy_error is not None:
        raise ConfigurationError(
            path,
            f"{policy_error}; a configuration with an operator outside GT, LT, GE, LE cannot be "
            "replayed here",
        )
    if isinstance(choice, ConfigurationMissing):
        raise ConfigurationError(
            path,
            f"its configuration {digest} is missing: no file {blobs.path(digest)}, and the "
            "built-in policies do not give it by themselves; put the file back, or give the "
            "policies it was made under where no manifest belongs to it",
        )
    reason = f"the ledger was made under the configuration {digest}; {choice.reason}"
    check.defect = LedgerDefect(Verdict.CONFIG_MISMATCH, sequence, offset, reason)
    return LedgerReplay(check, None)


def _comes_first(defect: LedgerDefect, reset: Optional[FirstReset], differs: bool) -> bool:
    """Whether the report names ``defect`` rather than the configuration, which differs or is
    missing."""
    if differs:
        return reset is None or defect.sequence <= reset.sequence
    # Without its torn line the ledger is good, and so needs its configuration all the same.
    return defect.verdict is not Verdict.TORN


@contextmanager
def open_ledger(path: str) -> Iterator[BinaryIO]:
    """Opens a ledger that is read more than once, and gives errors of reading it their names.
    Raises LedgerError for a path that is no regular file, LedgerMissingError, LedgerIOError."""
    try:
        with open(path, "rb", buffering=1 << 16) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise LedgerError(path, "is not a regular file, which a ledger must be")
            yield file
    except OSError as error:
        raise reading_error(path, error) from error


def reading_error(path: str, error: OSError) -> LedgerError:
    """The package's exception for an error of reading the ledger at ``path``."""
    if isinstance(error, LedgerError):
        return error
    if isinstance(error, FileNotFoundError):
        return LedgerMissingError(path, "there is no such ledger")
    return LedgerIOError(path, "read the ledger", error)


def make_expectations(
    head: Optional[str],
    entries: Optional[int],
    models: Mapping[str, str],
    extends: EarlierHeads,
) -> Expectations:
    """Checks what a caller expects of a ledger. Raises ValueError for a value out of its range."""
    if entries is not None and not 1 <= entries < 2**64:
        raise ValueError(f"expect_entries: found {entries!r}, expected a number from 1")
    earlier_heads = []
    for number, noted in extends:
        if not 1 <= number < 2**64:
            raise ValueError(f"extends: found {number!r} records, expected a number from 1")
        earlier_heads.append(EarlierHead(number, _parse_head(noted, "extends")))
    expected_head = None if head is None else _parse_head(head, "expect_head")
    return Expectations(entries, expected_head, models, tuple(earlier_heads))


def make_expected_rules(
    policies: Optional[PolicySet], permit_truncated: bool, stop_on_invalid: bool
) -> ExpectedRules:
    """What a caller expects of a ledger's rules. Policies, or a switch that is on, name both
    switches."""
    named = policies is not None or permit_truncated or stop_on_invalid
    switches = Switches(bool(permit_truncated), bool(stop_on_invalid)) if named else None
    return ExpectedRules(policies, switches)


def _parse_head(text: str, where: str) -> bytes:
    if not _HASH.fullmatch(text):
        raise ValueError(f"{where}: found {text!r}, expected 64 hexadecimal digits")
    return bytes.fromhex(text)


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
            blobs=blobs,
        )
    return Report(
        ledger=path,
        verdict=Verdict.OK,
        ok=blobs is None or blobs.is_good(),
        entries=check.entries,
        head=check.head.hex(),
        sealed=check.sealed,
        profiles=tuple(sorted(check.profiles)),
        blobs=blobs,
    )
