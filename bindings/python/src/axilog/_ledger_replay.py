"""The replay of a ledger that is opened to go on with it, under the configuration that it names."""

from __future__ import annotations

from typing import BinaryIO, Optional

from axilog._blobs import BlobStore
from axilog._ledger_check import LedgerCheck, RecordVisitor
from axilog._ledger_configuration import (
    ConfigurationChoice,
    ConfigurationDiffers,
    ConfigurationMissing,
    FirstReset,
    choose_configuration,
    find_first_reset,
)
from axilog.enums import Verdict
from axilog.errors import ConfigurationError, LedgerDefect, PolicyError
from axilog.policy_set import PolicySet


def replay_stream(
    source: BinaryIO, path: str, policies: Optional[PolicySet], visitor: RecordVisitor
) -> LedgerCheck:
    """Replays the ledger in ``source``, whose path is ``path``, under the configuration that it
    names, which must have these policies where any are given. Raises ConfigurationError and
    LedgerIOError."""
    blobs = BlobStore(path)
    source.seek(0)
    reset = find_first_reset(source)
    source.seek(0)
    policy_error: Optional[PolicyError] = None
    choice: ConfigurationChoice
    try:
        choice = choose_configuration(reset, blobs, policies)
    except PolicyError as error:
        choice, policy_error = ConfigurationMissing(), error
    if not isinstance(choice, (ConfigurationDiffers, ConfigurationMissing)):
        return LedgerCheck(source, choice, visitor)

    # A defect of the ledger itself matters more than its configuration.
    check = LedgerCheck(source, None, visitor)
    differs = isinstance(choice, ConfigurationDiffers)
    if check.defect is not None and _comes_first(check.defect, reset, differs):
        return check
    digest, sequence, offset = reset or FirstReset("", 0, 0)
    if policy_error is not None:
        raise ConfigurationError(
            path,
            f"{policy_error}; a configuration with an operator outside GT, LT, GE, LE cannot be "
            "replayed here",
        )
    if isinstance(choice, ConfigurationMissing):
        raise ConfigurationError(
            path,
            f"its configuration {digest} is missing: no file {blobs.path(digest)}, and the "
            "built-in policies do not give it by themselves; put the file back, or give the "
            "policies it was made under where no manifest belongs to it",
        )
    reason = f"the ledger was made under the configuration {digest}; {choice.reason}"
    check.defect = LedgerDefect(Verdict.CONFIG_MISMATCH, sequence, offset, reason)
    return check


def _comes_first(defect: LedgerDefect, reset: Optional[FirstReset], differs: bool) -> bool:
    """Whether the report names ``defect`` rather than the configuration, which differs or is
    missing."""
    if differs:
        return reset is None or defect.sequence <= reset.sequence
    # Without its torn line the ledger is good, and so needs its configuration all the same.
    return defect.verdict is not Verdict.TORN
