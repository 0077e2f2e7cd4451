"""Policy files against the policy compiler: the same files are taken, and written alike."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

import axilog
from axilog import Comparison, Policy, PolicyError, PolicySet
from tests.conftest import ROOT, Cli, begin

ENTRY = '{"comparison":"GT","enabled":true,"policy_id":"A","threshold":1}'

# Each is one policy file; whether it is one is for the compiler to say.
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
    f'{{"{"s" * 32}":[{ENTRY}]}}',
    f'{{"{"s" * 33}":[{ENTRY}]}}',
    f'{{"é":[{ENTRY}]}}',
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


def compare(cli: Cli, place: Path, text: bytes) -> bool:
    """Whether the file is one, for which the two must agree."""
    file = place / "policies.json"
    file.write_bytes(text)
    checked = cli.run("policy", "check", file, "--json")
    try:
        found = PolicySet.load(file)
    except PolicyError as error:
        assert checked.returncode == 1, (text[:200], str(error))
        assert str(error).startswith(str(file))
        assert "expected" in str(error) or "JSON" in str(error)
        return False
    assert checked.returncode == 0, (text[:200], checked.stderr)
    said = json.loads(checked.stdout)
    envelope = {one["selector"]: (one["min"], one["max"]) for one in said["envelope"]}
    assert found.envelope() == envelope
    assert len(found) == said["policies"]
    # The canonical file holds the same set, and the compiler agrees that it is canonical.
    file.write_text(found.canonical())
    assert PolicySet.load(file) == found
    assert cli.run("policy", "fmt", file).stdout.decode().rstrip("\n") == found.canonical()
    assert cli.run("policy", "check", file).returncode == 0
    return True


def test_the_same_files_are_policy_files(cli: Cli, tmp_path: Path) -> None:
    taken = [compare(cli, tmp_path, text.encode()) for text in FILES]
    assert 15 < sum(taken) < len(FILES) - 30
    for broken in (b"\xff", b'["\xed\xa0\x80"]', b"[]\x00"):
        assert not compare(cli, tmp_path, broken)


def test_files_with_a_byte_changed(cli: Cli, tmp_path: Path) -> None:
    chance = random.Random(5)
    other = ENTRY.replace('"A"', '"B.2"').replace("GT", "LE").replace(":1}", ":-70}")
    whole = f'{{"elapsed":[{ENTRY}],"value":[{other}]}}'.encode()
    assert compare(cli, tmp_path, whole)
    for _ in range(60):
        text = bytearray(whole)
        at = chance.randrange(len(text))
        text[at] = chance.choice(b'0123456789abcdefGELT_-."{}[],: \n')
        compare(cli, tmp_path, bytes(text))


def test_configurations_are_the_commands(cli: Cli, tmp_path: Path) -> None:
    """A ledger that the command begins under a file names the configuration that Python computes,
    and the other way round."""
    chance = random.Random(6)
    for round_ in range(8):
        policies = PolicySet(random_policies(chance))
        file, theirs, ours = (tmp_path / f"{n}{round_}" for n in ("policies", "cli", "python"))
        file.write_text(policies.canonical())
        stop, permit = chance.random() < 0.5, chance.random() < 0.5
        switches = ["--stop-on-invalid"] * stop + ["--permit-truncated"] * permit
        said = cli.json("init", theirs, "--policies", file, "--time", 1, *switches)
        configuration = axilog.Configuration(policies, permit, stop)
        assert configuration.hash() == said["configuration"]
        canonical = configuration.canonical()
        assert hashlib.sha256(canonical).hexdigest() == said["configuration"]
        assert axilog.Configuration.parse(canonical) == configuration
        with axilog.Ledger.create(ours) as ledger:
            agent = begin(ledger, policies=policies, permit_truncated=permit, stop_on_invalid=stop)
            head = agent.head
        assert ours.read_bytes() == theirs.read_bytes() and head == said["head"]
        assert cli.run("replay", ours, "--expect-head", head).returncode == 0
        with axilog.Ledger.open(theirs) as ledger:
            assert axilog.Agent(ledger).configuration == configuration


def random_policies(chance: random.Random) -> list[Policy]:
    selectors = ["value", "speed", "a_1", "elapsed"]
    found: list[Policy] = []
    for number in range(chance.randrange(12)):
        policy = Policy(
            f"P{chance.randrange(10)}-{number}",
            chance.choice(list(Comparison)),
            chance.randrange(0, 2147418112),
            chance.choice(selectors),
            chance.random() < 0.8,
        )
        try:
            PolicySet([*found, policy])
        except PolicyError:
            continue
        found.append(policy)
    return found


def test_the_built_in_policies_are_the_file_they_were_compiled_from() -> None:
    assert PolicySet.builtin() == PolicySet.load(ROOT / "policies" / "default.json")
    assert list(PolicySet.builtin())[0].threshold == axilog.to_q16(70)
    assert PolicySet.builtin()["POL-001-MAX-VELOCITY"].comparison is Comparison.GT
    with pytest.raises(KeyError):
        PolicySet.builtin()["none"]


@pytest.mark.parametrize(
    ("text", "said"),
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
def test_refusals_name_the_place(text: bytes, said: str) -> None:
    with pytest.raises(PolicyError, match=said) as caught:
        PolicySet.parse(text, "F")
    assert caught.value.where.startswith("F")


@pytest.mark.parametrize(
    "bad",
    [
        Policy("", Comparison.GT, 1),
        Policy("A", 0, 1),  # type: ignore[arg-type]
        Policy("A", Comparison.GT, 70.5),  # type: ignore[arg-type]
        Policy("A", Comparison.GT, True),
        Policy("A", Comparison.GT, 1, "Value"),
        Policy("A", Comparison.GT, 1, "value", 1),  # type: ignore[arg-type]
        Policy("A\n", Comparison.GT, 1),
    ],
)
def test_policies_made_in_python_are_held_to_the_same_rules(bad: Any) -> None:
    with pytest.raises(PolicyError, match=r"policies\[0\]\.\w+: found .*, expected "):
        PolicySet([bad])


def test_configurations_are_read_strictly() -> None:
    text = axilog.Configuration(PolicySet.builtin()).canonical()
    for bad in (
        b"",
        text + b"\n",
        text.replace(b"false", b"0"),
        text.replace(b"GT", b"UNKNOWN"),
        text.replace(b'"policies":{', b'"policies":{"empty":[],'),
        text.replace(b"stop_on", b"halt_on"),
        b'{"permit_truncated":false,"policies":[],"stop_on_invalid":false}',
    ):
        with pytest.raises(PolicyError):
            axilog.Configuration.parse(bad, "blob")
    # What permits nothing must still replay.
    nothing = text.replace(b"4587520", b"-2147483648")
    assert axilog.Configuration.parse(nothing).canonical() == nothing
