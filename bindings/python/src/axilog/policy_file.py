"""The canonical texts of policies: policy files and configurations (formats.md sections 4 and 5).

The C surface takes tables of policies and has no reader for their files, so this module reads and
writes them, by the rules of the policy compiler; a test compares the two. Reading is strict
because the canonical form of what was read must be the text itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from axilog.enums import Comparison
from axilog.errors import PolicyError
from axilog.policy import VALUE, Policy, check_ids, check_limits, check_selector, check_shape

_MEMBERS = ("comparison", "enabled", "policy_id", "threshold")


class Settings(NamedTuple):
    """A configuration as read."""

    policies: list[Policy]
    permit_truncated: bool
    stop_on_invalid: bool


def parse(data: bytes, where: str) -> list[Policy]:
    """The policies of a policy file in canonical form, in the order of the file."""
    root = _json(data, where)
    try:
        if isinstance(root, list):
            policies = _entries(root, VALUE, VALUE)
        elif isinstance(root, dict):
            policies = _groups(root)
        else:
            expected = "an array of policies, or an object from selector to such an array"
            raise PolicyError("", f"found {_kind(root)}, expected {expected}")
        check_ids(policies)
        check_limits(policies)
    except PolicyError as error:
        raise _within(where, error) from None
    text = data[:-1] if data.endswith(b"\n") else data
    _same(text, _dump(root), where, " (`axilog policy fmt` writes it)")
    return policies


def parse_configuration(data: bytes, where: str) -> Settings:
    """A configuration, exactly as :func:`configuration` writes it. Its limits are not judged:
    evidence made under rules that permit nothing must still replay."""
    root = _json(data, where)
    try:
        names = ("permit_truncated", "policies", "stop_on_invalid")
        _check_members(root, names, "a configuration")
        for name in ("permit_truncated", "stop_on_invalid"):
            if not isinstance(root[name], bool):
                raise PolicyError(name, f"found {_kind(root[name])}, expected true or false")
        if not isinstance(root["policies"], dict):
            expected = "an object from selector to an array of policies"
            raise PolicyError("policies", f"found {_kind(root['policies'])}, expected {expected}")
        policies = _groups(root["policies"])
        check_ids(policies)
    except PolicyError as error:
        raise _within(where, error) from None
    settings = Settings(policies, root["permit_truncated"], root["stop_on_invalid"])
    _same(data, configuration(*settings).encode(), where, "")
    return settings


def write(policies: Sequence[Policy]) -> str:
    """The canonical policy file of policies that are in order: the plain array where every selector
    is ``value``, else the object. No final LF."""
    if all(policy.selector == VALUE for policy in policies):
        return _dump([_object(policy) for policy in policies]).decode()
    return _dump(_grouped(policies)).decode()


def configuration(policies: Iterable[Policy], permit_truncated: bool, stop_on_invalid: bool) -> str:
    """The canonical configuration, whose SHA-256 names the rules in a ledger."""
    ordered = sorted(policies, key=lambda policy: policy.policy_id.encode())
    return _dump(
        {
            "permit_truncated": permit_truncated,
            "policies": _grouped(ordered),
            "stop_on_invalid": stop_on_invalid,
        }
    ).decode()


def _grouped(policies: Iterable[Policy]) -> dict[str, list[dict[str, object]]]:
    groups: dict[str, list[dict[str, object]]] = {}
    for policy in policies:
        groups.setdefault(policy.selector, []).append(_object(policy))
    return groups


def _object(policy: Policy) -> dict[str, object]:
    return {
        "comparison": policy.comparison.name,
        "enabled": policy.enabled,
        "policy_id": policy.policy_id,
        "threshold": policy.threshold,
    }


def _dump(value: object) -> bytes:
    # RFC 8785: every name and string here is ASCII that needs no escape, every number an integer.
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _json(data: bytes, where: str) -> Any:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        reason = f"found the byte 0x{byte:02X}, which is not UTF-8, expected UTF-8 text"
        raise PolicyError(_place(where, data[: error.start]), reason) from None
    try:
        return json.loads(text, object_pairs_hook=_members_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}:{error.colno}".lstrip(":")
        raise PolicyError(place, f"not JSON: {error.msg}") from None
    except PolicyError as error:
        raise _within(where, error) from None
    except (RecursionError, ValueError):
        reason = "found nesting too deep or a number too long to read, expected policies"
        raise PolicyError(where, reason) from None


def _members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise PolicyError("", f"found the member {twice!r} a second time, expected each name once")
    return members


def _no_constant(name: str) -> Any:
    raise PolicyError("", f"found {name}, expected a JSON value")


def _groups(groups: dict[str, Any]) -> list[Policy]:
    policies = []
    for selector, values in groups.items():
        check_selector(selector, "selector")
        if not isinstance(values, list):
            raise PolicyError(selector, f"found {_kind(values)}, expected an array of policies")
        policies += _entries(values, selector, selector)
    return policies


def _entries(values: list[Any], selector: str, where: str) -> list[Policy]:
    return [_entry(value, selector, f"{where}[{at}]") for at, value in enumerate(values)]


def _entry(value: Any, selector: str, where: str) -> Policy:
    try:
        _check_members(value, _MEMBERS, "a policy")
    except PolicyError as error:
        raise _within(where, error) from None
    name = value["comparison"]
    known = isinstance(name, str) and name in Comparison.__members__
    policy = Policy(
        value["policy_id"],
        Comparison[name] if known else name,
        value["threshold"],
        selector,
        value["enabled"],
    )
    check_shape(policy, where)
    return policy


def _check_members(value: Any, names: tuple[str, ...], what: str) -> None:
    if not isinstance(value, dict):
        found = _kind(value)
    elif set(value) - set(names):
        found = f"the member {min(set(value) - set(names))!r}"
    elif set(names) - set(value):
        found = f"an object without {min(set(names) - set(value))!r}"
    else:
        return
    raise PolicyError(
        "", f"found {found}, expected {what}: an object of exactly {', '.join(names)}"
    )


def _same(text: bytes, canonical: bytes, where: str, remedy: str) -> None:
    if text == canonical:
        return
    pairs = zip(text, canonical)
    equal = next(
        (at for at, (found, wanted) in enumerate(pairs) if found != wanted),
        min(len(text), len(canonical)),
    )
    found, wanted = (_excerpt(rest[equal:]) for rest in (text, canonical))
    reason = f"found {found}, expected {wanted} in the canonical form{remedy}"
    raise PolicyError(_place(where, text[:equal]), reason)


def _excerpt(rest: bytes) -> str:
    return repr(rest[:16].decode("utf-8", "replace")) if rest else "the end of the file"


def _place(where: str, before: bytes) -> str:
    text = before.decode("utf-8", "replace")
    line = text.count("\n") + 1
    column = len(text) - (text.rfind("\n") + 1) + 1
    return f"{where}:{line}:{column}".lstrip(":")


def _within(where: str, error: PolicyError) -> PolicyError:
    return PolicyError(": ".join(part for part in (where, error.where) if part), error.reason)


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = json.dumps(value)
    return text if len(text) <= 70 else text[:70] + "…"
