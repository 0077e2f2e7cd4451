"""Sets of policies, as an agent takes them (SRS-004 section 17)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Union

from axilog import policy_file
from axilog.capi import lib
from axilog.enums import Comparison
from axilog.errors import PolicyError
from axilog.policy import Policy, check_ids, check_limits, check_shape, compute_envelope
from axilog.selector import judges_answers


class PolicySet:
    """At most 64 policies with unique ids, in the byte order of their ids. Immutable.

    Raises PolicyError for policies that ``axilog policy check`` refuses too: an invalid id or
    selector, two policies with one id, a selector whose policies permit no value, a limit on
    ``elapsed`` above 32767 units.
    """

    __slots__ = ("_policies",)

    _policies: tuple[Policy, ...]

    def __init__(self, policies: Iterable[Policy] = ()) -> None:
        checked = list(policies)
        for index, policy in enumerate(checked):
            check_shape(policy, f"policies[{index}]")
        check_ids(checked)
        check_limits(checked)
        self._fill(checked)

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
    def parse(cls, text: Union[bytes, str], where: str = "") -> PolicySet:
        """Parses the text of a policy file, which must be in canonical form; one final LF is
        allowed. ``where`` is its name in messages. Raises PolicyError."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
        return cls._without_checks(policy_file.parse_policies(data, where))

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> PolicySet:
        """Reads the policy file at ``path``, which must be in canonical form; ``axilog policy fmt``
        writes it. Raises PolicyError, and OSError where the file cannot be read."""
        name = os.fspath(path)
        if name.endswith(".toml"):
            raise PolicyError(
                name,
                "found a file in source form, expected one in canonical form, which "
                "`axilog policy fmt FILE --output OUT` makes of it",
            )
        with open(path, "rb") as file:
            return cls.parse(file.read(), name)

    @classmethod
    def _without_checks(cls, policies: Iterable[Policy]) -> PolicySet:
        policy_set = cls.__new__(cls)
        policy_set._fill(policies)
        return policy_set

    def _fill(self, policies: Iterable[Policy]) -> None:
        self._policies = tuple(sorted(policies, key=lambda policy: policy.policy_id.encode()))

    def canonical(self) -> str:
        """The text of the canonical policy file, without a final LF."""
        return policy_file.format_policies(self._policies)

    def envelope(self) -> dict[str, tuple[int, int]]:
        """The certified operational envelope (SRS-004 section 2.6): for each selector with enabled
        policies, the smallest and the largest raw Q16.16 value that is no breach of any of them."""
        return compute_envelope(self._policies)

    def judges(self, oracle_id: str) -> bool:
        """Whether an enabled policy judges the answers of an oracle."""
        return any(p.enabled and judges_answers(p.selector, oracle_id) for p in self._policies)

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
