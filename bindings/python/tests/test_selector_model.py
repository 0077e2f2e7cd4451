"""Random policies and answers: the library decides as a model of its own does, through tables in C
memory, and so does the command."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import axilog
from tests.conftest import Cli
from tests.raw_agent import RawAgent
from tests.selector_model import NO_VALUE, find_value, is_breach

POLICIES = 64
PAIRS = 1_000_000 if os.environ.get("AXILOG_WIDE") else 20_000
NAMES = ["a", "b", "x", "a_q16", "x_q16", "~*", "~#", "~j", "~", "/", "é", "0", ""]
LIMITS = [0, 1, -1, 65536, 131072, -65536, 6554, 2**31 - 1, 40 << 16]
COMPARISONS = ["GT", "LT", "GE", "LE"]


def make_number(chance: random.Random) -> str:
    written = str(chance.choice([0, 1, 2, 7, 40, 250, 32767, 32768, 40000, 65536, 10**9, 10**18]))
    if chance.random() < 0.4:
        written += "." + str(chance.randrange(10 ** chance.choice([1, 3, 9, 17])))
    if chance.random() < 0.3:
        written += chance.choice("eE") + chance.choice(["", "+", "-"]) + str(chance.randrange(21))
    return ("-" if chance.random() < 0.3 else "") + written


def make_value(chance: random.Random, depth: int) -> str:
    kind = chance.random()
    if depth > 0 and kind > 0.9:
        return make_string(chance, make_value(chance, depth - 1))
    if depth == 0 or kind < 0.35:
        words = ['"1"', "true", "null", '"~*"']
        return make_number(chance) if chance.random() < 0.85 else chance.choice(words)
    count = chance.choice([0, 1, 1, 2, 2, 3, 5])
    if kind < 0.7:
        # Elements of one kind give more values than a mixture.
        alike = make_value(chance, depth - 1)
        same = chance.random() < 0.5
        elements = [alike if same else make_value(chance, depth - 1) for _ in range(count)]
        return f"[{','.join(elements)}]"
    return make_object(chance, depth, count)


def make_string(chance: random.Random, held: str) -> str:
    """A string that holds JSON, or nearly, in one of its spellings."""
    if chance.random() < 0.05:
        held += chance.choice(["}", ",", "x", "\ufeff", " 1"])
    if chance.random() < 0.1:
        held = f" \n{held}\t"
    escaped = json.dumps(held, ensure_ascii=chance.random() < 0.5)[1:-1]
    if chance.random() < 0.3:
        few = chance.sample('{}[],:0123456789.-eE"ax', 8)
        escaped = "".join(f"\\u{ord(c):04x}" if c in few else json.dumps(c)[1:-1] for c in held)
    return f'"{escaped}"'


def make_object(chance: random.Random, depth: int, count: int) -> str:
    names = chance.sample(NAMES, count)
    if names and chance.random() < 0.02:
        names.append(names[0])
    members = [f"{json.dumps(name)}:{make_value(chance, depth - 1)}" for name in names]
    return "{" + ",".join(members) + "}"


def read_held(text: str) -> Any:
    """The JSON that a string holds, roughly."""
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return None


def make_path(chance: random.Random, value: Any) -> str:
    """A pointer into a value, or beside it."""
    steps: list[str] = []
    while not steps or (isinstance(value, (dict, list, str)) and chance.random() < 0.9):
        if isinstance(value, str):
            value = None if "~j" in steps else read_held(value)
            steps += ["a"] if "~j" in steps else ["~j"]
        elif isinstance(value, list) and value and chance.random() < 0.95:
            index = chance.randrange(len(value))
            is_every = steps.count("~*") < 2 and chance.random() < 0.7
            steps.append("~*" if is_every else str(index))
            value = value[index]
        elif isinstance(value, dict) and value and chance.random() < 0.95:
            name = chance.choice(list(value))
            value = value[name]
            if chance.random() < 0.9:
                name = name[:-4] if name.endswith("_q16") else name
            steps.append(name.replace("~", "~0").replace("/", "~1"))
        else:
            steps.append(chance.choice(["a", "0", "~#", "~*"]) if steps.count("~*") < 2 else "a")
            value = None
    if isinstance(value, (dict, list)) and "~#" not in steps and chance.random() < 0.5:
        steps.append("~#")
    if "~#" in steps:
        steps = steps[: steps.index("~#") + 1]
    else:
        if steps[-1].endswith("_q16"):
            steps.append("a")
        if chance.random() < 0.3:
            steps.append(f"~e{chance.randrange(-9, 10)}")
    return "/" + "/".join(steps)


def make_policies(chance: random.Random, answers: list[str]) -> list[axilog.Policy]:
    policies: list[axilog.Policy] = []
    while len(policies) < POLICIES:
        path = make_path(chance, json.loads(chance.choice(answers), strict=False))
        comparison = axilog.Comparison[chance.choice(COMPARISONS)]
        oracle = chance.choice(["", "o#"])
        policy_id = f"P{len(policies):02}"
        limit = chance.choice(LIMITS)
        policies.append(axilog.Policy(policy_id, comparison, raw=limit, selector=oracle + path))
    return policies


def judge(policies: list[axilog.Policy], answer: str) -> list[tuple[str, int, bool]]:
    """The id, the value and whether it breaches, in the record of each policy."""
    # Many of the tables permit no value at all, which a set of policies is refused for.
    agent = RawAgent(policies)
    agent.control(axilog.InputClass.RESET_REQUEST)
    agent.time(1)
    step = agent.observe(answer.encode(), "o", "m", b"Q")
    records = [json.loads(r.payload) for r in step if r.tag == "AX:POLICY:v1"]
    return [(r["policy_id"], r["actual"], r["result"] == "BREACH") for r in records]


def test_random_policies_decide_as_the_model_does() -> None:
    chance = random.Random(20261127)
    pairs = with_value = 0
    while pairs < PAIRS:
        answers = [make_object(chance, 4, chance.randrange(1, 6)) for _ in range(5)]
        policies = make_policies(chance, answers)
        for answer in answers:
            expected = []
            for policy in policies:
                comparison = policy.comparison.name
                value = find_value(policy.selector, comparison in ("LT", "LE"), answer)
                with_value += value != NO_VALUE
                breach = is_breach(value, comparison, policy.threshold)
                expected.append((policy.policy_id, value, breach))
            found = judge(policies, answer)
            wrong = [
                (policy.selector, *pair)
                for policy, *pair in zip(policies, expected, found)
                if pair[0] != pair[1]
            ]
            assert not wrong and len(found) == POLICIES, (answer, wrong)
            pairs += POLICIES
    assert with_value > pairs / 20, with_value / pairs


def is_satisfiable(policy: axilog.Policy) -> bool:
    """Whether the policy permits any value; a set of policies is refused with one that does not."""
    try:
        return len(axilog.PolicySet([policy])) == 1
    except axilog.PolicyError:
        return False


def make_policy_set(chance: random.Random, answers: list[str]) -> axilog.PolicySet:
    """Policies on paths that differ, so that each permits something."""
    chosen: dict[str, axilog.Policy] = {}
    while len(chosen) < POLICIES:
        for policy in make_policies(chance, answers):
            path = policy.selector.split("#", 1)[-1].rsplit("/~e", 1)[0]
            if is_satisfiable(policy):
                chosen.setdefault(path, policy)
    policies = enumerate(list(chosen.values())[:POLICIES])
    return axilog.PolicySet(
        axilog.Policy(f"P{number:02}", old.comparison, raw=old.threshold, selector=old.selector)
        for number, old in policies
    )


def test_the_command_decides_as_the_model_does(cli: Cli, tmp_path: Path) -> None:
    """The command judges each answer of a ledger under policies that it was not recorded under."""
    chance = random.Random(20261128)
    pairs = with_value = 0
    while pairs < PAIRS:
        answers = [make_object(chance, 4, chance.randrange(1, 6)) for _ in range(40)]
        policies = make_policy_set(chance, answers)
        (tmp_path / "policies.json").write_text(policies.canonical())
        ledger = tmp_path / f"{pairs}.jsonl"
        with axilog.Agent.create(ledger, policies=axilog.PolicySet()) as agent:
            decisions = [agent.observe(answer, oracle_id="o", model_id="m") for answer in answers]
        policy_file = tmp_path / "policies.json"
        told = cli.run("replay", ledger, "--policies", policy_file, "--what-if", "--json")
        lines = [json.loads(line) for line in told.stdout.splitlines()]
        found = {line["ledger_seq"]: line["what_if"]["breached"] for line in lines[:-1]}
        for answer, decision in zip(answers, decisions):
            breached = []
            for policy in policies:
                comparison = policy.comparison.name
                value = find_value(policy.selector, comparison in ("LT", "LE"), answer)
                with_value += value != NO_VALUE
                if is_breach(value, comparison, policy.threshold):
                    breached.append(policy.policy_id)
            assert found.get(decision.ledger_seq, []) == breached, (answer, told.stderr)
            pairs += POLICIES
    assert with_value > pairs / 100, with_value / pairs
