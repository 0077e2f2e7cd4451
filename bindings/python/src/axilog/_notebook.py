"""Objects as notebooks show them: small tables, in which the texts of a ledger are text and no
markup."""

from __future__ import annotations

import enum
import html
from collections.abc import Iterable, Sequence

# A question or an answer may have 64 MiB.
_MAX_CHARACTERS = 1000


def make_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in HTML."""
    head = f"<tr>{_make_cells('th', heads)}</tr>" if heads else ""
    body = "".join(f"<tr>{_make_cells('td', row)}</tr>" for row in rows)
    return f"<table><caption>{_escape(caption)}</caption>{head}{body}</table>"


def make_list(caption: str, members: Iterable[tuple[str, object]]) -> str:
    """A table of an object's members, without those that it does not have."""
    return make_table(caption, (), [(n, value) for n, value in members if value not in (None, ())])


def _make_cells(tag: str, values: Iterable[object]) -> str:
    return "".join(f"<{tag}>{_escape(_describe(value))}</{tag}>" for value in values)


def _describe(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, (tuple, list)):
        return ", ".join(map(_describe, value))
    return "" if value is None else str(value)


def _escape(text: str) -> str:
    """Text as HTML. Characters that are not seen, or that turn the direction of what follows, are
    written as escapes, and a long text is cut."""
    shown = text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…"
    seen = (c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in shown)
    return html.escape("".join(seen))
