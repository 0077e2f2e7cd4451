"""Derived inputs: calls whose question was made from earlier answers.

formats.md section 5 (Derived inputs); SRS-004 sections 10.1 (SHALL-039) and 11.2 (SHALL-014);
decision D31. The input of such a call is canonical JSON with a member ``derived_from``, the
``obs_hash`` of each answer.
"""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple, Optional, Union

from axilog._standing import Standing, StandingReader
from axilog.errors import LedgerIOError

# The command's reader of JSON goes no deeper, and what one of both cannot read, neither must.
_MAX_DEPTH = 127
SOURCES_MEMBER = b'"derived_from"'
"""The name of the member that says what an input is derived from, as it stands in JSON."""
_HASH = re.compile(r"[0-9a-f]{64}")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.S)


class Derivation(NamedTuple):
    """What an input says of the answers that it was derived from."""

    sources: list[str]
    """The ``obs_hash`` of each answer in the order of use, at least one."""
    even_refused: bool
    """Whether it says that there are refused ones among them."""


FoundDerivation = Union[Derivation, str]
"""What an input says of the answers that it was derived from, or the reason why that cannot be
read."""


def find_derivation(data: bytes) -> Optional[FoundDerivation]:
    """Finds what an input was derived from; ``None`` where it has no member ``derived_from``."""
    if SOURCES_MEMBER not in data:
        return None
    try:
        members = _parse_json(data)
    except (ValueError, RecursionError):
        # Only an object has members; an input that begins like one and cannot be read could hide
        # them.
        return "names derived_from, and cannot be read as JSON" if data[:1] == b"{" else None
    if not isinstance(members, dict) or "derived_from" not in members:
        return None
    sources = members["derived_from"]
    if not isinstance(sources, list):
        return "derived_from is no array"
    if not sources:
        return "derived_from is empty; it names at least one answer, or is left out"
    if not all(isinstance(source, str) and _HASH.fullmatch(source) for source in sources):
        return "derived_from holds something that is no obs_hash of 64 hexadecimal digits"
    return Derivation(sources, members.get("even_refused") is True)


def read_standings(path: str, reader: StandingReader) -> dict[str, Standing]:
    """The standing of each observation of a good ledger, by ``obs_hash``. ``reader`` goes on from
    there. Raises LedgerIOError."""
    standings: dict[str, Standing] = {}
    try:
        with open(path, "rb") as file:
            for line in file:
                entry = json.loads(line)
                told = reader.take(entry["tag"], entry["record"])
                if told is not None:
                    standings[told[0]] = told[1]
    except OSError as error:
        raise LedgerIOError.of_action(path, "read the ledger", error) from error
    return standings


def _parse_json(data: bytes) -> object:
    """Reads JSON as the command does. Raises ValueError and RecursionError."""
    text = data.decode()
    value: object = json.loads(
        text, parse_float=_parse_number, parse_int=_parse_number, parse_constant=_refuse
    )
    # In what is JSON every string ends, so that this is done in one pass.
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > _MAX_DEPTH:
            raise ValueError("too many arrays and objects within each other")
    # Lone surrogates, which UTF-8 cannot express, raise here.
    json.dumps(value, ensure_ascii=False).encode()
    return value


def _parse_number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"the number {text[:20]} is beyond the doubles")
    return number


def _refuse(text: str) -> object:
    raise ValueError(f"{text} is not JSON")
