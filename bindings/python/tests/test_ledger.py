"""The ledger file, beside the command ``axilog``: one goes on where the other left off."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import axilog
from axilog import Health
from axilog.entry import genesis_line
from tests.conftest import Cli, begin, observe, write_ledger

OBSERVE = ("observe", "--oracle-id", "llm", "--model-id", "m", "--ledger")


def test_python_and_the_command_write_one_ledger(cli: Cli, path: str, tmp_path: Path) -> None:
    asked = tmp_path / "question"
    asked.write_text("a\r\nb")
    with axilog.Ledger.create(path) as ledger:
        begin(ledger)
    said = cli.json(*OBSERVE, path, "--input", asked, stdin=b'{"value": 69}')
    assert said["health"] == "ENABLED"
    with axilog.Ledger.open(path) as ledger:
        agent = axilog.Agent(ledger)
        assert (agent.head, agent.entries) == (said["head"], said["entries"])
        with pytest.raises(axilog.ModelError, match="has the model 'm' in this ledger"):
            agent.observe(b"{}", oracle_id="llm", model_id="n")
        decision = observe(agent, b'{"value": 71}', "a\r\nb")
        head = agent.head
    shown = cli.json("verify", path, "--blobs", "--expect-head", head)
    assert shown["ok"] and shown["blobs"]["checked"] == 2
    assert cli.json("replay", path)["health"] == "ALARM"
    assert decision.observation is not None
    before = cli.json("show", path, "--seq", decision.ledger_seq)
    assert before["record"].encode() == decision.records[0].payload
    # The same prompt has the same blob, its line ends normalised, whoever asked.
    blob = Path(f"{path}.blobs", before["input_hash"][:2], before["input_hash"])
    assert blob.read_bytes() == b"a\nb"
    assert cli.run("seal", path).returncode == 0
    with pytest.raises(axilog.LedgerSealedError, match="nothing may follow a seal"):
        axilog.Ledger.open(path)


def test_inadmissible_answers_are_kept_as_they_came(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        observe(begin(ledger), b"\xff\x00")
    kept = [p.read_bytes() for p in Path(f"{path}.blobs").glob("*/*")]
    assert b"\xff\x00" in kept and b"how fast?" in kept and len(kept) == 3
    assert cli.run("verify", path, "--blobs").returncode == 0


def test_a_ledger_is_never_overwritten(path: str) -> None:
    lines = write_ledger(path)
    with pytest.raises(axilog.LedgerExistsError, match="never overwritten"):
        axilog.Ledger.create(path)
    assert issubclass(axilog.LedgerExistsError, FileExistsError)
    assert Path(path).read_bytes() == b"".join(lines)
    assert not os.path.exists(f"{path}.lock")


@pytest.mark.parametrize("size", [0, 1, 100, len(genesis_line()) - 1, len(genesis_line())])
def test_a_beginning_of_the_genesis_counts_as_new(path: str, size: int) -> None:
    for make in (axilog.Ledger.create, axilog.Ledger.open, axilog.Ledger.open_or_create):
        Path(path).write_bytes(genesis_line()[:size])
        with make(path) as ledger:
            torn = ledger.torn
            assert axilog.Agent(ledger).health is Health.UNINIT
        assert Path(path).read_bytes() == genesis_line()
        assert (torn is not None) == (0 < size < len(genesis_line()))
        if torn is not None:
            assert torn.bytes == size and Path(torn.path).read_bytes() == genesis_line()[:size]


def test_what_cannot_be_opened(path: str, tmp_path: Path) -> None:
    with pytest.raises(axilog.LedgerMissingError, match="there is no such ledger"):
        axilog.Ledger.open(path)
    assert issubclass(axilog.LedgerMissingError, FileNotFoundError)
    with pytest.raises(axilog.LedgerError, match="is not a regular file"):
        axilog.Ledger.open(tmp_path)
    with pytest.raises(axilog.LedgerIOError, match="cannot create the ledger: No such file") as e:
        axilog.Ledger.create(tmp_path / "none" / "l.jsonl")
    assert e.value.errno == 2 and isinstance(e.value, OSError)
    Path(path).write_bytes(b"something else")
    for make in (axilog.Ledger.create, axilog.Ledger.open):
        with pytest.raises(axilog.LedgerError):
            make(path)
    assert Path(path).read_bytes() == b"something else"


def test_one_writer_at_a_time(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        begin(ledger)
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
    # A lock file that was left behind blocks nobody; one that is something else is left alone.
    for text, after in (("axilog 1\n", False), ("mine", True)):
        Path(f"{path}.lock").write_text(text)
        axilog.Ledger.open(path).close()
        assert os.path.exists(f"{path}.lock") == after


def test_the_commands_lock_is_ours_too(cli: Cli, path: str) -> None:
    write_ledger(path)
    # The command holds the lock for a moment only, so a program that takes the same one stands for
    # it; that the command's and ours are the same shows in the test before.
    program = "import fcntl,sys;f=open(sys.argv[1]);fcntl.flock(f,2);print(flush=True);input()"
    held = subprocess.Popen(
        [sys.executable, "-c", program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert held.stdout is not None and held.stdout.readline()
    with pytest.raises(axilog.LedgerBusyError):
        axilog.Ledger.open(path)
    held.communicate(b"\n")
    axilog.Ledger.open(path).close()


def test_a_ledger_has_one_agent_and_its_own_rules(path: str) -> None:
    write_ledger(path)
    other = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, 1)])
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


def test_policies_stand_in_for_a_configuration_that_is_lost(path: str) -> None:
    policies = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, 1)])
    with axilog.Ledger.create(path) as ledger:
        agent = begin(ledger, policies=policies, stop_on_invalid=True)
        blob = ledger._blobs.path(agent.configuration.hash())
    os.unlink(blob)
    with pytest.raises(axilog.ConfigurationError, match="is missing: no file"):
        axilog.Ledger.open(path)
    with axilog.Ledger.open(path, policies=policies) as ledger:
        assert axilog.Agent(ledger).configuration.stop_on_invalid
    Path(blob).write_bytes(b"{}")
    with pytest.raises(axilog.LedgerDamagedError, match="CONFIG_MISMATCH"):
        axilog.Ledger.open(path)


def test_every_tail_of_a_step_is_put_right(cli: Cli, path: str) -> None:
    """The file cut at every byte of its last step, and every interrupted step completed."""
    lines = write_ledger(path)
    whole = b"".join(lines)
    begins = [len(b"".join(lines[:n])) for n in range(len(lines) - 3, len(lines) + 1)]
    step = 37
    for cut in sorted({*begins, *range(begins[0], len(whole), step)}):
        Path(path).write_bytes(whole[:cut])
        records = max(n for n, at in enumerate(begins) if at <= cut)
        torn_bytes = cut - begins[records]
        with axilog.Ledger.open(path) as ledger:
            agent = axilog.Agent(ledger)
            # An observation that is there whole is acted on; one that is not never was.
            assert ledger.completed == (3 - records if records else 0)
            assert Path(path).read_bytes() == (whole if records else whole[: begins[0]])
            assert (ledger.torn is not None) == (torn_bytes > 0)
            if ledger.torn is not None:
                assert ledger.torn.bytes == torn_bytes
                kept = Path(ledger.torn.path).read_bytes()
                assert kept == whole[begins[records] : cut]
                os.unlink(ledger.torn.path)
            head = agent.head
        assert axilog.replay(path, expect_head=head).ok
    assert cli.run("replay", path).returncode == 0


def test_torn_lines_are_kept_under_free_names_and_a_damaged_ledger_untouched(path: str) -> None:
    lines = write_ledger(path)
    for name in ("torn-1", "torn-2"):
        Path(f"{path}.{name}").write_text("taken")
    Path(path).write_bytes(b"".join(lines) + b'{"chain')
    with axilog.Ledger.open(path) as ledger:
        assert ledger.torn == axilog.Torn(f"{path}.torn-3", 7)
    damaged = b"".join(lines[:4] + lines[5:]) + b'{"chain'
    Path(path).write_bytes(damaged)
    with pytest.raises(axilog.LedgerDamagedError, match="REORDERED: record 4 at byte") as caught:
        axilog.Ledger.open(path)
    assert caught.value.fault.sequence == 4
    assert Path(path).read_bytes() == damaged


def test_bytes_behind_a_seal_stay(path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        begin(ledger).seal()
    sealed = Path(path).read_bytes()
    with pytest.raises(axilog.LedgerSealedError):
        axilog.Ledger.open(path)
    Path(path).write_bytes(sealed + b"{")
    with pytest.raises(axilog.LedgerDamagedError, match="TORN"):
        axilog.Ledger.open(path)
    assert Path(path).read_bytes() == sealed + b"{"


def test_a_full_disk_takes_the_step_back_and_stops_the_agent(path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin(ledger)
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


def test_an_interrupt_while_writing_takes_the_step_back(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin(ledger)
        before = Path(path).read_bytes()

        def interrupted(descriptor: int) -> None:
            monkeypatch.undo()
            raise KeyboardInterrupt

        monkeypatch.setattr("axilog._storage.sync_file", interrupted)
        with pytest.raises(KeyboardInterrupt):
            observe(agent, b'{"value": 1}')
        assert agent.health is Health.STOPPED
    assert Path(path).read_bytes() == before


def test_a_fork_may_not_write_and_leaves_the_lock_alone(path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin(ledger)
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


def test_relative_paths_and_an_agent_that_closes_its_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with axilog.Agent(axilog.Ledger.open_or_create("l.jsonl")) as agent:
        agent.reset()
        agent.time(1)
        assert "l.jsonl" in repr(agent) and "closed" not in repr(agent.ledger)
    assert agent.ledger is not None and agent.ledger.closed
    with axilog.Agent(axilog.Ledger.open_or_create(Path("l.jsonl"))) as agent:
        assert agent.health is Health.ENABLED and agent.time(2).ok
    assert axilog.verify("l.jsonl", blobs=True).ok
    assert sorted(os.listdir(".")) == ["l.jsonl", "l.jsonl.blobs"]
