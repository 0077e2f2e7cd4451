"""Declared schemas of what oracles are asked and answer, which axilog-harness validates."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any, Union

import pytest
from axilog_harness.ledger import InvalidSchemaError, Schema

import axilog
from tests.conftest import begin_agent, forge_ledger, observe, read_records

# An allow-list is an enum.
PUMP: dict[str, Any] = {
    "properties": {"pump": {"enum": ["inlet", "outlet"]}},
    "required": ["pump"],
}
VIOLATION = 'the value at /pump violates /properties/pump/enum of the schema: ["inlet","outlet"]'


def make_ledger(path: str, **declared: Any) -> axilog.Agent:
    declared = declared or {"schemas": {"llm": PUMP}}
    ledger = axilog.Ledger.create(path, **declared)
    return begin_agent(ledger, policies=axilog.PolicySet.parse("[]"))


def get_check(path: str) -> axilog.AuditCheck:
    (check,) = (c for c in axilog.audit(path).checks if c.subject == "schemas")
    return check


def test_an_answer_that_violates_is_refused_bound_and_explained(path: str) -> None:
    with make_ledger(path) as agent:
        assert observe(agent, b'{"pump":"inlet"}').ok
        refused = observe(agent, b'{"pump":"drain"}')
        assert refused.schema_violation == VIOLATION
        assert not refused.admissible and not refused.permitted
        assert refused.health is axilog.Health.ALARM
        assert f"the answer violates its schema: {VIOLATION}" in refused.why
        observation = refused.observation
        assert observation is not None and observation.failure is axilog.Failure.INVALID_OUTPUT
        assert [entry.tag for entry in refused.records][:2] == ["AX:OBS:v1", "AX:PROOF:v1"]
    digest = hashlib.sha256(b'{"pump":"drain"}').hexdigest()
    assert Path(f"{path}.blobs", digest[:2], digest).read_bytes() == b'{"pump":"drain"}'
    report = axilog.audit(path)
    assert report.verdict is axilog.AuditVerdict.OK, report
    assert report.unjudged_oracles == ()
    assert get_check(path).finding == "0 questions and 1 answers conform, 1 answers were refused"
    # A later answer of the same oracle is not refused.
    with axilog.Ledger.open(path) as ledger:
        again = axilog.Agent(ledger)
        again.mitigate()
        again.reset()
        again.observe_time(2)
        assert observe(again, b'{"pump":"outlet"}').schema_violation is None
        assert observe(again, b'{"pump":"out"}').schema_violation == VIOLATION
    assert axilog.audit(path).ok


@pytest.mark.parametrize("answer", [b"", b"prose", b'{"pump":"inlet","pump":"inlet"}', b"\xff"])
def test_what_is_no_json_is_refused_and_bound(path: str, answer: bytes) -> None:
    with make_ledger(path) as agent:
        refused = observe(agent, answer)
        # What is not admissible is refused for that.
        assert (refused.schema_violation is None) == (answer == b"\xff")
        assert not refused.admissible
    assert axilog.audit(path).ok
    assert get_check(path).finding == "0 questions and 0 answers conform, 1 answers were refused"


def test_a_question_that_violates_is_refused_before_the_call(path: str) -> None:
    asked: dict[str, Any] = {
        "oracle_id": "llm",
        "model_id": "m",
        "input_kind": axilog.InputKind.JSON,
    }
    with make_ledger(path, input_schemas={"llm": '{"required": ["level"]}'}) as agent:
        entries = agent.entries
        with pytest.raises(axilog.InputError, match=r"oracle 'llm' may be asked: .* /required"):
            agent.check_question(input='{"depth":1}', **asked)
        with pytest.raises(axilog.InputError, match="nothing was recorded"):
            agent.observe(b"1", input='{"depth":1}', **asked)
        with pytest.raises(axilog.InputError):
            agent.observe_failure(axilog.Failure.TIMEOUT, input='{"depth":1}', **asked)
        assert agent.entries == entries
        assert agent.check_question(input='{"level":1}', **asked) == b'{"level":1}'
        agent.observe(b"1", input='{"level":1}', **asked)
    assert get_check(path).finding == "1 questions and 0 answers conform, 0 answers were refused"


def test_each_form_of_a_schema_is_the_same_schema(path: str, tmp_path: Path) -> None:
    texts: list[Union[str, bytes, dict[str, Any]]] = [
        {"required": ["pump"], "$comment": "\u00e4"},
        '{ "required": ["pump"], "$comment": "\\u00e4" }',
        '{"$comment":"\u00e4","required":["pump"]}'.encode(),
    ]
    hashes = set()
    for number, text in enumerate(texts):
        with make_ledger(str(tmp_path / str(number)), schemas={"o": text}) as agent:
            hashes.add(agent.configuration.manifest)
    assert len(hashes) == 1
    with make_ledger(path, schemas={"o": False}) as agent:
        refused = agent.observe(b"{}", oracle_id="o", model_id="m")
        assert refused.schema_violation == "the whole value is what the schema never allows: false"
        # Another oracle has none.
        assert observe(agent, b"{}").schema_violation is None


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "integr"}, "oracle 'o': at"),
        ({"$ref": "https://example.com/other"}, "leads out of the document"),
        ({"pattern": "(?=a)"}, "pattern"),
        ("{", "not JSON"),
        ({"minimum": float("nan")}, "not JSON compliant"),
        ({"enum": [b"x"]}, "not JSON serializable"),
        ("[" * 100_000, "oracle 'o'"),
    ],
)
def test_what_is_no_schema_is_refused(path: str, tmp_path: Path, schema: Any, reason: str) -> None:
    for name in ("schemas", "input_schemas"):
        declared: dict[str, Any] = {name: {"o": schema}}
        with pytest.raises(axilog.ManifestError, match=reason):
            axilog.Ledger.create(path, **declared)
    assert list(tmp_path.iterdir()) == []


def test_an_oracle_that_cannot_answer_has_no_schema(path: str, tmp_path: Path) -> None:
    for oracle_id in ("ax.time", "", "a b"):
        with pytest.raises(axilog.IdentityError):
            axilog.Ledger.create(path, schemas={oracle_id: True})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("replacement", [None, b"{}", b'{"required": ["pump"]}'])
def test_a_schema_that_is_missing_or_altered_lets_no_answer_in(
    path: str, replacement: Union[bytes, None]
) -> None:
    schema = Schema('{"required":["pump"]}')
    with make_ledger(path, schemas={"llm": schema.canonical}):
        pass
    blob = Path(f"{path}.blobs", schema.hash[:2], schema.hash)
    blob.unlink()
    if replacement is not None:
        blob.write_bytes(replacement)
    with axilog.Ledger.open(path) as ledger:
        agent = axilog.Agent(ledger)
        entries = agent.entries
        with pytest.raises(axilog.SchemaError, match=f"takes no answers: .*{schema.hash}"):
            observe(agent, b'{"pump":"inlet"}')
        assert agent.entries == entries
        # What needs no schema is recorded.
        agent.observe_time(2)
    assert get_check(path).result is not axilog.CheckResult.PASSED


def test_without_the_validating_package_nothing_is_taken_as_validated(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_ledger(path) as agent:
        observe(agent, b'{"pump":"inlet"}')
    monkeypatch.setitem(sys.modules, "axilog_harness.ledger", None)
    with axilog.Ledger.open(path) as ledger, pytest.raises(axilog.SchemaError, match="install"):
        observe(axilog.Agent(ledger), b'{"pump":"inlet"}')
    with pytest.raises(axilog.ManifestError, match="pip install ./bindings/python-harness"):
        axilog.Ledger.create(path + ".2", schemas={"o": PUMP})
    assert not Path(path + ".2").exists()


def test_an_answer_that_was_recorded_in_spite_of_its_schema_is_found(path: str) -> None:
    """A writer that validates nothing, on a ledger that declares a schema."""
    with make_ledger(path) as agent:
        observe(agent, b'{"pump":"inlet"}')
    records = read_records(path)
    made: list[tuple[str, bytes]] = []
    forged = axilog.Agent(
        policies=axilog.PolicySet.parse("[]"),
        manifest=_find_manifest(path),
        sink=lambda entry: made.append((entry.tag, entry.payload)),
    )
    forged.reset()
    forged.observe_time(1)
    forged.observe(b'{"pump":"drain"}', oracle_id="llm", model_id="m", input="how fast?")
    assert [tag for tag, _ in made] == [tag for tag, _ in records]
    Path(path).unlink()
    forge_ledger(path, made)
    assert axilog.verify(path).ok and axilog.replay(path).ok
    check = get_check(path)
    assert check.result is axilog.CheckResult.FAILED
    assert check.details == (
        f'answer 5 of oracle "llm" is recorded as COMPLETE and violates its schema: {VIOLATION}',
    )


def _find_manifest(path: str) -> str:
    with axilog.Ledger.open(path) as ledger:
        return str(axilog.Agent(ledger).configuration.manifest)


def test_the_package_by_itself() -> None:
    schema = Schema(b'{ "type": "object" }')
    assert schema.canonical == b'{"type":"object"}'
    assert schema.hash == hashlib.sha256(schema.canonical).hexdigest()
    assert schema.hash in repr(schema)
    assert schema.find_violation("{}") is None
    assert schema.find_violation(b"[]") == 'the whole value violates /type of the schema: "object"'
    with pytest.raises(InvalidSchemaError, match="not JSON"):
        Schema("")
    with pytest.raises(TypeError, match="int"):
        Schema(7)  # type: ignore[arg-type]
