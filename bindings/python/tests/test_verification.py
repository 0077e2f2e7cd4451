"""``verify`` and ``replay`` give what the command prints with ``--json``, word for word."""

from __future__ import annotations

import ctypes
import errno
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import pytest

import axilog
from axilog import Verdict
from axilog.capi import constants, lib
from tests.conftest import Cli, begin_agent, observe, write_ledger
from tests.raw_agent import RawAgent


def compare_with_command(cli: Cli, path: str, *arguments: object, **expected: Any) -> axilog.Report:
    """Verifies and replays with the package and the command, and compares; returns the replay."""
    reports = []
    for name, check in (("verify", axilog.verify), ("replay", axilog.replay)):
        found: Any = check
        report = found(path, **expected)
        assert list_members(report) == cli.run_json(name, path, *arguments), name
        assert bool(report) == report.ok
        reports.append(report)
    replayed: axilog.Report = reports[-1]
    return replayed


def list_members(report: axilog.Report) -> dict[str, Any]:
    """The members of the object that the command prints."""
    members = {name: value for name, value in vars(report).items() if value is not None}
    members["verdict"] = report.verdict.name
    members["profiles"] = [profile.name for profile in report.profiles]
    if report.entries is None:
        del members["profiles"]
    if report.health is not None:
        members["health"] = report.health.name
    return members


def flip_bit(line: bytes, at: int) -> bytes:
    return line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]


Change = Callable[[list[bytes]], list[bytes]]

# The longest line of a ledger, with its line feed (docs/ledger.md).
MAX_LINE_BYTES = constants.AX_CANONICAL_BUFFER_SIZE + 224
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


def test_decisions_made_under_other_policies_diverge(cli: Cli, path: str) -> None:
    """All hashes of the ledger are right, but its decisions were made under other policies."""
    strict, lenient = (axilog.Policy("P", axilog.Comparison.GT, limit) for limit in ("10", "99"))
    with begin_agent(path, policies=axilog.PolicySet([strict])):
        pass
    raw = RawAgent([strict])
    begin_raw(raw)
    # Changes the table that the library evaluates, but not the configuration in the ledger.
    raw.policy.registry = RawAgent([lenient]).policy.registry
    raw.observe(b'{"value": 50}', "llm", "m", b"how fast?")
    Path(path).write_bytes(raw.lines)
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
    with begin_agent(path) as agent:
        agent.observe(b"{}", oracle_id='an-"oracle"', model_id="m\\1")
    for model in ("m\\1", "other"):
        pin = {'an-"oracle"': model}
        report = compare_with_command(
            cli, path, "--expect-model", f'an-"oracle"={model}', expect_models=pin
        )
        assert report.verdict is (Verdict.OK if model != "other" else Verdict.MODEL_MISMATCH)


def write_other_models(path: str, oracles: int, change_at: int) -> None:
    """Writes a ledger of many oracles, of which the one with the number ``change_at`` answers once
    more, with another model. Only a writer of its own, as a device has it, writes such a one."""
    raw = RawAgent(axilog.PolicySet.builtin())
    begin_raw(raw)
    for number in range(oracles):
        raw.observe(b'{"value": 1}', f"o{number}", "m", b"")
    raw.observe(b'{"value": 1}', f"o{change_at}", "other", b"")
    Path(path).write_bytes(raw.lines)


def begin_raw(raw: RawAgent) -> None:
    raw.control(axilog.InputClass.RESET_REQUEST)
    raw.time(1)


def test_an_oracle_with_another_model_is_named(cli: Cli, path: str) -> None:
    write_other_models(path, 40, 39)
    report = compare_with_command(cli, path)
    assert report.verdict is Verdict.MODEL_MISMATCH


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
    with begin_agent(path) as agent:
        for _ in range(9):
            observe(agent, b'{"value": 1}')
    assert axilog.verify(path).ok
    assert axilog.verify(path, extends=noted).verdict is Verdict.ALTERED


def test_a_seal_counts_only_for_the_head(cli: Cli, path: str) -> None:
    with begin_agent(path) as agent:
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
    rules = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, raw=1)])
    file = tmp_path / "rules.json"
    file.write_text(rules.canonical())
    with begin_agent(path, policies=rules, permit_truncated=True) as agent:
        digest = agent.configuration_hash
    blob = Path(f"{path}.blobs", digest[:2], digest)

    def replay(*arguments: object, **given: Any) -> axilog.Report:
        report = axilog.replay(path, **given)
        assert list_members(report) == cli.run_json("replay", path, *arguments)
        return report

    assert replay().configuration_source == "ledger"
    for truncated, invalid in itertools.product((False, True), repeat=2):
        switches = ["--permit-truncated"] * truncated + ["--stop-on-invalid"] * invalid
        given = {"permit_truncated": truncated, "stop_on_invalid": invalid}
        report = replay("--policies", file, *switches, policies=rules, **given)
        right = truncated and not invalid
        assert report.ok is right
        assert right or report.verdict is Verdict.CONFIG_MISMATCH
    blob.unlink()
    with pytest.raises(axilog.ConfigurationError) as caught:
        axilog.replay(path)
    assert str(caught.value) == cli.run_json("replay", path)["error"]
    arguments = ["--policies", file, "--permit-truncated"]
    assert replay(*arguments, policies=rules, permit_truncated=True).ok


def test_a_path_that_cannot_be_read_is_refused(cli: Cli, path: str, tmp_path: Path) -> None:
    for check in (axilog.verify, axilog.replay, axilog.audit):
        with pytest.raises(axilog.LedgerMissingError) as caught:
            check(path)
        assert str(caught.value) == cli.run_json("verify", path)["error"]
        assert caught.value.path == path and isinstance(caught.value, FileNotFoundError)
        with pytest.raises(axilog.LedgerError) as other:
            check(tmp_path)
        assert str(other.value) == cli.run_json("verify", tmp_path)["error"]
        with pytest.raises(axilog.LedgerIOError) as refused:
            check(tmp_path / ("x" * 300))
        assert refused.value.errno == errno.ENAMETOOLONG
        with pytest.raises(ValueError, match="expected one without NUL"):
            check("a\0b")
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    with pytest.raises(axilog.LedgerError, match="it is a named pipe, which may never end"):
        axilog.replay(path)
    os.close(writer)


def test_a_path_may_have_any_bytes(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xffledger")
    write_ledger(path)
    for check in (axilog.verify, axilog.replay, axilog.audit):
        report = check(path)
        assert report.ok and report.ledger == path
    assert axilog.verify(Path(path)).ledger == path


def test_an_oracle_whose_pin_would_be_read_as_another_is_refused(path: str) -> None:
    with begin_agent(path) as agent:
        agent.observe(b"{}", oracle_id="a", model_id="m")
    for pin in ({"a=b": "m"}, {"": "m"}, {"a": ""}, {"a": "m\0"}):
        with pytest.raises(ValueError, match="expect_models: found the model"):
            axilog.verify(path, expect_models=pin)
    assert axilog.verify(path, expect_models={"a": "b=m"}).verdict is Verdict.MODEL_MISMATCH


def test_calls_of_the_library_let_other_threads_run() -> None:
    """A function of a CDLL is called without the GIL, and one of a PyDLL with it."""
    assert isinstance(lib, ctypes.CDLL) and not isinstance(lib, ctypes.PyDLL)
