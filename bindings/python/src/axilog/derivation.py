"""Derived questions: questions that are made from earlier answers (formats.md section 5; SRS-004
section 10.1, SHALL-039, and section 11.2, SHALL-014; decision D31)."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref, c_char_p, c_void_p
from typing import Optional, Union

from axilog._host_call import make_error, take_string
from axilog.capi import lib
from axilog.capi.host import AXH_OK
from axilog.decision import Decision
from axilog.enums import InputKind
from axilog.errors import InputError
from axilog.inputs import Text, as_bytes

Source = Union[Decision, str]
"""An earlier answer: the decision on it, or its ``obs_hash`` in hexadecimal."""

# The ids under which the time and control inputs are recorded.
_NO_ORACLES = ("ax.time", "ax.control")


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
        InputError for no sources, a decision on no answer, a decision that may not be acted on
        without ``even_refused``, a text that is no ``obs_hash``, JSON that is no object or has one
        of the members already, and what :func:`axilog.canonical_input` refuses.
    """
    named = list(sources)
    for source in named:
        _check_source(source, even_refused)
    return derive_question(None, "", input, named, kind, even_refused)


def derive_question(
    ledger: Optional[int],
    path: str,
    input: Text,
    sources: Iterable[Source],
    kind: InputKind,
    even_refused: bool,
) -> bytes:
    """Derives an input for an open ledger, which knows the answers that may not be acted on;
    ``None`` for none."""
    hashes = [_read_hash(source) for source in sources]
    question, text = as_bytes("input", input), c_void_p()
    status = lib.axh_derive_question(
        ledger,
        question,
        len(question),
        int(kind),
        (c_char_p * len(hashes))(*hashes),
        len(hashes),
        int(even_refused),
        byref(text),
    )
    if status != AXH_OK:
        error = make_error(status, path)
        raise InputError(str(error)) if isinstance(error, ValueError) else error
    return take_string(text)


def _read_hash(source: Source) -> bytes:
    obs_hash = source.obs_hash if isinstance(source, Decision) else source
    if not isinstance(obs_hash, str) or "\0" in obs_hash:
        raise InputError(f"found {source!a} for a source, expected a decision or an obs_hash")
    return obs_hash.encode("utf-8", "surrogatepass")


def _check_source(source: Source, even_refused: bool) -> None:
    """Raises InputError for a decision on no answer, or on one that may not be acted on."""
    if not isinstance(source, Decision) or source.may_act:
        return
    found = f"the question is derived from observation {source.ledger_seq}"
    if source.to_dict()["oracle_id"] in _NO_ORACLES:
        raise InputError(
            f"{found}, which is the time or a control input and no answer; name answers of oracles"
        )
    if not even_refused:
        raise InputError(
            f"{found}, which may not be acted on: {source.why}; derive it from answers that may be "
            "acted on, or record that it was so: even_refused=True"
        )
