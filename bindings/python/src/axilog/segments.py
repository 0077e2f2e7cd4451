"""One ledger that several processes verify or replay, each a segment of its file.

    >>> from axilog import segments
    >>> cuts = [(0, 10_000), (10_000, 20_000)]
    >>> found = [segments.replay_segment("l.jsonl", *cut) for cut in cuts]  # doctest: +SKIP
    >>> segments.join_replayed("l.jsonl", found)  # doctest: +SKIP

A segment is replayed from the state that one of its first records implies, and joined where that
is the state which the records before have led to. What is not joined, with any defect, the process
that joins reads itself, so that the report is that of :func:`axilog.replay` on the whole file: the
same first defect at the same place, for the same reason. Whoever joins needs the file too.

What was found of a segment is a text of hexadecimal digits, which the same version of this package
reads. One that was changed on its way by accident, or that is of another ledger, is refused; but
nobody has signed it, so that the processes are trusted as one process is. Blobs are not compared:
:func:`axilog.audit` does that. :mod:`axilog.spark` has the processes run on executors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Optional

from axilog._host_call import Path
from axilog._host_check import (
    EarlierHeads,
    check_segment,
    expect_rules,
    join_segments,
    make_expectations,
)
from axilog.capi import lib
from axilog.policy_set import PolicySet
from axilog.verification import Report, make_report


def verify_segment(
    path: Path,
    begin: int,
    end: int,
    *,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    extends: EarlierHeads = (),
) -> str:
    """Verifies the lines of a ledger file that begin from one offset on and before another. Any
    offsets will do: the segments from 0 to A, from A to B and from B to the file's length are the
    whole file.

    Args:
        path: The ledger file.
        begin: An offset in the file, in bytes.
        end: An offset in the file, in bytes.
        expect_head: As in :func:`axilog.verify`, of the whole ledger; so are the others. They must
            be the same for each segment and for :func:`join_verified`.
        expect_entries: As in :func:`axilog.verify`.
        expect_models: As in :func:`axilog.verify`.
        extends: As in :func:`axilog.verify`.

    Returns:
        What was found, for :func:`join_verified`. A defect raises nothing.

    Raises:
        LedgerMissingError, LedgerIOError, and ValueError for an argument out of range.
    """
    expected = make_expectations(expect_head, expect_entries, expect_models, extends)
    return check_segment(lib.axh_segment_verify, path, begin, end, expected)


def replay_segment(
    path: Path,
    begin: int,
    end: int,
    *,
    policies: Optional[PolicySet] = None,
    permit_truncated: bool = False,
    stop_on_invalid: bool = False,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    extends: EarlierHeads = (),
) -> str:
    """Replays the lines of a ledger file that begin from one offset on and before another, under
    the rules that its beginning names.

    Args:
        path: The ledger file, with its blobs beside it.
        begin: An offset in the file, in bytes.
        end: An offset in the file, in bytes.
        policies: As in :func:`axilog.replay`, of the whole ledger; so are the others. They must be
            the same for each segment and for :func:`join_replayed`.
        permit_truncated: As in :func:`axilog.replay`.
        stop_on_invalid: As in :func:`axilog.replay`.
        expect_head: As in :func:`axilog.replay`.
        expect_entries: As in :func:`axilog.replay`.
        expect_models: As in :func:`axilog.replay`.
        extends: As in :func:`axilog.replay`.

    Returns:
        What was found, for :func:`join_replayed`. A defect, and missing rules, raise nothing.

    Raises:
        As :func:`verify_segment` does.
    """
    expected = make_expectations(expect_head, expect_entries, expect_models, extends)
    expect_rules(expected, policies, permit_truncated, stop_on_invalid)
    return check_segment(lib.axh_segment_replay, path, begin, end, expected)


def join_verified(
    path: Path,
    segments: Iterable[str],
    *,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    extends: EarlierHeads = (),
) -> Report:
    """Joins segments that :func:`verify_segment` has verified, in any order, and verifies what none
    of them has.

    Args:
        path: The ledger file.
        segments: What was found of each.
        expect_head: What each was verified with; so are the others.
        expect_entries: As in :func:`axilog.verify`.
        expect_models: As in :func:`axilog.verify`.
        extends: As in :func:`axilog.verify`.

    Returns:
        The report of :func:`axilog.verify` on the whole. A defect of the ledger is in it and raises
        nothing.

    Raises:
        ValueError for a segment that was changed on its way, is of another ledger, or was verified
        with something else; and as :func:`axilog.verify` does.
    """
    expected = make_expectations(expect_head, expect_entries, expect_models, extends)
    return make_report(join_segments(lib.axh_segment_verify_join, path, segments, expected))


def join_replayed(
    path: Path,
    segments: Iterable[str],
    *,
    policies: Optional[PolicySet] = None,
    permit_truncated: bool = False,
    stop_on_invalid: bool = False,
    expect_head: Optional[str] = None,
    expect_entries: Optional[int] = None,
    expect_models: Optional[Mapping[str, str]] = None,
    extends: EarlierHeads = (),
) -> Report:
    """Joins segments that :func:`replay_segment` has replayed, in any order, and replays what none
    of them has.

    Args:
        path: The ledger file, with its blobs beside it.
        segments: What was found of each.
        policies: What each was replayed with; so are the others.
        permit_truncated: As in :func:`axilog.replay`.
        stop_on_invalid: As in :func:`axilog.replay`.
        expect_head: As in :func:`axilog.replay`.
        expect_entries: As in :func:`axilog.replay`.
        expect_models: As in :func:`axilog.replay`.
        extends: As in :func:`axilog.replay`.

    Returns:
        The report of :func:`axilog.replay` on the whole. A defect of the ledger is in it and raises
        nothing.

    Raises:
        ValueError for a segment that was changed on its way, is of another ledger, or was replayed
        with something else; and as :func:`axilog.replay` does.
    """
    expected = make_expectations(expect_head, expect_entries, expect_models, extends)
    expect_rules(expected, policies, permit_truncated, stop_on_invalid)
    return make_report(join_segments(lib.axh_segment_replay_join, path, segments, expected))
