"""``audit`` makes the checks of ``axilog audit``, and gives the same verdict."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import axilog
from axilog import AuditVerdict
from tests.conftest import Cli, begin_agent, observe, read_records, write_ledger
from tests.raw_agent import forge_ledger
from tests.test_blobs import CHANGES, blob, store, write_answers
from tests.test_verification import DAMAGE, Change


def compare_audits(cli: Cli, path: str, *arguments: object, **expected: Any) -> axilog.AuditReport:
    """Audits with the package and the command, and compares the reports."""
    report = axilog.audit(path, **expected)
    fault = None if report.fault is None else report.fault._asdict()
    if fault is not None:
        fault["verdict"] = fault["verdict"].name
    found: dict[str, Any] = {
        **vars(report),
        "verdict": report.verdict.value,
        "fault": fault,
        "checks": [
            {**check._asdict(), "result": check.result.value, "details": list(check.details)}
            for check in report.checks
        ],
        "not_compared": list(report.not_compared),
        "unjudged_oracles": [oracle._asdict() for oracle in report.unjudged_oracles],
    }
    if report.deployed is None:
        del found["deployed"]
    assert found == cli.run_json("audit", path, *arguments)
    assert bool(report) == report.ok
    return report


def results(report: axilog.AuditReport) -> dict[str, str]:
    """The results of the checks that did not pass, by subject."""
    return {c.subject: c.result.value for c in report.checks if c.result.value != "passed"}


@pytest.mark.parametrize("sealed", [False, True])
def test_a_good_ledger_is_ok(cli: Cli, path: str, sealed: bool) -> None:
    write_answers(path)
    if sealed:
        with axilog.Agent.open(path) as agent:
            agent.seal()
    report = compare_audits(cli, path)
    assert report.verdict is AuditVerdict.OK and results(report) == {}
    assert len(report.not_compared) == 3 and report.sealed is sealed
    assert report.checks[3].finding == "plant/pump-3"


@pytest.mark.parametrize(("what", "verdict", "change"), DAMAGE, ids=[case[0] for case in DAMAGE])
def test_damage_fails_the_audit(
    cli: Cli, path: str, what: str, verdict: axilog.Verdict, change: Change
) -> None:
    lines = write_ledger(path)
    Path(path).write_bytes(b"".join(change(lines)))
    report = compare_audits(cli, path)
    assert report.ok is (what == "nothing")
    if what == "only the genesis":
        # Nothing was decided.
        expected = {"rules": "not checked", "decisions": "not checked"}
        assert results(report) == expected
    if "step" in what and "hole" not in what:
        assert results(report)["end"] == "not checked" and report.fault is None


@pytest.mark.parametrize(("what", "counts", "change"), CHANGES, ids=[c[0] for c in CHANGES])
def test_changed_blobs_fail_the_audit(
    cli: Cli, path: str, what: str, counts: tuple[int, int, int], change: Callable[[str], object]
) -> None:
    write_answers(path)
    change(path)
    report = compare_audits(cli, path)
    assert report.ok is (counts[:2] == (0, 0))
    assert results(report).get("blobs", "passed") == ("passed" if report.ok else "failed")
    if "manifest" in what:
        expected = "not checked" if "missing" in what else "failed"
        unmade = {"schemas": "not checked", "oracles": "not checked"}
        assert results(report) == {"manifest": expected, "blobs": "failed", **unmade}


Records = list[tuple[str, bytes]]


def replace_in(records: Records, old: bytes, new: bytes) -> Records:
    changed = [(tag, payload.replace(old, new)) for tag, payload in records]
    assert changed != records
    return changed


FORGERIES: list[tuple[str, dict[str, str], Callable[[Records], Records]]] = [
    (
        "a breach made a permission",
        {"decisions": "failed"},
        lambda r: replace_in(r, b'"result":"BREACH"', b'"result":"PERMITTED"'),
    ),
    (
        "an alarm left out",
        {"decisions": "failed"},
        lambda r: replace_in(r, b'"next_state":"ALARM"', b'"next_state":"ENABLED"'),
    ),
    (
        "another limit",
        {"decisions": "failed"},
        lambda r: replace_in(r, b'"threshold":4587520', b'"threshold":4587521'),
    ),
    (
        "a raw answer unbound",
        {"raw answers": "not checked"},
        lambda r: [x for x in r if b'"kind":"RAW"' not in x[1]],
    ),
    # Only a head that was noted before shows it; the blobs of what is gone are left behind.
    ("the end cut off", {}, lambda r: r[:4]),
    ("half of the last step cut off", {"end": "not checked"}, lambda r: r[:-1]),
]


@pytest.mark.parametrize(("what", "found", "forge"), FORGERIES, ids=[f[0] for f in FORGERIES])
def test_a_forged_ledger_fails_the_audit(
    cli: Cli,
    path: str,
    what: str,
    found: dict[str, str],
    forge: Callable[[Records], Records],
) -> None:
    """All hashes fit, as whoever can write the file can make them fit."""
    with begin_agent(path) as agent:
        observe(agent, b'{"value": 71}')
        observe(agent, b"\xff")
    head, entries = agent.head, agent.entries
    assert compare_audits(cli, path).ok
    forge_ledger(path, forge(read_records(path)))
    report = compare_audits(cli, path)
    seen = results(report)
    assert report.ok is (not found) and {k: v for k, v in seen.items() if k in found} == found
    noted = ["--extends", f"{entries}:{head}"]
    assert results(compare_audits(cli, path, *noted, extends=[(entries, head)])) != {}


def test_a_budget_is_that_of_the_command(cli: Cli, path: str) -> None:
    write_answers(path)
    longest = max(len(blob.read_bytes()) for blob in Path(path + ".blobs").glob("*/*"))
    for limit in (1, longest - 1, longest, 1 << 40):
        option = ["--budget", f"blob-bytes={limit}"]
        report = compare_audits(cli, path, *option, budget={"blob-bytes": limit})
        assert report.ok is (limit >= longest), limit
    for budget in ({"blobs": 1}, {"blob-bytes": 0}, {"blob-bytes": 1 << 64}):
        with pytest.raises(ValueError, match="budget"):
            axilog.audit(path, budget=budget)


def test_what_the_caller_expects_is_compared(cli: Cli, path: str, tmp_path: Path) -> None:
    write_ledger(path)
    rules, other = axilog.PolicySet.builtin(), axilog.PolicySet()
    file, other_file = tmp_path / "rules.json", tmp_path / "other.json"
    file.write_text(rules.canonical())
    other_file.write_text(other.canonical())
    head = axilog.verify(path).head
    assert head is not None
    pins = {"llm": "m", "planner": "p-1"}
    for arguments, expected, failed in (
        (["--expect-head", head], {"expect_head": head}, {}),
        (["--expect-head", "0" * 64], {"expect_head": "0" * 64}, {"chain"}),
        (["--expect-entries", 2], {"expect_entries": 2}, {"chain"}),
        (["--policies", file], {"policies": rules}, {}),
        (["--policies", other_file], {"policies": other}, {"rules"}),
        (
            ["--policies", file, "--stop-on-invalid"],
            {"policies": rules, "stop_on_invalid": True},
            {"rules"},
        ),
        (["--permit-truncated"], {"permit_truncated": True}, {"rules"}),
        (["--expect-model", "llm=m"], {"expect_models": {"llm": "m"}}, {}),
        (
            ["--expect-model", "llm=m", "--expect-model", "planner=p-1"],
            {"expect_models": pins},
            {"models"},
        ),
        (["--extends", f"3:{'0' * 64}"], {"extends": [(3, "0" * 64)]}, {"chain"}),
    ):
        report = compare_audits(cli, path, *arguments, **expected)
        found = {subject for subject, result in results(report).items() if result == "failed"}
        assert found == set(failed)
    with pytest.raises(ValueError, match="expected 64 hexadecimal digits"):
        axilog.audit(path, expect_head="0")
    with pytest.raises(axilog.LedgerMissingError):
        axilog.audit(tmp_path / "absent")
    with pytest.raises(axilog.LedgerError):
        axilog.audit(tmp_path)


def test_a_missing_configuration_is_not_checked(cli: Cli, path: str) -> None:
    with begin_agent(path, policies=axilog.PolicySet()) as agent:
        observe(agent, b"prose")
    assert compare_audits(cli, path).unjudged_oracles == (axilog.UnjudgedOracle("llm", 1),)
    digest = agent.configuration_hash
    Path(f"{path}.blobs", digest[:2], digest).unlink()
    report = compare_audits(cli, path)
    assert results(report) == {
        "rules": "not checked",
        "decisions": "not checked",
        "oracles": "not checked",
        "blobs": "failed",
    }


def test_derivations_are_checked(cli: Cli, path: str) -> None:
    kind = axilog.InputKind.JSON
    call: dict[str, Any] = {"oracle_id": "llm", "model_id": "m", "input_kind": kind}
    with begin_agent(path) as agent:
        first = observe(agent, b'{"value": 1}')
        question = '{"derived_from":["%s"]}'
        agent.observe(b'{"value": 2}', input=question % first.obs_hash, **call)
        assert compare_audits(cli, path).ok
        asked = [b"first", b"second", b"third"]
        for text in asked:
            observe(agent, b'{"value": 3}', text.decode())
    unknown = (question % ("0" * 64)).encode()
    forged = [unknown, b'{"derived_from":7}', b'{"derived_from":["AB"]}']
    for old, new in zip(asked, forged):
        exchange_input(path, old, new)
    report = compare_audits(cli, path)
    assert results(report) == {"derivations": "failed"}
    assert len(report.checks[9].details) == 3


def rehash(payload: bytes) -> bytes:
    """Gives an observation the hash of its text; other records stay as they are."""
    before, name, rest = payload.partition(b'"obs_hash":"')
    if not name:
        return payload
    digest = hashlib.sha256(before + name + rest[64:]).hexdigest()
    return before + name + digest.encode() + rest[64:]


def exchange_input(path: str, old: bytes, new: bytes) -> None:
    """Forges a ledger in which an oracle was asked ``new`` in place of ``old``."""
    before, after = (hashlib.sha256(text).hexdigest().encode() for text in (old, new))
    records = [(tag, rehash(text.replace(before, after))) for tag, text in read_records(path)]
    forge_ledger(path, records)
    blob(path, old).unlink()
    store(path, new)


def test_nothing_is_derived_from_a_later_answer(cli: Cli, path: str) -> None:
    with begin_agent(path) as agent:
        observe(agent, b'{"value": 1}', "input")
        later = observe(agent, b'{"value": 2}')
    exchange_input(path, b"input", b'{"derived_from":["%s"]}' % later.obs_hash.encode())
    assert results(compare_audits(cli, path)) == {"derivations": "failed"}
