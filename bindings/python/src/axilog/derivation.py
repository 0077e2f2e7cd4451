"""Derived inputs: questions that are made from earlier answers (formats.md section 5; SRS-004
section 10.1, SHALL-039; decision D31)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Union

from axilog.decision import Decision
from axilog.enums import InputKind
from axilog.errors import InputError
from axilog.inputs import Text, canonical_input

Source = Union[Decision, str]
"""An earlier answer: the decision on it, or its ``obs_hash`` in hexadecimal."""

_MEMBER = "derived_from"
_TEXT_MEMBER = "input"
_HASH = re.compile(r"[0-9a-f]{64}")


def derive_input(input: Text, sources: Iterable[Source], kind: InputKind = InputKind.TEXT) -> bytes:
    """Makes the input of a call that uses earlier answers, as ``axilog observe --derived-from``
    does: canonical JSON whose member ``derived_from`` names them. A JSON object gets that member; a
    text becomes the member ``input`` of a new object, and an empty text becomes no member.

    Ask the oracle with these bytes, and pass them to :meth:`axilog.Agent.observe` with the kind
    JSON.

    Args:
        input: The question.
        sources: The decisions on the answers that it uses, or their ``obs_hash``es, in the order of
            use.
        kind: What form the question has.

    Raises:
        InputError for no sources, a decision without records, a text that is no ``obs_hash``, JSON
        that is no object or has the member already, and what :func:`axilog.canonical_input`
        refuses.
    """
    hashes = [_read_hash(source) for source in sources]
    if not hashes:
        raise _error("it is derived from nothing; name at least one answer")
    canonical = canonical_input(input, kind).decode()
    members: dict[str, str] = {}
    if kind == InputKind.JSON:
        members = _split_members(canonical)
    elif canonical:
        members[_TEXT_MEMBER] = _write(canonical)
    if _MEMBER in members:
        raise _error(
            f"it has a member {_MEMBER} already, which the answers would replace; leave one out"
        )
    members[_MEMBER] = _write(hashes)
    # RFC 8785 sorts by UTF-16 code units.
    names = sorted(members, key=lambda name: name.encode("utf-16-be"))
    text = "{" + ",".join(f"{_write(name)}:{members[name]}" for name in names) + "}"
    return canonical_input(text, InputKind.JSON)


def _split_members(canonical: str) -> dict[str, str]:
    """The members of a canonical JSON object, each value as it stands in the text."""
    if not canonical.startswith("{"):
        raise _error(f"it is JSON but no object, and only an object can have the member {_MEMBER}")
    decoder, place = json.JSONDecoder(), 1
    members: dict[str, str] = {}
    while canonical[place] == '"':
        name, name_end = decoder.raw_decode(canonical, place)
        value_begin = name_end + 1
        value_end = decoder.raw_decode(canonical, value_begin)[1]
        members[name] = canonical[value_begin:value_end]
        place = min(value_end + 1, len(canonical) - 1)
    return members


def _write(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _read_hash(source: Source) -> str:
    if isinstance(source, Decision):
        observation = source.observation
        if observation is None:
            raise _error(
                "a decision of an agent without a ledger or a sink has no record to be derived from"
            )
        return observation.obs_hash
    if not isinstance(source, str) or not _HASH.fullmatch(source):
        raise _error(f"found {source!a} for a source, expected a decision or 64 hexadecimal digits")
    return source


def _error(problem: str) -> InputError:
    return InputError(f"the input is not admissible: {problem}; nothing was recorded")
