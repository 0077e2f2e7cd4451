"""Ledgers as tables of Arrow, pandas and Polars, whose columns come from the library."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from ctypes import string_at
from typing import TYPE_CHECKING, Any, Optional

from axilog._host_call import Path
from axilog._ledger_reader import LedgerReader, RecordKind
from axilog.capi.constants import Q16_16_MIN, Q16_16_ONE
from axilog.capi.host import axh_columns_t, axh_texts_t
from axilog.enums import Completion, Failure, Health, InputClass, PolicyResult, Violation

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_BATCH_RECORDS = 1 << 16


def to_arrow(
    path: Path,
    *,
    oracle_id: Optional[str] = None,
    first: int = 0,
    count: Optional[int] = None,
    kinds: Optional[Iterable[RecordKind]] = None,
) -> pyarrow.Table:
    """Reads a ledger as a table of Arrow with a row for each record. What a record's kind does not
    have is null; values and limits of policies are numbers, hashes 32 bytes, and ``record`` is the
    canonical text. Needs pyarrow: ``pip install 'axilog[arrow]'``.

    The arguments are those of :func:`axilog.read`. Raises what a reader raises, and ImportError.
    """
    return _ArrowTable().read(LedgerReader(path, oracle_id, first, count, kinds))


def to_pandas(
    path: Path,
    *,
    oracle_id: Optional[str] = None,
    first: int = 0,
    count: Optional[int] = None,
    kinds: Optional[Iterable[RecordKind]] = None,
) -> pandas.DataFrame:
    """Reads a ledger as a data frame of pandas, as :func:`to_arrow` does. Integers keep their
    type, which pandas calls ``UInt64``. Needs pandas: ``pip install 'axilog[pandas]'``."""
    module, arrow = _import("pandas", "pandas"), _import("pyarrow", "pandas")
    integers = {arrow.uint64(): module.UInt64Dtype(), arrow.uint32(): module.UInt32Dtype()}
    table = to_arrow(path, oracle_id=oracle_id, first=first, count=count, kinds=kinds)
    frame: pandas.DataFrame = table.to_pandas(types_mapper=integers.get)
    return frame


def to_polars(
    path: Path,
    *,
    oracle_id: Optional[str] = None,
    first: int = 0,
    count: Optional[int] = None,
    kinds: Optional[Iterable[RecordKind]] = None,
) -> polars.DataFrame:
    """Reads a ledger as a data frame of Polars, as :func:`to_arrow` does. Needs Polars:
    ``pip install 'axilog[polars]'``."""
    module = _import("polars", "polars")
    table = to_arrow(path, oracle_id=oracle_id, first=first, count=count, kinds=kinds)
    frame: polars.DataFrame = module.from_arrow(table)
    return frame


def read_batches(reader: LedgerReader, max_records: int) -> Iterator[pyarrow.RecordBatch]:
    """Reads a ledger batch by batch, with the columns of :func:`to_arrow`. Raw answers and seals
    come together, since the library knows them by one tag. Raises what a reader raises."""
    return _ArrowTable().read_batches(reader, max_records)


def _import(module: str, extra: str) -> Any:
    try:
        return __import__(module)
    except ImportError as error:
        raise ImportError(
            f"axilog: this needs {module}, which is not installed: pip install 'axilog[{extra}]'"
        ) from error


class _ArrowTable:
    """The columns of Arrow that are made of those of the library."""

    def __init__(self) -> None:
        self._arrow = _import("pyarrow", "arrow")
        self._compute = __import__("pyarrow.compute").compute

    def read(self, reader: LedgerReader) -> Any:
        """Reads all records."""
        batches: list[Any] = []
        try:
            batches.extend(self.read_batches(reader, _BATCH_RECORDS))
        finally:
            reader.close()
        if not batches:
            batches = [self._make_batch(axh_columns_t())]
        table = self._arrow.Table.from_batches(batches)
        if reader.kinds == set(RecordKind):
            return table
        # The library knows raw answers and seals by one tag.
        names = self._arrow.array([kind.name for kind in reader.kinds])
        wanted = self._compute.is_in(table["kind"].cast(self._arrow.string()), value_set=names)
        return table.filter(wanted)

    def read_batches(self, reader: LedgerReader, max_records: int) -> Iterator[Any]:
        """Reads the records of the reader's tags, batch by batch."""
        while (batch := reader.read_columns(max_records, self._make_batch)) is not None:
            yield batch

    def _make_batch(self, columns: axh_columns_t) -> Any:
        arrow, compute, count = self._arrow, self._compute, columns.count
        kinds = self._make_numbers(columns.kind, count, arrow.uint8())

        def has(*wanted: RecordKind) -> Any:
            codes = arrow.array([int(kind) for kind in wanted], arrow.uint8())
            return compute.is_in(kinds, value_set=codes)

        def number(address: Optional[int], type_: Any, mask: Any) -> Any:
            return self._set_nulls(self._make_numbers(address, count, type_), mask)

        def name(address: Optional[int], names: list[str], mask: Any) -> Any:
            codes = self._make_numbers(address, count, arrow.int8())
            known = compute.and_(mask, compute.greater_equal(codes, arrow.scalar(0, arrow.int8())))
            return arrow.DictionaryArray.from_arrays(self._set_nulls(codes, known), names)

        def text(texts: axh_texts_t, mask: Any) -> Any:
            return self._set_nulls(self._make_texts(texts, count), mask)

        def digest(address: Optional[int], mask: Any) -> Any:
            hashes = self._make_numbers(address, count, arrow.binary(32))
            return self._set_nulls(hashes, mask)

        def decimal(address: Optional[int]) -> Any:
            raw = self._make_numbers(address, count, arrow.int32())
            there = compute.and_(policy, compute.not_equal(raw, arrow.scalar(Q16_16_MIN, raw.type)))
            numbers = compute.divide(raw.cast(arrow.float64()), float(Q16_16_ONE))
            return self._set_nulls(numbers, there)

        every = has(*RecordKind)
        observation, policy = has(RecordKind.OBSERVATION), has(RecordKind.POLICY)
        transition, raw_answer = has(RecordKind.TRANSITION), has(RecordKind.RAW_ANSWER)
        about = compute.invert(has(RecordKind.GENESIS, RecordKind.SEAL))
        times = self._make_numbers(columns.time, count, arrow.uint64())
        failures = self._make_numbers(columns.failure_type, count, arrow.uint8())
        failed = compute.greater(failures, arrow.scalar(0, arrow.uint8()))
        violations = self._make_numbers(columns.violation, count, arrow.uint8())
        violated = compute.greater(violations, arrow.scalar(0, arrow.uint8()))
        arrays = {
            "sequence": number(columns.sequence, arrow.uint64(), every),
            "kind": name(columns.kind, RecordKind._member_names_, every),
            "ledger_seq": number(columns.ledger_seq, arrow.uint64(), about),
            "time": self._set_nulls(times, compute.greater(times, arrow.scalar(0, arrow.uint64()))),
            "oracle_id": text(columns.oracle_id, observation),
            "model_id": text(columns.model_id, observation),
            "output": text(columns.output, observation),
            "output_size": number(
                columns.output_size, arrow.uint64(), compute.or_(observation, raw_answer)
            ),
            "completion": name(columns.completion_state, Completion._member_names_, observation),
            "failure": name(columns.failure_type, Failure._member_names_, failed),
            "policy_id": text(columns.policy_id, policy),
            "result": name(columns.breached, PolicyResult._member_names_, policy),
            "actual": decimal(columns.actual),
            "threshold": decimal(columns.threshold),
            "input_class": name(columns.input_class, InputClass._member_names_, transition),
            "prev_state": name(columns.prev_state, Health._member_names_, transition),
            "next_state": name(columns.next_state, Health._member_names_, transition),
            "violation": name(columns.violation, Violation._member_names_, violated),
            "fault_count": number(columns.fault_count, arrow.uint32(), transition),
            "content_hash": digest(columns.content_hash, compute.or_(observation, raw_answer)),
            "obs_hash": digest(columns.obs_hash, observation),
            "chain": digest(columns.chain, every),
            "offset": number(columns.offset, arrow.uint64(), every),
            "record": text(columns.bytes, every),
        }
        return arrow.RecordBatch.from_pydict(arrays)

    def _make_numbers(self, address: Optional[int], count: int, type_: Any) -> Any:
        """A column of values of one width, copied."""
        data = string_at(address or 0, count * type_.bit_width // 8) if count else b""
        buffer = self._arrow.py_buffer(data)
        return self._arrow.Array.from_buffers(type_, count, [None, buffer])

    def _make_texts(self, texts: axh_texts_t, count: int) -> Any:
        """A column of texts, copied."""
        offsets = string_at(texts.offsets, (count + 1) * 8) if count else bytes(8)
        size = int.from_bytes(offsets[-8:], sys.byteorder)
        data = string_at(texts.bytes, size) if size else b""
        buffers = [None, self._arrow.py_buffer(offsets), self._arrow.py_buffer(data)]
        return self._arrow.Array.from_buffers(self._arrow.large_string(), count, buffers)

    def _set_nulls(self, values: Any, mask: Any) -> Any:
        """The values where the mask is true, and null elsewhere."""
        return self._compute.if_else(mask, values, self._arrow.scalar(None, values.type))
