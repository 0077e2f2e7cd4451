"""What the table of a fleet's audit says of one ledger."""

from __future__ import annotations

import time
from collections.abc import Iterator
from ctypes import string_at
from typing import Any, NamedTuple, Optional

import pyarrow

from axilog._fleet_sources import UnreadableLedgerError, open_source, read_rows
from axilog._ledger_reader import LedgerReader, RecordKind
from axilog.auditing import AuditReport, CheckResult, audit
from axilog.capi.host import axh_columns_t
from axilog.enums import Health

_BATCH_RECORDS = 1 << 16


_TYPES = {"string": pyarrow.string(), "bigint": pyarrow.int64(), "double": pyarrow.float64()}
_COLUMNS = {
    "path": "string",
    "verdict": "string",
    "fault": "string",
    "sequence": "bigint",
    "offset": "bigint",
    "reason": "string",
    "records": "bigint",
    "head": "string",
    "state": "string",
    "breaches": "bigint",
    "seconds": "double",
}
AUDIT_SCHEMA = ", ".join(f"{name} {type_}" for name, type_ in _COLUMNS.items())
"""The columns of a fleet's audit, as Spark declares them."""


class AuditRow(NamedTuple):
    """What an audit says of one ledger. Where the ledger has a defect, ``records``, ``head``,
    ``state`` and ``breaches`` are absent."""

    verdict: str
    fault: Optional[str] = None
    sequence: Optional[int] = None
    offset: Optional[int] = None
    reason: Optional[str] = None
    records: Optional[int] = None
    head: Optional[str] = None
    state: Optional[str] = None
    breaches: Optional[int] = None
    seconds: Optional[float] = None


def audit_batches(
    batches: Iterator[pyarrow.RecordBatch], expected: dict[str, Any]
) -> Iterator[pyarrow.RecordBatch]:
    """Audits the ledgers of the source table, each of which is a row of the result, whatever is
    wrong with it."""
    for batch in batches:
        for row in read_rows(batch):
            values = {"path": row["path"], **_audit_row(row, expected)._asdict()}
            yield pyarrow.RecordBatch.from_pydict(
                {n: pyarrow.array([values[n]], _TYPES[type_]) for n, type_ in _COLUMNS.items()}
            )


def _audit_row(row: dict[str, Any], expected: dict[str, Any]) -> AuditRow:
    own = {name: row[name] for name in ("expect_head", "expect_entries")}
    # What an earlier audit found; of a ledger with a defect that is nothing.
    noted = tuple((row["extends"] or {}).values())
    own["extends"] = [noted] if noted and None not in noted else []
    try:
        with open_source(row) as source:
            found = audit_file(source.file, {**expected, **own})
            return found._replace(reason=found.reason and source.say(found.reason))
    except UnreadableLedgerError as error:
        return AuditRow("UNREADABLE", reason=str(error))


def audit_file(path: str, expected: dict[str, Any]) -> AuditRow:
    """Audits a ledger, and reads how its agent ended. Raises what :func:`axilog.audit` raises."""
    begin = time.monotonic()
    report = audit(path, **expected)
    fault = report.fault
    if fault is not None:
        found = AuditRow(
            report.verdict.value, fault.verdict.name, fault.sequence, fault.offset, fault.reason
        )
    else:
        state, breaches = _read_outcome(path, report.entries or 0)
        found = AuditRow(
            report.verdict.value,
            reason=_give_reason(report),
            records=report.entries,
            head=report.head,
            state=state,
            breaches=breaches,
        )
    return found._replace(seconds=time.monotonic() - begin)


def _give_reason(report: AuditReport) -> Optional[str]:
    """The first check that decided the verdict."""
    if report.ok:
        return None
    failed = [check for check in report.checks if check.result is CheckResult.FAILED]
    unmade = [check for check in report.checks if check.result is CheckResult.NOT_CHECKED]
    check = (failed + unmade)[0]
    return f"{check.subject}: {'; '.join((check.finding, *check.details))}"


def _read_outcome(path: str, records: int) -> tuple[str, int]:
    """The state of the agent after so many records, and how many inputs violated something. A
    program may have written more since the audit."""
    state, breaches = Health.UNINIT, 0

    def count(columns: axh_columns_t) -> None:
        nonlocal state, breaches
        violations = string_at(columns.violation, columns.count)
        breaches += columns.count - violations.count(0)
        state = Health(string_at(columns.next_state, columns.count)[-1])

    reader = LedgerReader(path, None, 0, records, [RecordKind.TRANSITION])
    try:
        while reader.read_columns(_BATCH_RECORDS, count) is not None:
            pass
    finally:
        reader.close()
    return state.name, breaches
