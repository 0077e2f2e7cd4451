"""Attacks on the files of a ledger while it is open: what was opened must still be what the path
leads to, and what lies beside a ledger is neither waited for nor written through."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import axilog
from axilog._ledger_file import LedgerFile
from axilog._regular_file import open_for_appending
from tests.conftest import begin_agent, observe, write_ledger

VICTIM = b"axilog 1\n"
QUESTION = "which height?"


def rename(ledger: Path, aside: Path) -> None:
    ledger.rename(aside)


def unlink(ledger: Path, aside: Path) -> None:
    os.link(ledger, aside)
    ledger.unlink()


def replace_by_copy(ledger: Path, aside: Path) -> None:
    ledger.rename(aside)
    shutil.copyfile(aside, ledger)


def recreate(ledger: Path, aside: Path) -> None:
    unlink(ledger, aside)
    ledger.write_bytes(b"")


def replace_by_link(ledger: Path, aside: Path) -> None:
    ledger.rename(aside)
    ledger.symlink_to(aside)


def replace_by_pipe(ledger: Path, aside: Path) -> None:
    ledger.rename(aside)
    os.mkfifo(ledger)


def truncate(ledger: Path, aside: Path) -> None:
    genesis = ledger.read_bytes().splitlines(keepends=True)[0]
    os.truncate(ledger, len(genesis))


def empty(ledger: Path, aside: Path) -> None:
    os.truncate(ledger, 0)


def extend(ledger: Path, aside: Path) -> None:
    with open(ledger, "ab") as file:
        file.write(b"\n")


Attack = Callable[[Path, Path], None]
TAKES_THE_NAME = {
    rename: "found no file",
    unlink: "found no file",
    replace_by_copy: "found another file",
    recreate: "found another file",
    replace_by_link: "found another file",
    replace_by_pipe: "found another file",
}
ATTACKS: dict[Attack, str] = {
    **TAKES_THE_NAME,
    truncate: "bytes, expected",
    empty: "bytes, expected",
    extend: "bytes, expected",
}


@pytest.fixture(autouse=True)
def no_waiting() -> object:
    """Fails a test that waits for a pipe."""

    def fail(number: int, frame: object) -> None:
        raise AssertionError("waited for a minute")

    old = signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_no_step_is_acknowledged_into_a_displaced_ledger(attack: Attack, path: str) -> None:
    aside = Path(path + ".aside")
    ledger = axilog.Ledger.create(path)
    agent = begin_agent(ledger)
    observe(agent, b'{"value": 1}')
    acknowledged = Path(path).read_bytes()
    attack(Path(path), aside)
    opened = aside if attack in TAKES_THE_NAME else Path(path)
    left = opened.read_bytes()
    with pytest.raises(axilog.LedgerDisplacedError, match=ATTACKS[attack]) as caught:
        observe(agent, b'{"value": 2}')
    assert str(caught.value).startswith(f"{path}: is not the file that was opened")
    assert "expected" in str(caught.value)
    assert agent.health is axilog.Health.STOPPED
    if attack in TAKES_THE_NAME:
        assert opened.read_bytes() == acknowledged  # the step was taken back
    else:
        now = opened.read_bytes()
        assert now.startswith(left) and b"\0" not in now
    if attack is recreate:
        assert Path(path).read_bytes() == b""

    # It stays so, also once the ledger is back in its place.
    if attack in TAKES_THE_NAME:
        os.replace(aside, path)
    before = Path(path).read_bytes()
    for _ in range(2):
        with pytest.raises(axilog.LedgerDisplacedError):
            observe(agent, b'{"value": 3}')
        with pytest.raises(axilog.LedgerDisplacedError):
            agent.observe_time(10**6)
    ledger.close()
    assert Path(path).read_bytes() == before
    if attack in TAKES_THE_NAME:
        with axilog.Ledger.open(path) as again:
            assert observe(axilog.Agent(again), b'{"value": 4}').ok


def test_a_writer_of_a_replaced_ledger_stops_and_leaves_the_second_ones_lock_file(
    path: str,
) -> None:
    first = axilog.Ledger.create(path)
    agent = begin_agent(first)
    recreate(Path(path), Path(path + ".aside"))
    with axilog.Ledger.open_or_create(path) as second:
        begin_agent(second)
        with pytest.raises(axilog.LedgerDisplacedError):
            observe(agent, b'{"value": 1}')
        first.close()
        assert Path(f"{path}.lock").read_text() == f"axilog {os.getpid()}\n"
        with pytest.raises(axilog.LedgerBusyError):
            axilog.Ledger.open(path)
    assert not os.path.exists(f"{path}.lock")


def test_a_file_that_was_replaced_before_its_lock_is_no_ledger_to_write(path: str) -> None:
    write_ledger(path)
    opened = open_for_appending(path)
    replace_by_copy(Path(path), Path(path + ".aside"))
    with axilog.Ledger.open(path):
        with pytest.raises(axilog.LedgerDisplacedError, match="found another file"):
            LedgerFile(path, opened)
        assert os.path.exists(f"{path}.lock")
    assert opened.closed


def test_a_ledger_that_is_cut_off_while_it_is_opened_is_not_repaired(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ledger(path)
    size = os.path.getsize(path)
    replay = axilog.Ledger._replay

    def cut_and_replay(*arguments: object) -> object:
        os.truncate(path, size - 10)
        return replay(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(axilog.Ledger, "_replay", cut_and_replay)
    with pytest.raises(axilog.LedgerDisplacedError, match=f"found {size - 10} bytes"):
        axilog.Ledger.open(path)
    assert not list(Path(path).parent.glob("*.torn-*"))


def test_a_program_may_change_its_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path)
    with axilog.Ledger.create("ledger.jsonl") as ledger:
        agent = begin_agent(ledger)
        monkeypatch.chdir("else")
        assert observe(agent, b'{"value": 1}', QUESTION).ok
    assert not os.listdir(".")
    assert axilog.verify(tmp_path / "ledger.jsonl", blobs=True).ok
    assert not (tmp_path / "ledger.jsonl.lock").exists()


@pytest.mark.parametrize("plant", ["link", "pipe", "hard link"])
def test_a_lock_file_is_not_written_through_a_link_and_not_waited_for(
    plant: str, path: str
) -> None:
    write_ledger(path)
    lock, victim = Path(path + ".lock"), Path(path + ".victim")
    victim.write_bytes(VICTIM)
    if plant == "pipe":
        os.mkfifo(lock)
    elif plant == "link":
        lock.symlink_to(victim)
    else:
        os.link(victim, lock)
    with axilog.Ledger.open(path) as ledger:
        assert observe(axilog.Agent(ledger), b'{"value": 1}').health is not None
        with pytest.raises(axilog.LedgerBusyError):
            axilog.Ledger.open(path)
    assert victim.read_bytes() == VICTIM
    assert os.path.lexists(lock) == (plant != "hard link")


@pytest.mark.parametrize("plant", ["link", "pipe"])
def test_a_blob_is_not_written_through_a_link_and_not_waited_for(plant: str, path: str) -> None:
    digest = hashlib.sha256(QUESTION.encode()).hexdigest()
    blob, victim = Path(f"{path}.blobs/{digest[:2]}/{digest}"), Path(path + ".victim")
    victim.write_bytes(VICTIM)
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        blob.parent.mkdir(exist_ok=True)
        for name in (blob, Path(f"{blob}.tmp")):
            if plant == "pipe":
                os.mkfifo(name)
            else:
                name.symlink_to(victim)
        observe(agent, b'{"value": 1}', QUESTION)
    assert blob.is_file() and not blob.is_symlink() and blob.read_bytes() == QUESTION.encode()
    assert victim.read_bytes() == VICTIM
    found = axilog.verify(path, blobs=True).blobs
    assert found is not None and found.unreferenced == [f"{blob}.tmp"]
    assert (found.altered_count, found.missing_count) == (0, 0)
    # One that is put there behind the write is found, and not read.
    blob.unlink()
    if plant == "pipe":
        os.mkfifo(blob)
    else:
        shutil.copyfile(path, victim)
        victim.write_text(QUESTION)
        blob.symlink_to(victim)
    assert not axilog.verify(path, blobs=True).ok


def test_blobs_are_written_into_directories_and_not_into_what_links_lead_to(path: str) -> None:
    elsewhere = Path(path + ".elsewhere")
    elsewhere.mkdir()
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        before = Path(path).read_bytes()
        os.rename(path + ".blobs", path + ".moved")
        os.symlink(elsewhere, path + ".blobs")
        with pytest.raises(axilog.LedgerIOError, match="expected a directory"):
            observe(agent, b'{"value": 1}', QUESTION)
        assert Path(path).read_bytes() == before and not list(elsewhere.iterdir())
        os.unlink(path + ".blobs")
        os.rename(path + ".moved", path + ".blobs")
        assert observe(agent, b'{"value": 1}', QUESTION).ok


def test_a_ledger_is_written_by_its_own_name_only(path: str, tmp_path: Path) -> None:
    write_ledger(path)
    link, pipe = tmp_path / "link.jsonl", tmp_path / "pipe.jsonl"
    link.symlink_to(path)
    os.mkfifo(pipe)
    for open_ledger in (axilog.Ledger.open, axilog.Ledger.create, axilog.Ledger.open_or_create):
        with pytest.raises(axilog.LedgerError, match="is a symbolic link to"):
            open_ledger(link)
        with pytest.raises(axilog.LedgerError, match="is not a regular file"):
            open_ledger(pipe)
    assert axilog.verify(link).ok
    link.unlink()
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(axilog.LedgerError):
        axilog.Ledger.open_or_create(link)
    assert not (tmp_path / "nowhere").exists()
    # A directory on the way may be a link.
    (tmp_path / "directory").symlink_to(tmp_path)
    axilog.Ledger.open(tmp_path / "directory" / Path(path).name).close()


def test_files_have_the_mode_that_the_umask_asks_for_and_no_temporary_stays(path: str) -> None:
    program = (
        "import os,sys,axilog;os.umask(0o027)\n"
        "with axilog.Ledger.create(sys.argv[1]) as l:\n"
        " a=axilog.Agent(l);a.reset();a.observe_time(1)\n"
        " a.observe(b'\\xff',oracle_id='o',model_id='m',input='q')\n"
    )
    subprocess.run([sys.executable, "-c", program, path], check=True)
    files = [file for file in Path(path).parent.rglob("*") if file.is_file()]
    assert len(files) == 4  # the ledger, its configuration, the question and the answer
    assert {file.stat().st_mode & 0o777 for file in files} == {0o640}
    assert not [file for file in files if file.suffix == ".tmp"]
