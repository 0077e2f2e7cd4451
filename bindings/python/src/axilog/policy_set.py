"""Sets of policies, as an agent takes them (SRS-004 section 17; formats.md section 4, Policy
files). The library checks them, as ``axilog policy check`` does."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from ctypes import byref, c_void_p
from typing import Any, Union

from axilog._host_call import make_error, take_string
from axilog.canonical import canonical_json
from axilog.capi import lib
from axilog.capi.host import AXH_OK
from axilog.enums import Comparison
from axilog.errors import PolicyError
from axilog.policy import VALUE, Policy


class PolicySet:
    """At most 64 policies with unique ids, in the byte order of their ids. Immutable.

    Raises PolicyError for policies that ``axilog policy check`` refuses too: an invalid id or
    selector, two policies with one id, a selector whose policies permit no value, a limit on
    ``elapsed`` above 32767 units. The message has the place in the canonical text.
    """

    __slots__ = ("_envelope", "_policies", "_text")

    _policies: tuple[Policy, ...]
    _text: str
    _envelope: dict[str, tuple[int, int]]

    def __init__(self, policies: Iterable[Policy] = ()) -> None:
        ordered = sorted(policies, key=lambda policy: str(policy.policy_id))
        self._fill(_format_policies(ordered).encode(), "policies")

    @classmethod
    def builtin(cls) -> PolicySet:
        """The policies that are compiled into the library."""
        registry = lib.ax_policy_get_registry().contents
        policies = []
        for index in range(registry.count):
            policy = registry.policies[index]
            policies.append(
                Policy(
                    policy.policy_id.decode(),
                    Comparison(policy.comparison),
                    raw=policy.threshold,
                    selector=registry.selectors[index].decode(),
                    enabled=bool(policy.enabled),
                )
            )
        return cls(policies)

    @classmethod
    def parse(cls, text: Union[bytes, str], where: str = "policies") -> PolicySet:
        """Parses the text of a policy file, which must be in canonical form; one final LF is
        allowed. ``where`` is its name in messages. Raises PolicyError."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
        policy_set = cls.__new__(cls)
        policy_set._fill(data, where)
        return policy_set

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> PolicySet:
        """Reads the policy file at ``path``, which must be in canonical form; ``axilog policy fmt``
        writes it. Raises PolicyError, and OSError where the file cannot be read."""
        name = os.fspath(path)
        if name.endswith(".toml"):
            raise PolicyError(
                f"{name}: found a file in source form, expected one in canonical form, which "
                "`axilog policy fmt FILE --output OUT` makes of it"
            )
        with open(path, "rb") as file:
            return cls.parse(file.read(), name)

    def _fill(self, data: bytes, where: str) -> None:
        name, text = where.encode(errors="replace").replace(b"\0", b"?"), c_void_p()
        status = lib.axh_policy_check(data, len(data), name, byref(text))
        if status != AXH_OK:
            raise make_error(status, where)
        report = json.loads(take_string(text))
        self._envelope = {e["selector"]: (e["min"], e["max"]) for e in report["envelope"]}
        self._policies = _read_policies(json.loads(data))
        # Equal sets have one text, whatever the order in the file was.
        self._text = _format_policies(self._policies)

    def canonical(self) -> str:
        """The text of the canonical policy file, without a final LF."""
        return self._text

    def envelope(self) -> dict[str, tuple[int, int]]:
        """The certified operational envelope (SRS-004 section 2.6): for each selector with enabled
        policies, the smallest and the largest raw Q16.16 value that is no breach of any of them."""
        return dict(self._envelope)

    def __reduce__(self) -> tuple[Any, ...]:
        return PolicySet.parse, (self._text,)

    def __iter__(self) -> Iterator[Policy]:
        return iter(self._policies)

    def __len__(self) -> int:
        return len(self._policies)

    def __getitem__(self, policy_id: str) -> Policy:
        for policy in self._policies:
            if policy.policy_id == policy_id:
                return policy
        raise KeyError(policy_id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PolicySet) and self._policies == other._policies

    def __hash__(self) -> int:
        return hash(self._policies)

    def __repr__(self) -> str:
        return f"PolicySet({list(self._policies)!r})"


def _format_policies(policies: Iterable[Policy]) -> str:
    """The canonical policy file: an array where every selector is ``value``, else an object from
    selector to array."""
    groups: dict[str, list[dict[str, object]]] = {}
    for policy in policies:
        comparison = policy.comparison
        entry = {
            "comparison": comparison.name if isinstance(comparison, Comparison) else comparison,
            "enabled": policy.enabled,
            "policy_id": policy.policy_id,
            "threshold": policy.threshold,
        }
        groups.setdefault(policy.selector, []).append(entry)
    try:
        text = canonical_json(groups if set(groups) - {VALUE} else groups.get(VALUE, []))
    except (TypeError, ValueError) as error:
        raise PolicyError(f"policies: {error}") from None
    return text.decode()


def _read_policies(root: Any) -> tuple[Policy, ...]:
    groups = {VALUE: root} if isinstance(root, list) else root
    policies = [
        Policy(
            entry["policy_id"],
            Comparison[entry["comparison"]],
            raw=entry["threshold"],
            selector=selector,
            enabled=entry["enabled"],
        )
        for selector, entries in groups.items()
        for entry in entries
    ]
    return tuple(sorted(policies, key=lambda policy: policy.policy_id))
