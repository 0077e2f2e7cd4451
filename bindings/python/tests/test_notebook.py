"""What notebooks show of an object: tables, and no markup that an answer or a question brings."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Optional, Protocol

import pytest

import axilog
from tests.conftest import begin_agent, observe

HOSTILE = "</td><script>alert('1')</script><img src=x onerror=alert(2)>&lt;b&gt;<!--"


class HasHtml(Protocol):
    """An object that notebooks show."""

    def _repr_html_(self) -> str: ...


class Table(HTMLParser):
    """The texts of a table. Anything else is an error."""

    def __init__(self, shown: HasHtml) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.feed(shown._repr_html_())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        assert tag in ("table", "caption", "tr", "th", "td") and not attrs
        if tag in ("caption", "th", "td"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.cells[-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def write_hostile_ledger(path: str) -> axilog.Decision:
    with begin_agent(path) as agent:
        answer = json.dumps({"value": 71, "text": HOSTILE}).encode()
        return observe(agent, answer, question=HOSTILE)


def test_an_audit_shows_its_checks(path: str) -> None:
    write_hostile_ledger(path)
    table = Table(axilog.audit(path, expect_models={"<script>": "m"}))
    assert table.cells[0] == f"FAILED: {path}"
    place = table.cells.index("models")
    assert table.cells[place + 1] == "failed" and "<script>" in table.cells[place + 2]


def test_a_decision_shows_why_and_its_answer(path: str) -> None:
    decision = write_hostile_ledger(path)
    table = Table(decision)
    assert table.cells[:3] == [decision.why, "may act", "no"]
    assert HOSTILE in table.cells[table.cells.index("answer") + 1]
    assert table.cells[-2:] == ["POL-001-MAX-VELOCITY", "BREACH: 71"]
    with axilog.Agent.open(path) as agent:
        assert "answer" not in Table(agent.reset()).cells


def test_records_and_their_reader_are_shown_without_reading(path: str) -> None:
    decision = write_hostile_ledger(path)
    with axilog.read(path, questions=True, answers=True) as reader:
        assert Table(reader).cells == [f"Reader of {path}", "entries", "0", "sealed", "no"]
        for record in reader:
            table = Table(record)
            assert table.cells[0] == f"{record.kind.name} {record.sequence}"
            if record.sequence == decision.ledger_seq:
                assert table.cells[table.cells.index("question") + 1] == HOSTILE
                assert HOSTILE in table.cells[table.cells.index("answer") + 1]
        assert Table(reader).cells[1:4] == ["entries", str(decision.entries), "head"]
    assert Table(reader).cells[1:] == ["closed", "yes"]


@pytest.mark.parametrize("check", [axilog.verify, axilog.replay])
def test_a_report_shows_what_was_found(path: str, check: Callable[[str], axilog.Report]) -> None:
    decision = write_hostile_ledger(path)
    table = Table(check(path))
    assert table.cells[0] == f"OK: {path}"
    assert table.cells[table.cells.index("entries") + 1] == str(decision.entries)
    assert table.cells[table.cells.index("profiles") + 1] == "RFC8785"
    with open(path, "ab") as ledger:
        ledger.write(b"{}\n")
    table = Table(check(path))
    assert table.cells[0] != f"OK: {path}" and "reason" in table.cells
    blobs = Table(axilog.verify(path, blobs=True)).cells
    assert "blobs: checked" in blobs


def test_what_is_not_seen_is_escaped_and_a_long_text_is_cut(path: str) -> None:
    with begin_agent(path) as agent:
        turned = Table(observe(agent, '{"value": 1, "text": "a\u202eb\u200b"}'.encode()))
        assert '"a\\u202eb\\u200b"' in "".join(turned.cells)
        long = Table(observe(agent, b"x" * 5000))
        assert f"{'x' * 1000}…" in long.cells
        binary = Table(observe(agent, b"\xff\x00<b>"))
        assert "\ufffd\\x00<b>" in binary.cells
