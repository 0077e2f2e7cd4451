"""``python -m axilog``: checks and shows ledgers where the command ``axilog`` is not installed."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Optional

from axilog import __version__
from axilog._host_check import check_ledger, make_expectations
from axilog.capi import lib
from axilog.decision import Judgement, Transition
from axilog.errors import AxilogError, BadRecordError, LedgerError
from axilog.observation import Observation
from axilog.reading import Record, read

EXIT_OK, EXIT_NOT_OK, EXIT_USAGE, EXIT_UNREADABLE, EXIT_INTERRUPTED = 0, 1, 2, 3, 130
_CHECKS = {"verify": lib.axh_verify, "replay": lib.axh_replay, "audit": lib.axh_audit}
_POLL_SECONDS = 0.2
# What the check of a good ledger says of it, in the order of the lines.
_FACTS = ("entries", "head", "sealed", "health", "last_timestamp", "configuration", "interrupted")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command line, and returns its exit status: 0 success, 1 the verdict is not OK or a
    record is bad, 2 wrong usage, 3 a file cannot be read, 130 interrupted."""
    options = _make_parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # As the command prints, whatever the locale.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has seen enough. Python would complain when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except (AxilogError, ValueError) as error:
        print(f"axilog: {_escape(str(error))}", file=sys.stderr)
        if isinstance(error, BadRecordError):
            return EXIT_NOT_OK
        return EXIT_UNREADABLE if isinstance(error, LedgerError) else EXIT_USAGE


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m axilog", description=__doc__)
    parser.add_argument("--version", action="version", version=f"axilog {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, about: str, run: Any) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("file", metavar="FILE", help="the ledger file")
        command.add_argument("--json", action="store_true", help="print JSON, an object a line")
        command.set_defaults(run=run, command=name)
        return command

    for name, about in (
        ("verify", "Check hashes, chain, canonical forms, order, witnesses and models."),
        ("replay", "Verify, run policies and agent anew, and compare every record."),
        ("audit", "Make every check that can be made, as one verdict."),
    ):
        check = add(name, about, _run_check)
        check.add_argument("--expect-head", metavar="HEX", help="the chain value of the end")
        if name == "verify":
            check.add_argument("--blobs", action="store_true", help="compare the blobs too")
    show = add("show", "Show the records of a ledger, each verified before.", _run_show)
    show.add_argument("--oracle", metavar="ID", help="the answers of this oracle alone")
    show.add_argument("--first", type=int, default=0, metavar="N", help="begin at this record")
    show.add_argument("--count", type=int, metavar="N", help="read so many records")
    tail = add("tail", "Show the last records, and those that follow up to the seal.", _run_tail)
    tail.add_argument("--last", type=int, default=10, metavar="N", help="begin so many before")
    return parser


def _run_check(options: argparse.Namespace) -> int:
    expected = make_expectations(options.expect_head, None, None, ())
    expected.blobs = int(getattr(options, "blobs", False))
    found = check_ledger(_CHECKS[options.command], options.file, expected)
    if options.json:
        print(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
    else:
        _print_check(found)
    return EXIT_OK if found["ok"] else EXIT_NOT_OK


def _print_check(found: dict[str, Any]) -> None:
    def line(name: str, value: object) -> None:
        text = json.dumps(value) if isinstance(value, bool) else str(value)
        print(f"{name:<15} {_escape(text)}")

    line(found["verdict"], found["ledger"])
    fault = found if "reason" in found else found.get("fault")
    if fault:
        line("record", f"{fault['sequence']} at byte {fault['offset']}")
        line("reason", fault["reason"])
    for name in _FACTS:
        if found.get(name) is not None:
            line(name, found[name])
    for check in found.get("checks", ()):
        line(check["subject"], f"{check['result']}: {check['finding']}")
        for detail in check["details"]:
            line("", detail)
    for name, value in found.get("blobs", {}).items():
        if isinstance(value, int):
            line(name, value)


def _run_show(options: argparse.Namespace) -> int:
    with read(
        options.file, oracle_id=options.oracle, first=options.first, count=options.count
    ) as reader:
        _print_records(reader, options.json)
    return EXIT_OK


def _run_tail(options: argparse.Namespace) -> int:
    if options.last < 0:
        raise ValueError(f"--last: found {options.last}, expected a number from 0")
    with read(options.file) as reader:
        _print_records(deque(reader, maxlen=options.last), options.json)
        while not reader.sealed:
            time.sleep(_POLL_SECONDS)
            _print_records(reader, options.json)
    return EXIT_OK


def _print_records(records: Iterable[Record], as_json: bool) -> None:
    for record in records:
        if as_json:
            print(json.dumps(record.to_dict(), ensure_ascii=False, separators=(",", ":")))
        else:
            about = _escape(_describe(record))
            print(f"{record.sequence:>8}  {record.kind.name.lower():<12}  {about}")
    sys.stdout.flush()


def _describe(record: Record) -> str:
    """What a record says, for people."""
    if record.observation is not None:
        return _describe_observation(record.observation)
    if record.judgement is not None:
        return _describe_judgement(record.judgement)
    if record.transition is not None:
        return _describe_transition(record.transition)
    if record.raw_answer is not None:
        return f"{record.raw_answer.size} bytes, SHA-256 {record.raw_answer.sha256}"
    return record.chain


def _describe_observation(observation: Observation) -> str:
    failure = "" if observation.failure is None else f"{observation.failure.name} "
    return f"{observation.oracle_id} ({observation.model_id}): {failure}{observation.output}"


def _describe_judgement(judgement: Judgement) -> str:
    actual = judgement.actual_decimal
    value = "no value" if actual is None else f"{actual}"
    limit = f"limit {judgement.threshold_decimal}"
    return f"{judgement.policy_id}: {judgement.result.name}, {value}, {limit}"


def _describe_transition(transition: Transition) -> str:
    violation = "" if transition.violation is None else f", {transition.violation}"
    return f"{transition.prev_state.name} -> {transition.next_state.name}{violation}"


def _escape(text: str) -> str:
    """The text as one line, in which what is not seen, or would turn the line, is written out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


if __name__ == "__main__":
    sys.exit(main())
