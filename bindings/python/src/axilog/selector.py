"""Selectors, ``[oracle#]path``: which value of whose answer a policy judges (formats.md section 4,
Policy files)."""

from __future__ import annotations

import re
from typing import Optional

from axilog.capi import lib
from axilog.errors import PolicyError

VALUE = "value"
ELAPSED = "elapsed"
EVERY = "~*"
COUNT = "~#"
MAX_SELECTOR_BYTES = 192
MAX_EVERY_STEPS = 2
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_SCALE = re.compile(r"/~e([0-9]|-[1-9])\Z")
_STEP = re.compile(r"~[*#]|([^~]|~[01])*", re.DOTALL)


def check_selector(selector: object, where: str) -> None:
    """Raises PolicyError for what is no selector. ``where`` names the field."""
    expected = _find_fault(selector) if isinstance(selector, str) else "a string"
    if expected is not None:
        found = repr(selector)
        found = found if len(found) <= 70 else found[:70] + "…"
        raise PolicyError(where, f"found {found}, expected {expected}")


def order_selector(selector: str) -> bytes:
    """Gives the key that orders selectors by UTF-16 code units, as RFC 8785 orders member names."""
    return selector.encode("utf-16-be", "surrogatepass")


def judges_answers(selector: str, oracle_id: str) -> bool:
    """Whether a selector leads to a value of the answers of an oracle."""
    oracle, path = _split(selector)
    return path != ELAPSED and oracle in (None, oracle_id)


def _find_fault(selector: str) -> Optional[str]:
    """What was expected of a selector that is not valid, else None."""
    try:
        size = len(selector.encode())
    except UnicodeEncodeError:
        return "no lone surrogate"
    if size > MAX_SELECTOR_BYTES:
        return f"at most {MAX_SELECTOR_BYTES} bytes"
    if "\0" in selector:
        return "no U+0000, which a C string cannot hold"
    oracle, path = _split(selector)
    if oracle is not None and not _is_oracle_id(oracle):
        return (
            "in front of the # an oracle_id: at least one character, none of them a control "
            "character, in NFC"
        )
    if oracle is not None and path == ELAPSED:
        return "elapsed without an oracle, since time is no oracle's answer"
    pointer = _SCALE.sub("", path)
    is_scaled, path = pointer != path, pointer
    if path.endswith("_q16"):
        return "a path not ending in _q16"
    if is_scaled and (not path.startswith("/") or path.endswith(COUNT)):
        return "in front of the step ~eN a pointer to a number that is no count"
    if path.startswith("/"):
        return _find_step_fault(path[1:].split("/"))
    if _NAME.fullmatch(path):
        return None
    return (
        "a name (a letter or _, then characters of A-Z a-z 0-9 _ -) or a pointer, which begins "
        "with /"
    )


def _find_step_fault(steps: list[str]) -> Optional[str]:
    """What was expected of the steps of a pointer that is not valid, else None."""
    if not all(_STEP.fullmatch(step) for step in steps):
        return (
            "a pointer in which ~ is written ~0 and / within a name ~1, or a step ~* (every "
            "element), ~# (their number) or, at the end, ~e-9 to ~e9 (scale)"
        )
    if COUNT in steps[:-1]:
        return "~# as the last step only, since a number has nothing inside"
    if steps.count(EVERY) > MAX_EVERY_STEPS:
        return "at most two steps ~*"
    return None


def _split(selector: str) -> tuple[Optional[str], str]:
    """The oracle, which stands before the first ``#``, and the path. A selector that begins with
    ``/`` is all path."""
    if selector.startswith("/") or "#" not in selector:
        return None, selector
    oracle, _, path = selector.partition("#")
    return oracle, path


def _is_oracle_id(oracle: str) -> bool:
    data = oracle.encode()
    return bool(oracle) and min(data) >= 0x20 and lib.ax_is_nfc(data, len(data)) == 1
