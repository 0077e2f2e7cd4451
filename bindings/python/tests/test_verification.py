"""``verify`` and ``replay`` give the verdicts of the command, at the same places."""

from __future__ import annotations

import ctypes
import itertools
import os
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import pytest

import axilog
from axilog import Verdict, _oracle_models
from axilog.entry import MAX_LINE_BYTES
from tests.conftest import Cli, begin_agent, observe, write_ledger

FIELDS = ("verdict", "ok", "sequence", "offset", "entries", "head", "sealed")
REPLAY_FIELDS = (
    "health",
    "fault_count",
    "last_timestamp",
    "configuration",
    "permit_truncated",
    "stop_on_invalid",
    "interrupted",
)


def compare_with_command(cli: Cli, path: str, *arguments: object, **expected: Any) -> axilog.Report:
    """Verifies and replays with the package and the command, and compares; returns the replay."""
    reports = []
    for name, check in (("verify", axilog.verify), ("replay", axilog.replay)):
        found: Any = check
        report = found(path, **expected)
        command_report = cli.run_json(name, path, *arguments)
        fields = FIELDS + (REPLAY_FIELDS if name == "replay" else ())
        fields_found = {field: getattr(report, field) for field in fields}
        fields_found = {
            field: value.name if isinstance(value, (Verdict, axilog.Health)) else value
            for field, value in fields_found.items()
        }
        assert fields_found == {field: command_report.get(field) for field in fields}, name
        assert bool(report) == report.ok
        assert [profile.name for profile in report.profiles] == command_report.get("profiles", [])
        assert report.configuration_source == command_report.get("configuration_source")
        # Two messages differ: what opens a ledger with a torn line, and how ids are escaped.
        if report.verdict not in (Verdict.TORN, Verdict.MODEL_MISMATCH):
            assert report.reason == command_report.get("reason"), name
        reports.append(report)
    replayed: axilog.Report = reports[-1]
    return replayed


def flip_bit(line: bytes, at: int) -> bytes:
    return line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]


Change = Callable[[list[bytes]], list[bytes]]
DAMAGE: list[tuple[str, Optional[Verdict], Change]] = [
    ("nothing", Verdict.OK, lambda x: x),
    ("an altered record", Verdict.ALTERED, lambda x: [*x[:3], flip_bit(x[3], 200), *x[4:]]),
    ("an altered chain value", Verdict.ALTERED, lambda x: [*x[:3], flip_bit(x[3], 10), *x[4:]]),
    ("an altered genesis", Verdict.ALTERED, lambda x: [flip_bit(x[0], 170), *x[1:]]),
    ("swapped lines", Verdict.REORDERED, lambda x: [*x[:3], x[4], x[3], *x[5:]]),
    ("a missing line", Verdict.REORDERED, lambda x: [*x[:4], *x[5:]]),
    ("a line twice", Verdict.REORDERED, lambda x: [*x[:4], x[3], *x[4:]]),
    ("no genesis", Verdict.REORDERED, lambda x: x[1:]),
    ("a torn line", Verdict.TORN, lambda x: [*x, b'{"chain":"00']),
    ("a last line without its end", Verdict.TORN, lambda x: [*x[:-1], x[-1][:-1]]),
    ("an empty file", Verdict.TRUNCATED, lambda x: []),
    ("a blank line", Verdict.NON_CANONICAL, lambda x: [*x[:5], b"\n", *x[5:]]),
    ("white space", Verdict.NON_CANONICAL, lambda x: [*x[:2], x[2].replace(b":", b": ", 1)]),
    ("no JSON", Verdict.NON_CANONICAL, lambda x: [*x, b"nonsense\n"]),
    ("a CR", Verdict.NON_CANONICAL, lambda x: [*x[:2], x[2].replace(b"\n", b"\r\n"), *x[3:]]),
    ("a long line", Verdict.NON_CANONICAL, lambda x: [*x, b"x" * MAX_LINE_BYTES]),
    ("a long torn line", Verdict.TORN, lambda x: [*x, b"x" * (MAX_LINE_BYTES - 1)]),
    ("a very long line", Verdict.NON_CANONICAL, lambda x: [*x, b"x" * 3 * MAX_LINE_BYTES]),
    ("only the genesis", Verdict.OK, lambda x: x[:1]),
    ("an interrupted step", Verdict.OK, lambda x: x[:-1]),
    ("a step that only began", Verdict.OK, lambda x: x[:-2]),
    ("a hole in a step", None, lambda x: [*x[:6], *x[8:]]),
]


@pytest.mark.parametrize(("what", "verdict", "change"), DAMAGE, ids=[case[0] for case in DAMAGE])
def test_each_kind_of_damage_has_its_verdict(
    cli: Cli, path: str, what: str, verdict: Verdict, change: Change
) -> None:
    lines = write_ledger(path)
    Path(path).write_bytes(b"".join(change(lines)))
    report = compare_with_command(cli, path)
    assert verdict in (report.verdict, None)


def test_a_changed_byte_gets_the_verdict_of_the_command(cli: Cli, path: str) -> None:
    whole = b"".join(write_ledger(path))
    rng = random.Random(8)
    seen = set()
    for _ in range(40):
        at = rng.randrange(len(whole))
        other = rng.choice([whole[at] ^ 1, 10, 34, 48, 125])
        Path(path).write_bytes(whole[:at] + bytes([other]) + whole[at + 1 :])
        seen.add(compare_with_command(cli, path).verdict)
    assert len(seen) > 2


def test_decisions_made_under_other_policies_diverge(cli: Cli, path: str) -> None:
    """All hashes of the ledger are right, but its decisions were made under other policies."""
    rules = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, axilog.to_q16(10))])
    lenient = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, axilog.to_q16(99))])
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger, policies=rules)
        # Changes the table that the library evaluates, but not the configuration in the ledger.
        agent._policy_context.registry = ctypes.pointer(lenient._registry)
        observe(agent, b'{"value": 50}')
    report = axilog.replay(path)
    assert report.verdict is Verdict.DIVERGED and report.sequence == 6
    assert axilog.verify(path).ok
    command_report = cli.run_json("replay", path)
    assert (command_report["verdict"], command_report["sequence"], command_report["offset"]) == (
        "DIVERGED",
        report.sequence,
        report.offset,
    )


def test_expected_heads_and_entries_are_compared(cli: Cli, path: str) -> None:
    lines = write_ledger(path)
    head = axilog.verify(path).head
    assert head is not None
    heads = [line[10:74].decode() for line in lines]
    for entries in (len(lines), 1, 5, len(lines) + 1, 999):
        arguments: list[Any] = ["--expect-entries", entries]
        compare_with_command(cli, path, *arguments, expect_entries=entries)
        for expected_head in (head, heads[4], "0" * 64):
            more = [*arguments, "--expect-head", expected_head]
            compare_with_command(
                cli, path, *more, expect_entries=entries, expect_head=expected_head
            )
    for expected_head in (head, head.upper(), heads[4], heads[0], "0" * 64):
        compare_with_command(cli, path, "--expect-head", expected_head, expect_head=expected_head)
    for bad in ("0" * 63, "g" * 64, "0" * 65):
        with pytest.raises(ValueError, match="expected 64 hexadecimal digits"):
            axilog.verify(path, expect_head=bad)
    with pytest.raises(ValueError, match="expect_entries: found 0"):
        axilog.replay(path, expect_entries=0)


def test_expected_models_are_compared(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        agent.observe(b"{}", oracle_id='an-"oracle"', model_id="m\\1")
    for model in ("m\\1", "other"):
        pin = {'an-"oracle"': model}
        report = compare_with_command(
            cli, path, "--expect-model", f'an-"oracle"={model}', expect_models=pin
        )
        assert report.verdict is (Verdict.OK if model != "other" else Verdict.MODEL_MISMATCH)


def write_other_models(path: str, oracles: int, change_at: int) -> None:
    """Writes a ledger of many oracles, of which the one with the number ``change_at`` answers once
    more, with another model. Only the library, below the agent's own check, writes such a one."""
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        for number in range(oracles):
            agent.observe(b'{"value": 1}', oracle_id=f"o{number}", model_id="m")
        agent._models.clear()
        agent.observe(b'{"value": 1}', oracle_id=f"o{change_at}", model_id="other")


@pytest.mark.parametrize("change_at", [0, 29, 30, 31, 32, 39])
def test_every_oracle_is_held_to_its_model(cli: Cli, path: str, change_at: int) -> None:
    write_other_models(path, 40, change_at)
    report = compare_with_command(cli, path)
    assert report.verdict is Verdict.MODEL_MISMATCH
    assert report.reason == cli.run_json("verify", path)["reason"]


def test_oracles_with_one_model_each_are_good_however_many(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        for number in range(80):
            agent.observe(b'{"value": 1}', oracle_id=f"o{number % 40}", model_id="m")
    assert compare_with_command(cli, path).ok


def test_more_oracles_than_can_be_compared_are_refused(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        for number in [*range(40), 39]:
            agent.observe(b'{"value": 1}', oracle_id=f"o{number}", model_id="m")
    assert _oracle_models.MAX_FURTHER_ORACLES == 262_144
    # The library compares 32 of them.
    monkeypatch.setattr(_oracle_models, "MAX_FURTHER_ORACLES", 40 - 32)
    assert axilog.verify(path).ok
    monkeypatch.setattr(_oracle_models, "MAX_FURTHER_ORACLES", 39 - 32)
    report = axilog.verify(path)
    assert report.verdict is Verdict.MODEL_MISMATCH
    assert report.reason == (
        "the ledger has more than 7 oracles, the most whose models can be compared"
    )


def test_a_ledger_must_extend_the_heads_that_were_noted(cli: Cli, path: str) -> None:
    lines = write_ledger(path)
    heads = [line[10:74].decode() for line in lines]
    count = len(lines)
    for noted, verdict in (
        ([(1, heads[0])], Verdict.OK),
        ([(5, heads[4].upper()), (count, heads[-1])], Verdict.OK),
        ([(5, heads[5])], Verdict.ALTERED),
        ([(count, heads[-1]), (5, heads[3]), (7, heads[3])], Verdict.ALTERED),
        ([(count + 9, heads[0]), (count + 2, heads[1])], Verdict.TRUNCATED),
        ([(count + 2, heads[1]), (4, heads[1])], Verdict.ALTERED),
    ):
        arguments = [word for entries, head in noted for word in ("--extends", f"{entries}:{head}")]
        assert compare_with_command(cli, path, *arguments, extends=noted).verdict is verdict
    for bad in ((0, heads[0]), (1, "0" * 63), (1 << 64, heads[0])):
        with pytest.raises(ValueError, match="extends: found"):
            axilog.verify(path, extends=[bad])


def test_a_ledger_that_was_written_anew_does_not_extend_a_noted_head(path: str) -> None:
    lines = write_ledger(path)
    noted = [(len(lines), lines[-1][10:74].decode())]
    Path(path).unlink()
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        for _ in range(9):
            observe(agent, b'{"value": 1}')
    assert axilog.verify(path).ok
    assert axilog.verify(path, extends=noted).verdict is Verdict.ALTERED


def test_a_seal_counts_only_for_the_head(cli: Cli, path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        before = agent.head
        agent.seal()
        head = agent.head
    sealed = Path(path).read_bytes()
    for expected_head in (before, head):
        report = compare_with_command(
            cli, path, "--expect-head", expected_head, expect_head=expected_head
        )
        assert report.sealed and report.ok
    assert compare_with_command(cli, path, "--expect-entries", 5, expect_entries=5).ok
    for tail in (b"{", sealed.splitlines(keepends=True)[1]):
        Path(path).write_bytes(sealed + tail)
        assert not compare_with_command(cli, path).ok


def test_missing_and_other_configurations_are_reported(cli: Cli, path: str, tmp_path: Path) -> None:
    rules = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, 1)])
    file, other = tmp_path / "rules.json", tmp_path / "other.json"
    file.write_text(rules.canonical())
    other.write_text(axilog.PolicySet().canonical())
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger, policies=rules, permit_truncated=True)
        blob = Path(ledger._blobs.path(agent.configuration.hash()))
    text = blob.read_bytes()

    def compare_replays(
        policies: Optional[Path], truncated: bool = False, invalid: bool = False
    ) -> Optional[axilog.Report]:
        named: list[object] = [] if policies is None else ["--policies", policies]
        named += ["--permit-truncated"] * truncated + ["--stop-on-invalid"] * invalid
        command_report = cli.run_json("replay", path, *named)
        given: dict[str, Any] = {"permit_truncated": truncated, "stop_on_invalid": invalid}
        given["policies"] = None if policies is None else axilog.PolicySet.load(policies)
        if "error" in command_report and "verdict" not in command_report:
            with pytest.raises(axilog.ConfigurationError):
                axilog.replay(path, **given)
            return None
        report = axilog.replay(path, **given)
        assert (report.verdict.name, report.ok) == (command_report["verdict"], command_report["ok"])
        assert (report.sequence, report.offset) == (
            command_report.get("sequence"),
            command_report.get("offset"),
        )
        assert report.configuration_source == command_report.get("configuration_source")
        for field in ("permit_truncated", "stop_on_invalid"):
            assert getattr(report, field) == command_report.get(field)
        if report.verdict is not Verdict.TORN:
            assert report.reason == command_report.get("reason")
        return report

    for content in (text, None, b"{}", b"x" * (1 << 21)):
        if content is None:
            blob.unlink()
        else:
            blob.write_bytes(content)
        for policies in (None, file, other):
            for truncated, invalid in itertools.product((False, True), repeat=2):
                report = compare_replays(policies, truncated, invalid)
                if policies is file and content in (text, None):
                    right = truncated and not invalid
                    assert report is not None and report.ok is right
                    assert right or report.verdict is Verdict.CONFIG_MISMATCH
    whole = Path(path).read_bytes()
    blob.unlink()
    for damaged in (whole[:-1], whole[:-200] + whole[-199:], whole[:600]):
        Path(path).write_bytes(damaged)
        for policies in (None, file, other):
            compare_replays(policies)


def test_a_path_that_cannot_be_read_is_refused(path: str, tmp_path: Path) -> None:
    for check in (axilog.verify, axilog.replay):
        with pytest.raises(axilog.LedgerMissingError):
            check(path)
        with pytest.raises(axilog.LedgerError):
            check(tmp_path)
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    with pytest.raises(axilog.LedgerError, match="is not a regular file"):
        axilog.replay(path)
    os.close(writer)


def test_memory_does_not_grow_with_the_ledger(path: str) -> None:
    def measure_peak_memory(answers: int) -> int:
        Path(path).unlink(missing_ok=True)
        lines: list[bytes] = []
        agent = axilog.Agent(sink=lambda entry: lines.append(format_line(entry)))
        agent.reset()
        agent.observe_time(1)
        for _ in range(answers):
            observe(agent, b'{"value": 1}' + b" " * 8000)
        Path(path).write_bytes(axilog.entry.genesis_line() + b"".join(lines))
        lines.clear()
        tracemalloc.start()
        assert axilog.verify(path).ok and axilog.replay(path).ok
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    measure_peak_memory(1)
    assert measure_peak_memory(400) < measure_peak_memory(40) * 1.2


def format_line(entry: axilog.Entry) -> bytes:
    record = entry.payload.decode()
    text = f'"record":{record},"seq":{entry.sequence},"tag":"{entry.tag}"'
    return f'{{"chain":"{entry.chain}","commit":"{entry.commit}",{text}}}\n'.encode()
