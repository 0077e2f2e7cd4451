"""``verify(blobs=True)`` compares the blobs with the records as the command does."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import axilog
from axilog import Verdict
from tests.conftest import Cli, begin_agent, observe, read_records, write_ledger
from tests.raw_agent import forge_ledger
from tests.test_verification import list_members

MANIFEST = b'{"name":"plant/pump-3"}'


def compare_blobs(cli: Cli, path: str) -> axilog.Report:
    """Compares the blobs with the package and the command, and the two reports."""
    report = axilog.verify(path, blobs=True)
    found = report.blobs
    assert found is not None
    missing = [{"ledger_seq": sequence, "path": file} for sequence, file in found.missing]
    members = {**list_members(report), "blobs": {**vars(found), "missing": missing}}
    assert members == cli.run_json("verify", path, "--blobs")
    return report


def write_answers(path: str) -> None:
    """Writes a ledger with a whole answer, an inadmissible one and one that is too long."""
    with begin_agent(path, name="plant/pump-3") as agent:
        observe(agent, b'{"value": 1}')
        observe(agent, b"\xff")
        observe(agent, b"x" * 100_000)
        agent.observe_failure(axilog.Failure.TIMEOUT, oracle_id="llm", model_id="m", input="late?")


def blob(path: str, data: bytes) -> Path:
    digest = hashlib.sha256(data).hexdigest()
    return Path(f"{path}.blobs", digest[:2], digest)


def store(path: str, data: bytes) -> None:
    file = blob(path, data)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def store_many(path: str) -> None:
    for number in range(25):
        store(path, b"%d" % number)


def move_blob(path: str) -> None:
    file = blob(path, b"how fast?")
    file.rename(blob(path, MANIFEST).parent / file.name)


def alter(path: str, data: bytes, other: bytes) -> None:
    assert blob(path, data).exists()
    blob(path, data).write_bytes(other)


CHANGES: list[tuple[str, tuple[int, int, int], Callable[[str], object]]] = [
    ("nothing", (0, 0, 0), lambda path: None),
    ("an altered input", (1, 0, 0), lambda path: alter(path, b"how fast?", b"how far??")),
    ("a missing input", (0, 1, 0), lambda path: blob(path, b"how fast?").unlink()),
    ("an altered raw answer", (1, 0, 0), lambda path: alter(path, b"\xff", b"\xfe")),
    ("a longer raw answer", (1, 0, 0), lambda path: alter(path, b"\xff", b"\xff\xff")),
    ("a shorter raw answer", (1, 0, 0), lambda path: alter(path, b"\xff", b"")),
    ("a missing raw answer", (0, 1, 0), lambda path: blob(path, b"x" * 100_000).unlink()),
    ("an altered manifest", (1, 0, 0), lambda path: alter(path, MANIFEST, b"{}")),
    ("a missing manifest", (0, 1, 0), lambda path: blob(path, MANIFEST).unlink()),
    ("a blob more", (0, 0, 1), lambda path: store(path, b"added")),
    ("another file", (0, 0, 1), lambda path: Path(f"{path}.blobs", "notes").write_text("x")),
    ("a file in a shard", (0, 0, 1), lambda path: (blob(path, MANIFEST).parent / "a").touch()),
    ("a link to a directory", (0, 0, 1), lambda path: os.symlink("/tmp", f"{path}.blobs/ab-link")),
    ("a blob in another directory", (0, 1, 1), move_blob),
    ("no directory", (0, 5, 0), lambda path: os.rename(f"{path}.blobs", f"{path}.away")),
    ("more than are named", (0, 0, 25), store_many),
]


def test_a_file_of_terabytes_in_the_place_of_a_blob_is_not_read(cli: Cli, path: str) -> None:
    write_answers(path)
    (question, *_) = Path(path + ".blobs").glob("*/*")
    os.truncate(question, 2 << 40)
    report = compare_blobs(cli, path)
    assert not report.ok
    assert report.blobs is not None
    assert report.blobs.unread_count + report.blobs.altered_count == 1


@pytest.mark.parametrize(("what", "counts", "change"), CHANGES, ids=[c[0] for c in CHANGES])
def test_blobs_are_compared_with_the_records(
    cli: Cli,
    path: str,
    what: str,
    counts: tuple[int, int, int],
    change: Callable[[str], object],
) -> None:
    write_answers(path)
    change(path)
    report = compare_blobs(cli, path)
    found = report.blobs
    assert found is not None
    assert (found.altered_count, found.missing_count, found.unreferenced_count) == counts
    assert report.ok is (counts[:2] == (0, 0))
    assert report.verdict is (Verdict.OK if report.ok else axilog.AuditVerdict.FAILED)
    assert len(found.unreferenced) <= 20
    if what != "no directory":
        assert (found.bound_answers, found.unbound_answers) == (2, 0)


@pytest.mark.parametrize("answer", [b"\xff", b"x" * 100_000])
def test_an_answer_that_no_record_binds_is_counted(cli: Cli, path: str, answer: bytes) -> None:
    """Ledgers from before version 0.2 have no RAW records, and were made by a step of their own."""
    with begin_agent(path) as agent:
        observe(agent, answer)
    raw = blob(path, answer)
    assert compare_blobs(cli, path).ok
    forge_ledger(path, [r for r in read_records(path) if b'"kind":"RAW"' not in r[1]])
    report = compare_blobs(cli, path)
    assert report.blobs is not None and report.blobs.unbound_answers == 1
    assert report.blobs.unreferenced == [str(raw)]


def test_the_blobs_of_a_damaged_ledger_are_compared_too(cli: Cli, path: str) -> None:
    lines = write_ledger(path)
    Path(path).write_bytes(b"".join(lines[:5]) + b"nonsense\n")
    report = compare_blobs(cli, path)
    assert report.blobs is not None and report.blobs.unreferenced_count == 0


def test_a_manifest_and_its_schemas_are_named_by_the_configuration(cli: Cli, path: str) -> None:
    schemas = [b'{"type":"object"}', b'{"type":"string"}']
    with begin_agent(path, input_schemas={"llm": schemas[0]}, schemas={"llm": schemas[1]}) as agent:
        digest = str(agent.manifest_hash)
    manifest = Path(f"{path}.blobs", digest[:2], digest).read_bytes()
    for data in (manifest, *schemas):
        blob(path, data).unlink()
    for text, missing in (
        (b"", 1),
        # The schemas are known once the manifest is there.
        (manifest, 2),
        (schemas[0], 1),
        (schemas[1], 0),
    ):
        if text:
            store(path, text)
        found = compare_blobs(cli, path).blobs
        assert found is not None
        assert (found.missing_count, found.unreferenced_count) == (missing, 0)
        assert [sequence for sequence, _ in found.missing] == [None] * missing
