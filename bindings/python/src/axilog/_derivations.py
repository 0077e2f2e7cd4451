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

from axilog._blobs import EMPTY_HASH, BlobStore
from axilog._standing import Standing, StandingReader
from axilog.entry import Entry
from axilog.errors import LedgerIOError
from axilog.observation import Observation

# The command's reader of JSON goes no deeper, and what one of both cannot read, neither must.
_MAX_DEPTH = 127
SOURCES_MEMBER = b'"derived_from"'
"""The name of the member that says what an input is derived from, as it stands in JSON."""
_MAX_NAMED = 20
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


class DerivationFindings(NamedTuple):
    """What an audit finds of the derived inputs, in words."""

    faults: list[str]
    """Why derivations do not hold, the first 20 reasons."""
    faulty_inputs: int
    """How many inputs have a derivation that does not hold."""
    refused: list[str]
    """The refused answers that fed a question which says so, the first 20."""
    refused_count: int
    """How many there are."""


class Derivations:
    """The inputs of a ledger that say what they were derived from. Each input is read once, however
    many observations have it. Memory grows with the number of distinct inputs and with what they
    name."""

    def __init__(self, store: BlobStore, limit: int) -> None:
        self._store = store
        # The most bytes of an input that are read.
        self._limit = limit
        # What each input says that was read.
        self._derivations: dict[str, Optional[FoundDerivation]] = {EMPTY_HASH: None}
        # The observations with a derived input, and the hash of that input.
        self._observations: list[tuple[int, str]] = []
        # The standing of each answer that an input names; absent until it is found.
        self._named: set[str] = set()
        self._standings: dict[str, Standing] = {}
        self._reader = StandingReader()

    def take_observation(self, observation: Observation) -> None:
        """Reads the observation's input, if it is among the blobs. Raises LedgerIOError."""
        digest = observation.input_hash
        if digest not in self._derivations:
            # A blob that is missing or altered is a matter of another check.
            found = find_derivation(self._store.get(digest, self._limit) or b"")
            self._derivations[digest] = found
            if isinstance(found, Derivation):
                self._named.update(found.sources)
        if self._derivations[digest] is not None:
            self._observations.append((observation.ledger_seq, digest))

    def find_standing(self, entry: Entry) -> None:
        """Notes the standing of an observation that an input names. To be called with each record
        in order, after every input was taken."""
        told = self._reader.take_payload(entry.tag, entry.payload)
        if told is None or told[0] not in self._named:
            return
        obs_hash, standing = told
        known = self._standings.get(obs_hash)
        if known is None or known.ledger_seq == standing.ledger_seq:
            self._standings[obs_hash] = standing

    def __len__(self) -> int:
        return len(self._observations)

    def judge(self) -> DerivationFindings:
        """Judges every derivation."""
        summaries = {
            digest: self._summarize(derivation)
            for digest, derivation in self._derivations.items()
            if isinstance(derivation, Derivation)
        }
        faults: list[str] = []
        refused: list[str] = []
        faulty_inputs = refused_count = 0
        for ledger_seq, digest in self._observations:
            summary = summaries.get(digest)
            holds = summary is not None and summary.holds_before(ledger_seq)
            if holds and summary is not None:
                refused_count += summary.refused
            else:
                faulty_inputs += 1
            derivation = self._derivations[digest]
            if not isinstance(derivation, Derivation):
                if len(faults) < _MAX_NAMED:
                    faults.append(f"the input of observation {ledger_seq}: {derivation}")
            elif not holds or (summary is not None and summary.refused > 0):
                self._name_sources(refused if holds else faults, ledger_seq, derivation, holds)
        return DerivationFindings(faults, faulty_inputs, refused, refused_count)

    def _summarize(self, derivation: Derivation) -> _SourceSummary:
        found = [self._standings.get(source) for source in derivation.sources]
        refused = [known for known in found if known is not None and known.refusal is not None]
        is_whole = None not in found
        return _SourceSummary(
            last=max(known.ledger_seq for known in found if known) if is_whole else None,
            refused=len(refused),
            is_silent=not all(_admits(derivation, known) for known in refused),
        )

    def _name_sources(
        self, named: list[str], ledger_seq: int, derivation: Derivation, holds: bool
    ) -> None:
        """Names what is to be said of the sources of an observation's input, as far as there is
        room."""
        derived = f"the input of observation {ledger_seq} is derived from"
        for source in derivation.sources:
            if len(named) >= _MAX_NAMED:
                return
            found = self._standings.get(source)
            if found is None or found.ledger_seq >= ledger_seq:
                named.append(f"{derived} {source}, which is no earlier observation of this ledger")
                continue
            if found.refusal is None:
                continue
            what = f"{derived} observation {found.ledger_seq}, which may not be acted on"
            admitted = _admits(derivation, found)
            if admitted and holds:
                named.append(f"{what}, and says so: {found.refusal}")
            elif not admitted:
                named.append(f"{what}: {found.refusal}")


class _SourceSummary(NamedTuple):
    """What the sources of an input have in common."""

    last: Optional[int]
    """The last of their places; ``None`` where the ledger does not hold one of them."""
    refused: int
    """How many of them may not be acted on."""
    is_silent: bool
    """Whether the input does not say so of one of those."""

    def holds_before(self, ledger_seq: int) -> bool:
        """Whether the derivation of an observation's input holds."""
        return not self.is_silent and self.last is not None and self.last < ledger_seq


def _admits(derivation: Derivation, standing: Standing) -> bool:
    """Whether an answer that may not be acted on may feed the input."""
    return derivation.even_refused and standing.is_answer


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
        raise LedgerIOError(path, "read the ledger", error) from error
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
