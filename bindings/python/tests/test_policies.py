"""Policies and policy files, which the library checks as the command does."""

from __future__ import annotations

import copy
import json
import pickle
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import axilog
from axilog import Comparison, Policy, PolicyError, PolicySet
from tests.conftest import ROOT, Cli, begin_agent

ENTRY = '{"comparison":"GT","enabled":true,"policy_id":"A","threshold":1}'

# Valid and invalid policy files; the command decides which is which.
FILES = [
    "",
    "[]",
    "{}",
    "[]\n",
    "[]\n\n",
    "\ufeff[]",
    "null",
    '{"b":[],"a":[]}',
    f"[{ENTRY}]",
    f"[{ENTRY}]\n",
    f"[{ENTRY},{ENTRY}]",
    f'{{"speed":[{ENTRY}]}}',
    f'{{"speed_q16":[{ENTRY}]}}',
    f'{{"elapsed":[{ENTRY}],"value":[{ENTRY.replace("A", "B")}]}}',
    f'{{"/\U00010000":[{ENTRY}],"/\uff21":[{ENTRY.replace("A", "B")}]}}',
    f"[{ENTRY.replace('GT', 'EQ')}]",
    f"[{ENTRY.replace(':1}', ':1.0}')}]",
    f"[{ENTRY.replace(':1}', ':-2147483648}').replace('true', 'false')}]",
    "[" * 5000,
    "[" + ",".join(ENTRY.replace("A", f"P{n}") for n in range(64)) + "]",
    "[" + ",".join(ENTRY.replace("A", f"P{n:02}") for n in range(64)) + "]",
    f'{{"elapsed":[{ENTRY.replace(":1}", ":2147418113}")}]}}',
]


def compare_with_command(cli: Cli, directory: Path, text: bytes) -> bool:
    """Checks that package and command agree on a policy file; returns whether it is valid."""
    file = directory / "policies.json"
    file.write_bytes(text)
    check = cli.run("policy", "check", file, "--json")
    try:
        found = PolicySet.load(file)
    except PolicyError as error:
        assert check.returncode == 1, (text[:200], str(error))
        assert str(error) in check.stderr.decode(), check.stderr
        return False
    assert check.returncode == 0, (text[:200], check.stderr)
    report = json.loads(check.stdout)
    envelope = {part["selector"]: (part["min"], part["max"]) for part in report["envelope"]}
    assert found.envelope() == envelope
    assert len(found) == report["policies"]
    # The same policies, given one by one, make the same file.
    assert PolicySet(found) == found and pickle.loads(pickle.dumps(found)) == found
    assert PolicySet(reversed(list(found))).canonical() == PolicySet(found).canonical()
    file.write_text(found.canonical())
    assert cli.run("policy", "fmt", file).stdout.decode().rstrip("\n") == found.canonical()
    return True


def test_python_and_the_command_accept_the_same_policy_files(cli: Cli, tmp_path: Path) -> None:
    accepted = [compare_with_command(cli, tmp_path, text.encode()) for text in FILES]
    assert sum(accepted) == 11, accepted
    for broken in (b"\xff", b'["\xed\xa0\x80"]', b"[]\x00"):
        assert not compare_with_command(cli, tmp_path, broken)


def test_python_and_the_command_compute_the_same_configuration(cli: Cli, tmp_path: Path) -> None:
    """Command and package begin equal ledgers under the same policy file."""
    rng = random.Random(6)
    for round_ in range(8):
        policies = PolicySet(make_random_policies(rng))
        file, command_ledger, python_ledger = (
            tmp_path / f"{n}{round_}" for n in ("policies", "cli", "python")
        )
        file.write_text(policies.canonical())
        stop, permit = rng.random() < 0.5, rng.random() < 0.5
        switches = ["--stop-on-invalid"] * stop + ["--permit-truncated"] * permit
        report = cli.run_json("init", command_ledger, "--policies", file, "--time", 1, *switches)
        with begin_agent(
            python_ledger, policies=policies, permit_truncated=permit, stop_on_invalid=stop
        ) as agent:
            head, configuration = agent.head, agent.configuration_hash
        assert configuration == report["configuration"]
        assert python_ledger.read_bytes() == command_ledger.read_bytes() and head == report["head"]
        assert cli.run("replay", python_ledger, "--expect-head", head).returncode == 0
        with axilog.Agent.open(command_ledger, policies=policies) as agent:
            assert agent.configuration_hash == configuration


def make_random_policies(rng: random.Random) -> list[Policy]:
    selectors = ["value", "speed", "a_1", "elapsed", "maxSpeed", "/a/0", "/é#~1", 'llm "1"#/x']
    found: list[Policy] = []
    for number in range(rng.randrange(12)):
        policy = Policy(
            f"P{rng.randrange(10)}-{number}",
            rng.choice(list(Comparison)),
            raw=rng.randrange(0, 2147418112),
            selector=rng.choice(selectors),
            enabled=rng.random() < 0.8,
        )
        try:
            PolicySet([*found, policy])
        except PolicyError:
            continue
        found.append(policy)
    return found


def test_the_built_in_policies_equal_the_file_they_were_compiled_from() -> None:
    assert PolicySet.builtin() == PolicySet.load(ROOT / "policies" / "default.json")
    assert list(PolicySet.builtin())[0].threshold == axilog.to_q16(70)
    assert PolicySet.builtin()["POL-001-MAX-VELOCITY"].comparison is Comparison.GT
    with pytest.raises(KeyError):
        PolicySet.builtin()["none"]


def test_policy_errors_name_the_place() -> None:
    for text, place in ((b"[\n\n}", "F:3:1: "), (f"[{ENTRY[:-2]}70.5}}]".encode(), "F:1:64: ")):
        with pytest.raises(PolicyError, match=f"{place}.*expected"):
            PolicySet.parse(text, "F")


@pytest.mark.parametrize(
    "bad",
    [
        Policy("", Comparison.GT, "1"),
        Policy("A", 0, "1"),  # type: ignore[arg-type]
        Policy("A", Comparison.GT, raw=70.5),  # type: ignore[arg-type]
        Policy("A", Comparison.GT, raw=True),
        Policy("A", Comparison.GT, raw=2**31),
        Policy("A", Comparison.GT, "1", "1value"),
        Policy("A", Comparison.GT, "1", "\ud800"),
        Policy("A", Comparison.GT, "1", b"value"),  # type: ignore[arg-type]
        Policy("A", Comparison.GT, "1", "value", 1),  # type: ignore[arg-type]
        Policy("A\n", Comparison.GT, "1"),
    ],
)
def test_policies_made_in_python_are_checked_like_files(bad: Any) -> None:
    with pytest.raises(PolicyError, match=r"policies(:1:\d+: found .*, expected |: )"):
        PolicySet([bad])


def test_a_limit_is_a_decimal_or_raw_by_name_and_never_a_bare_number() -> None:
    expected = Policy("A", Comparison.LT, raw=20 << 16)
    assert expected == Policy("A", Comparison.LT, "20") == Policy("A", Comparison.LT, Decimal(20))
    assert (expected.threshold, expected.limit) == (20 << 16, Decimal(20))
    assert Policy("A", Comparison.LT, "22.5").limit == Decimal("22.5")
    # 20 would be the limit 0.0003, which a speed of 1 keeps.
    for bare, advice in ((20, 'such as "20"'), (22.5, r"to_q16\(22.5\)"), (True, '"70"')):
        given: Any = bare
        with pytest.raises(PolicyError, match=rf"SPEED-MIN.limit: found {bare}, .*{advice}"):
            Policy("SPEED-MIN", Comparison.LT, given)
    with pytest.raises(PolicyError, match="A.limit: found None"):
        Policy("A", Comparison.GT)
    with pytest.raises(PolicyError, match="found raw too"):
        Policy("A", Comparison.GT, "1", raw=65536)
    for text in ("", "70 km/h", "1e9", "NaN", "40000"):
        with pytest.raises(PolicyError, match="expected a number from -32768 to 32767"):
            Policy("A", Comparison.GT, text)


def test_policies_are_copied_and_pickled() -> None:
    policy = Policy("A", Comparison.GE, "0.5", "speed", False)
    for made in (copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert made == policy and type(made) is Policy
    assert policy._replace(enabled=True) == Policy("A", Comparison.GE, "0.5", "speed")


def test_three_oracles_in_one_ledger_have_policies_of_their_own(
    cli: Cli, path: str, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "policies.md").read_text()
    source = tmp_path / "limits.toml"
    source.write_text(page.split("```toml limits.toml\n")[1].split("```")[0])
    limits = tmp_path / "limits.json"
    assert cli.run("policy", "fmt", source, "--output", limits).returncode == 0
    policies = PolicySet.load(str(limits))

    with begin_agent(path, policies=policies) as agent:

        def judged(oracle_id: str, answer: object) -> axilog.Decision:
            return agent.observe(json.dumps(answer), oracle_id=oracle_id, model_id="model-1")

        robot = judged("tool.cmd_vel", {"linear": {"x": -0.5}, "payment": {"amount": 1e9}})
        assert robot.ok
        assert [result.policy_id for result in robot.policies] == [
            "VELOCITY-X-MAX",
            "VELOCITY-X-MIN",
        ]
        assert judged("tool.pay", {"payment": {"amount": 250}, "linear": {"x": 9}}).ok
        assert judged("planner", {"confidence": 0.8, "plan": "dock"}).ok
        assert not judged("tool.pay", {"payment": {"amount": 250.01}}).ok
        head = agent.head

    assert axilog.replay(path, expect_head=head).ok
    report = axilog.audit(path, expect_head=head, policies=policies)
    assert report.ok, report


def test_a_file_in_source_form_is_told_with_what_compiles_it(tmp_path: Path) -> None:
    source = tmp_path / "limits.toml"
    source.write_text("[A]\n")
    with pytest.raises(PolicyError, match="in source form, .*axilog policy fmt"):
        PolicySet.load(source)
