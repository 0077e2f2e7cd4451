"""Sets of policies, as the library takes them (SRS-004 section 17)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from ctypes import POINTER, c_char_p, cast
from typing import Union

from axilog import policy_file
from axilog.capi import lib
from axilog.capi.structs import ax_policy_registry_t, ax_policy_t
from axilog.enums import Comparison
from axilog.policy import Policy, check_ids, check_limits, check_shape, envelope


class PolicySet:
    """At most 64 policies with unique ids, in the byte order of their ids. Immutable.

    Raises PolicyError for what the policy compiler (``axilog policy check``) refuses: ids and
    selectors that are none, an id twice, a selector of which no value would be permitted, a limit
    on ``elapsed`` above 32767 units.
    """

    __slots__ = ("_keep", "_policies", "_registry")

    _policies: tuple[Policy, ...]
    _registry: ax_policy_registry_t
    _keep: tuple[object, ...]

    def __init__(self, policies: Iterable[Policy] = ()) -> None:
        given = list(policies)
        for at, policy in enumerate(given):
            check_shape(policy, f"policies[{at}]")
        check_ids(given)
        check_limits(given)
        self._fill(given)

    @classmethod
    def builtin(cls) -> PolicySet:
        """The policies compiled into the library."""
        registry = lib.ax_policy_get_registry().contents
        policies = []
        for index in range(registry.count):
            policy = registry.policies[index]
            policies.append(
                Policy(
                    policy.policy_id.decode(),
                    Comparison(policy.comparison),
                    policy.threshold,
                    registry.selectors[index].decode(),
                    bool(policy.enabled),
                )
            )
        return cls(policies)

    @classmethod
    def parse(cls, text: Union[bytes, str], where: str = "") -> PolicySet:
        """Reads the text of a policy file, which must be in canonical form; one final LF is
        allowed. ``where`` is its name in messages. Raises PolicyError."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
        return cls._unjudged(policy_file.parse(data, where))

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> PolicySet:
        """Reads the policy file at ``path``, which must be in canonical form; ``axilog policy fmt``
        writes it. Raises PolicyError, and OSError where the file cannot be read."""
        with open(path, "rb") as file:
            return cls.parse(file.read(), os.fspath(path))

    @classmethod
    def _unjudged(cls, policies: Iterable[Policy]) -> PolicySet:
        found = cls.__new__(cls)
        found._fill(policies)
        return found

    def _fill(self, policies: Iterable[Policy]) -> None:
        self._policies = tuple(sorted(policies, key=lambda policy: policy.policy_id.encode()))
        count = len(self._policies)
        table = (ax_policy_t * count)(
            *(
                ax_policy_t(p.policy_id.encode(), p.threshold, int(p.comparison), int(p.enabled))
                for p in self._policies
            )
        )
        selectors = (c_char_p * count)(*(p.selector.encode() for p in self._policies))
        self._registry = ax_policy_registry_t(
            cast(table, POINTER(ax_policy_t)), count, cast(selectors, POINTER(c_char_p))
        )
        # The registry points into these.
        self._keep = (table, selectors)

    def canonical(self) -> str:
        """The canonical policy file, without a final LF."""
        return policy_file.write(self._policies)

    def envelope(self) -> dict[str, tuple[int, int]]:
        """Per selector with enabled policies, the smallest and the largest raw Q16.16 value that
        none of them breaches."""
        return envelope(self._policies)

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
