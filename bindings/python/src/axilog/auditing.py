"""The audit of a ledger: everything that can be checked of it, as one verdict that fails closed
(decision D34)."""

from __future__ import annotations

import enum
import os
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, Optional

from axilog._audit_checks import (
    CHECKS,
    AuditCheck,
    CheckResult,
    check_blobs,
    check_decisions,
    check_derivations,
    check_end,
    check_manifest,
    check_models,
    check_oracles,
    check_raw_answers,
    check_schemas,
    list_not_compared,
)
from axilog._blob_comparison import MAX_BLOB_BYTES, BlobComparison
from axilog._blobs import BlobStore
from axilog._derivations import Derivations
from axilog._ledger_check import (
    Expectations,
    LedgerCheck,
    RecordVisitor,
    look_until_settled,
)
from axilog._ledger_configuration import ConfigurationSource, ExpectedRules, holds_decisions
from axilog._named_blobs import find_manifest
from axilog._oracle_summary import Oracles
from axilog._raw_answers import RawAnswerComparison
from axilog._recorder import Recorder
from axilog.entry import Entry
from axilog.errors import ConfigurationError, LedgerDefect
from axilog.manifest import Manifest
from axilog.observation import Observation
from axilog.policy_set import PolicySet
from axilog.verification import (
    EarlierHeads,
    Path,
    make_expectations,
    make_expected_rules,
    open_ledger,
    replay_stream,
)


class AuditVerdict(enum.Enum):
    """The verdict over all checks of an audit."""

    OK = "OK"
    """Every check was made and passed."""
    FAILED = "FAILED"
    """A check was made and failed."""
    INCOMPLETE = "INCOMPLETE"
    """No check failed, and one could not be made."""


class UnjudgedOracle(NamedTuple):
    """An oracle of which answers were permitted without any policy."""

    oracle_id: str
    """The oracle."""
    answers: int
    """How many such answers there are."""


@dataclass(frozen=True)
class AuditReport:
    """What :func:`audit` found. The fields are those of ``axilog audit --json``. A report is true
    where ``ok`` is."""

    ledger: str
    """The path of the ledger."""
    verdict: AuditVerdict
    """The verdict over all checks."""
    ok: bool
    """Whether the verdict is OK."""
    entries: Optional[int]
    """In a ledger without a defect: how many records it has, genesis and seal counted."""
    head: Optional[str]
    """In a ledger without a defect: the chain value of the last record, in hexadecimal."""
    sealed: Optional[bool]
    """In a ledger without a defect: whether the last record is a seal."""
    fault: Optional[LedgerDefect]
    """The first defect of the ledger. A check behind it is not made."""
    checks: tuple[AuditCheck, ...]
    """The checks, always in the same order."""
    not_compared: tuple[str, ...]
    """What the ledger alone cannot show and nothing was named to compare with, in words."""
    unjudged_oracles: tuple[UnjudgedOracle, ...]
    """The oracles that no policy judged."""

    def __bool__(self) -> bool:
        return self.ok


def audit(
    path: Path,
    *,
    policies: Optional[PolicySet] = None,
    permit_truncated: bool = False,
    stop_on_invalid: bool = False,
    require_policy: bool = False,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    extends: EarlierHeads = (),
    budget: Optional[Mapping[str, int]] = None,
) -> AuditReport:
    """Audits a ledger file as ``axilog audit`` does: verification, replay, manifest, models, blobs,
    raw answers, derivations and what the caller expects, as one verdict. Only OK is good: a check
    that could not be made is no success. Memory grows with the number of distinct blobs, oracles
    and derivations.

    Args:
        path: The ledger file, which is read several times.
        policies: As in :func:`axilog.replay`.
        permit_truncated: As in :func:`axilog.replay`.
        stop_on_invalid: As in :func:`axilog.replay`.
        require_policy: Whether a policy must have judged every answer that was permitted, as where
            the ledger itself requires that.
        expect_head: As in :func:`axilog.verify`.
        expect_entries: As in :func:`axilog.verify`.
        expect_models: As in :func:`axilog.verify`; each of these oracles must have a record.
        extends: As in :func:`axilog.verify`.
        budget: The budgets that are not the usual ones, by name, as ``axilog audit --budget`` has
            them: ``blob-bytes`` is the most bytes of one blob that are read, 67108864 where nothing
            else is said. What exceeds a budget is not read, and the verdict is INCOMPLETE.

    Returns:
        The report. A defect of the ledger is a failed check and raises nothing.

    Raises:
        LedgerError for a path that is no regular file, LedgerMissingError, LedgerIOError, and
        ValueError for an expectation out of range and for a budget of another name.
    """
    name = os.fspath(path)
    limit = _read_budget(budget or {})
    expected = make_expectations(expect_head, expect_entries, expect_models or {}, extends)
    rules = make_expected_rules(policies, permit_truncated, stop_on_invalid)
    with open_ledger(name) as file:
        return _Audit(file, name, expected, rules, require_policy, limit).make_report()


def _read_budget(budget: Mapping[str, int]) -> int:
    """The most bytes of one blob that are read."""
    for name, number in budget.items():
        if name != "blob-bytes":
            raise ValueError(f"found {name!a} for the name of a budget, expected 'blob-bytes'")
        if not 0 <= number < 1 << 64:
            raise ValueError(f"found {number} for the budget {name}, expected 0 to 2**64 - 1")
    return budget.get("blob-bytes", MAX_BLOB_BYTES)


_Look = tuple[LedgerCheck, Optional[ConfigurationSource], Optional[str]]


def _find_doubt(found: _Look) -> Optional[str]:
    """What a writer at work could be the reason of."""
    check = found[0]
    if check.defect is not None:
        return str(check.defect)
    return f"interrupted behind {check.entries} records" if _is_interrupted(check) else None


class _Audit:
    """An audit of the ledger in ``source``, whose path is ``path``."""

    def __init__(
        self,
        source: BinaryIO,
        path: str,
        expected: Expectations,
        rules: ExpectedRules,
        require_policy: bool,
        limit: int,
    ) -> None:
        self._source = source
        # The most bytes of one blob that are read.
        self._limit = limit
        self._path = path
        self._expected = expected
        self._rules = rules
        self._require_policy = require_policy
        self._store = BlobStore(path)
        self._begin_pass()
        # The oracles whose answers a schema covers.
        self._covered: set[str] = set()

    def _begin_pass(self) -> None:
        """Forgets what an earlier pass over the records has gathered."""
        self._blobs = BlobComparison(self._store, self._limit)
        self._oracles = Oracles()
        self._derivations = Derivations(self._store, self._limit)
        self._raw_answers = RawAnswerComparison(self._store, self._limit)
        self._refusing: Optional[Container[str]] = None

    def make_report(self) -> AuditReport:
        """Makes every check. Raises LedgerIOError."""
        check, source, problem = look_until_settled(self._source, self._replay, _find_doubt)
        checks = check_decisions(check, source, problem)
        if check.defect is None:
            checks += self._check_the_rest(check, problem)
        else:
            finding = f"the ledger is not good from record {check.defect.sequence} on"
            left = CHECKS[len(checks) :]
            checks += [AuditCheck(what, CheckResult.NOT_CHECKED, finding) for what in left]
        verdict = _judge(checks)
        is_whole = check.defect is None
        return AuditReport(
            ledger=self._path,
            verdict=verdict,
            ok=verdict is AuditVerdict.OK,
            entries=check.entries if is_whole else None,
            head=check.head.hex() if is_whole else None,
            sealed=check.sealed if is_whole else None,
            fault=check.defect,
            checks=tuple(checks),
            not_compared=list_not_compared(self._oracles, self._expected, self._rules),
            unjudged_oracles=tuple(
                UnjudgedOracle(oracle_id, oracle.unjudged_answers)
                for oracle_id, oracle in self._oracles.by_id().items()
                if oracle.unjudged_answers and oracle_id not in self._covered
            ),
        )

    def _replay(self) -> _Look:
        """Replays the ledger, or verifies it where it holds no decision or its configuration cannot
        be had; the last result says why."""
        self._begin_pass()
        self._source.seek(0)
        if not holds_decisions(self._source):
            return self._verify(self._expected, self._take_record), None, None
        try:
            check, source = replay_stream(
                self._source, self._path, self._rules, self._expected, self._take_record
            )
            return check, source, None
        except ConfigurationError as error:
            # Its verification has visited every record.
            return self._verify(self._expected, None), None, str(error)

    def _verify(self, expected: Expectations, visitor: Optional[RecordVisitor]) -> LedgerCheck:
        self._source.seek(0)
        return LedgerCheck(self._source, None, expected, visitor)

    def _take_record(self, entry: Entry, offset: int, observation: Optional[Observation]) -> None:
        self._blobs.take_record(entry, offset, observation)
        self._oracles.take_record(entry, observation)
        self._raw_answers.take_record(entry, observation, self._may_refuse)
        if observation is not None:
            self._derivations.take_observation(observation)

    def _may_refuse(self, oracle_id: str) -> bool:
        """Whether an answer of the oracle may have been refused because it violates its schema. It
        may where nobody knows the schemas. To be called behind the first reset only."""
        if self._refusing is None:
            self._refusing = self._blobs.find_oracles_with_schemas()
        return oracle_id in self._refusing

    def _check_the_rest(self, check: LedgerCheck, problem: Optional[str]) -> list[AuditCheck]:
        """The checks behind the decisions, of a ledger without a defect."""
        manifest = None if check.configuration is None else check.configuration.manifest
        found = None if manifest is None else find_manifest(self._store, manifest)
        if isinstance(found, Manifest):
            self._covered = {o for o, named in found.schemas.items() if named.output is not None}
        blobs = self._blobs.finish(True)
        if self._derivations:
            self._verify(Expectations(), self._find_standing)
        return [
            check_manifest(manifest is not None, found),
            check_schemas(self._path, manifest is not None, found),
            check_oracles(self._oracles, problem, manifest, found, self._require_policy),
            check_models(self._oracles, self._expected),
            check_blobs(blobs, self._limit),
            check_raw_answers(blobs, self._raw_answers),
            check_derivations(len(self._derivations), self._derivations.judge()),
            check_end(_is_interrupted(check), check.sealed),
        ]

    def _find_standing(self, entry: Entry, offset: int, observation: Optional[Observation]) -> None:
        self._derivations.find_standing(entry)


def _is_interrupted(check: LedgerCheck) -> bool:
    """Whether the last step of a good ledger lacks records, which only a replay shows."""
    agent = None if check.configuration is None else check.restore_agent()
    if agent is None:
        return False
    recorder = Recorder()
    recorder.attach(agent)
    check.complete_last_step(agent)
    return bool(recorder.entries)


def _judge(checks: list[AuditCheck]) -> AuditVerdict:
    results = {check.result for check in checks}
    if CheckResult.FAILED in results:
        return AuditVerdict.FAILED
    if CheckResult.NOT_CHECKED in results:
        return AuditVerdict.INCOMPLETE
    return AuditVerdict.OK
