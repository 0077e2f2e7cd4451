"""Reading ledgers: record by record, and as tables."""

from __future__ import annotations

import gzip
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import pyarrow
import pytest

import axilog
from axilog import Health, PolicyResult, RecordKind
from tests.conftest import begin_agent, observe, write_ledger
from tests.test_blobs import blob, write_answers

KINDS = [
    RecordKind.GENESIS,
    RecordKind.OBSERVATION,  # the reset
    RecordKind.TRANSITION,
    RecordKind.OBSERVATION,  # the time
    RecordKind.TRANSITION,
    RecordKind.OBSERVATION,
    RecordKind.POLICY,
    RecordKind.TRANSITION,
]


def test_each_record_has_what_its_kind_has(path: str) -> None:
    write_ledger(path, 1)
    records = list(axilog.read(path))
    assert [record.kind for record in records] == KINDS
    assert [record.sequence for record in records] == list(range(8))
    assert [record.ledger_seq for record in records] == [None, 1, 1, 3, 3, 5, 5, 5]
    assert [record.time for record in records] == [None, None, None, 1, 1, 1, 1, 1]
    lines = Path(path).read_bytes().splitlines(keepends=True)
    for record, line in zip(records, lines):
        there = [record.observation, record.judgement, record.transition, record.raw_answer]
        assert sum(member is not None for member in there) == (record.sequence > 0)
        assert (record.question, record.answer) == (None, None)
        written = json.loads(line)
        assert (record.chain, record.commit) == (written["chain"], written["commit"])
        assert json.loads(record.payload) == written["record"]
        assert record.offset == sum(map(len, lines[: record.sequence]))
        assert json.loads(json.dumps(record.to_dict()))["record"] == written["record"]
    observation, judgement, transition = (
        records[5].observation,
        records[6].judgement,
        records[7].transition,
    )
    assert observation is not None and observation.output == '{"value": 69}'
    assert judgement == axilog.Judgement(
        "POL-001-MAX-VELOCITY", PolicyResult.PERMITTED, 69 << 16, 70 << 16, 5
    )
    assert transition == axilog.Transition("LLM_OBS", Health.ENABLED, Health.ENABLED, None, 0, 5)


def test_a_breach_without_a_value_is_read(path: str) -> None:
    with begin_agent(path) as agent:
        decision = observe(agent, b"prose")
    records = list(axilog.read(path, first=5))
    assert [record.judgement for record in records if record.judgement] == list(decision.policies)
    assert [record.transition for record in records if record.transition] == [decision.transition]
    assert [r.observation.obs_hash for r in records if r.observation] == [decision.obs_hash]


def test_questions_and_whole_answers_are_read_where_asked_for(path: str) -> None:
    write_answers(path)
    with axilog.read(path, questions=True, answers=True, oracle_id="llm") as reader:
        records = list(reader)
    assert {record.question for record in records if record.observation} == {b"how fast?", b"late?"}
    assert not [record for record in records if record.question and not record.observation]
    # The inadmissible answer and the one that is too long are raw; a failure has none.
    answers = [record.answer for record in records if record.answer is not None]
    assert answers == [b'{"value": 1}', b"\xff", b"x" * 100_000]
    raw = [record.raw_answer for record in records if record.raw_answer]
    assert [answer.size for answer in raw] == [1, 100_000]
    assert json.dumps([record.to_dict() for record in records])

    blob(path, b"\xff").write_bytes(b"\xfe")
    blob(path, b"late?").unlink()
    for asked, found in (
        ({"answers": True}, "other bytes"),
        ({"questions": True}, "found no file"),
    ):
        given: dict[str, Any] = asked
        reader = axilog.read(path, **given)
        with pytest.raises(axilog.BadRecordError, match=found):
            list(reader)
    assert len(list(axilog.read(path))) == len(records) + 5


def test_a_compressed_ledger_is_read_with_its_questions(path: str) -> None:
    write_ledger(path, 1)
    expected = [record.to_dict() for record in axilog.read(path, questions=True)]
    compressed = path + ".gz"
    Path(compressed).write_bytes(gzip.compress(Path(path).read_bytes()))
    Path(path).unlink()
    assert [record.to_dict() for record in axilog.read(compressed, questions=True)] == expected
    assert axilog.audit(compressed).ok
    with pytest.raises(axilog.LedgerError, match="is compressed"):
        axilog.Agent.open(compressed)


def test_a_filter_leaves_records_out(path: str) -> None:
    with begin_agent(path) as agent:
        for oracle_id in ("a", "b", "a"):
            agent.observe(b"\xff", oracle_id=oracle_id, model_id="m")
        agent.seal()
    every = list(axilog.read(path))
    assert [r.kind for r in every[-5:-2]] == KINDS[5:8][:1] + [RecordKind.RAW_ANSWER] + KINDS[6:7]

    def read(**given: Any) -> list[int]:
        return [record.sequence for record in axilog.read(path, **given)]

    assert read(first=3, count=4) == [3, 4, 5, 6]
    assert read(oracle_id="b") == [9, 10, 11, 12]
    raw = [record.sequence for record in every if record.kind is RecordKind.RAW_ANSWER]
    assert read(kinds=[RecordKind.RAW_ANSWER]) == raw and len(raw) == 3
    assert read(kinds=[RecordKind.SEAL]) == [len(every) - 1]
    assert read(kinds=[RecordKind.GENESIS, RecordKind.SEAL]) == [0, len(every) - 1]
    assert read(oracle_id="nobody") == read(first=99) == []


def test_a_bad_record_ends_the_reading_behind_the_good_ones(path: str) -> None:
    lines = write_ledger(path)
    Path(path).write_bytes(b"".join(lines[:6]) + lines[6].replace(b"PERMITTED", b"BREACH"))
    verdict = axilog.verify(path)
    reader = axilog.read(path)
    for sequence in range(6):
        assert next(reader).sequence == sequence
    for _ in range(2):
        with pytest.raises(axilog.BadRecordError, match=f"{verdict.verdict}: record 6 at byte"):
            next(reader)
    assert (reader.entries, reader.sealed) == (6, False)
    with pytest.raises(axilog.BadRecordError, match="record 6"):
        axilog.to_arrow(path)


def test_a_new_loop_gives_what_was_recorded_since(path: str) -> None:
    with begin_agent(path) as agent:
        reader = axilog.read(path)
        assert (reader.head, reader.entries, reader.sealed) == (None, 0, False)
        assert len(list(reader)) == 5 and list(reader) == []
        decision = observe(agent, b'{"value": 1}')
        assert [record.sequence for record in reader] == [5, 6, 7]
        assert reader.head == agent.head and reader.entries == agent.entries
        assert decision.ledger_seq == 5
        agent.seal()
        assert [record.kind for record in reader] == [RecordKind.SEAL] and reader.sealed


def test_a_reader_that_is_closed_reads_nothing(path: str) -> None:
    write_ledger(path)
    with axilog.read(path) as reader:
        next(reader)
    reader.close()
    for use in (lambda: next(reader), lambda: reader.head, lambda: reader.entries):
        with pytest.raises(axilog.AxilogError, match="no open reader"):
            use()
    assert repr(reader) == f"<axilog.Reader of {path!r}>"


def test_what_cannot_be_read_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(axilog.LedgerMissingError):
        axilog.read(path)
    with pytest.raises(axilog.LedgerError, match="it is a directory"):
        axilog.read(tmp_path)
    write_ledger(path)
    bad: list[dict[str, Any]] = [
        {"first": -1},
        {"first": 2**64},
        {"count": 0},
        {"oracle_id": "a\0b"},
        {"kinds": []},
        {"kinds": [7]},
    ]
    for arguments in bad:
        for reads in (axilog.read, axilog.to_arrow):
            function: Callable[..., object] = reads
            with pytest.raises(ValueError, match="found|valid"):
                function(path, **arguments)


def test_threads_that_share_a_reader_get_each_record_once(path: str) -> None:
    write_ledger(path, 300)
    reader, found = axilog.read(path), []

    def read() -> None:
        for record in reader:
            found.append(record.sequence)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(5 + 900))


def row_of(record: axilog.Record) -> dict[str, Any]:
    """The row that a record has in a table."""
    observation, judgement = record.observation, record.judgement
    transition, raw = record.transition, record.raw_answer

    def number(value: Optional[int]) -> Optional[float]:
        return None if value is None else value / 65536

    digest = observation.input_hash if observation else raw and raw.sha256
    return {
        "sequence": record.sequence,
        "kind": record.kind.name,
        "ledger_seq": record.ledger_seq,
        "time": record.time,
        "oracle_id": observation and observation.oracle_id,
        "model_id": observation and observation.model_id,
        "output": observation and observation.output,
        "output_size": observation.output_size if observation else raw and raw.size,
        "completion": observation and observation.completion.name,
        "failure": observation.failure.name if observation and observation.failure else None,
        "policy_id": judgement and judgement.policy_id,
        "result": judgement and judgement.result.name,
        "actual": judgement and number(judgement.actual),
        "threshold": judgement and number(judgement.threshold),
        "input_class": transition and transition.input_class,
        "prev_state": transition and transition.prev_state.name,
        "next_state": transition and transition.next_state.name,
        "violation": transition and transition.violation,
        "fault_count": transition and transition.fault_count,
        "content_hash": digest and bytes.fromhex(digest),
        "obs_hash": observation and bytes.fromhex(observation.obs_hash),
        "chain": bytes.fromhex(record.chain),
        "offset": record.offset,
        "record": record.payload.decode(),
    }


def test_a_table_has_what_the_records_have(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_answers(path)
    with axilog.Agent.open(path) as agent:
        agent.mitigate()
        agent.seal()
    rows = [row_of(record) for record in axilog.read(path)]
    assert {row["completion"] for row in rows} == {None, "COMPLETE", "TRUNCATED", "ERROR"}
    assert axilog.to_arrow(path).to_pylist() == rows
    monkeypatch.setattr("axilog.tables._BATCH_RECORDS", 2)
    table = axilog.to_arrow(path)
    assert table.to_pylist() == rows
    assert [len(chunk) for chunk in table["chain"].chunks][:2] == [2, 2]
    kinds = [RecordKind.RAW_ANSWER]
    raw = [row for row in rows if row["kind"] == "RAW_ANSWER"]
    assert axilog.to_arrow(path, kinds=kinds).to_pylist() == raw and len(raw) == 2
    nothing = axilog.to_arrow(path, oracle_id="nobody")
    assert nothing.schema == table.schema and nothing.num_rows == 0
    assert axilog.to_arrow(path, first=5, count=3).to_pylist() == rows[5:8]


def test_pandas_and_polars_have_the_table(path: str) -> None:
    write_answers(path)
    table = axilog.to_arrow(path)
    pandas, polars = axilog.to_pandas(path), axilog.to_polars(path)
    assert list(pandas.columns) == list(polars.columns) == table.column_names
    answers = pandas[pandas.oracle_id == "llm"]
    assert list(answers.output)[:1] == ['{"value": 1}'] and len(answers) == 4
    assert str(pandas.ledger_seq.dtype) == "UInt64" and pandas.ledger_seq.isna().sum() == 1
    assert polars["sequence"].to_list() == table["sequence"].to_pylist()
    assert polars["failure"].to_list() == table["failure"].to_pylist()


def test_a_missing_package_is_named(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_ledger(path)
    for module, reads in (
        ("pyarrow", axilog.to_arrow),
        ("pandas", axilog.to_pandas),
        ("polars", axilog.to_polars),
    ):
        function: Callable[..., object] = reads
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            with pytest.raises(ImportError, match="pip install 'axilog"):
                function(path)
    assert pyarrow.__version__


def test_json_values_are_written_in_canonical_form(path: str) -> None:
    canonical = axilog.canonical_json({"b": (1.0, None), "a": "\u00e9"})
    assert canonical.decode() == '{"a":"\u00e9","b":[1,null]}'
    nested: Any = []
    for _ in range(5000):
        nested = [nested]
    for value in (float("nan"), 10**400, "\ud800", nested):
        with pytest.raises(axilog.InputError, match="has no canonical JSON"):
            axilog.canonical_json(value)
    with pytest.raises(TypeError):
        axilog.canonical_json(b"bytes")
    with begin_agent(path) as agent:
        decision = agent.observe(
            b'{"value": 1}',
            oracle_id="llm",
            model_id="m",
            input=axilog.canonical_json({"b": 1, "a": 2}),
            input_kind=axilog.InputKind.JSON,
        )
    assert decision
    (record,) = axilog.read(path, oracle_id="llm", kinds=[RecordKind.OBSERVATION], questions=True)
    assert record.question == b'{"a":2,"b":1}'
