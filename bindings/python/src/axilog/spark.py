"""Thousands of ledgers on Apache Spark: what an audit says of each, and their records as tables; or
a huge one, verified and replayed in segments.

    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> import axilog.spark  # doctest: +SKIP
    >>> spark = SparkSession.builder.getOrCreate()  # doctest: +SKIP
    >>> axilog.spark.audit(spark, ["a.jsonl", "b.jsonl"]).show()  # doctest: +SKIP

Every function but ``verify`` and ``replay``, which take one ledger, takes the session and the
ledgers: a path, several paths, or a table.

- A path without a scheme, and ``file:/…``, is a file of the machines that audit it. It is read
  where it is, so each of them must have it under this path.
- A path of another file system that Spark's Hadoop knows, such as ``hdfs://…`` and ``s3a://…``, is
  read with its blobs by Spark, and audited from a temporary file of the executor.
- A table has a column ``path``, and the bytes of each ledger in ``content``, as Spark's reader of
  binary files gives them; ``blobs`` may map the SHA-256 of each blob to its bytes. Without
  ``content`` the paths are those of files.

The executors need this package and pyarrow. A ledger that is bad, missing or unreadable is a row of
the result. Ledgers are only read, so that a task may run twice. Needs Spark, and Java for it:
``pip install 'axilog[spark]'``, ``apt install default-jre-headless``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Optional, Union

from axilog._fleet_audit import AUDIT_SCHEMA, audit_batches
from axilog._fleet_records import Table, read_fleet_batches
from axilog._fleet_segments import check_on_executors, find_file
from axilog._fleet_sources import Ledgers, list_ledgers, make_source_table
from axilog._host_check import EarlierHeads, make_expectations
from axilog.auditing import make_audit_expectations
from axilog.policy_set import PolicySet
from axilog.segments import join_replayed, join_verified, replay_segment, verify_segment
from axilog.verification import Report

SEGMENT_BYTES = 1 << 26
"""How many bytes of a huge ledger one task verifies or replays: 64 MiB."""

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def audit(
    spark: SparkSession,
    ledgers: Ledgers,
    *,
    policies: Optional[PolicySet] = None,
    permit_truncated: bool = False,
    stop_on_invalid: bool = False,
    require_policy: bool = False,
    expect_models: Optional[Mapping[str, str]] = None,
    budget: Optional[Mapping[str, int]] = None,
) -> DataFrame:
    """Audits every ledger as :func:`axilog.audit` does.

    Args:
        spark: The session.
        ledgers: A path, paths, or a table. The columns ``expect_head``, ``expect_entries`` and
            ``extends``, of a table that has them, are what is expected of each ledger; null expects
            nothing. ``extends`` is a struct of a number of records and the head that the ledger
            had then, as ``records`` and ``head`` of an earlier result are.
        policies: As in :func:`axilog.audit`, of every ledger; so are the others.
        permit_truncated: As in :func:`axilog.audit`.
        stop_on_invalid: As in :func:`axilog.audit`.
        require_policy: As in :func:`axilog.audit`.
        expect_models: As in :func:`axilog.audit`.
        budget: As in :func:`axilog.audit`.

    Returns:
        A table with a row for each ledger:

        - ``path``: as it was given.
        - ``verdict``: OK, FAILED or INCOMPLETE, or UNREADABLE for what could not be audited.
        - ``fault``, ``sequence``, ``offset``: the kind and the place of the ledger's first defect.
        - ``reason``: that defect, else the check that was not passed, else why nothing could be
          read; null for a ledger that is OK.
        - ``records``, ``head``, ``state``, ``breaches``: of a ledger without a defect, how many
          records it has, its last chain value, the agent's state at the end, and how many inputs
          violated a rule.
        - ``seconds``: how long the audit of this ledger took.

    Raises:
        ValueError for a table without a column ``path``, and for an expectation out of range.
    """
    expected: dict[str, Any] = {
        "policies": policies,
        "permit_truncated": permit_truncated,
        "stop_on_invalid": stop_on_invalid,
        "require_policy": require_policy,
        "expect_models": expect_models,
        "budget": budget,
    }
    make_audit_expectations(**expected)

    audit_them = partial(audit_batches, expected=expected)
    return make_source_table(spark, ledgers).mapInArrow(audit_them, AUDIT_SCHEMA)


def verify(
    spark: SparkSession,
    ledger: Union[str, os.PathLike[str]],
    *,
    segment_bytes: int = SEGMENT_BYTES,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    extends: EarlierHeads = (),
) -> Report:
    """Verifies one huge ledger, of which each executor takes a segment at a time
    (:mod:`axilog.segments`). The driver joins them, and reads what it cannot join. It trusts the
    executors: what they found is hexadecimal text, which nobody has signed.

    Args:
        spark: The session.
        ledger: A path without a scheme, or ``file:/…``. The driver and every executor must have the
            file under this path, uncompressed. A path of another file system is refused.
        segment_bytes: The length of a segment. Its lines are those that begin in it.
        expect_head: As in :func:`axilog.verify`; so are the others.
        expect_entries: As in :func:`axilog.verify`.
        expect_models: As in :func:`axilog.verify`.
        extends: As in :func:`axilog.verify`.

    Returns:
        The report of :func:`axilog.verify`: the first defect is the same one, whoever found it.
        Blobs are not compared.

    Raises:
        LedgerError where an executor cannot read the file, ValueError for an argument out of range
        or a path of another file system, and as :func:`axilog.verify` does.
    """
    expected: dict[str, Any] = {
        "expect_head": expect_head,
        "expect_entries": expect_entries,
        "expect_models": expect_models,
        "extends": extends,
    }
    make_expectations(expect_head, expect_entries, expect_models, extends)
    file = find_file(os.fspath(ledger))
    found = check_on_executors(spark, file, verify_segment, segment_bytes, expected)
    return replace(join_verified(file, found, **expected), ledger=os.fspath(ledger))


def replay(
    spark: SparkSession,
    ledger: Union[str, os.PathLike[str]],
    *,
    segment_bytes: int = SEGMENT_BYTES,
    policies: Optional[PolicySet] = None,
    permit_truncated: bool = False,
    stop_on_invalid: bool = False,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    extends: EarlierHeads = (),
) -> Report:
    """Replays one huge ledger as :func:`verify` verifies it. Its blobs lie beside the file.

    Args:
        spark: The session.
        ledger: As in :func:`verify`.
        segment_bytes: As in :func:`verify`.
        policies: As in :func:`axilog.replay`; so are the others.
        permit_truncated: As in :func:`axilog.replay`.
        stop_on_invalid: As in :func:`axilog.replay`.
        expect_head: As in :func:`axilog.replay`.
        expect_entries: As in :func:`axilog.replay`.
        expect_models: As in :func:`axilog.replay`.
        extends: As in :func:`axilog.replay`.

    Returns:
        The report of :func:`axilog.replay`.

    Raises:
        As :func:`verify` and :func:`axilog.replay` do.
    """
    expected: dict[str, Any] = {
        "policies": policies,
        "permit_truncated": permit_truncated,
        "stop_on_invalid": stop_on_invalid,
        "expect_head": expect_head,
        "expect_entries": expect_entries,
        "expect_models": expect_models,
        "extends": extends,
    }
    make_expectations(expect_head, expect_entries, expect_models, extends)
    file = find_file(os.fspath(ledger))
    found = check_on_executors(spark, file, replay_segment, segment_bytes, expected)
    return replace(join_replayed(file, found, **expected), ledger=os.fspath(ledger))


def find_ledgers(spark: SparkSession, folder: Union[str, os.PathLike[str]]) -> list[str]:
    """Finds the ledgers below a folder of the driver's machine, or of any file system that Spark's
    Hadoop knows: files whose names end in ``.jsonl``, ``.jsonl.gz`` or ``.jsonl.zst``. Empty files
    are among them, which Spark's reader of binary files leaves out. Links to folders are not
    followed.

    Raises OSError for a folder that cannot be listed, and what Spark raises for one of another file
    system."""
    return list_ledgers(spark, os.fspath(folder))


def observations(spark: SparkSession, ledgers: Ledgers, *, questions: bool = True) -> DataFrame:
    """Reads what oracles answered, the times and the control inputs: a row for each observation of
    every ledger, in the order of its records.

    Args:
        spark: The session.
        ledgers: A path, paths, or a table.
        questions: Whether to read the questions from the blobs, which takes a second reading of
            each ledger.

    Returns:
        A table with the columns ``path``, ``sequence``, ``ledger_seq``, ``time``, ``oracle_id``,
        ``model_id``, ``question``, ``output``, ``output_size``, ``completion``, ``failure``,
        ``obs_hash``, ``offset`` and ``defect``. ``question`` is null where the blob is missing or
        altered. A ledger that is bad or unreadable ends with a row of which only ``path`` and
        ``defect`` are set; the records before its first bad one are verified.
    """
    return _read_records(spark, ledgers, Table.OBSERVATIONS, questions)


def policies(spark: SparkSession, ledgers: Ledgers) -> DataFrame:
    """Reads what policies said of the observations, as :func:`observations` does: ``path``,
    ``sequence``, ``ledger_seq``, ``time``, ``policy_id``, ``result``, ``actual``, ``threshold``,
    ``offset`` and ``defect``. ``ledger_seq`` is that of the observation."""
    return _read_records(spark, ledgers, Table.POLICIES, False)


def transitions(spark: SparkSession, ledgers: Ledgers) -> DataFrame:
    """Reads what observations made of the agents, as :func:`observations` does: ``path``,
    ``sequence``, ``ledger_seq``, ``time``, ``input_class``, ``prev_state``, ``next_state``,
    ``violation``, ``fault_count``, ``offset`` and ``defect``. ``ledger_seq`` is that of the
    observation."""
    return _read_records(spark, ledgers, Table.TRANSITIONS, False)


def _read_records(
    spark: SparkSession, ledgers: Ledgers, table: Table, questions: bool
) -> DataFrame:
    read_them = partial(read_fleet_batches, table=table, questions=questions)
    return make_source_table(spark, ledgers).mapInArrow(read_them, table.schema)
