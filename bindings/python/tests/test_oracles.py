"""A closed world: the oracles that a ledger declares, and the policy that it requires."""

from __future__ import annotations

from typing import Any

import pytest

import axilog
from axilog import OracleRefusedError, PolicySet
from tests.conftest import Cli, begin_agent

FOR_PAY = PolicySet.parse(
    '{"pay#/amount":[{"comparison":"GT","enabled":true,"policy_id":"PAY","threshold":6553600}]}'
)
GOOD = b'{"amount":1}'


def compare_audits(cli: Cli, path: str, require_policy: bool) -> axilog.AuditCheck:
    """The check of the oracles, which the command makes too, with the same words."""
    report = axilog.audit(path, require_policy=require_policy)
    told = cli.run_json("audit", path, *(["--require-policy"] if require_policy else []))
    checks = [[c.subject, c.result.value, c.finding, list(c.details)] for c in report.checks]
    assert checks == [
        [c["subject"], c["result"], c["finding"], c["details"]] for c in told["checks"]
    ]
    unjudged = [{"oracle_id": o.oracle_id, "answers": o.answers} for o in report.unjudged_oracles]
    assert unjudged == told["unjudged_oracles"]
    return next(check for check in report.checks if check.subject == "oracles")


def ask(agent: axilog.Agent, oracle_id: str, **call: Any) -> axilog.Decision:
    return agent.observe(GOOD, oracle_id=oracle_id, model_id="m", **call)


def test_an_oracle_that_is_not_declared_is_refused(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path, oracles=["plan", "pay"]) as ledger:
        agent = begin_agent(ledger, policies=FOR_PAY)
        entries = agent.entries
        with pytest.raises(OracleRefusedError, match="takes answers of 'pay', 'plan' only"):
            ask(agent, "pai")
        with pytest.raises(OracleRefusedError):
            agent.check_question(oracle_id="pai", model_id="m")
        assert agent.entries == entries
        assert ask(agent, "pay").ok
    # A session that opens the ledger knows it too, and so does the command.
    with axilog.Ledger.open(path) as ledger:
        with pytest.raises(OracleRefusedError, match="is not declared in this ledger"):
            ask(axilog.Agent(ledger), "pai")
    line = ("observe", "--ledger", path, "--model-id", "m", "--oracle-id", "pai")
    assert cli.run(*line, stdin=GOOD).returncode == 2
    check = compare_audits(cli, path, False)
    assert check.result is axilog.CheckResult.PASSED
    assert check.finding == "2 declared, 0 others have records"
    assert check.details == ('oracle "plan" is declared and has no record',)


def test_a_ledger_of_the_command_is_as_closed(cli: Cli, path: str) -> None:
    cli.run("init", path, "--oracle", "a", "--require-policy", "--time", "1")
    with axilog.Ledger.open(path) as ledger:
        agent = axilog.Agent(ledger)
        with pytest.raises(OracleRefusedError):
            ask(agent, "b")
        assert not ask(agent, "a").ok


def test_an_answer_without_a_policy_is_refused_where_the_ledger_requires_one(
    cli: Cli, path: str
) -> None:
    with axilog.Ledger.create(path, require_policy=True) as ledger:
        agent = begin_agent(ledger, policies=FOR_PAY)
        entries = agent.entries
        with pytest.raises(OracleRefusedError, match="no policy judges the answers of the oracle"):
            ask(agent, "pai")
        assert agent.entries == entries and ask(agent, "pay").ok
    check = compare_audits(cli, path, False)
    assert check.result is axilog.CheckResult.PASSED
    assert check.finding.startswith("none is declared; a policy is required, and 0 answers")


@pytest.mark.parametrize("with_ledger", [True, False])
def test_an_agent_that_requires_a_policy_acts_on_no_answer_without_one(
    cli: Cli, path: str, with_ledger: bool
) -> None:
    if not with_ledger:
        agent = axilog.Agent(policies=FOR_PAY, require_policy=True)
        agent.reset()
        agent.observe_time(1)
        assert not ask(agent, "pai").ok and ask(agent, "pay").ok
        return
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger, policies=FOR_PAY, require_policy=True)
        refused = ask(agent, "pai")
        assert refused.permitted and not refused.ok
        assert "no policy judged the answer, and the agent requires one" in refused.why
        with pytest.raises(axilog.BreachError):
            refused.raise_for_breach()
        assert refused.observation is not None
        for source in (refused, refused.observation.obs_hash):
            with pytest.raises(axilog.InputError, match="no policy judged it, and one is required"):
                ask(agent, "pay", derived_from=[source])
        assert ask(agent, "pay").ok
    assert compare_audits(cli, path, False).result is axilog.CheckResult.PASSED
    check = compare_audits(cli, path, True)
    assert check.result is axilog.CheckResult.FAILED
    assert check.details == ('1 answers of oracle "pai" were permitted without any policy',)


def test_a_cut_answer_that_no_policy_judged_is_told(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger, policies=PolicySet(), permit_truncated=True)
        decision = agent.observe(GOOD, oracle_id="o", model_id="m", truncated=True)
        assert decision.ok
    assert compare_audits(cli, path, True).result is axilog.CheckResult.FAILED


@pytest.mark.parametrize("oracles", [["ax.time"], ["a b"], []])
def test_what_cannot_be_declared_is_refused(path: str, oracles: list[str]) -> None:
    with pytest.raises((axilog.IdentityError, axilog.ManifestError)):
        axilog.Ledger.create(path, oracles=oracles)
