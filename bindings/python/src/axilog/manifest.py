"""The manifest of a ledger: what else it is bound to from its first record (formats.md section 5,
Manifest; decision D30)."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional

from axilog.errors import ManifestError

_MAX_NAME_BYTES = 256
_MAX_NOTE_BYTES = 4096
_HASH = re.compile(r"[0-9a-f]{64}")
_MEMBERS = {"follows", "name", "note", "oracles", "require_policy", "schemas"}


class OracleSchemas(NamedTuple):
    """The declared schemas of an oracle, each named by the SHA-256 of a canonical JSON Schema
    document in hexadecimal."""

    input: Optional[str] = None
    """The schema of what the oracle is asked; ``None`` where it is not declared."""
    output: Optional[str] = None
    """The schema of what it answers; ``None`` where it is not declared."""


class Predecessor(NamedTuple):
    """A sealed ledger that another one goes on from."""

    entries: int
    """How many records it has, genesis and seal counted."""
    head: str
    """The chain value of its seal, in hexadecimal."""


@dataclass(frozen=True)
class Manifest:
    """What a ledger is bound to beside its policies. The configuration names it by its SHA-256, and
    every reset names the configuration, so that neither can be exchanged without writing the ledger
    anew.

    Raises ManifestError for a value out of its range.
    """

    name: Optional[str] = None
    """The ledger's name: 1 to 256 visible ASCII characters without ``+``."""
    note: Optional[str] = None
    """A text for people: at most 4096 bytes of UTF-8, no control characters but line feeds."""
    schemas: Mapping[str, OracleSchemas] = field(default_factory=dict)
    """The declared schemas, by oracle id."""
    oracles: Optional[Sequence[str]] = None
    """The oracles that may answer, in the order of their ids; ``None`` where any may."""
    require_policy: bool = False
    """Whether only an oracle may answer that an enabled policy judges."""
    follows: Optional[Predecessor] = None
    """The sealed ledger that this one goes on from."""

    def __post_init__(self) -> None:
        if self.oracles is not None:
            object.__setattr__(self, "oracles", tuple(sorted(set(self.oracles))))
            self._check_oracles()
        if self.follows is not None and not _HASH.fullmatch(self.follows.head):
            raise ManifestError(
                f"found {self.follows.head!a} for the head of the ledger that it follows, expected "
                "64 lower-case hexadecimal digits"
            )
        if self.name is not None:
            _check_name(self.name)
        if self.note is not None:
            _check_note(self.note)
        for digest in self.schema_hashes():
            if not _HASH.fullmatch(digest):
                raise ManifestError(
                    f"found {digest!a} for a schema, expected 64 lower-case hexadecimal digits"
                )

    def _check_oracles(self) -> None:
        if not self.oracles:
            raise ManifestError(
                "it declares oracles and names none; name at least one, or leave them out"
            )
        for oracle_id in self.schemas:
            if oracle_id not in self.oracles:
                raise ManifestError(
                    f"it declares a schema of the oracle {oracle_id!a}, which is not among the "
                    "oracles that it declares; declare it too, or leave its schema out"
                )

    @classmethod
    def parse(cls, data: bytes) -> Manifest:
        """Reads a manifest, which must be in canonical form. Raises ManifestError for bytes that
        are not JSON, an unknown member, a value out of its range, or another form."""
        try:
            document = json.loads(data.decode())
        except (ValueError, RecursionError) as error:
            raise ManifestError(f"it is not JSON in UTF-8: {error}") from error
        members = _check_members(document, "the manifest", _MEMBERS)
        named = _check_members(members.get("schemas", {}), "schemas", None)
        schemas = {}
        for oracle_id, found in named.items():
            declared = _check_members(found, "the schemas of an oracle", {"input", "output"})
            schemas[oracle_id] = OracleSchemas(
                _check_text(declared.get("input")), _check_text(declared.get("output"))
            )
        manifest = cls(
            _check_text(members.get("name")),
            _check_text(members.get("note")),
            schemas,
            _check_texts(members.get("oracles")),
            members.get("require_policy", False) is True,
            _read_predecessor(members.get("follows")),
        )
        if manifest.canonical() != data:
            raise ManifestError("it is not in canonical form")
        return manifest

    def schema_hashes(self) -> Iterator[str]:
        """The hashes of all declared schemas."""
        for declared in self.schemas.values():
            yield from (digest for digest in declared if digest is not None)

    def canonical(self) -> bytes:
        """The manifest in canonical form (RFC 8785), which a ledger keeps as a blob."""
        members: dict[str, Any] = {}
        if self.follows is not None:
            members["follows"] = self.follows._asdict()
        if self.name is not None:
            members["name"] = self.name
        if self.note is not None:
            members["note"] = self.note
        if self.oracles is not None:
            members["oracles"] = list(self.oracles)
        if self.require_policy:
            members["require_policy"] = True
        if self.schemas:
            # RFC 8785 sorts by UTF-16 code units.
            ids = sorted(self.schemas, key=lambda text: text.encode("utf-16-be", "surrogatepass"))
            members["schemas"] = {oracle_id: self.schemas[oracle_id]._asdict() for oracle_id in ids}
        text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass")

    def hash(self) -> str:
        """The SHA-256 of the canonical form in hexadecimal, which the configuration names."""
        return hashlib.sha256(self.canonical()).hexdigest()


def _check_name(name: str) -> None:
    size = len(name.encode("utf-8", "surrogatepass"))
    if not 1 <= size <= _MAX_NAME_BYTES:
        raise ManifestError(f"the name has {size} bytes; give 1 to {_MAX_NAME_BYTES}")
    for character in name:
        if not "!" <= character <= "~" or character == "+":
            raise ManifestError(
                f"the name has the character U+{ord(character):04X}; give visible ASCII characters "
                'without space and "+"'
            )


def _check_note(note: str) -> None:
    size = len(note.encode("utf-8", "surrogatepass"))
    if size > _MAX_NOTE_BYTES:
        raise ManifestError(f"the note has {size} bytes; give at most {_MAX_NOTE_BYTES}")
    for character in note:
        category = unicodedata.category(character)
        if category == "Cc" and character != "\n":
            raise ManifestError(
                f"the note has the control character U+{ord(character):04X}; leave it out"
            )
        if category == "Cs":
            raise ManifestError(
                f"the note has the lone surrogate U+{ord(character):04X}, which UTF-8 cannot "
                "express; leave it out"
            )


def _check_members(found: object, what: str, allowed: Optional[set[str]]) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ManifestError(f"{what}: found {type(found).__name__}, expected a JSON object")
    unknown = sorted(set(found) - allowed) if allowed is not None else []
    if unknown:
        raise ManifestError(f"{what}: found the unknown member {unknown[0]!a}")
    return found


def _check_text(found: object) -> Optional[str]:
    if found is not None and not isinstance(found, str):
        raise ManifestError(f"found {found!a}, expected a text")
    return found


def _check_texts(found: object) -> Optional[list[str]]:
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise ManifestError(f"oracles: found {found!a}, expected an array of texts")
    return found


def _read_predecessor(found: object) -> Optional[Predecessor]:
    if found is None:
        return None
    members = _check_members(found, "follows", {"entries", "head"})
    entries, head = members.get("entries"), _check_text(members.get("head"))
    if not isinstance(entries, int) or isinstance(entries, bool) or head is None:
        raise ManifestError(f"follows: found {found!a}, expected entries and head")
    return Predecessor(entries, head)
