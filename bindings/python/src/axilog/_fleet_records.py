"""The records of one ledger as batches of Arrow, with the columns of a fleet's tables."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, Optional

import pyarrow

from axilog._fleet_sources import Source, UnreadableLedgerError, open_source, read_rows
from axilog._ledger_reader import LedgerReader, RecordKind
from axilog.errors import BadRecordError
from axilog.tables import read_batches

_BATCH_RECORDS = 1 << 12
# Times are unsigned numbers of 64 bits, which Spark's integers do not hold.
_TIME = pyarrow.decimal128(20, 0)
_SPARK_TYPES = {
    pyarrow.string(): "string",
    pyarrow.binary(): "binary",
    pyarrow.int64(): "bigint",
    pyarrow.float64(): "double",
    _TIME: "decimal(20,0)",
}
_PLACE = {
    "path": pyarrow.string(),
    "sequence": pyarrow.int64(),
    "ledger_seq": pyarrow.int64(),
    "time": _TIME,
}
_END = {"offset": pyarrow.int64(), "defect": pyarrow.string()}


class Table(enum.Enum):
    """A table of a fleet's records: the kind of its records, and its columns."""

    OBSERVATIONS = (
        RecordKind.OBSERVATION,
        {
            "oracle_id": pyarrow.string(),
            "model_id": pyarrow.string(),
            "question": pyarrow.string(),
            "output": pyarrow.string(),
            "output_size": pyarrow.int64(),
            "completion": pyarrow.string(),
            "failure": pyarrow.string(),
            "obs_hash": pyarrow.binary(),
        },
    )
    POLICIES = (
        RecordKind.POLICY,
        {
            "policy_id": pyarrow.string(),
            "result": pyarrow.string(),
            "actual": pyarrow.float64(),
            "threshold": pyarrow.float64(),
        },
    )
    TRANSITIONS = (
        RecordKind.TRANSITION,
        {
            "input_class": pyarrow.string(),
            "prev_state": pyarrow.string(),
            "next_state": pyarrow.string(),
            "violation": pyarrow.string(),
            "fault_count": pyarrow.int64(),
        },
    )

    @property
    def kind(self) -> RecordKind:
        """The kind of the records."""
        return self.value[0]

    @property
    def columns(self) -> dict[str, Any]:
        """The types of Arrow, by column."""
        return {**_PLACE, **self.value[1], **_END}

    @property
    def schema(self) -> str:
        """The columns as Spark declares them."""
        return ", ".join(f"{name} {_SPARK_TYPES[type_]}" for name, type_ in self.columns.items())

    def make_defect_batch(self, path: Optional[str], defect: str) -> Any:
        """The row that says why a ledger has no further records here."""
        given = {"path": path, "defect": defect}
        return pyarrow.RecordBatch.from_pydict(
            {name: pyarrow.array([given.get(name)], t) for name, t in self.columns.items()}
        )


def read_fleet_batches(
    batches: Iterator[pyarrow.RecordBatch], table: Table, questions: bool
) -> Iterator[pyarrow.RecordBatch]:
    """Reads the ledgers of the source table, each up to its first bad record, and then a row that
    says what is wrong."""
    for batch in batches:
        for row in read_rows(batch):
            try:
                with open_source(row) as source:
                    yield from _read_ledger(source, table, questions)
            except UnreadableLedgerError as error:
                yield table.make_defect_batch(row["path"], str(error))


def _read_ledger(source: Source, table: Table, questions: bool) -> Iterator[pyarrow.RecordBatch]:
    asked = _QuestionReader(source.file) if questions else None
    reader = LedgerReader(source.file, None, 0, None, [table.kind])
    try:
        for batch in read_batches(reader, _BATCH_RECORDS):
            count = batch.num_rows
            given = {"path": [source.path] * count, "defect": [None] * count}
            if "question" in table.columns:
                given["question"] = asked.read(count) if asked else [None] * count
            yield pyarrow.RecordBatch.from_pydict(
                {
                    name: pyarrow.array(given[name], type_)
                    if name in given
                    else batch[name].cast(type_)
                    for name, type_ in table.columns.items()
                }
            )
    finally:
        reader.close()
        if asked:
            asked.close()


class _QuestionReader:
    """The questions of a ledger's observations, in their order."""

    def __init__(self, file: str) -> None:
        self._reader = LedgerReader(file, None, 0, None, [RecordKind.OBSERVATION])

    def read(self, count: int) -> list[Optional[str]]:
        """The questions of the next observations; ``None`` for one whose blob is missing or
        altered."""
        return [self._reader.read_record(self._read_question) for _ in range(count)]

    def _read_question(self, _: object) -> Optional[str]:
        try:
            return self._reader.read_question().decode()
        except BadRecordError:
            return None

    def close(self) -> None:
        """Closes the file."""
        self._reader.close()
