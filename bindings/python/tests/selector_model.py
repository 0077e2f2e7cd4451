"""Values of selectors by a model of its own: the JSON reader and the decimals of Python, and
formats.md section 4 with the decisions D38 and D39. It shares nothing with the library."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any, Optional

LARGEST = 2**31 - 1
NO_VALUE = -(2**31)
_EXACT = Context(prec=100)
_SCALE = re.compile(r"~e(-?[0-9])\Z")


class Number(str):
    """A number as the answer writes it."""


class NotJson:
    """What a text without a JSON value is read as."""


def find_value(selector: str, takes_least: bool, answer: str) -> int:
    """The raw value that a policy compares, or NO_VALUE."""
    read = _read(answer)
    if not isinstance(read, dict) or _depth(read) > 32:
        return NO_VALUE
    path = selector if selector.startswith("/") else selector.split("#", 1)[-1]
    steps = path[1:].split("/") if path.startswith("/") else [path]
    power = 0
    scale = _SCALE.match(steps[-1]) if path.startswith("/") else None
    if scale:
        power = int(scale[1])
        steps.pop()
    values = _follow(read, steps, power, 1)
    if not values:
        return NO_VALUE
    return min(values) if takes_least else max(values)


def is_breach(value: int, comparison: str, threshold: int) -> bool:
    """Whether a policy is breached."""
    if value == NO_VALUE:
        return True
    return {
        "GT": value > threshold,
        "LT": value < threshold,
        "GE": value >= threshold,
        "LE": value <= threshold,
    }[comparison]


def _read(text: str) -> Any:
    """The JSON value of a text; a number is a Number, and what is no JSON a NotJson."""
    try:
        read = json.loads(
            text,
            object_pairs_hook=_read_object,
            parse_int=Number,
            parse_float=Number,
            parse_constant=_refuse,
        )
        json.dumps(read, ensure_ascii=False).encode()  # No lone surrogate.
    except ValueError:
        return NotJson()
    return read


def _read_object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("a member occurs twice")
    return found


def _refuse(word: str) -> None:
    raise ValueError(word)


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0


def _follow(value: Any, steps: list[str], power: int, depth: int) -> Optional[list[int]]:
    """All values that the steps lead to from the container number `depth` from outside; None where
    one of them is none."""
    step, rest = steps[0], steps[1:]
    if step == "~j":
        if not isinstance(value, str) or isinstance(value, Number):
            return None
        held = _read(value)
        # The string is a container, too.
        if isinstance(held, NotJson) or depth + _depth(held) > 32:
            return None
        return _follow(held, rest, power, depth + 1) if rest else _one(_to_raw(held, power))
    if step == "~#":
        is_container = isinstance(value, (dict, list))
        return [len(value) << 16] if is_container and len(value) <= 32767 else None
    if step == "~*":
        if not isinstance(value, list) or not value:
            return None
        found: list[int] = []
        for element in value:
            if rest:
                inner = _follow(element, rest, power, depth + 1)
            else:
                inner = _one(_to_raw(element, power))
            if inner is None:
                return None
            found += inner
        return found
    name = step.replace("~1", "/").replace("~0", "~")
    if rest:
        inner_value = _enter(value, name)
        return None if inner_value is None else _follow(inner_value[0], rest, power, depth + 1)
    natural = _enter(value, name)
    raw = _enter(value, name + "_q16") if isinstance(value, dict) else None
    if natural is not None and raw is None:
        return _one(_to_raw(natural[0], power))
    if raw is not None and natural is None:
        return _one(_read_raw(raw[0], power))
    return None


def _one(value: Optional[int]) -> Optional[list[int]]:
    return None if value is None else [value]


def _enter(value: Any, name: str) -> Optional[tuple[Any]]:
    if isinstance(value, dict) and name in value:
        return (value[name],)
    is_index = isinstance(value, list) and re.fullmatch(r"0|[1-9][0-9]*", name, re.ASCII)
    if is_index and int(name) < len(value):
        return (value[int(name)],)
    return None


def _to_raw(value: Any, power: int) -> Optional[int]:
    if not isinstance(value, Number):
        return None
    mantissa, _, exponent = value.lower().partition("e")
    digits = mantissa.lstrip("-").replace(".", "").lstrip("0")
    if len(digits) > 18 or abs(int(exponent or "0")) > 18:
        return None
    return _round(_EXACT.multiply(Decimal(value), 65536), power)


def _read_raw(value: Any, power: int) -> Optional[int]:
    if not isinstance(value, Number) or not re.fullmatch(r"-?[0-9]+", value):
        return None
    return _round(Decimal(value), power) if abs(int(value)) <= LARGEST else None


def _round(value: Decimal, power: int) -> Optional[int]:
    scaled = int(value.scaleb(-power, _EXACT).to_integral_value(ROUND_HALF_EVEN, _EXACT))
    return scaled if abs(scaled) <= LARGEST else None
