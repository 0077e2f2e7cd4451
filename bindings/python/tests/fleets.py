"""Folders of ledgers with planted faults."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, Cli, write_ledger
from tests.test_blobs import CHANGES, write_answers
from tests.test_verification import DAMAGE


def read_page(*sections: str) -> tuple[list[str], list[str]]:
    """The programs of some sections of the page on fleets, and the lines that they print."""
    page = (ROOT / "docs" / "fleet.md").read_text()
    text = "".join(part for part in page.split("\n## ") if part.startswith(sections))
    printed = re.findall(r"^It prints\n\n((?:    .*\n)+)", text, re.M)
    return (
        re.findall(r"^```python\n(.*?)^```", text, re.M | re.S),
        [line.removeprefix("    ") for line in "".join(printed).splitlines()],
    )


def write_damaged(folder: Path) -> list[str]:
    """Writes a ledger for each kind of damage of its records."""
    paths = []
    for what, _, change in DAMAGE:
        path = os.fspath(folder / f"{what}.jsonl")
        Path(path).write_bytes(b"".join(change(write_ledger(path))))
        paths.append(path)
    return paths


def write_changed_blobs(folder: Path) -> list[str]:
    """Writes a ledger for each change of its blobs."""
    paths = []
    for what, _, change in CHANGES:
        path = os.fspath(folder / f"blobs, {what}.jsonl")
        write_answers(path)
        change(path)
        paths.append(path)
    return paths


def write_strange(folder: Path) -> list[str]:
    """What is no ledger, and a ledger whose name has characters that addresses encode."""
    named = os.fspath(folder / "50% [a]? {b}* ü#1.jsonl")
    write_ledger(named)
    directory, closed = folder / "directory.jsonl", folder / "pipe.jsonl"
    directory.mkdir()
    os.mkfifo(closed)
    return [named, *map(os.fspath, (directory, closed, folder / "absent.jsonl"))]


def compare_with_command(cli: Cli, row: dict[str, Any], file: str) -> None:
    """Compares a row of a fleet's audit with what the command says of the file."""
    # Of a folder the command audits what is below.
    report = cli.run_json("verify" if os.path.isdir(file) else "audit", file)
    if "error" in report:
        assert row["verdict"] == "UNREADABLE" and row["seconds"] is None
        assert row["reason"] == report["error"].replace(file, row["path"])
        return
    assert row["verdict"] == report["verdict"] and row["seconds"] > 0, file
    assert (row["records"], row["head"]) == (report["entries"], report["head"])
    fault = report["fault"]
    if fault is None:
        found = [c for c in report["checks"] if c["result"] != "passed"]
        found.sort(key=lambda check: check["result"] != "failed")
        assert (row["reason"] is None) == report["ok"]
        if found:
            texts = [found[0]["finding"], *found[0]["details"]]
            reason = f"{found[0]['subject']}: {'; '.join(texts)}"
            assert row["reason"] == reason.replace(file, row["path"]), (row, reason)
        replayed, stats = cli.run_json("replay", file), cli.run_json("stats", file)
        # Without its configuration neither reads a ledger.
        if "health" in replayed:
            assert row["state"] == replayed["health"]
            assert row["breaches"] == sum(stats["violations"].values())
        return
    places = ("fault", "sequence", "offset", "reason")
    expected = (fault["verdict"], fault["sequence"], fault["offset"], fault["reason"])
    assert tuple(row[name] for name in places) == expected
    assert row["state"] is None and row["breaches"] is None
