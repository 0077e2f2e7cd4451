"""Ledger files: beginning and opening them, what they are bound to, and what refuses them."""

from __future__ import annotations

import hashlib
import json
import os
import resource
from pathlib import Path
from typing import Any

import pytest

import axilog
from axilog import Agent, Health
from tests.conftest import Cli, begin_agent, observe, write_ledger

PUMP: dict[str, Any] = {"properties": {"pump": {"enum": ["inlet"]}}, "required": ["pump"]}
FOR_PAY = axilog.PolicySet.parse(
    '{"pay#/amount":[{"comparison":"GT","enabled":true,"policy_id":"PAY","threshold":6553600}]}'
)


def test_start_begins_a_ledger_and_goes_on_with_it(cli: Cli, path: str) -> None:
    with Agent.start(path, time=1) as agent:
        assert agent.health is Health.ENABLED and len(agent) == 5 and not agent.closed
        observe(agent, b'{"value": 1}')
        head = agent.head
    assert agent.closed and repr(agent) == f"<axilog.Agent on {path!r}, closed>"
    with Agent.start(path) as agent:
        assert (agent.head, agent.last_timestamp, agent.path) == (head, 1, path)
        assert "ENABLED, 8 records" in repr(agent)
        assert observe(agent, b'{"value": 2}')
    assert cli.run("audit", path).returncode == 0 and axilog.audit(path).ok


def test_a_ledger_is_never_overwritten_and_has_one_writer(path: str) -> None:
    with begin_agent(path):
        with pytest.raises(axilog.LedgerBusyError, match="another process .*is writing"):
            Agent.open(path)
    before = Path(path).read_bytes()
    with pytest.raises(axilog.LedgerExistsError, match="already holds a ledger"):
        Agent.create(path)
    with pytest.raises(FileExistsError):
        Agent.create(path)
    assert Path(path).read_bytes() == before


def test_a_path_that_is_no_ledger_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(axilog.LedgerMissingError):
        Agent.open(path)
    with pytest.raises(FileNotFoundError):
        Agent.create(tmp_path / "no" / "such")
    with pytest.raises(axilog.LedgerError, match="regular file|directory"):
        Agent.start(tmp_path)
    with pytest.raises(ValueError, match="without NUL"):
        Agent.start("a\0b")
    assert list(tmp_path.iterdir()) == []


def test_a_path_of_any_bytes_and_of_any_type_is_taken(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/l\xff.jsonl")
    for path in (tmp_path / "l.jsonl", name):
        with begin_agent(path) as agent:
            assert agent.path == os.fspath(path) and observe(agent, b'{"value": 1}')
        assert axilog.verify(path).ok


def test_a_closed_agent_refuses_every_call(path: str) -> None:
    agent = begin_agent(path)
    head = agent.head
    agent.close()
    agent.close()
    assert (agent.head, len(agent), agent.torn_line) == (head, 5, None)
    for call in (
        lambda: observe(agent, b"1"),
        lambda: agent.observe_time(2),
        lambda: agent.reset(),
        lambda: agent.seal(),
        lambda: agent.check_question(oracle_id="o", model_id="m"),
        lambda: agent.observe(b"1", oracle_id="o", model_id="m", derived_from=["0" * 64]),
    ):
        with pytest.raises(axilog.LedgerError, match="is closed; open it again"):
            call()


def test_an_agent_that_is_dropped_leaves_the_ledger_free(path: str) -> None:
    agent = begin_agent(path)
    observe(agent, b'{"value": 1}')
    del agent
    with Agent.open(path) as again:
        assert len(again) == 8


def test_a_seal_ends_the_ledger(path: str) -> None:
    with begin_agent(path) as agent:
        agent.seal()
        assert agent.sealed
        for call in (agent.seal, lambda: observe(agent, b'{"value": 1}')):
            with pytest.raises(axilog.LedgerSealedError, match="is sealed"):
                call()
    sealed = Path(path).read_bytes()
    with pytest.raises(axilog.LedgerSealedError):
        Agent.open(path)
    Path(path).write_bytes(sealed + b"{")
    with pytest.raises(axilog.LedgerDamagedError, match="TORN"):
        Agent.open(path)
    assert Path(path).read_bytes() == sealed + b"{"


def test_opening_repairs_a_last_step_cut_at_any_byte(path: str) -> None:
    lines = write_ledger(path)
    whole = b"".join(lines)
    line_starts = [len(b"".join(lines[:n])) for n in range(len(lines) - 3, len(lines) + 1)]
    for cut in sorted({*line_starts, *range(line_starts[0], len(whole), 97)}):
        Path(path).write_bytes(whole[:cut])
        records = max(n for n, at in enumerate(line_starts) if at <= cut)
        torn_bytes = cut - line_starts[records]
        with Agent.open(path) as agent:
            # The step is completed if its observation is whole, and is not recorded otherwise.
            assert agent.completed_records == (3 - records if records else 0)
            assert Path(path).read_bytes() == (whole if records else whole[: line_starts[0]])
            torn = agent.torn_line
            assert (torn is not None) == (torn_bytes > 0)
            if torn is not None:
                assert torn.size == torn_bytes
                assert Path(torn.path).read_bytes() == whole[line_starts[records] : cut]
                os.unlink(torn.path)
            head = agent.head
        assert axilog.replay(path, expect_head=head).ok


def test_a_damaged_ledger_stays_as_it_is(path: str) -> None:
    lines = write_ledger(path)
    damaged = b"".join(lines[:4] + lines[5:]) + b'{"chain'
    Path(path).write_bytes(damaged)
    with pytest.raises(axilog.LedgerDamagedError, match="REORDERED: record 4 at byte"):
        Agent.open(path)
    assert Path(path).read_bytes() == damaged


def test_what_no_record_names_is_moved_aside(path: str) -> None:
    write_ledger(path)
    data = b"left behind"
    digest = hashlib.sha256(data).hexdigest()
    Path(f"{path}.blobs", digest[:2]).mkdir(exist_ok=True)
    Path(f"{path}.blobs", digest[:2], digest).write_bytes(data)
    with Agent.open(path) as agent:
        assert agent.left_behind == axilog.LeftBehind(f"{path}.left-behind", 1)
    assert axilog.audit(path).ok


def test_a_full_disk_undoes_the_step_and_ends_the_agent(path: str) -> None:
    with begin_agent(path) as agent:
        observe(agent, b'{"value": 1}')
        before, head = Path(path).read_bytes(), agent.head
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 500, hard))
        try:
            with pytest.raises(axilog.LedgerIOError) as caught:
                observe(agent, b'{"value": 2}')
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert isinstance(caught.value, OSError) and caught.value.errno
        assert Path(path).read_bytes() == before
        with pytest.raises(axilog.StoppedError):
            observe(agent, b'{"value": 3}')
        assert Path(path).read_bytes() == before
    with Agent.open(path) as agent:
        assert agent.head == head and agent.health is Health.ENABLED
        assert observe(agent, b'{"value": 3}').ok


def test_a_ledger_that_was_renamed_takes_nothing_more(path: str) -> None:
    agent = begin_agent(path)
    os.rename(path, f"{path}.moved")
    for call in (lambda: observe(agent, b'{"value": 1}'), agent.reset, agent.close):
        with pytest.raises(axilog.LedgerDisplacedError, match="is not the file that was opened"):
            call()
    assert agent.closed and len(Path(f"{path}.moved").read_bytes().splitlines()) == 5


def test_a_forked_child_may_not_write(path: str) -> None:
    with begin_agent(path) as agent:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                observe(agent, b'{"value": 1}')
            except axilog.LedgerError as error:
                status = 0 if "was opened by the process" in str(error) else 2
            agent.close()
            os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        with pytest.raises(axilog.LedgerBusyError):
            Agent.open(path)
        assert observe(agent, b'{"value": 1}').ok
    assert axilog.replay(path).ok


def test_the_command_shows_and_binds_the_same_manifest(cli: Cli, path: str, tmp_path: Path) -> None:
    named: dict[str, Any] = {"name": "plant/pump-3", "note": 'trial "A"\nof \u00e4 \U0001f600 \\'}
    with begin_agent(path, **named) as agent:
        configuration, manifest = agent.configuration_hash, agent.manifest_hash
    shown = cli.run_json("head", path)
    assert shown["manifest_hash"] == manifest
    assert {key: shown["manifest"][key] for key in named} == named
    other = tmp_path / "other.jsonl"
    options = [word for key, value in named.items() for word in (f"--{key}", value)]
    assert cli.run_json("init", other, *options)["configuration"] == configuration
    with pytest.raises(axilog.ConfigurationError, match="is not bound to the name, note"):
        Agent.start(path, name="another")
    with Agent.start(path, **named) as agent:
        assert agent.configuration_hash == configuration


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        ({"name": ""}, "the name has 0 bytes"),
        ({"name": "a b"}, "character U\\+0020"),
        ({"name": "a\0b"}, "without NUL"),
        ({"note": "a\u0007"}, "control character U\\+0007"),
        ({"note": "x" * 4097}, "the note has 4097 bytes"),
        ({"note": "\ud800"}, "not UTF-8 at byte 0"),
        ({"oracles": []}, "oracles: found none"),
        ({"oracles": ["a b"]}, "oracle_id"),
        ({"oracles": ["a"], "schemas": {"b": True}}, '"b"'),
        ({"schemas": {"o": "{"}}, "is not a schema"),
        ({"schemas": {"o": {"type": "strange"}}}, "is not a schema"),
        ({"schemas": {"a b": True}}, "oracle_id"),
        ({"follows": (9, "AB")}, "follows: found"),
        ({"time": 0}, "timestamp: found 0"),
    ],
)
def test_what_a_ledger_cannot_be_bound_to_is_refused(
    path: str, tmp_path: Path, refused: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        Agent.create(path, **refused)
    assert list(tmp_path.iterdir()) == []
    wrong_types: list[dict[str, Any]] = [{"name": 7}, {"schemas": {"o": 7}}]
    for wrong in wrong_types:
        with pytest.raises(TypeError, match="found int, expected"):
            Agent.create(path, **wrong)


def test_an_oracle_that_is_not_declared_is_refused(cli: Cli, path: str) -> None:
    call: dict[str, Any] = {"oracle_id": "pai", "model_id": "m"}
    with begin_agent(path, oracles=["plan", "pay"], policies=FOR_PAY) as agent:
        entries = agent.entries
        with pytest.raises(axilog.OracleRefusedError, match='answers of "pay", "plan" only'):
            agent.observe(b"{}", **call)
        with pytest.raises(axilog.OracleRefusedError):
            agent.check_question(**call)
        assert agent.entries == entries
        assert agent.observe(b'{"amount":1}', oracle_id="pay", model_id="m")
    with Agent.open(path, policies=FOR_PAY) as agent:
        with pytest.raises(axilog.OracleRefusedError, match="is not declared in this ledger"):
            agent.observe(b"{}", **call)
    with pytest.raises(axilog.LedgerDamagedError, match="CONFIG_MISMATCH"):
        Agent.open(path, policies=axilog.PolicySet.builtin())


def test_an_answer_without_a_policy_is_refused_where_the_ledger_requires_one(path: str) -> None:
    with begin_agent(path, require_policy=True, policies=FOR_PAY) as agent:
        with pytest.raises(axilog.OracleRefusedError, match="no policy judges the answers of"):
            agent.observe(b"{}", oracle_id="pai", model_id="m")
        assert agent.observe(b'{"amount":1}', oracle_id="pay", model_id="m")


def test_answers_and_questions_conform_to_the_declared_schemas(path: str) -> None:
    declared = {"schemas": {"llm": PUMP}, "input_schemas": {"llm": '{"required": ["level"]}'}}
    asked: dict[str, Any] = {
        "oracle_id": "llm",
        "model_id": "m",
        "input_kind": axilog.InputKind.JSON,
    }
    nothing = axilog.PolicySet.parse("[]")
    with begin_agent(path, policies=nothing, **declared) as agent:
        entries = agent.entries
        with pytest.raises(axilog.InputError, match="violates the input schema .* /required"):
            agent.check_question(input='{"depth":1}', **asked)
        with pytest.raises(axilog.InputError, match="nothing was recorded"):
            agent.observe(b"1", input='{"depth":1}', **asked)
        assert agent.entries == entries
        assert agent.check_question(input='{"level":1}', **asked) == b'{"level":1}'
        assert agent.observe(b'{"pump":"inlet"}', input='{"level":1}', **asked)
        refused = agent.observe(b'{"pump":"drain"}', input='{"level":1}', **asked)
        assert not refused and not refused.admissible
        violation = 'the value at /pump violates /properties/pump/enum of the schema: ["inlet"]'
        assert refused.schema_violation == violation
        assert f"the answer violates its schema: {violation}" in refused.why
    (check,) = (c for c in axilog.audit(path).checks if c.subject == "schemas")
    assert check.finding == "2 questions and 1 answers conform, 1 answers were refused"


def test_each_form_of_a_schema_is_the_same_schema(tmp_path: Path) -> None:
    hashes = set()
    document = {"required": ["pump"], "$comment": "\u00e4"}
    forms: list[Any] = [document, json.dumps(document), json.dumps(document).encode()]
    for number, form in enumerate(forms):
        with begin_agent(str(tmp_path / str(number)), schemas={"llm": form}) as agent:
            hashes.add(agent.manifest_hash)
    assert len(hashes) == 1 and None not in hashes


@pytest.mark.parametrize("replacement", [None, b"{}"])
def test_a_ledger_whose_manifest_is_missing_or_bad_takes_no_answers(
    path: str, replacement: Any
) -> None:
    with begin_agent(path, name="plant") as agent:
        digest = str(agent.manifest_hash)
    blob = Path(f"{path}.blobs", digest[:2], digest)
    blob.unlink()
    if replacement is not None:
        blob.write_bytes(replacement)
    with Agent.open(path) as agent:
        with pytest.raises(axilog.SchemaError, match="takes no answers"):
            observe(agent, b'{"value": 1}')
        # What needs no manifest is recorded.
        assert agent.observe_time(2).ok


def test_a_ledger_whose_configuration_is_missing_or_altered_is_refused(path: str) -> None:
    with begin_agent(path, policies=FOR_PAY, stop_on_invalid=True) as agent:
        digest = agent.configuration_hash
    blob = Path(f"{path}.blobs", digest[:2], digest)
    kept = blob.read_bytes()
    blob.unlink()
    with pytest.raises(axilog.ConfigurationError, match="its configuration .* is missing"):
        Agent.open(path)
    blob.write_bytes(b"{}")
    with pytest.raises(axilog.LedgerDamagedError, match="CONFIG_MISMATCH"):
        Agent.open(path)
    blob.write_bytes(kept)
    with pytest.raises(axilog.ConfigurationError, match="switches permit_truncated and stop_on"):
        Agent.start(path, permit_truncated=True)
    with Agent.start(path, policies=FOR_PAY, stop_on_invalid=True) as agent:
        assert agent.configuration_hash == digest


def test_a_ledger_goes_on_from_a_sealed_one_as_with_the_command(
    cli: Cli, path: str, tmp_path: Path
) -> None:
    with begin_agent(path) as agent:
        agent.observe_time(2**64 - 1)
        agent.seal()
        before = (agent.entries, agent.head)
    mine, other = str(tmp_path / "mine.jsonl"), tmp_path / "other.jsonl"
    with begin_agent(mine, follows=before) as agent:
        assert observe(agent, b'{"value": 1}').ok
        configuration = agent.configuration_hash
    begun = cli.run_json("init", other, "--follows", path, "--time", "1")
    assert begun["configuration"] == configuration
    shown = cli.run_json("head", mine)["manifest"]["follows"]
    assert (shown["entries"], shown["head"]) == before
