"""What somebody plants in the place of a blob is a damaged blob in every verdict, and never waited
for."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

import axilog
from axilog import AuditVerdict, Verdict
from tests.conftest import Cli
from tests.test_blobs import MANIFEST, blob, write_answers

KINDS = ["link", "pipe", "socket", "directory", "device", "circle"]


def plant(kind: str, path: Path) -> None:
    """Puts what is no regular file in the place of a blob."""
    path.unlink()
    if kind == "link":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "circle":
        path.symlink_to(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            # The path of a socket may be short only.
            directory = os.open(path.parent, os.O_RDONLY)
            bound.bind(f"/proc/self/fd/{directory}/{path.name}")
            os.close(directory)
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
        except PermissionError:
            pytest.skip("only root makes devices")


def configuration(path: str) -> Path:
    digest = axilog.replay(path).configuration
    assert digest is not None
    return Path(f"{path}.blobs", digest[:2], digest)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["input", "raw answer", "manifest", "configuration"])
def test_what_is_planted_in_place_of_a_blob_fails_the_audit(
    cli: Cli, path: str, kind: str, what: str
) -> None:
    write_answers(path)
    place = {
        "input": blob(path, b"how fast?"),
        "raw answer": blob(path, b"\xff"),
        "manifest": blob(path, MANIFEST),
        "configuration": configuration(path),
    }[what]
    plant(kind, place)
    report = axilog.audit(path)
    command = cli.run_json("audit", path)
    assert report.verdict is AuditVerdict.FAILED and command["verdict"] == "FAILED"
    seen = [(c.subject, c.result.value) for c in report.checks]
    assert seen == [(c["subject"], c["result"]) for c in command["checks"]]
    replayed = axilog.replay(path)
    assert replayed.verdict.name == cli.run_json("replay", path)["verdict"]
    assert (replayed.verdict is Verdict.CONFIG_MISMATCH) is (what == "configuration")
    verified = axilog.verify(path, blobs=True)
    assert verified.blobs is not None and not verified.ok
    assert (verified.blobs.altered, verified.blobs.missing_count) == ([str(place)], 0)
    blobs = cli.run_json("verify", path, "--blobs")["blobs"]
    assert blobs["altered"] == verified.blobs.altered and blobs["missing_count"] == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", ["shard", "blobs"])
def test_what_is_planted_in_place_of_a_directory_of_blobs_fails_the_audit(
    cli: Cli, path: str, kind: str, level: str
) -> None:
    if kind == "directory":
        pytest.skip("a directory is what should be there")
    write_answers(path)
    shard = blob(path, b"how fast?").parent
    place = shard if level == "shard" else shard.parent
    place.rename(f"{path}.away")
    place.touch()
    plant(kind, place)
    report = axilog.audit(path)
    assert report.verdict.name == cli.run_json("audit", path)["verdict"] == "FAILED"
    verified = axilog.verify(path, blobs=True)
    assert verified.blobs is not None and verified.blobs.missing_count > 0
    blobs = cli.run_json("verify", path, "--blobs")["blobs"]
    assert blobs["missing_count"] == verified.blobs.missing_count


@pytest.mark.parametrize("kind", KINDS)
def test_a_writer_puts_the_blob_in_the_place_of_what_was_planted(path: str, kind: str) -> None:
    write_answers(path)
    place = blob(path, b"how fast?")
    plant(kind, place)
    with axilog.Ledger.open(path) as ledger:
        agent = axilog.Agent(ledger)
        agent.observe(b'{"value": 1}', oracle_id="llm", model_id="m", input="how fast?")
    assert place.is_file() and place.read_bytes() == b"how fast?"
    assert axilog.audit(path).ok
