"""The single checks of an audit, and what no check can compare, in the sentences of
``axilog audit``."""

from __future__ import annotations

import enum
import unicodedata
from typing import NamedTuple, Optional, Union

from axilog._blob_comparison import BlobReport
from axilog._declared_schemas import NO_VALIDATOR
from axilog._derivations import DerivationFindings
from axilog._ledger_check import Expectations, LedgerCheck
from axilog._ledger_configuration import ConfigurationSource, ExpectedRules, Switches
from axilog._named_blobs import BadManifest
from axilog._oracle_summary import Oracles
from axilog._raw_answers import RawAnswerComparison
from axilog.enums import Verdict
from axilog.errors import LedgerIOError
from axilog.manifest import Manifest

_MAX_NAMED_ORACLES = 20

CHECKS = (
    "chain",
    "rules",
    "decisions",
    "manifest",
    "schemas",
    "oracles",
    "models",
    "blobs",
    "raw answers",
    "derivations",
    "end",
)
"""The subjects of an audit, in the order of its checks."""


class CheckResult(enum.Enum):
    """The result of one check of an audit."""

    PASSED = "passed"
    """The check was made, and everything is right."""
    FAILED = "failed"
    """The check was made, and something is wrong."""
    NOT_CHECKED = "not checked"
    """The check could not be made."""


class AuditCheck(NamedTuple):
    """One check of an audit."""

    subject: str
    """What was checked: ``chain``, ``rules``, ``decisions``, ``manifest``, ``schemas``,
    ``oracles``, ``models``, ``blobs``, ``raw answers``, ``derivations`` or ``end``."""
    result: CheckResult
    """The result."""
    finding: str
    """What was found, in words."""
    details: tuple[str, ...] = ()
    """The files or records that are wrong or missing."""


def check_decisions(
    check: LedgerCheck, source: Optional[ConfigurationSource], problem: Optional[str]
) -> list[AuditCheck]:
    """The first three checks: chain, rules, decisions. ``problem`` says why the configuration
    cannot be had. In a ledger with a defect the check that found it ends the list."""
    passed, not_checked = CheckResult.PASSED, CheckResult.NOT_CHECKED
    defect, configuration = check.defect, check.configuration
    if defect is not None:
        chain = AuditCheck("chain", passed, "every record is in order")
        if defect.verdict is Verdict.CONFIG_MISMATCH:
            return [chain, AuditCheck("rules", CheckResult.FAILED, str(defect))]
        if defect.verdict is Verdict.DIVERGED:
            rules = AuditCheck("rules", passed, "found; replay under them failed")
            return [chain, rules, AuditCheck("decisions", CheckResult.FAILED, str(defect))]
        # Every line before a torn one is good, and a writer that was killed leaves one.
        is_interrupted = defect.verdict is Verdict.TORN and defect.sequence > 0 and not check.sealed
        result = not_checked if is_interrupted else CheckResult.FAILED
        return [AuditCheck("chain", result, str(defect))]
    form = "each in canonical form, in order and bound to the one before"
    chain = AuditCheck("chain", passed, f"{check.entries} records, {form}")
    if configuration is not None and source is not None:
        switches = Switches(configuration.permit_truncated, configuration.stop_on_invalid)
        found = f"{configuration.hash()} ({source.value}); {switches}"
        same = "made again, and the same to the byte"
        return [chain, AuditCheck("rules", passed, found), AuditCheck("decisions", passed, same)]
    rules_finding, decisions_finding = "the ledger names no rules", "the ledger records no decision"
    if problem is not None:
        rules_finding, decisions_finding = problem, "the rules are missing"
    return [
        chain,
        AuditCheck("rules", not_checked, rules_finding),
        AuditCheck("decisions", not_checked, decisions_finding),
    ]


def check_manifest(bound: bool, found: Union[Manifest, BadManifest, None]) -> AuditCheck:
    """Whether the manifest is there and is one; ``bound`` says that the configuration names one."""
    if not bound:
        return AuditCheck("manifest", CheckResult.PASSED, "the ledger is bound to none")
    if found is None:
        finding = "the blob that the configuration names is missing"
        return AuditCheck("manifest", CheckResult.NOT_CHECKED, finding)
    if isinstance(found, BadManifest):
        return AuditCheck("manifest", CheckResult.FAILED, found.reason)
    note = "" if found.note is None else f"; note: {found.note}"
    name = "without a name" if found.name is None else found.name
    before = found.follows
    follows = ""
    if before is not None:
        follows = f"; follows the ledger of {before.entries} records with the head {before.head}"
    return AuditCheck("manifest", CheckResult.PASSED, name + note + follows)


def check_schemas(path: str, bound: bool, found: Union[Manifest, BadManifest, None]) -> AuditCheck:
    """Whether questions and answers conform to the declared schemas, and whether each refused
    answer violates its own; ``bound`` says that the configuration names a manifest. The package
    ``axilog-harness`` makes the check where any schema is declared. Raises LedgerIOError."""
    finding = "the manifest is missing"
    if isinstance(found, BadManifest):
        finding = "the manifest is bad"
    elif not bound or (found is not None and not found.schemas):
        return AuditCheck("schemas", CheckResult.PASSED, "none is declared")
    elif found is not None:
        return _validate(path)
    return AuditCheck("schemas", CheckResult.NOT_CHECKED, finding)


def _validate(path: str) -> AuditCheck:
    try:
        from axilog_harness.ledger import audit_schemas
    except ImportError:
        return AuditCheck("schemas", CheckResult.NOT_CHECKED, NO_VALIDATOR)
    try:
        result, finding, details = audit_schemas(path)
    except OSError as error:
        raise LedgerIOError(path, "validate answers against their schemas", error) from error
    return AuditCheck("schemas", CheckResult(result), finding, tuple(details))


def check_oracles(
    oracles: Oracles,
    problem: Optional[str],
    manifest_hash: Optional[str],
    found: Union[Manifest, BadManifest, None],
    require_policy: bool,
) -> AuditCheck:
    """Whether only oracles answered that the ledger declares, and whether a policy judged every
    permitted answer where one is required, by the ledger or by the caller. ``problem`` says why the
    configuration cannot be had, which names the manifest."""
    known = oracles.by_id()
    manifest = found if isinstance(found, Manifest) else Manifest()
    declared = manifest.oracles
    others = [o for o in known if declared is not None and o not in declared]
    faults = [f"oracle {quote(o)} is not declared, and has a record" for o in others]
    finding = "none is declared"
    silent: list[str] = []
    if declared is not None:
        finding = f"{len(declared)} declared, {len(others)} others have records"
        silent = [f"oracle {quote(o)} is declared and has no record" for o in declared]
        silent = [line for line, o in zip(silent, declared) if o not in known]
    if require_policy or manifest.require_policy:
        unjudged = {o: s.unjudged_answers for o, s in known.items() if s.unjudged_answers}
        finding += (
            f"; a policy is required, and {sum(unjudged.values())} answers were permitted without"
        )
        faults += [
            f"{count} answers of oracle {quote(o)} were permitted without any policy"
            for o, count in unjudged.items()
        ]
    details = (*_name_first(faults), *_name_first(silent))
    if faults:
        return AuditCheck("oracles", CheckResult.FAILED, finding, details)
    unknown = None
    if problem is not None:
        unknown = "the rules are missing, and with them what the ledger declares"
    elif manifest_hash is not None and not isinstance(found, Manifest):
        unknown = (
            "the manifest is bad" if isinstance(found, BadManifest) else "the manifest is missing"
        )
    if unknown is not None:
        return AuditCheck("oracles", CheckResult.NOT_CHECKED, unknown)
    return AuditCheck("oracles", CheckResult.PASSED, finding, details)


def _name_first(lines: list[str]) -> list[str]:
    """The first of these lines, and how many more there are."""
    rest = len(lines) - _MAX_NAMED_ORACLES
    return lines[:_MAX_NAMED_ORACLES] + ([f"{rest} more"] if rest > 0 else [])


def check_models(oracles: Oracles, expected: Expectations) -> AuditCheck:
    """Whether every oracle of which a model is expected has a record."""
    known = oracles.by_id()
    absent = tuple(
        f"oracle {quote(oracle_id)}, expected with the model {quote(model_id)}, has no record"
        for oracle_id, model_id in expected.models.items()
        if oracle_id not in known
    )
    finding = f"{len(known)} oracles, each always with the same model"
    if len(known) == 1:
        finding = "one oracle, always with the same model"
    return AuditCheck("models", _judge(not absent), finding, absent)


def check_blobs(report: BlobReport, limit: int) -> AuditCheck:
    """Whether every blob that a record names is there and whole. ``limit`` is the most bytes of one
    that were read."""
    altered = list(zip(report._altered_sequences, report.altered))
    unread: list[tuple[Optional[int], str]] = [(None, path) for path in report.unread]
    left_behind: list[tuple[Optional[int], str]] = [(None, path) for path in report.unreferenced]
    details = []
    for word, count, named in (
        ("missing", report.missing_count, report.missing),
        ("damaged", report.altered_count, altered),
        ("not read", report.unread_count, unread),
        ("left behind", report.unreferenced_count, left_behind),
    ):
        for ledger_seq, path in named:
            owner = "" if ledger_seq is None else f", of observation {ledger_seq}"
            details.append(f"{word} {path}{owner}")
        if count > len(named):
            details.append(f"{word} {count - len(named)} more")
    finding = (
        f"{report.checked} recomputed, {report.altered_count} damaged, {report.missing_count} "
        f"missing, {report.unreferenced_count} left behind"
    )
    result = _judge(not (report.altered_count or report.missing_count))
    if report.unread_count:
        finding += f", {report.unread_count} not read: longer than the budget blob-bytes of {limit}"
        if result == CheckResult.PASSED:
            result = CheckResult.NOT_CHECKED
    return AuditCheck("blobs", result, finding, tuple(details))


def check_raw_answers(report: BlobReport, compared: RawAnswerComparison) -> AuditCheck:
    """Whether every answer is in its record, or bound by a RAW record and recorded as admission
    makes it."""
    bound, unbound = report.bound_answers, report.unbound_answers
    result = CheckResult.NOT_CHECKED
    if compared.faults:
        result = CheckResult.FAILED
        finding = f"{compared.faults} of {bound} are not recorded as admission makes them"
    elif not unbound and compared.too_long:
        finding = f"{compared.too_long} of {bound} are longer than the budget blob-bytes"
    elif not unbound:
        result = CheckResult.PASSED
        finding = "every answer is in its record"
        if bound:
            finding = (
                f"{bound} bound by their length and hash, and recorded as admission makes them"
            )
    elif unbound == 1 and report._awaits_binding:
        finding = (
            "the last one is not bound yet: its step was interrupted, and the next command that "
            f"writes binds it where its blob is there; {bound} are bound"
        )
    else:
        finding = (
            f"{unbound} that their records do not hold are bound by nothing, {bound} are bound; "
            "their steps were interrupted, a writer before version 0.2 recorded no such binding, "
            "or one was left out"
        )
    rest = compared.faults - len(compared.named)
    details = (*compared.named, f"{rest} more") if rest else tuple(compared.named)
    return AuditCheck("raw answers", result, finding, details)


def check_derivations(count: int, found: DerivationFindings) -> AuditCheck:
    """Whether every answer that an input names is an earlier one of the ledger, and may be acted on
    unless the input says that it is refused."""
    finding = f"{count} inputs derived from answers"
    details = found.faults + found.refused
    if not count:
        finding = "no input says that it was derived from an answer"
    elif found.faulty_inputs:
        finding += f"; {found.faulty_inputs} of them not as they say"
    elif found.refused_count:
        finding += (
            f"; {found.refused_count} of their sources may not be acted on, as the inputs say"
        )
    if found.refused_count > len(found.refused):
        details.append(f"{found.refused_count - len(found.refused)} more, as the inputs say")
    return AuditCheck("derivations", _judge(not found.faulty_inputs), finding, tuple(details))


def check_end(interrupted: bool, sealed: bool) -> AuditCheck:
    """Whether the last step has its decision."""
    if interrupted:
        finding = (
            "the decision on the last observation is missing: a step was interrupted, or cut off; "
            "the next command that writes completes it"
        )
        return AuditCheck("end", CheckResult.NOT_CHECKED, finding)
    finding = "sealed; nothing can be added" if sealed else "the last step is whole; not sealed"
    return AuditCheck("end", CheckResult.PASSED, finding)


def list_not_compared(
    oracles: Oracles, expected: Expectations, rules: ExpectedRules
) -> tuple[str, ...]:
    """What the ledger alone cannot show and the caller named nothing to compare with, in words."""
    found = []
    if expected.head is None:
        anew = "the whole ledger was written anew: only a head held elsewhere shows that"
        if expected.earlier_heads:
            found.append(
                "whether records behind the noted head were cut off or written anew: only the "
                "present head shows that"
            )
        elif expected.entries is not None:
            found.append(f"whether {anew}")
        else:
            found.append(f"whether records were cut off the end, or {anew}")
    if rules.policies is None:
        found.append("whether the rules are those that should be: no policies were named")
    unpinned = [(i, o) for i, o in oracles.by_id().items() if i not in expected.models]
    for oracle_id, oracle in unpinned[:_MAX_NAMED_ORACLES]:
        model, owner = quote(oracle.model_id), quote(oracle_id)
        found.append(f"whether {model} is the model that oracle {owner} should have")
    if len(unpinned) > _MAX_NAMED_ORACLES:
        rest = len(unpinned) - _MAX_NAMED_ORACLES
        found.append(f"whether the models of {rest} more oracles are those that should be")
    return tuple(found)


def quote(identity: str) -> str:
    """An identity in quotes, with escapes for what is not printed and for marks that combine with
    the character before."""
    return '"' + "".join(map(_quote_character, identity)) + '"'


def _quote_character(character: str) -> str:
    named = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
    if character in named:
        return named[character]
    is_seen = character.isprintable() and unicodedata.category(character) not in ("Mn", "Me")
    return character if is_seen else f"\\u{{{ord(character):x}}}"


def _judge(is_good: bool) -> CheckResult:
    return CheckResult.PASSED if is_good else CheckResult.FAILED
