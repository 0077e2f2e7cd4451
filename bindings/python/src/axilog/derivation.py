"""Derived inputs: questions that are made from earlier answers (formats.md section 5; SRS-004
section 10.1, SHALL-039, and section 11.2, SHALL-014; decision D31)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Optional, Union

from axilog._standing import NO_ANSWER, UNJUDGED, StandingReader
from axilog.decision import Decision
from axilog.enums import InputKind
from axilog.errors import InputError
from axilog.inputs import Text, canonical_input

Source = Union[Decision, str]
"""An earlier answer: the decision on it, or its ``obs_hash`` in hexadecimal."""

_MEMBER = "derived_from"
_EVEN_REFUSED_MEMBER = "even_refused"
_TEXT_MEMBER = "input"
_HASH = re.compile(r"[0-9a-f]{64}")


REFUSED_ADVICE = (
    "derive it from answers that may be acted on, or record that it was so: even_refused=True, in "
    'the input the member "even_refused":true'
)
"""What to do where a question is derived from an answer that may not be acted on."""


def derive_input(
    input: Text,
    sources: Iterable[Source],
    kind: InputKind = InputKind.TEXT,
    *,
    even_refused: bool = False,
) -> bytes:
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
        even_refused: Whether answers that may not be acted on are taken too. The input then says so
            by the member ``even_refused``.

    Raises:
        InputError for no sources, a decision without records or on no answer, a decision that is
        not ``ok`` without ``even_refused``, a text that is no ``obs_hash``, JSON that is no object
        or has one of the members already, and what :func:`axilog.canonical_input` refuses.
    """
    hashes = [_read_hash(source, even_refused) for source in sources]
    if not hashes:
        raise _error("it is derived from nothing; name at least one answer")
    canonical = canonical_input(input, kind).decode()
    members: dict[str, str] = {}
    if kind == InputKind.JSON:
        members = _split_members(canonical)
    elif canonical:
        members[_TEXT_MEMBER] = _write(canonical)
    for member in (_MEMBER, _EVEN_REFUSED_MEMBER):
        if member in members:
            raise _error(
                f"it has a member {member} already, which says what it is derived from; leave the "
                "member out, or do not name answers beside it"
            )
    members[_MEMBER] = _write(hashes)
    if even_refused:
        members[_EVEN_REFUSED_MEMBER] = _write(True)
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


def _read_hash(source: Source, even_refused: bool) -> str:
    if isinstance(source, Decision):
        observation = source.observation
        if observation is None:
            raise _error(
                "a decision of an agent without a ledger or a sink has no record to be derived from"
            )
        _check_decision(source, even_refused)
        return observation.obs_hash
    if not isinstance(source, str) or not _HASH.fullmatch(source):
        raise _error(f"found {source!a} for a source, expected a decision or 64 hexadecimal digits")
    return source


def find_refusal(decision: Decision) -> Optional[str]:
    """Why the records of a decision do not let it be acted on; ``None`` where they do."""
    if decision.policy_missing:
        return UNJUDGED
    reader, refusal = StandingReader(), None
    for entry in decision.records:
        told = reader.take_payload(entry.tag, entry.payload)
        refusal = refusal if told is None else told[1].refusal
    return refusal


def _check_decision(decision: Decision, even_refused: bool) -> None:
    """Raises InputError for a decision on no answer, or on one that may not be acted on."""
    refusal = find_refusal(decision)
    if refusal == NO_ANSWER:
        raise _error(
            f"it is derived from observation {decision.ledger_seq}, which is the time or a control "
            "input and no answer; name answers of oracles"
        )
    if refusal is not None and not even_refused:
        raise _error(
            f"it is derived from observation {decision.ledger_seq}, which may not be acted on: "
            f"{refusal}; {REFUSED_ADVICE}"
        )


def _error(problem: str) -> InputError:
    return InputError(f"the input is not admissible: {problem}; nothing was recorded")
