"""An audit admits raw answers again, and finds those of which admission makes another record."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import axilog
from axilog import AuditVerdict, CheckResult
from axilog.capi.constants import AX_TAG_PROOF
from tests.conftest import Cli, begin_agent, forge_ledger, observe, read_records
from tests.test_blobs import blob, store

LONG = b'{"value":5,"why":"' + b"x" * 70_000 + b'"}'
REFUSED = b"\xff\xfe"


def check_raw_answers(cli: Cli, path: str) -> axilog.AuditCheck:
    """The check of the raw answers, of which package and command must say the same."""
    report = axilog.audit(path)
    command = cli.run_json("audit", path)
    assert report.verdict.name == command["verdict"]
    found = {c.subject: c for c in report.checks}["raw answers"]
    said = {c["subject"]: c for c in command["checks"]}["raw answers"]
    assert (found.result.value, found.finding, list(found.details)) == (
        said["result"],
        said["finding"],
        said["details"],
    )
    assert (report.verdict is AuditVerdict.FAILED) is (found.result is CheckResult.FAILED)
    return found


def write_raw_answers(path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        observe(agent, LONG)
        observe(agent, REFUSED)


@pytest.mark.parametrize("unit", ["x", "é", "€", "😀", '"', "\n", "\r\n", "a\r\né"])
def test_what_an_agent_cuts_is_what_admission_makes(cli: Cli, path: str, unit: str) -> None:
    full = 65_536 // len(unit.replace("\r", "").encode())
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        for before in range(4):
            observe(agent, ("y" * before + unit * full * 2).encode())
        observe(agent, (unit * full + "\x07").encode())
    assert check_raw_answers(cli, path).result is CheckResult.PASSED


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (REFUSED, b'{"value": 5}', "it is admissible, and is recorded as INVALID_OUTPUT"),
        (REFUSED, b"\xfe\xff", ""),
        (LONG, LONG.replace(b"5", b"9"), "it does not begin with what the record holds"),
        (LONG, LONG[:-3], f"it has {len(LONG) - 3} bytes in its record's form"),
        (LONG, LONG[:-1] + b"\xff", "it is not admissible, and is recorded as TRUNCATED"),
    ],
)
def test_another_answer_in_place_of_a_raw_one(
    cli: Cli, path: str, old: bytes, new: bytes, reason: str
) -> None:
    write_raw_answers(path)
    assert check_raw_answers(cli, path).result is CheckResult.PASSED
    records = []
    for tag, payload in read_records(path):
        record = json.loads(payload)
        if tag == AX_TAG_PROOF.decode() and record["sha256"] == hashlib.sha256(old).hexdigest():
            record.update(bytes=len(new), sha256=hashlib.sha256(new).hexdigest())
            payload = json.dumps(record, separators=(",", ":"), sort_keys=True).encode()
        records.append((tag, payload))
    forge_ledger(path, records)
    blob(path, old).unlink()
    store(path, new)
    found = check_raw_answers(cli, path)
    if reason:
        assert found.result is CheckResult.FAILED and reason in found.details[0]
    else:
        # Only a head that was noted before tells one inadmissible answer from another.
        assert found.result is CheckResult.PASSED


@pytest.mark.parametrize("kept", [11, 65_000])
def test_a_record_that_holds_less_than_it_could(cli: Cli, path: str, kept: int) -> None:
    write_raw_answers(path)
    records = []
    for tag, payload in read_records(path):
        if b'"completion_state":"TRUNCATED"' in payload:
            record = json.loads(payload)
            record["output"] = record["output"][:kept]
            for digest in ("", None):
                record["obs_hash"] = hashlib.sha256(payload).hexdigest() if digest is None else ""
                payload = json.dumps(record, separators=(",", ":"), sort_keys=True).encode()
        records.append((tag, payload))
    forge_ledger(path, records)
    assert Path(path).exists() and axilog.verify(path).ok
    found = check_raw_answers(cli, path)
    assert found.result is CheckResult.FAILED
    assert f"the record holds its first {kept} bytes" in found.details[0]
