"""Derived inputs: calls whose question was made from earlier answers.

formats.md section 5 (Derived inputs); SRS-004 section 10.1 (SHALL-039); decision D31. The input of
such a call is canonical JSON with a member ``derived_from``, the ``obs_hash`` of each answer.
"""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple, Optional, Union

from axilog._blobs import EMPTY_HASH, BlobStore
from axilog.capi.constants import AX_TAG_OBS
from axilog.errors import LedgerIOError
from axilog.observation import Observation

_MAX_INPUT_BYTES = 64 << 20
# The command's reader of JSON goes no deeper, and what one of both cannot read, neither must.
_MAX_DEPTH = 127
SOURCES_MEMBER = b'"derived_from"'
"""The name of the member that says what an input is derived from, as it stands in JSON."""
_OBS = AX_TAG_OBS.decode()
_HASH = re.compile(r"[0-9a-f]{64}")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.S)

Sources = Union[list[str], str]
"""The ``obs_hash`` of each answer that an input was derived from, or the reason why they cannot be
read."""


class _DerivedInput(NamedTuple):
    ledger_seq: int
    sources: Sources


class Derivations:
    """The inputs of a ledger that say what they were derived from. Memory grows with the number of
    distinct inputs and derivations."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        # The inputs that were read and say nothing.
        self._plain_inputs = {EMPTY_HASH}
        self._derived: list[_DerivedInput] = []
        # Where each answer that an input names stands; absent until it is found.
        self._named: set[str] = set()
        self._places: dict[str, int] = {}

    def take_observation(self, observation: Observation) -> None:
        """Reads the observation's input, if it is among the blobs. Raises LedgerIOError."""
        digest = observation.input_hash
        if digest in self._plain_inputs:
            return
        # A blob that is missing or altered is a matter of another check.
        sources = find_sources(self._store.get(digest, _MAX_INPUT_BYTES) or b"")
        if sources is None:
            self._plain_inputs.add(digest)
            return
        self._derived.append(_DerivedInput(observation.ledger_seq, sources))
        if not isinstance(sources, str):
            self._named.update(sources)

    def find_place(self, observation: Observation) -> None:
        """Notes where an observation stands that an input names. To be called with each observation
        in order, after every input was taken."""
        if observation.obs_hash in self._named:
            self._places.setdefault(observation.obs_hash, observation.ledger_seq)

    def __len__(self) -> int:
        return len(self._derived)

    def find_faults(self) -> list[str]:
        """The derivations that do not hold, in words."""
        faults = []
        for ledger_seq, sources in self._derived:
            if isinstance(sources, str):
                faults.append(f"the input of observation {ledger_seq}: {sources}")
                continue
            for source in sources:
                place = self._places.get(source)
                if place is None or place >= ledger_seq:
                    faults.append(
                        f"the input of observation {ledger_seq} is derived from {source}, which is "
                        "no earlier observation of this ledger"
                    )
        return faults


def find_sources(data: bytes) -> Optional[Sources]:
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
    if not all(isinstance(source, str) and _HASH.fullmatch(source) for source in sources):
        return "derived_from holds something that is no obs_hash of 64 hexadecimal digits"
    return sources


def read_obs_hashes(path: str) -> set[str]:
    """The ``obs_hash`` of each observation of a good ledger. Raises LedgerIOError."""
    hashes = set()
    try:
        with open(path, "rb") as file:
            for line in file:
                entry = json.loads(line)
                if entry["tag"] == _OBS:
                    hashes.add(entry["record"]["obs_hash"])
    except OSError as error:
        raise LedgerIOError(path, "read the ledger", error) from error
    return hashes


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
