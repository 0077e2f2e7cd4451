"""axilog.x0l: the canonicalizer, by the vectors of the harness."""

from __future__ import annotations

import hashlib

import pytest

from axilog.x0l import canonicalize


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "NO_JSON"),
        ("I would rather not.", "NO_JSON"),
        ('{"a": 1} and {"b": 2}', "AMBIGUOUS_MULTI_BLOCK"),
        ('{"a": 1', "PARSE_ERROR"),
        ('{"a": }', "PARSE_ERROR"),
        ('[None, {"a": 1}]', "PARSE_ERROR"),
        ("""{"thought": 'the } is odd', "never": {"a": 1}}""", "PARSE_ERROR"),
        ('{"a": 1} }', "PARSE_ERROR"),
        ("Dear {name}, see [1].", "NO_JSON"),
    ],
)
def test_what_is_no_object_has_a_status(text: str, status: str) -> None:
    found = canonicalize(text)
    assert tuple(found) == (status, hashlib.sha256(text.encode()).hexdigest(), None, None, None)
    with pytest.raises(ValueError, match=status):
        found.load()


def test_the_one_object_is_found_behind_prose_and_fences() -> None:
    text = 'Here:\r\n```json\r\n{"b": 2.0, "a": "\\u00e9"}\r\n```\r\n'
    found = canonicalize(text)
    assert found.status == "OK"
    assert found.block == '{"b": 2.0, "a": "\\u00e9"}'
    assert found.canonical == '{"a":"é","b":2}'
    assert found.canonicalized_hash == hashlib.sha256(found.canonical.encode()).hexdigest()
    assert found.raw_hash == hashlib.sha256(text.encode()).hexdigest()
    assert found.load() == {"a": "é", "b": 2}
