"""One huge ledger on Spark: its segments on the executors, and what they found at the driver."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Optional

from axilog._fleet_sources import place_file
from axilog.errors import AxilogError, LedgerError

if TYPE_CHECKING:
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
    begins = range(0, size, segment_bytes)
    if not begins:
        return []
    check_it = partial(_check_segment, file=file, check=check, size=segment_bytes, given=expected)
    tasks = spark.sparkContext.parallelize(begins, len(begins)).mapPartitions(check_it)
    found = []
    for segment, problem in tasks.collect():
        if segment is None:
            raise LedgerError(file, f"an executor cannot read it: {problem}")
        found.append(segment)
    return found


def _check_segment(
    begins: Iterator[int], file: str, check: Callable[..., str], size: int, given: dict[str, Any]
) -> Iterator[tuple[Optional[str], Optional[str]]]:
    """What was found of each segment, or why there is none."""
    for begin in begins:
        try:
            yield check(file, begin, begin + size, **given), None
        except (AxilogError, OSError, ValueError) as error:
            yield None, str(error)
