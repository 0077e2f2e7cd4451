"""Ledger files, which the package and the command ``axilog`` take turns to write."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import axilog
from axilog import Health
from axilog.entry import genesis_line
from tests.conftest import Cli, begin_agent, observe, write_ledger

OBSERVE = ("observe", "--oracle-id", "llm", "--model-id", "m", "--ledger")


def test_python_and_the_command_write_one_ledger(cli: Cli, path: str, tmp_path: Path) -> None:
    prompt = tmp_path / "question"
    prompt.write_text("a\r\nb")
    with axilog.Ledger.create(path) as ledger:
        begin_agent(ledger)
    report = cli.run_json(*OBSERVE, path, "--input", prompt, stdin=b'{"value": 69}')
    assert report["health"] == "ENABLED"
    with axilog.Ledger.open(path) as ledger:
        agent = axilog.Agent(ledger)
        assert (agent.head, agent.entries) == (report["head"], report["entries"])
        with pytest.raises(axilog.ModelError, match="has the model 'm' in this ledger"):
            agent.observe(b"{}", oracle_id="llm", model_id="n")
        decision = observe(agent, b'{"value": 71}', "a\r\nb")
        head = agent.head
    verified = cli.run_json("verify", path, "--blobs", "--expect-head", head)
    assert verified["ok"] and verified["blobs"]["checked"] == 2
    assert cli.run_json("replay", path)["health"] == "ALARM"
    assert decision.observation is not None
    before = cli.run_json("show", path, "--seq", decision.ledger_seq)
    assert before["record"].encode() == decision.records[0].payload
    # Package and command keep the same prompt as the same blob, with its line ends normalised.
    blob = Path(f"{path}.blobs", before["input_hash"][:2], before["input_hash"])
    assert blob.read_bytes() == b"a\nb"
    assert cli.run("seal", path).returncode == 0
    with pytest.raises(axilog.LedgerSealedError, match="nothing may follow a seal"):
        axilog.Ledger.open(path)


def test_an_inadmissible_answer_is_kept_as_a_blob(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        observe(begin_agent(ledger), b"\xff\x00")
    content = [p.read_bytes() for p in Path(f"{path}.blobs").glob("*/*")]
    assert b"\xff\x00" in content and b"how fast?" in content and len(content) == 3
    assert cli.run("verify", path, "--blobs").returncode == 0


def test_a_ledger_is_never_overwritten(path: str) -> None:
    lines = write_ledger(path)
    with pytest.raises(axilog.LedgerExistsError, match="never overwritten"):
        axilog.Ledger.create(path)
    assert issubclass(axilog.LedgerExistsError, FileExistsError)
    assert Path(path).read_bytes() == b"".join(lines)
    assert not os.path.exists(f"{path}.lock")


@pytest.mark.parametrize("size", [0, 1, 100, len(genesis_line()) - 1, len(genesis_line())])
def test_a_file_with_part_of_the_genesis_counts_as_new(path: str, size: int) -> None:
    for open_ledger in (axilog.Ledger.create, axilog.Ledger.open, axilog.Ledger.open_or_create):
        Path(path).write_bytes(genesis_line()[:size])
        with open_ledger(path) as ledger:
            torn = ledger.torn_line
            assert axilog.Agent(ledger).health is Health.UNINIT
        assert Path(path).read_bytes() == genesis_line()
        assert (torn is not None) == (0 < size < len(genesis_line()))
        if torn is not None:
            assert torn.size == size and Path(torn.path).read_bytes() == genesis_line()[:size]


def test_a_path_that_is_no_ledger_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(axilog.LedgerMissingError, match="there is no such ledger"):
        axilog.Ledger.open(path)
    assert issubclass(axilog.LedgerMissingError, FileNotFoundError)
    with pytest.raises(axilog.LedgerError, match="is not a regular file"):
        axilog.Ledger.open(tmp_path)
    with pytest.raises(axilog.LedgerIOError, match="cannot create the ledger: No such file") as e:
        axilog.Ledger.create(tmp_path / "none" / "l.jsonl")
    assert e.value.errno == 2 and isinstance(e.value, OSError)
    Path(path).write_bytes(b"something else")
    for open_ledger in (axilog.Ledger.create, axilog.Ledger.open):
        with pytest.raises(axilog.LedgerError):
            open_ledger(path)
    assert Path(path).read_bytes() == b"something else"


def test_a_second_writer_is_refused(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        begin_agent(ledger)
        assert Path(f"{path}.lock").read_text() == f"axilog {os.getpid()}\n"
        with pytest.raises(axilog.LedgerBusyError, match="is writing to this ledger") as caught:
            axilog.Ledger.open(path)
        assert caught.value.holder == os.getpid()
        refused = cli.run(*OBSERVE, path, stdin=b"{}")
        assert refused.returncode == 3
        assert f"another process (id {os.getpid()})" in refused.stderr.decode()
        assert cli.run("verify", path).returncode == 0
    assert not os.path.exists(f"{path}.lock")
    ledger.close()
    # A lock file of a process that has ended blocks nobody; a file of the user's is not touched.
    for text, after in (("axilog 1\n", False), ("mine", True)):
        Path(f"{path}.lock").write_text(text)
        axilog.Ledger.open(path).close()
        assert os.path.exists(f"{path}.lock") == after


def test_a_lock_of_another_program_is_respected(cli: Cli, path: str) -> None:
    write_ledger(path)
    # The command holds its lock for a moment only, so another program takes the same lock here. The
    # test above shows that the command and the package use the same lock.
    program = "import fcntl,sys;f=open(sys.argv[1]);fcntl.flock(f,2);print(flush=True);input()"
    holder = subprocess.Popen(
        [sys.executable, "-c", program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None and holder.stdout.readline()
    with pytest.raises(axilog.LedgerBusyError):
        axilog.Ledger.open(path)
    holder.communicate(b"\n")
    axilog.Ledger.open(path).close()


def test_a_ledger_refuses_a_second_agent_and_other_policies(path: str) -> None:
    write_ledger(path)
    other = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, raw=1)])
    with pytest.raises(axilog.LedgerDamagedError, match="CONFIG_MISMATCH"):
        axilog.Ledger.open(path, policies=other)
    with axilog.Ledger.open(path, policies=axilog.PolicySet.builtin()) as ledger:
        for rules in ({"policies": other}, {"stop_on_invalid": True}, {"permit_truncated": True}):
            with pytest.raises(axilog.ConfigurationError, match="was made under the configuration"):
                axilog.Agent(ledger, **rules)
        agent = axilog.Agent(ledger, policies=axilog.PolicySet.builtin(), stop_on_invalid=False)
        assert agent.health is Health.ALARM and agent.ledger is ledger
        with pytest.raises(axilog.LedgerError, match="has an agent already"):
            axilog.Agent(ledger)
    with pytest.raises(axilog.LedgerError, match="is closed"):
        observe(agent, b"{}")
    assert agent.entries == len(Path(path).read_bytes().splitlines())


def test_given_policies_replace_a_missing_configuration_blob(path: str) -> None:
    policies = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, raw=1)])
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger, policies=policies, stop_on_invalid=True)
        blob = ledger._blobs.path(agent.configuration.hash())
    os.unlink(blob)
    with pytest.raises(axilog.ConfigurationError, match="is missing: no file"):
        axilog.Ledger.open(path)
    with axilog.Ledger.open(path, policies=policies) as ledger:
        assert axilog.Agent(ledger).configuration.stop_on_invalid
    Path(blob).write_bytes(b"{}")
    with pytest.raises(axilog.LedgerDamagedError, match="CONFIG_MISMATCH"):
        axilog.Ledger.open(path)


def test_opening_repairs_a_last_step_cut_at_any_byte(cli: Cli, path: str) -> None:
    """Cuts the file at many bytes of its last step, and opens it each time."""
    lines = write_ledger(path)
    whole = b"".join(lines)
    line_starts = [len(b"".join(lines[:n])) for n in range(len(lines) - 3, len(lines) + 1)]
    step = 37
    for cut in sorted({*line_starts, *range(line_starts[0], len(whole), step)}):
        Path(path).write_bytes(whole[:cut])
        records = max(n for n, at in enumerate(line_starts) if at <= cut)
        torn_bytes = cut - line_starts[records]
        with axilog.Ledger.open(path) as ledger:
            agent = axilog.Agent(ledger)
            # The step is completed if its observation is whole, and is not recorded otherwise.
            assert ledger.completed_records == (3 - records if records else 0)
            assert Path(path).read_bytes() == (whole if records else whole[: line_starts[0]])
            assert (ledger.torn_line is not None) == (torn_bytes > 0)
            if ledger.torn_line is not None:
                assert ledger.torn_line.size == torn_bytes
                content = Path(ledger.torn_line.path).read_bytes()
                assert content == whole[line_starts[records] : cut]
                os.unlink(ledger.torn_line.path)
            head = agent.head
        assert axilog.replay(path, expect_head=head).ok
    assert cli.run("replay", path).returncode == 0


def test_a_torn_line_gets_a_free_file_name_and_a_damaged_ledger_stays(path: str) -> None:
    lines = write_ledger(path)
    for name in ("torn-1", "torn-2"):
        Path(f"{path}.{name}").write_text("taken")
    Path(path).write_bytes(b"".join(lines) + b'{"chain')
    with axilog.Ledger.open(path) as ledger:
        assert ledger.torn_line == axilog.TornLine(f"{path}.torn-3", 7)
    damaged = b"".join(lines[:4] + lines[5:]) + b'{"chain'
    Path(path).write_bytes(damaged)
    with pytest.raises(axilog.LedgerDamagedError, match="REORDERED: record 4 at byte") as caught:
        axilog.Ledger.open(path)
    assert caught.value.defect.sequence == 4
    assert Path(path).read_bytes() == damaged


def test_bytes_behind_a_seal_are_not_moved(path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        begin_agent(ledger).seal()
    sealed = Path(path).read_bytes()
    with pytest.raises(axilog.LedgerSealedError):
        axilog.Ledger.open(path)
    Path(path).write_bytes(sealed + b"{")
    with pytest.raises(axilog.LedgerDamagedError, match="TORN"):
        axilog.Ledger.open(path)
    assert Path(path).read_bytes() == sealed + b"{"


def test_a_full_disk_undoes_the_step_and_stops_the_agent(path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        observe(agent, b'{"value": 1}')
        before, head = Path(path).read_bytes(), agent.head
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 500, hard))
        try:
            with pytest.raises(axilog.LedgerIOError, match="nothing was recorded") as caught:
                observe(agent, b'{"value": 2}')
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert isinstance(caught.value.__cause__, OSError)
        assert Path(path).read_bytes() == before
        assert agent.health is Health.STOPPED
        with pytest.raises(axilog.StoppedError):
            observe(agent, b'{"value": 3}')
        assert Path(path).read_bytes() == before
    with axilog.Ledger.open(path) as ledger:
        agent = axilog.Agent(ledger)
        assert agent.head == head and agent.health is Health.ENABLED
        assert observe(agent, b'{"value": 3}').ok


def test_an_interrupt_while_writing_undoes_the_step(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        before = Path(path).read_bytes()

        def interrupted(descriptor: int) -> None:
            monkeypatch.undo()
            raise KeyboardInterrupt

        monkeypatch.setattr("axilog._ledger_file.sync_file", interrupted)
        with pytest.raises(KeyboardInterrupt):
            observe(agent, b'{"value": 1}')
        assert agent.health is Health.STOPPED
    assert Path(path).read_bytes() == before


def test_a_forked_child_may_not_write_and_keeps_the_lock_file(path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                observe(agent, b'{"value": 1}')
            except axilog.LedgerError as error:
                status = 0 if "was opened by process" in str(error) else 2
            ledger.close()
            os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        with pytest.raises(axilog.LedgerBusyError):
            axilog.Ledger.open(path)
        assert os.path.exists(f"{path}.lock")
        assert observe(agent, b'{"value": 1}').ok
    assert axilog.replay(path).ok


def test_an_agent_closes_its_ledger_at_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with axilog.Agent(axilog.Ledger.open_or_create("l.jsonl")) as agent:
        agent.reset()
        agent.observe_time(1)
        assert "l.jsonl" in repr(agent) and "closed" not in repr(agent.ledger)
    assert agent.ledger is not None and agent.ledger.closed
    with axilog.Agent(axilog.Ledger.open_or_create(Path("l.jsonl"))) as agent:
        assert agent.health is Health.ENABLED and agent.observe_time(2).ok
    assert axilog.verify("l.jsonl", blobs=True).ok
    assert sorted(os.listdir(".")) == ["l.jsonl", "l.jsonl.blobs"]


def test_answers_that_are_not_held_are_bound_and_kept(path: str) -> None:
    refused, long = b"\xff\xfe", b"x" * 70_000
    with axilog.Ledger.create(path) as ledger:
        agent = axilog.Agent(ledger)
        agent.reset()
        agent.observe_time(1)
        for answer in (refused, long):
            decision = observe(agent, answer)
            digest = hashlib.sha256(answer).hexdigest()
            assert decision.records[1].tag == "AX:PROOF:v1"
            assert json.loads(decision.records[1].payload) == {
                "bytes": len(answer),
                "kind": "RAW",
                "ledger_seq": decision.ledger_seq,
                "sha256": digest,
            }
            blob = Path(f"{path}.blobs") / digest[:2] / digest
            assert blob.read_bytes() == answer
        assert not agent.sealed
        assert len(observe(agent, b'{"value": 1}').records) == 3
        assert axilog.verify(path).sealed is False
        agent.seal()
    assert axilog.verify(path, blobs=True).sealed is True
    assert axilog.replay(path).ok


def test_a_ledger_keeps_its_manifest(path: str) -> None:
    manifest = hashlib.sha256(b"{}").hexdigest()
    with axilog.Agent(axilog.Ledger.create(path), manifest=manifest) as agent:
        agent.reset()
        agent.observe_time(1)
    assert axilog.replay(path).ok
    assert axilog.replay(path, policies=axilog.PolicySet.builtin()).ok
    with axilog.Agent(axilog.Ledger.open(path)) as agent:
        assert agent.configuration.manifest == manifest
    other = hashlib.sha256(b"[]").hexdigest()
    with axilog.Ledger.open(path) as ledger, pytest.raises(axilog.ConfigurationError):
        axilog.Agent(ledger, manifest=other)
