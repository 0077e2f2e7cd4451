"""What an executor of Spark does with the rows that it gets, without Spark."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any, Optional

import pyarrow
import pytest

import axilog
from axilog._fleet_audit import audit_batches
from axilog._fleet_records import Table, read_fleet_batches
from tests.conftest import Cli, write_ledger
from tests.fleets import compare_with_command, read_page, write_damaged
from tests.test_blobs import blob, write_answers

TYPES = {
    "path": pyarrow.string(),
    "file": pyarrow.string(),
    "content": pyarrow.binary(),
    "blobs": pyarrow.map_(pyarrow.string(), pyarrow.binary()),
    "problem": pyarrow.string(),
    "expect_head": pyarrow.string(),
    "expect_entries": pyarrow.int64(),
    "extends": pyarrow.struct([("records", pyarrow.int64()), ("head", pyarrow.string())]),
}


def make_batch(*rows: dict[str, Any]) -> pyarrow.RecordBatch:
    return pyarrow.RecordBatch.from_pydict(
        {name: pyarrow.array([row.get(name) for row in rows], t) for name, t in TYPES.items()}
    )


def audit(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    audited = pyarrow.Table.from_batches(audit_batches(iter([make_batch(*rows)]), {}))
    found: list[dict[str, Any]] = audited.to_pylist()
    return found


def read(table: Table, *rows: dict[str, Any], questions: bool = True) -> list[dict[str, Any]]:
    batches = read_fleet_batches(iter([make_batch(*rows)]), table, questions)
    found: list[dict[str, Any]] = pyarrow.Table.from_batches(batches).to_pylist()
    return found


def pack(path: str) -> dict[str, Any]:
    """A ledger as a row with its bytes and its blobs."""
    blobs = {file.name: file.read_bytes() for file in Path(f"{path}.blobs").glob("*/*")}
    content = Path(path).read_bytes()
    return {"path": "fleet/one", "content": content, "blobs": list(blobs.items())}


def test_a_file_that_cannot_be_written_is_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.fspath(tmp_path / "one.jsonl")
    write_answers(path)
    monkeypatch.setenv("SPARK_LOCAL_DIRS", os.fspath(tmp_path / "absent"))
    (row,) = audit(pack(path))
    assert row["verdict"] == "UNREADABLE" and "No such file" in row["reason"]
    # The disk is full after some kilobytes.
    monkeypatch.setenv("SPARK_LOCAL_DIRS", os.fspath(tmp_path))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        (row,) = audit(pack(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert row["verdict"] == "UNREADABLE" and "File too large" in row["reason"]
    assert not list(tmp_path.glob("axilog-*"))
    (row,) = audit(pack(path))
    assert row["verdict"] == "OK" and not list(tmp_path.glob("axilog-*"))


def test_files_have_the_verdict_of_the_command(cli: Cli, tmp_path: Path) -> None:
    paths = write_damaged(tmp_path)[:18] + [os.fspath(tmp_path / "absent"), os.fspath(tmp_path)]
    for row in audit(*({"path": path, "file": path} for path in paths)):
        compare_with_command(cli, row, row["path"])


def test_bytes_are_audited_with_their_blobs_and_leave_nothing(
    cli: Cli, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_answers(path)
    for_files = tmp_path / "temporary"
    for_files.mkdir()
    monkeypatch.setattr("tempfile.tempdir", os.fspath(for_files))
    whole = pack(path)
    first, second, bare = audit(whole, whole, {**whole, "blobs": None})
    compare_with_command(cli, first, path)
    assert {**first, "seconds": 0} == {**second, "seconds": 0} and first["verdict"] == "OK"
    assert bare["verdict"] == "FAILED" and "missing fleet/one.blobs/" in bare["reason"]
    assert list(for_files.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"content": None}, "the column `content` is null"),
        ({"path": None}, "the column `path` is null"),
        ({"problem": "it has gone"}, "it has gone"),
        ({"blobs": [("../../evil", b"x")]}, "found a blob with the name '../../evil', expected"),
        ({"expect_head": "0"}, "expected 64 hexadecimal digits"),
    ],
)
def test_a_row_that_is_no_ledger_says_why(path: str, change: dict[str, Any], expected: str) -> None:
    write_ledger(path)
    row = {**pack(path), **change}
    (found,) = audit(row)
    assert found["verdict"] == "UNREADABLE" and expected in found["reason"]
    if "expect_head" not in change:
        (read_row,) = read(Table.TRANSITIONS, row)
        assert expected in read_row["defect"] and read_row["sequence"] is None


def test_each_ledger_has_its_own_expectations(path: str) -> None:
    write_ledger(path)
    entries, head = len(Path(path).read_bytes().splitlines()), axilog.verify(path).head
    row = {"path": path, "file": path}
    found = audit(
        {**row, "expect_head": head, "expect_entries": entries},
        {**row, "expect_head": "0" * 64},
        {**row, "expect_entries": entries + 1},
        {**row, "extends": {"records": entries, "head": head}},
        {**row, "extends": {"records": entries, "head": "0" * 64}},
        {**row, "extends": {"records": None, "head": None}},
    )
    faults = [None, "TRUNCATED", "TRUNCATED", None, "ALTERED", None]
    assert [r["fault"] for r in found] == faults


def test_observations_have_their_questions(path: str) -> None:
    write_answers(path)
    row = {"path": path, "file": path}
    found = read(Table.OBSERVATIONS, row)
    with axilog.read(path, kinds=[axilog.RecordKind.OBSERVATION], questions=True) as reader:
        for read_row, record in zip(found, reader):
            observation = record.observation
            assert observation is not None and record.question is not None
            failure: Optional[axilog.Failure] = observation.failure
            assert read_row == {
                "path": path,
                "sequence": record.sequence,
                "ledger_seq": record.ledger_seq,
                "time": record.time,
                "oracle_id": observation.oracle_id,
                "model_id": observation.model_id,
                "question": record.question.decode(),
                "output": observation.output,
                "output_size": observation.output_size,
                "completion": observation.completion.name,
                "failure": failure and failure.name,
                "obs_hash": bytes.fromhex(observation.obs_hash),
                "offset": record.offset,
                "defect": None,
            }
        assert next(reader, None) is None
    assert [r["question"] for r in read(Table.OBSERVATIONS, row, questions=False)] == [None] * 6
    blob(path, b"how fast?").unlink()
    assert [r["question"] for r in read(Table.OBSERVATIONS, row)][2:] == [None] * 3 + ["late?"]


def test_a_bad_ledger_is_read_up_to_its_first_bad_record(path: str) -> None:
    lines = write_ledger(path)
    Path(path).write_bytes(b"".join(lines[:9] + lines[10:]))
    for table, kind in (
        (Table.OBSERVATIONS, axilog.RecordKind.OBSERVATION),
        (Table.POLICIES, axilog.RecordKind.POLICY),
        (Table.TRANSITIONS, axilog.RecordKind.TRANSITION),
    ):
        *good, last = read(table, {"path": path, "file": path})
        expected = []
        with pytest.raises(axilog.BadRecordError) as caught:
            for record in axilog.read(path, kinds=[kind]):
                expected.append((record.sequence, record.ledger_seq))
        assert [(row["sequence"], row["ledger_seq"]) for row in good] == expected
        assert last["defect"] == str(caught.value) and last["path"] == path
        assert {name for name in last if last[name] is not None} == {"path", "defect"}


def test_a_time_may_be_any_unsigned_number(path: str) -> None:
    with axilog.Agent.create(path, time=2**64 - 1):
        pass
    times = {row["time"] for row in read(Table.TRANSITIONS, {"path": path, "file": path})}
    assert times == {None, 2**64 - 1}


def test_the_programs_of_the_page_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    programs, expected = read_page("A fleet to try", "On one machine")
    assert len(programs) == 3
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for program in programs:
        exec(compile(program, "fleet.md", "exec"), names)
    assert capsys.readouterr().out.splitlines() == expected
