"""Ledgers that are checked in segments: the reports are those of the command on the whole file."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

import axilog
from axilog import segments
from tests.conftest import Cli, begin_agent, observe, write_ledger
from tests.test_verification import DAMAGE, list_members


def cut(path: str, count: int) -> list[tuple[int, int]]:
    """So many segments of one length."""
    size = os.path.getsize(path)
    return [(size * at // count, size * (at + 1) // count) for at in range(count)]


def verify(path: str, cuts: list[tuple[int, int]], **expected: Any) -> axilog.Report:
    found = [segments.verify_segment(path, begin, end, **expected) for begin, end in cuts]
    return segments.join_verified(path, found, **expected)


def replay(path: str, cuts: list[tuple[int, int]], **expected: Any) -> axilog.Report:
    found = [segments.replay_segment(path, begin, end, **expected) for begin, end in cuts]
    return segments.join_replayed(path, found, **expected)


def write_long_ledger(path: str) -> list[bytes]:
    """Writes a ledger with several models, breaches and times, and gives its lines."""
    with begin_agent(path) as agent:
        for number in range(2, 30):
            observe(agent, b'{"value": %d}' % number)
            agent.observe(b'{"value": 1}', oracle_id="sensor", model_id="s", input="how far?")
            if number % 10 == 0:
                observe(agent, b'{"value": 90}')
                agent.mitigate()
                agent.reset()
            agent.observe_time(number)
    return Path(path).read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("change", [change for _, _, change in DAMAGE], ids=[d[0] for d in DAMAGE])
def test_damage_is_found_where_the_command_finds_it(cli: Cli, path: str, change: Any) -> None:
    lines = write_ledger(path)
    Path(path).write_bytes(b"".join(change(lines)))
    whole = [cli.run_json(name, path) for name in ("verify", "replay")]
    for count in (1, 2, 3, 5):
        found = [check(path, cut(path, count)) for check in (verify, replay)]
        assert [list_members(report) for report in found] == whole, count


def test_damage_at_and_near_a_cut_is_found_where_the_command_finds_it(cli: Cli, path: str) -> None:
    lines = write_long_ledger(path)
    assert replay(path, cut(path, 7)).health is axilog.Health.ENABLED
    middle = len(lines) // 2
    for at in range(middle - 3, middle + 4):
        for changed in (
            lines[:at] + lines[at + 1 :],
            [*lines[:at], lines[at].replace(b'"commit":"', b'"commit":"0', 1), *lines[at + 1 :]],
            [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]],
            [*lines[:at], lines[at][:-1]],
        ):
            Path(path).write_bytes(b"".join(changed))
            border = len(b"".join(changed[:middle]))
            size = os.path.getsize(path)
            for near in (border - 1, border, border + 1):
                cuts = [(0, near), (near, size)]
                found = [list_members(check(path, cuts)) for check in (verify, replay)]
                assert found == [cli.run_json(name, path) for name in ("verify", "replay")]


def test_what_is_expected_holds_across_segments(cli: Cli, path: str) -> None:
    lines = write_long_ledger(path)
    head = cli.run_json("verify", path)["head"]
    count = len(lines)
    wanted: list[dict[str, Any]] = [
        {"expect_head": head, "expect_entries": count},
        {"expect_entries": count - 1},
        {"expect_head": "0" * 64},
        {"expect_models": {"sensor": "t"}},
        {"extends": [(count, head)]},
        {"extends": [(count // 2, head)]},
    ]
    for expected in wanted:
        assert verify(path, cut(path, 4), **expected) == axilog.verify(path, **expected)
        assert replay(path, cut(path, 4), **expected) == axilog.replay(path, **expected)
    rules = axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, "9", selector="llm#value")])
    other = replay(path, cut(path, 4), policies=rules)
    assert other == axilog.replay(path, policies=rules) and not other


def test_what_was_changed_on_its_way_is_refused(path: str, tmp_path: Path) -> None:
    write_long_ledger(path)
    found = [segments.replay_segment(path, begin, end) for begin, end in cut(path, 3)]
    assert segments.join_replayed(path, reversed(found)).ok
    for at in range(0, len(found[1]), 7):
        digit = "1" if found[1][at] == "0" else "0"
        changed = found[1][:at] + digit + found[1][at + 1 :]
        with pytest.raises(ValueError, match="element 1 was changed or cut off"):
            segments.join_replayed(path, [found[0], changed, found[2]])
    other = os.fspath(tmp_path / "other.jsonl")
    with begin_agent(other, name="another"):
        pass
    with pytest.raises(ValueError, match="of another ledger, which begins with other bytes"):
        segments.join_replayed(other, found)
    with pytest.raises(ValueError, match="of other rules or expectations"):
        segments.join_verified(path, found)
    with pytest.raises(ValueError, match="of other rules or expectations"):
        segments.join_replayed(path, found, expect_entries=7)


def test_a_file_that_was_written_since_counts_as_it_is_now(path: str) -> None:
    lines = write_long_ledger(path)
    whole = b"".join(lines)
    middle = len(b"".join(lines[:70]))
    # Within a line, and between two.
    for length in (middle, middle + 1, middle + 100):
        for before, after in ((whole[:length], whole), (whole, whole[:length])):
            Path(path).write_bytes(before)
            cuts = cut(path, 3)
            verified = [segments.verify_segment(path, *each) for each in cuts]
            replayed = [segments.replay_segment(path, *each) for each in cuts]
            Path(path).write_bytes(after)
            if len(after) > 1 << 16 or len(before) <= len(after):
                assert segments.join_verified(path, verified) == axilog.verify(path)
                assert segments.join_replayed(path, replayed) == axilog.replay(path)
                continue
            for join, found in (
                (segments.join_verified, verified),
                (segments.join_replayed, replayed),
            ):
                with pytest.raises(ValueError, match="of another ledger, .* or was longer"):
                    join(path, found)


def test_hardly_any_records_in_many_segments(path: str, tmp_path: Path) -> None:
    lines = write_ledger(path)
    for contents in (b"", lines[0], lines[0][:-1], lines[0] + lines[1][:9], b"".join(lines)):
        Path(path).write_bytes(contents)
        cuts = cut(path, 50)
        assert verify(path, cuts) == axilog.verify(path)
        assert replay(path, cuts) == axilog.replay(path)
        twice = [*cuts[::-1], *cut(path, 3), *cuts[::2]]
        assert replay(path, twice) == axilog.replay(path)
    compressed = os.fspath(tmp_path / "ledger.jsonl.gz")
    with gzip.open(compressed, "wb") as file:
        file.write(b"".join(lines))
    # The offsets are those of the contents.
    cuts = [(0, 700), (700, 1 << 40)]
    assert replay(compressed, cuts) == axilog.replay(compressed)


def test_what_can_be_no_segment_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="begin: found -1"):
        segments.verify_segment(path, -1, 2)
    with pytest.raises(axilog.LedgerMissingError):
        segments.verify_segment(path, 0, 2)
    with pytest.raises(axilog.LedgerMissingError):
        segments.join_verified(path, [])
    write_ledger(path)
    assert segments.join_verified(path, []) == axilog.verify(path)
