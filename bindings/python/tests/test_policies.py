"""Policy files: the package and the policy compiler accept the same ones and format them alike."""

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

# Valid and invalid policy files; the compiler decides which is which.
FILES = [
    "",
    "[]",
    "{}",
    "[]\n",
    "[]\n\n",
    " []",
    "\ufeff[]",
    "null",
    "3",
    '{"value":[]}',
    '{"a":[],"b":[]}',
    '{"b":[],"a":[]}',
    '{"a":[],"a":[]}',
    '{"a":{}}',
    f"[{ENTRY}]",
    f"[{ENTRY}]\n",
    f"[{ENTRY},{ENTRY}]",
    f"[{ENTRY},]",
    f'{{"value":[{ENTRY}]}}',
    f'{{"speed":[{ENTRY}]}}',
    f'{{"Speed":[{ENTRY}]}}',
    f'{{"speed_q16":[{ENTRY}]}}',
    f'{{"elapsed":[{ENTRY}]}}',
    f"[{ENTRY.replace('GT', 'EQ')}]",
    f"[{ENTRY.replace('true', '1')}]",
    f"[{ENTRY.replace('true', 'false')}]",
    f"[{ENTRY.replace(':1}', ':1.0}')}]",
    f"[{ENTRY.replace(':1}', ':1e3}')}]",
    f"[{ENTRY.replace(':1}', ':-0}')}]",
    f"[{ENTRY.replace(':1}', ':true}')}]",
    f"[{ENTRY.replace(':1}', ':NaN}')}]",
    f"[{ENTRY.replace(':1}', ':2147483647}')}]",
    f"[{ENTRY.replace(':1}', ':2147483648}')}]",
    f"[{ENTRY.replace(':1}', ':-2147483648}')}]",
    f"[{ENTRY.replace(':1}', ':-2147483648}').replace('GT', 'LE')}]",
    f"[{ENTRY.replace(':1}', ':-2147483648}').replace('GT', 'GE')}]",
    f"[{ENTRY.replace(':1}', ':-2147483648}').replace('true', 'false')}]",
    f"[{ENTRY.replace(':1}', ':' + '9' * 5000 + '}')}]",
    f"[{ENTRY.replace('A', '')}]",
    f"[{ENTRY.replace('A', 'a-Z_0.9')}]",
    f"[{ENTRY.replace('A', 'é')}]",
    f"[{ENTRY.replace('A', chr(0x664))}]",
    f"[{ENTRY.replace('A', 'x' * 64)}]",
    f"[{ENTRY.replace('A', 'x' * 65)}]",
    f"[{ENTRY.replace('A', chr(92) + 'u0041')}]",
    f"[{ENTRY.replace('threshold', 'treshold')}]",
    '[{"comparison":"GT","enabled":true,"policy_id":"A","selector":"x","threshold":1}]',
    '[{"comparison":"GT","policy_id":"A","threshold":1}]',
    '[{"enabled":true,"comparison":"GT","policy_id":"A","threshold":1}]',
    '[{"comparison": "GT","enabled":true,"policy_id":"A","threshold":1}]',
    "[" * 5000,
    "[" * 40 + "]" * 40,
    "[" + ",".join(ENTRY.replace("A", f"P{n}") for n in range(64)) + "]",
    "[" + ",".join(ENTRY.replace("A", f"P{n}") for n in range(65)) + "]",
    "[" + ",".join(ENTRY.replace("A", f"P{n}") for n in (3, 1, 2)) + "]",
    f'{{"elapsed":[{ENTRY.replace(":1}", ":2147418112}")}]}}',
    f'{{"elapsed":[{ENTRY.replace(":1}", ":2147418113}")}]}}',
    f'{{"elapsed":[{ENTRY.replace(":1}", ":2147418113}").replace("true", "false")}]}}',
    f'{{"elapsed":[{ENTRY.replace(":1}", ":-1}")}]}}',
    f"[{ENTRY},{ENTRY.replace('A', 'B').replace('GT', 'LT').replace(':1}', ':2}')}]",
    f"[{ENTRY},{ENTRY.replace('A', 'B').replace('GT', 'LT')}]",
    f"[{ENTRY},{ENTRY.replace('A', 'B').replace('GT', 'LE')}]",
]


# As they stand in JSON.
SELECTORS = [
    "a",
    "A",
    "_",
    "a-b",
    "maxSpeed",
    "9a",
    "-a",
    "a.b",
    "é",
    "a b",
    "a~0",
    "",
    "#",
    "#a",
    "a#",
    "a#b",
    "a#b#c",
    "a#1",
    "a#/b#c",
    "a#elapsed",
    "a#/elapsed",
    "elapsed#a",
    "a#b_q16",
    "a_q16#b",
    "e\u0301#a",
    "\u00e9 1#a",
    "a" + "\u0315" * 30 + "#a",
    "a" + "\u0315" * 31 + "#a",
    "a\\n#a",
    "\u007f#a",
    'a\\"\\\\#a',
    "/",
    "//",
    "/a/0",
    "/~0~1",
    "/~01",
    "/~",
    "/~2",
    "/a~/b",
    "/a#b",
    "/a_q16",
    "/a_q16/b",
    "/e\u0301",
    "/\U0001f600",
    "/\\n\\t\\u0001\\u001f",
    "/\\u000a",
    "/\\u001F",
    "/\\u0000",
    "/\\ud800",
    "/\u007f",
    "/\u2028",
    "/\\/",
    "s" * 192,
    "s" * 193,
    "/" * 192,
    "/" * 193,
    "/" + "é" * 95,
    "/" + "é" * 96,
]


def test_python_and_the_compiler_accept_the_same_selectors(cli: Cli, tmp_path: Path) -> None:
    def compare(*selectors: str) -> bool:
        groups = (
            f'"{selector}":[{ENTRY.replace(chr(34) + "A", f"{chr(34)}A{number}")}]'
            for number, selector in enumerate(selectors)
        )
        return compare_with_compiler(cli, tmp_path, f"{{{','.join(groups)}}}".encode())

    accepted = [selector for selector in SELECTORS if compare(selector)]
    assert 15 < len(accepted) < len(SELECTORS) - 20
    # In the order of UTF-16 code units alone.
    assert compare("/\U00010000", "/\uff21") and not compare("/\uff21", "/\U00010000")
    assert compare("/a", "A", "_a", "a", "a#b")


def compare_with_compiler(cli: Cli, directory: Path, text: bytes) -> bool:
    """Checks that package and compiler agree on a policy file; returns whether it is valid."""
    file = directory / "policies.json"
    file.write_bytes(text)
    check = cli.run("policy", "check", file, "--json")
    try:
        found = PolicySet.load(file)
    except PolicyError as error:
        assert check.returncode == 1, (text[:200], str(error))
        assert str(error).startswith(str(file))
        assert "expected" in str(error) or "JSON" in str(error)
        return False
    assert check.returncode == 0, (text[:200], check.stderr)
    report = json.loads(check.stdout)
    envelope = {part["selector"]: (part["min"], part["max"]) for part in report["envelope"]}
    assert found.envelope() == envelope
    assert len(found) == report["policies"]
    # The canonical file has the same policies, and the compiler formats it in the same way.
    file.write_text(found.canonical())
    assert PolicySet.load(file) == found
    assert cli.run("policy", "fmt", file).stdout.decode().rstrip("\n") == found.canonical()
    assert cli.run("policy", "check", file).returncode == 0
    return True


def test_python_and_the_compiler_accept_the_same_policy_files(cli: Cli, tmp_path: Path) -> None:
    accepted = [compare_with_compiler(cli, tmp_path, text.encode()) for text in FILES]
    assert 15 < sum(accepted) < len(FILES) - 30
    for broken in (b"\xff", b'["\xed\xa0\x80"]', b"[]\x00"):
        assert not compare_with_compiler(cli, tmp_path, broken)


def test_python_and_the_compiler_agree_on_files_with_a_changed_byte(
    cli: Cli, tmp_path: Path
) -> None:
    rng = random.Random(5)
    other = ENTRY.replace('"A"', '"B.2"').replace("GT", "LE").replace(":1}", ":-70}")
    whole = f'{{"elapsed":[{ENTRY}],"value":[{other}]}}'.encode()
    assert compare_with_compiler(cli, tmp_path, whole)
    for _ in range(60):
        text = bytearray(whole)
        index = rng.randrange(len(text))
        text[index] = rng.choice(b'0123456789abcdefGELT_-."{}[],: \n')
        compare_with_compiler(cli, tmp_path, bytes(text))


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[1]", r"F: value\[0\]: found 1, expected a policy: an object of exactly comparison"),
        (b"[\n\n}", "F:3:1: not JSON"),
        (b"[ ]", "F:1:2: found ' ]', expected ']' in the canonical form"),
        (b'{"a":[]\xff', "F:1:8: found the byte 0xFF, which is not UTF-8"),
        (
            f"[{ENTRY.replace(':1}', ':70.5}')}]".encode(),
            r"F: value\[0\].threshold: found 70.5, expected an integer from",
        ),
        (
            f"[{ENTRY},{ENTRY.replace('A', 'B').replace('GT', 'LT')[:-2]}9}}]".encode(),
            r"F: B: found no permitted value of value: B wants at least 9 \(0.0001",
        ),
    ],
)
def test_policy_errors_name_the_place(text: bytes, message: str) -> None:
    with pytest.raises(PolicyError, match=message) as caught:
        PolicySet.parse(text, "F")
    assert caught.value.where.startswith("F")


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
    with pytest.raises(PolicyError, match=r"policies\[0\]\.\w+: found .*, expected "):
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
