"""Questions that are made from earlier answers."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

import axilog
from axilog import InputError, InputKind
from tests.conftest import Cli, begin_agent, observe


def test_a_chain_of_oracles_is_recorded_and_audited(cli: Cli, path: str) -> None:
    with begin_agent(path) as agent:
        first = observe(agent, b'{"value": 1}')
        second = agent.observe(
            b'{"value": 2}', oracle_id="b", model_id="m", input="now?", derived_from=[first]
        )
    with axilog.Agent.open(path) as agent:
        asked = axilog.derive_input(b'{"a":1.5,"z":{"b":[1,"}"]}}', [second, first], InputKind.JSON)
        third = agent.observe(
            b'{"value": 3}', oracle_id="c", model_id="m", input=asked, input_kind=InputKind.JSON
        )
        fourth = agent.observe(b'{"value": 4}', oracle_id="c", model_id="m", derived_from=[third])
    hashes = [decision.obs_hash for decision in (first, second, third)]
    expected = f'{{"derived_from":["{hashes[0]}"],"input":"now?"}}'.encode()
    assert second.input_hash == hashlib.sha256(expected).hexdigest()
    named = f'"derived_from":["{hashes[1]}","{hashes[0]}"]'
    assert asked.decode() == '{"a":1.5,' + named + ',"z":{"b":[1,"}"]}}'
    empty = f'{{"derived_from":["{hashes[2]}"]}}'.encode()
    assert fourth.input_hash == hashlib.sha256(empty).hexdigest()
    report = axilog.audit(path)
    assert report.ok
    found = {check.subject: check.finding for check in report.checks}
    assert found["derivations"] == "3 inputs derived from answers"
    drawn = cli.run("show", path, "--graph")
    assert drawn.returncode == 0
    lines = [line.split() for line in drawn.stdout.decode().splitlines()]
    assert [words[-2:] for words in lines] == [
        [str(first.ledger_seq), "llm"],
        [str(second.ledger_seq), "b"],
        [str(first.ledger_seq), "llm"],
        [str(third.ledger_seq), "c"],
    ]


def test_an_unknown_answer_is_refused_and_nothing_is_recorded(path: str, tmp_path: Path) -> None:
    with begin_agent(str(tmp_path / "other.jsonl")) as other:
        foreign = observe(other, b'{"value": 1}')
    with begin_agent(path) as agent:
        entries = agent.entries
        for sources in ([foreign], ["0" * 64]):
            with pytest.raises(InputError, match="which is no observation of this ledger"):
                agent.observe(b"{}", oracle_id="o", model_id="m", derived_from=sources)
        for written in (b'{"derived_from":"first"}', b'{"derived_from":[}', b'{"derived_from":[]}'):
            with pytest.raises(InputError, match="derived_from"):
                agent.observe(b"{}", oracle_id="o", model_id="m", input=written)
        with pytest.raises(InputError, match="no observation"):
            agent.observe_failure(
                axilog.Failure.TIMEOUT,
                oracle_id="o",
                model_id="m",
                input=axilog.derive_input("", ["0" * 64]),
                input_kind=InputKind.JSON,
            )
        assert agent.entries == entries
        # An answer that is recorded later is known then.
        first = observe(agent, b'{"value": 1}')
        agent.observe(b'{"value": 1}', oracle_id="o", model_id="m", derived_from=[first])


@pytest.mark.parametrize(
    ("question", "kind", "sources", "reason"),
    [
        (b"{}", InputKind.JSON, [], "derived from nothing"),
        (b"[]", InputKind.JSON, ["0" * 64], "no object"),
        (b"{ }", InputKind.JSON, ["0" * 64], "not canonical JSON"),
        (b'{"derived_from":[]}', InputKind.JSON, ["0" * 64], "a member derived_from already"),
        (b'{"even_refused":1}', InputKind.JSON, ["0" * 64], "a member even_refused already"),
        ("e\u0301", InputKind.TEXT, ["0" * 64], "form C"),
        ("a", InputKind.TEXT, ["AB"], 'found "AB", expected 64 lower-case'),
    ],
)
def test_what_cannot_name_its_sources_is_refused(
    question: axilog.inputs.Text, kind: InputKind, sources: list[str], reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        axilog.derive_input(question, sources, kind)


def test_a_refused_answer_feeds_no_question_unless_that_is_recorded(cli: Cli, path: str) -> None:
    call: dict[str, Any] = {"oracle_id": "p", "model_id": "m"}
    with begin_agent(path) as agent:
        good = observe(agent, b'{"value": 1}')
        clock = agent.observe_time(2_000_000_000)
        breach = observe(agent, b'{"value": 32000}')
        entries = agent.entries
        for source in (breach, breach.obs_hash):
            with pytest.raises(InputError, match="may not be acted on: it is a breach; derive it"):
                agent.observe(b"{}", **call, derived_from=[good, source])
        for even_refused in (False, True):
            for source in (clock, clock.obs_hash):
                with pytest.raises(InputError, match="the time or a control input and no answer"):
                    agent.check_question(**call, derived_from=[source], even_refused=even_refused)
        assert agent.entries == entries
        asked = agent.observe(
            b'{"value": 1}', **call, derived_from=[good, breach], even_refused=True
        )
        other = agent.observe(b"{}", oracle_id="ax.other", model_id="m")
        with pytest.raises(InputError, match="which may not be acted on: "):
            axilog.derive_input("", [other])
        with pytest.raises(InputError, match="the time or a control input and no answer"):
            axilog.derive_input("", [clock], even_refused=True)
    with axilog.Agent.open(path) as agent:
        # In ALARM an answer may be permitted, and feeds nothing all the same.
        with pytest.raises(InputError, match="permitted, and the agent was in ALARM after it"):
            agent.check_question(**call, derived_from=[asked])
        # What is said is said only where there are refused answers.
        plain = agent.check_question(**call, derived_from=[good], even_refused=True)
        assert plain == axilog.derive_input("", [good])
    said = axilog.derive_input("", [good, breach], even_refused=True)
    assert said.endswith(b'"],"even_refused":true}')
    assert asked.input_hash == hashlib.sha256(said).hexdigest()
    report = axilog.audit(path)
    checks = [[c.subject, c.result.value, c.finding, list(c.details)] for c in report.checks]
    told = cli.run_json("audit", path)["checks"]
    assert checks == [[c["subject"], c["result"], c["finding"], c["details"]] for c in told]
    assert report.ok and "1 of their sources may not be acted on" in checks[9][2]
