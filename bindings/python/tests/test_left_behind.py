"""What an interrupted writer leaves: blobs that no record names, and answers that are not bound."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import axilog
from axilog import AuditVerdict, CheckResult
from tests.conftest import Cli, begin_agent, observe


def leave_behind(path: str, data: bytes) -> Path:
    """Puts a blob beside the ledger, as a writer that is killed before its record leaves it."""
    digest = hashlib.sha256(data).hexdigest()
    file = Path(f"{path}.blobs", digest[:2], digest)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def audit(cli: Cli, path: str) -> axilog.AuditReport:
    """Audits with the package and the command, which must say the same."""
    report = axilog.audit(path)
    command_report = cli.run_json("audit", path)
    assert report.verdict.name == command_report["verdict"]
    found = [(c.subject, c.result.value, list(c.details)) for c in report.checks]
    commands = command_report["checks"]
    assert found == [(c["subject"], c["result"], c["details"]) for c in commands]
    if report.fault is None:
        assert [c.finding for c in report.checks] == [c["finding"] for c in commands]
    return report


def test_what_no_record_names_is_no_failure_and_is_moved_aside(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path, name="plant/pump-3") as ledger:
        observe(begin_agent(ledger), b"\xff")
        assert ledger.left_behind is None
    left = [leave_behind(path, b"a question"), leave_behind(path, b"another")]
    assert audit(cli, path).verdict is AuditVerdict.OK
    report = axilog.verify(path, blobs=True)
    assert report.ok and report.blobs is not None and report.blobs.unreferenced_count == 2

    with axilog.Ledger.open(path) as ledger:
        assert ledger.left_behind == axilog.LeftBehind(f"{path}.left-behind", 2)
    assert not any(file.exists() for file in left)
    aside = Path(f"{path}.left-behind")
    assert (aside / left[0].name).read_bytes() == b"a question"
    leave_behind(path, b"a question")
    with axilog.Ledger.open(path):
        pass
    assert (aside / f"{left[0].name}.2").read_bytes() == b"a question"
    assert audit(cli, path).verdict is AuditVerdict.OK
    blobs = axilog.verify(path, blobs=True).blobs
    assert blobs is not None and (blobs.checked, blobs.unreferenced_count) == (4, 0)


@pytest.mark.parametrize("answer", [b"\xff\xfe as it came", b"long\r\n" * 20_000])
@pytest.mark.parametrize("torn", [0, 1, 80, -1])
@pytest.mark.parametrize("writer", ["package", "command"])
def test_an_answer_whose_binding_was_cut_off_is_bound(
    cli: Cli, path: str, answer: bytes, torn: int, writer: str
) -> None:
    with axilog.Ledger.create(path) as ledger:
        observe(begin_agent(ledger), answer)
    whole = Path(path).read_bytes()
    lines = whole.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if b'"kind":"RAW"' in line)
    torn_line = lines[at][:torn] if torn else b""
    Path(path).write_bytes(b"".join(lines[:at]) + torn_line)
    leave_behind(path, b'{"value": 5}')
    report = audit(cli, path)
    assert report.verdict is AuditVerdict.INCOMPLETE
    if not torn:
        found = {c.subject: c for c in report.checks}["raw answers"]
        assert found.result is CheckResult.NOT_CHECKED and "0.2" not in found.finding
    if writer == "command":
        assert cli.run("tidy", path).returncode == 0
    else:
        with axilog.Ledger.open(path) as ledger:
            assert ledger.completed_records == len(lines) - at
    assert Path(path).read_bytes() == whole
    assert audit(cli, path).verdict is AuditVerdict.OK


def test_two_answers_that_could_be_meant_are_not_guessed_between(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        observe(begin_agent(ledger), b"\xff")
    lines = Path(path).read_bytes().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if b'"kind":"RAW"' in line)
    Path(path).write_bytes(b"".join(lines[:at]))
    leave_behind(path, b"\xfe")
    with axilog.Ledger.open(path) as ledger:
        assert ledger.left_behind is not None and ledger.left_behind.files == 2
    report = audit(cli, path)
    assert report.verdict is AuditVerdict.INCOMPLETE
    found = {c.subject: c for c in report.checks}["raw answers"]
    assert "their steps were interrupted" in found.finding
