"""One huge ledger on Spark: its segments on the executors, and what they found at the driver."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Callable

from axilog._fleet_sources import place_file
from axilog.errors import AxilogError, LedgerError

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import SparkSession


def find_file(path: str) -> str:
    """The file of a path that the driver and every executor read. Raises ValueError for a path of
    another file system."""
    place = place_file(path)
    file = place.get("file")
    if file is None:
        problem = place.get("problem") or "is no file that every executor can read"
        raise ValueError(
            f"{path!a}: {problem}; segments need one file under the same path on every machine"
        )
    return file


def check_on_executors(
    spark: SparkSession,
    file: str,
    check: Callable[..., str],
    segment_bytes: int,
    expected: dict[str, Any],
) -> list[str]:
    """What ``check`` finds of each segment of the file, which has so many bytes. Raises LedgerError
    for a file that an executor cannot read."""
    if segment_bytes < 1:
        raise ValueError(f"segment_bytes: found {segment_bytes!r}, expected a number from 1")
    try:
        size = os.stat(file).st_size
    except OSError:
        # Whoever joins no segments says why the file cannot be read.
        return []
    begins = [(begin,) for begin in range(0, size, segment_bytes)]
    if not begins:
        return []
    check_them = partial(_check_batches, file=file, check=check, size=segment_bytes, given=expected)
    table = spark.createDataFrame(begins, "begin bigint").repartition(len(begins))
    found = []
    for row in table.mapInArrow(check_them, "segment string, problem string").collect():
        if row.segment is None:
            raise LedgerError(file, f"an executor cannot read it: {row.problem}")
        found.append(row.segment)
    return found


def _check_batches(
    batches: Iterator[pyarrow.RecordBatch],
    file: str,
    check: Callable[..., str],
    size: int,
    given: dict[str, Any],
) -> Iterator[pyarrow.RecordBatch]:
    """What was found of each segment, or why there is none."""
    import pyarrow

    for batch in batches:
        for begin in batch.column(0).to_pylist():
            segment, problem = None, None
            try:
                segment = check(file, begin, begin + size, **given)
            except (AxilogError, OSError, ValueError) as error:
                problem = str(error)
            columns = {"segment": [segment], "problem": [problem]}
            yield pyarrow.RecordBatch.from_pydict(
                {name: pyarrow.array(column, pyarrow.string()) for name, column in columns.items()}
            )
