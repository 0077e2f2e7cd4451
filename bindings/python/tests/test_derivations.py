"""Questions that are made from earlier answers."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import axilog
from axilog import InputError, InputKind
from tests.conftest import Cli, begin_agent, observe


def test_a_chain_of_oracles_is_recorded_and_audited(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        first = observe(agent, b'{"value": 1}')
        second = agent.observe(
            b'{"value": 2}', oracle_id="b", model_id="m", input="now?", derived_from=[first]
        )
    with axilog.Ledger.open(path) as ledger:
        agent = axilog.Agent(ledger)
        asked = axilog.derive_input(b'{"a":1.5,"z":{"b":[1,"}"]}}', [second, first], InputKind.JSON)
        third = agent.observe(
            b'{"value": 3}', oracle_id="c", model_id="m", input=asked, input_kind=InputKind.JSON
        )
        fourth = agent.observe(b'{"value": 4}', oracle_id="c", model_id="m", derived_from=[third])
    hashes = [d.observation.obs_hash for d in (first, second, third) if d.observation is not None]
    expected = f'{{"derived_from":["{hashes[0]}"],"input":"now?"}}'.encode()
    assert second.observation is not None and fourth.observation is not None
    assert second.observation.input_hash == hashlib.sha256(expected).hexdigest()
    named = f'"derived_from":["{hashes[1]}","{hashes[0]}"]'
    assert asked.decode() == '{"a":1.5,' + named + ',"z":{"b":[1,"}"]}}'
    empty = f'{{"derived_from":["{hashes[2]}"]}}'.encode()
    assert fourth.observation.input_hash == hashlib.sha256(empty).hexdigest()
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
    with axilog.Ledger.create(tmp_path / "other.jsonl") as other:
        foreign = observe(begin_agent(other), b'{"value": 1}')
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        entries = agent.entries
        for sources in ([foreign], ["0" * 64]):
            with pytest.raises(InputError, match="which is no observation of this ledger"):
                agent.observe(b"{}", oracle_id="o", model_id="m", derived_from=sources)
        for written in (b'{"derived_from":"first"}', b'{"derived_from":[}'):
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
        ("e\u0301", InputKind.TEXT, ["0" * 64], "form C"),
        ("a", InputKind.TEXT, ["AB"], "found 'AB' for a source"),
    ],
)
def test_what_cannot_name_its_sources_is_refused(
    question: axilog.inputs.Text, kind: InputKind, sources: list[str], reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        axilog.derive_input(question, sources, kind)
