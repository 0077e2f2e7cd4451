"""The audit of a ledger: everything that can be checked of it, as one verdict that fails closed
(decision D34). The library makes it; this module gives its findings their types."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from axilog._host_call import Path
from axilog._host_check import (
    EarlierHeads,
    check_ledger,
    expect_rules,
    make_expectations,
)
from axilog._notebook import make_table
from axilog.capi import lib
from axilog.capi.host import axh_expectations_t
from axilog.enums import Verdict
from axilog.errors import LedgerDefect
from axilog.policy_set import PolicySet
from axilog.verification import AuditVerdict


class CheckResult(enum.Enum):
    """The result of one check of an audit."""

    PASSED = "passed"
    """The check was made, and everything is right."""
    FAILED = "failed"
    """The check was made, and something is wrong."""
    NOT_CHECKED = "not checked"
    """The check could not be made."""


class AuditCheck(NamedTuple):
    """One check of an audit."""

    subject: str
    """What was checked: ``chain``, ``rules``, ``decisions``, ``manifest``, ``schemas``,
    ``oracles``, ``models``, ``blobs``, ``raw answers``, ``derivations`` or ``end``."""
    result: CheckResult
    """The result."""
    finding: str
    """What was found, in words."""
    details: tuple[str, ...] = ()
    """The files or records that are wrong or missing."""


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
    """The first defect of the ledger. A check after it is not made."""
    checks: tuple[AuditCheck, ...]
    """The checks, always in the same order."""
    not_compared: tuple[str, ...]
    """What the ledger alone cannot show and nothing was named to compare with, in words."""
    unjudged_oracles: tuple[UnjudgedOracle, ...]
    """The oracles that no policy judged."""
    deployed: Optional[dict[str, Any]] = None
    """As in a :class:`axilog.Report`."""

    def __bool__(self) -> bool:
        return self.ok

    def _repr_html_(self) -> str:
        """The verdict and a table of the checks, as notebooks show it."""
        rows = [
            (check.subject, check.result.value, "; ".join((check.finding, *check.details)))
            for check in self.checks
        ]
        caption = f"{self.verdict.name}: {self.ledger}"
        return make_table(caption, ("check", "result", "finding"), rows)


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
            them: ``blob-bytes`` is the most bytes of one blob that are read, at least 1, and
            67108864 where nothing else is said. What exceeds a budget is not read, and the verdict
            is INCOMPLETE.

    Returns:
        The report. A defect of the ledger is a failed check and raises nothing.

    Raises:
        LedgerError for a path that is no regular file, LedgerMissingError, LedgerIOError, and
        ValueError for an expectation out of range and for a budget of another name.
    """
    expected = make_audit_expectations(
        policies=policies,
        permit_truncated=permit_truncated,
        stop_on_invalid=stop_on_invalid,
        require_policy=require_policy,
        expect_head=expect_head,
        expect_entries=expect_entries,
        expect_models=expect_models,
        extends=extends,
        budget=budget,
    )
    found = check_ledger(lib.axh_audit, path, expected)
    return AuditReport(
        **{
            **found,
            "verdict": AuditVerdict(found["verdict"]),
            "fault": found["fault"] and _make_defect(found["fault"]),
            "checks": tuple(map(_make_check, found["checks"])),
            "not_compared": tuple(found["not_compared"]),
            "unjudged_oracles": tuple(UnjudgedOracle(**each) for each in found["unjudged_oracles"]),
        }
    )


def make_audit_expectations(
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
) -> axh_expectations_t:
    """What an audit expects, with the arguments of :func:`audit`. Raises ValueError for one that is
    out of range."""
    expected = make_expectations(expect_head, expect_entries, expect_models, extends)
    expect_rules(expected, policies, permit_truncated, stop_on_invalid)
    expected.require_policy = int(bool(require_policy))
    expected.blob_bytes = _read_budget(budget or {})
    return expected


def _read_budget(budget: Mapping[str, int]) -> int:
    """The most bytes of one blob that are read; 0 for the usual number."""
    for name, number in budget.items():
        if name != "blob-bytes":
            raise ValueError(f"found {name!a} for the name of a budget, expected 'blob-bytes'")
        if not 1 <= number < 1 << 64:
            raise ValueError(f"found {number} for the budget {name}, expected 1 to 2**64 - 1")
    return budget.get("blob-bytes", 0)


def _make_defect(fault: dict[str, Any]) -> LedgerDefect:
    return LedgerDefect(**{**fault, "verdict": Verdict[fault["verdict"]]})


def _make_check(check: dict[str, Any]) -> AuditCheck:
    return AuditCheck(
        check["subject"], CheckResult(check["result"]), check["finding"], tuple(check["details"])
    )
