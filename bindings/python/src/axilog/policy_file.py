"""The canonical texts of policies: policy files and configurations (formats.md sections 4 and 5).

The C library takes tables of policies and reads no files, so this module parses and formats them by
the rules of the policy compiler; a test compares the two. Parsing accepts only the canonical form,
since a ledger names a configuration by the hash of its text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Optional

from axilog.enums import Comparison
from axilog.errors import PolicyError
from axilog.policy import Policy, check_ids, check_limits, check_shape
from axilog.selector import VALUE, check_selector, order_selector

_HASH = re.compile("[0-9a-f]{64}")
_MEMBERS = ("comparison", "enabled", "policy_id", "threshold")


class ConfigurationSettings(NamedTuple):
    """A parsed configuration."""

    policies: list[Policy]
    permit_truncated: bool
    stop_on_invalid: bool
    manifest: Optional[str]


def parse_policies(data: bytes, where: str) -> list[Policy]:
    """Parses a policy file, which must be in canonical form, and returns its policies in the order
    of the file. ``where`` is the file's name in messages. Raises PolicyError."""
    root = _parse_json(data, where)
    try:
        if isinstance(root, list):
            policies = _parse_entries(root, VALUE, VALUE)
        elif isinstance(root, dict):
            policies = _parse_groups(root)
        else:
            expected = "an array of policies, or an object from selector to such an array"
            raise PolicyError("", f"found {_describe_value(root)}, expected {expected}")
        check_ids(policies)
        check_limits(policies)
    except PolicyError as error:
        raise _prefix_where(where, error) from None
    text = data[:-1] if data.endswith(b"\n") else data
    _check_canonical(text, _to_canonical_json(root), where, " (`axilog policy fmt` writes it)")
    return policies


def parse_configuration(data: bytes, where: str) -> ConfigurationSettings:
    """Parses a configuration, which must be exactly as :func:`format_configuration` formats it. Its
    limits are not checked, since a ledger made under policies that permit no value must replay too.
    Raises PolicyError."""
    root = _parse_json(data, where)
    try:
        names: tuple[str, ...] = ("permit_truncated", "policies", "stop_on_invalid")
        bound = isinstance(root, dict) and "manifest" in root
        if bound:
            names = ("manifest", *names)
        _check_members(root, names, "a configuration")
        if bound:
            check_manifest(root["manifest"])
        for name in ("permit_truncated", "stop_on_invalid"):
            if not isinstance(root[name], bool):
                raise PolicyError(
                    name, f"found {_describe_value(root[name])}, expected true or false"
                )
        if not isinstance(root["policies"], dict):
            expected = "an object from selector to an array of policies"
            raise PolicyError(
                "policies", f"found {_describe_value(root['policies'])}, expected {expected}"
            )
        policies = _parse_groups(root["policies"])
        check_ids(policies)
    except PolicyError as error:
        raise _prefix_where(where, error) from None
    settings = ConfigurationSettings(
        policies, root["permit_truncated"], root["stop_on_invalid"], root.get("manifest")
    )
    _check_canonical(data, format_configuration(*settings).encode(), where, "")
    return settings


def check_manifest(value: object) -> None:
    """Raises PolicyError unless ``value`` can name a manifest."""
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        expected = "64 lower-case hexadecimal digits, the SHA-256 of the manifest"
        raise PolicyError("manifest", f"found {_describe_value(value)}, expected {expected}")


def format_policies(policies: Sequence[Policy]) -> str:
    """Formats the canonical policy file of ordered policies, without a final LF: an array where
    every selector is ``value``, else an object from selector to array."""
    if all(policy.selector == VALUE for policy in policies):
        return _to_canonical_json([_to_object(policy) for policy in policies]).decode()
    return _to_canonical_json(_group_by_selector(policies)).decode()


def format_configuration(
    policies: Iterable[Policy],
    permit_truncated: bool,
    stop_on_invalid: bool,
    manifest: Optional[str] = None,
) -> str:
    """Formats the canonical configuration, whose SHA-256 every reset in a ledger records."""
    ordered = sorted(policies, key=lambda policy: policy.policy_id.encode())
    members: dict[str, object] = {
        "permit_truncated": permit_truncated,
        "policies": _group_by_selector(ordered),
        "stop_on_invalid": stop_on_invalid,
    }
    if manifest is not None:
        members["manifest"] = manifest
    return _to_canonical_json(members).decode()


def _group_by_selector(policies: Iterable[Policy]) -> dict[str, list[dict[str, object]]]:
    groups: dict[str, list[dict[str, object]]] = {}
    for policy in policies:
        groups.setdefault(policy.selector, []).append(_to_object(policy))
    return groups


def _to_object(policy: Policy) -> dict[str, object]:
    return {
        "comparison": policy.comparison.name,
        "enabled": policy.enabled,
        "policy_id": policy.policy_id,
        "threshold": policy.threshold,
    }


def _to_canonical_json(value: object) -> bytes:
    # RFC 8785: every number here is an integer, and json.dumps escapes strings as it asks for.
    return json.dumps(_sort_members(value), separators=(",", ":"), ensure_ascii=False).encode()


def _sort_members(value: object) -> object:
    """The same value with the members of its objects in canonical order, which is not that of
    ``sort_keys``."""
    if isinstance(value, dict):
        return {name: _sort_members(value[name]) for name in sorted(value, key=order_selector)}
    if isinstance(value, list):
        return [_sort_members(item) for item in value]
    return value


def _parse_json(data: bytes, where: str) -> Any:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        reason = f"found the byte 0x{byte:02X}, which is not UTF-8, expected UTF-8 text"
        raise PolicyError(_locate_end(where, data[: error.start]), reason) from None
    try:
        return json.loads(
            text, object_pairs_hook=_reject_duplicate_members, parse_constant=_reject_constant
        )
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}:{error.colno}".lstrip(":")
        raise PolicyError(place, f"not JSON: {error.msg}") from None
    except PolicyError as error:
        raise _prefix_where(where, error) from None
    except (RecursionError, ValueError):
        reason = "found nesting too deep or a number too long to read, expected policies"
        raise PolicyError(where, reason) from None


def _reject_duplicate_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        reason = f"found the member {duplicate!r} a second time, expected each name once"
        raise PolicyError("", reason)
    return members


def _reject_constant(name: str) -> Any:
    raise PolicyError("", f"found {name}, expected a JSON value")


def _parse_groups(groups: dict[str, Any]) -> list[Policy]:
    policies = []
    for selector, values in groups.items():
        check_selector(selector, "selector")
        if not isinstance(values, list):
            raise PolicyError(
                selector, f"found {_describe_value(values)}, expected an array of policies"
            )
        policies += _parse_entries(values, selector, selector)
    return policies


def _parse_entries(values: list[Any], selector: str, where: str) -> list[Policy]:
    return [
        _parse_entry(value, selector, f"{where}[{index}]") for index, value in enumerate(values)
    ]


def _parse_entry(value: Any, selector: str, where: str) -> Policy:
    try:
        _check_members(value, _MEMBERS, "a policy")
    except PolicyError as error:
        raise _prefix_where(where, error) from None
    name: Any = value["comparison"]
    is_known = isinstance(name, str) and name in Comparison.__members__
    policy = Policy(
        value["policy_id"],
        Comparison[name] if is_known else name,
        raw=value["threshold"],
        selector=selector,
        enabled=value["enabled"],
    )
    check_shape(policy, where)
    return policy


def _check_members(value: Any, names: tuple[str, ...], what: str) -> None:
    if not isinstance(value, dict):
        found = _describe_value(value)
    elif set(value) - set(names):
        found = f"the member {min(set(value) - set(names))!r}"
    elif set(names) - set(value):
        found = f"an object without {min(set(names) - set(value))!r}"
    else:
        return
    raise PolicyError(
        "", f"found {found}, expected {what}: an object of exactly {', '.join(names)}"
    )


def _check_canonical(text: bytes, canonical: bytes, where: str, remedy: str) -> None:
    if text == canonical:
        return
    pairs = zip(text, canonical)
    offset = next(
        (index for index, (found, expected) in enumerate(pairs) if found != expected),
        min(len(text), len(canonical)),
    )
    found, expected = (_quote_start(rest[offset:]) for rest in (text, canonical))
    reason = f"found {found}, expected {expected} in the canonical form{remedy}"
    raise PolicyError(_locate_end(where, text[:offset]), reason)


def _quote_start(rest: bytes) -> str:
    return repr(rest[:16].decode("utf-8", "replace")) if rest else "the end of the file"


def _locate_end(where: str, before: bytes) -> str:
    """Line and column behind the text ``before``, as ``where:line:column``."""
    text = before.decode("utf-8", "replace")
    line = text.count("\n") + 1
    column = len(text) - (text.rfind("\n") + 1) + 1
    return f"{where}:{line}:{column}".lstrip(":")


def _prefix_where(where: str, error: PolicyError) -> PolicyError:
    return PolicyError(": ".join(part for part in (where, error.where) if part), error.reason)


def _describe_value(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = json.dumps(value)
    return text if len(text) <= 70 else text[:70] + "…"
