"""Step awareness bundles (Addendum A, A1 to A8): the one structured context that a language model
gets to see of a pipeline step, built by the code of ``axilog bundle``; and the grammars that the
model's answers fit."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from ctypes import byref, c_void_p
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple, Optional, Union

from axilog._host_call import Path, encode_path, take_string
from axilog.capi import lib
from axilog.capi.host import (
    AXH_ERR_ARGUMENT,
    AXH_ERR_IO,
    AXH_NOT_OK,
    AXH_OK,
    AXH_REASON_BUNDLE,
    AXH_REASON_GRAMMAR,
)
from axilog.errors import AxilogError, BundleError, InvalidGrammarError

__all__ = [
    "BundleError",
    "Catalogue",
    "Grammar",
    "InvalidGrammarError",
    "LlmContext",
    "SkippedRecordWarning",
    "StepAwarenessBundle",
    "TokenBudget",
    "build_llm_context",
    "build_step_awareness_bundle",
    "render_prompt_from_bundle",
]


class SkippedRecordWarning(UserWarning):
    """An entry of the history that is no valid record was left out of a bundle."""


@dataclass(frozen=True)
class TokenBudget:
    """How many tokens each part of a prompt may have (A2.1). ``None`` is the default of the
    document.

    Attributes:
        ctx_max_tokens: The model's whole context window (32,768).
        tier0_reserved: What Tier 0 has for itself (1,200). It is never cut, and may have more.
        tier1_cap: The most that Tier 1 may have (3,000).
        history_cap: The most that the history of Tier 2 may have (6,000).
        telemetry_cap: The most that the telemetry of Tier 2 may have (3,000).
        generation_reserve: What is kept for the answer (2,000).
    """

    ctx_max_tokens: Optional[int] = None
    tier0_reserved: Optional[int] = None
    tier1_cap: Optional[int] = None
    history_cap: Optional[int] = None
    telemetry_cap: Optional[int] = None
    generation_reserve: Optional[int] = None


class Grammar:
    """A grammar in GBNF, the notation of llama.cpp, which takes what is taken here. Immutable.

    Args:
        text: The grammar.
        where: Its name in messages.

    Raises:
        InvalidGrammarError with line and column; ValueError for bytes that are not UTF-8.
    """

    __slots__ = ("_name", "_text")

    def __init__(self, text: Union[bytes, str], where: str = "grammar") -> None:
        self._text = _to_bytes(text)
        self._name = where.encode(errors="replace").replace(b"\0", b"?")
        self.judge(b"")

    def judge(
        self, text: Union[bytes, str], *, max_steps: int = 10_000_000
    ) -> tuple[Literal["MATCHES", "DOES_NOT_MATCH", "CANNOT_BE_TOLD"], Optional[str]]:
        """Says whether ``text``, from its first character to its last, fits. Other threads run
        meanwhile.

        Args:
            text: The text; bytes that are not UTF-8 fit nowhere.
            max_steps: The steps within which it is decided. Where they do not suffice it cannot be
                told.

        Returns:
            The verdict, and unless the text fits a sentence with the place, what stands there, and
            what could.
        """
        if not 1 <= max_steps < 2**64:
            raise ValueError(f"max_steps: found {max_steps!r}, expected a number from 1")
        answer, report = _to_bytes(text), c_void_p()
        status = lib.axh_bundle_match(
            self._text,
            len(self._text),
            self._name,
            answer,
            len(answer),
            max_steps,
            byref(report),
        )
        found = json.loads(_take_report(status, report))
        return found["verdict"], found["reason"]


class Catalogue:
    """The steps, and what is said to a model of each (A7).

    Args:
        path: A catalogue in TOML, which each call reads; the seven steps of the document where
            there is none.

    Raises:
        BundleError for a file that is no catalogue, with the place; OSError where it cannot be
        read.
    """

    __slots__ = ("_path", "_steps")

    def __init__(self, path: Optional[Path] = None) -> None:
        self._path = None if path is None else os.fsdecode(path)
        report = c_void_p()
        status = lib.axh_bundle_check(self._encode_path(), byref(report))
        steps = json.loads(_take_report(status, report))["steps"]
        self._steps = tuple((step["id"], step["name"]) for step in steps)

    @property
    def path(self) -> Optional[str]:
        """The path of the file; ``None`` where there is none."""
        return self._path

    @property
    def steps(self) -> list[tuple[int, str]]:
        """The id and the name of each step, in the order of the ids."""
        return list(self._steps)

    def grammar_text(self, name: str) -> str:
        """The text of a grammar: of the file beside the catalogue, or else of the one that is
        built in.

        Raises:
            BundleError where there is none of that name; OSError where the file cannot be read.
        """
        text = c_void_p()
        status = lib.axh_bundle_grammar(self._encode_path(), encode_path(name), byref(text))
        return _take_report(status, text).decode()

    def grammar(self, name: str) -> Grammar:
        """The grammar of that name. Raises as ``grammar_text``, and InvalidGrammarError for a text
        that is none."""
        return Grammar(self.grammar_text(name), name)

    def _encode_path(self) -> Optional[bytes]:
        return None if self._path is None else encode_path(self._path)


@dataclass(frozen=True)
class StepAwarenessBundle:
    """What a model gets to see of one step in one run, and what it was made from (A1). Nothing in
    it can be changed (A5.2). Two bundles are equal where all their members are.

    Attributes:
        step_id: The step.
        step_name: The step's name.
        run_id: The id of the run.
        grammar_name: The file name of the grammar that an answer fits.
    """

    step_id: int
    step_name: str
    run_id: str
    grammar_name: str
    _json: str = field(repr=False)
    _prompt: Optional[str] = field(repr=False, compare=False)
    _problem: Optional[str] = field(repr=False, compare=False)

    def to_json(self) -> str:
        """The whole bundle as a JSON text, to the byte what ``axilog bundle build --json`` prints;
        ``axilog bundle schema`` describes it."""
        return self._json


class LlmContext(NamedTuple):
    """What a dispatch function needs (A8.3).

    Attributes:
        prompt: The prompt; its tokens are estimated from words.
        grammar_name: The file name of the grammar that an answer fits; ``Catalogue.grammar`` reads
            it.
        bundle: The bundle that the prompt was rendered from.
    """

    prompt: str
    grammar_name: str
    bundle: StepAwarenessBundle


def build_step_awareness_bundle(
    step_id: int,
    run_id: str = "",
    results: Union[Mapping[str, Any], Path, None] = None,
    run_number: int = 1,
    manifest_path: Optional[Path] = None,
    state_paths: Optional[Sequence[Path]] = None,
    budgets: Optional[TokenBudget] = None,
    is_chapter_13: bool = False,
    *,
    catalogue: Optional[Catalogue] = None,
    fallback: bool = False,
    history: Optional[Path] = None,
) -> StepAwarenessBundle:
    """Builds the bundle of a step (A8.1). Reads the files that are named, and does nothing else
    (A5.3). Other threads run meanwhile.

    Args:
        step_id: The step, 1 to 6, or 13 for Chapter 13, unless the catalogue has others.
        run_id: The id of the run; made from step and time where it is empty.
        results: The step's output to be evaluated: a mapping whose values JSON has, or the path of
            a file that holds a JSON object, which then is in the provenance.
        run_number: The number of the run, from 1.
        manifest_path: The manifest of the agent. A file that is not there is no error (A6.3).
        state_paths: Other files that the evaluation rests on.
        budgets: How many tokens each part may have.
        is_chapter_13: Whether the content is Chapter 13's, whatever the step.
        catalogue: The steps; those of the document where there is none.
        fallback: Whether the answer shall fit the step's fallback grammar.
        history: The folder with the history of earlier runs (A3.2).

    Returns:
        The bundle, which nothing can change (A5.2).

    Raises:
        BundleError for a step that is not in the catalogue or has no fallback grammar, and for
        results that are no JSON object; OSError for a file that is there and cannot be read;
        ValueError and TypeError for results that JSON does not have, as NaN, and for a path that is
        not UTF-8.

    Warns:
        SkippedRecordWarning for each entry of the history that is no valid record.
    """
    is_path = isinstance(results, (str, os.PathLike))
    request: dict[str, Any] = {
        "step_id": step_id,
        "run_id": run_id,
        "run_number": run_number,
        "results": None if is_path else results,
        "results_path": _to_text(results) if is_path else None,
        "manifest_path": _to_text(manifest_path),
        "state_paths": [_to_text(path) for path in state_paths or ()],
        "budgets": asdict(budgets or TokenBudget()),
        "is_chapter_13": is_chapter_13,
        "catalogue_path": _to_text(catalogue.path) if catalogue else None,
        "fallback": fallback,
        "history_path": _to_text(history),
    }
    given, report = json.dumps(request, allow_nan=False).encode(), c_void_p()
    status = lib.axh_bundle_build(given, len(given), byref(report))
    text = _take_report(status, report).decode()
    # The bundle is the first member, and its text goes out as it came.
    start = len('{"bundle":')
    bundle, end = json.JSONDecoder().raw_decode(text, start)
    built = json.loads(text)
    for record in built["skipped"]:
        warnings.warn(record, SkippedRecordWarning, stacklevel=2)
    return StepAwarenessBundle(
        bundle["step_id"],
        bundle["step_name"],
        bundle["run_id"],
        bundle["context"]["grammar_name"],
        text[start:end],
        built["rendered"]["prompt"] if built["rendered"] else None,
        built["problem"],
    )


def render_prompt_from_bundle(bundle: StepAwarenessBundle) -> str:
    """Gives the prompt of a bundle within its budget (A8.2); tokens are estimated from words.

    Raises:
        BundleError where Tier 0, which is never cut, is more than a prompt may have (A2.2).
    """
    if bundle._prompt is None:
        raise BundleError(bundle._problem)
    return bundle._prompt


def build_llm_context(
    step_id: int,
    run_id: str = "",
    results: Union[Mapping[str, Any], Path, None] = None,
    run_number: int = 1,
    manifest_path: Optional[Path] = None,
    state_paths: Optional[Sequence[Path]] = None,
    is_chapter_13: bool = False,
    *,
    budgets: Optional[TokenBudget] = None,
    catalogue: Optional[Catalogue] = None,
    fallback: bool = False,
    history: Optional[Path] = None,
) -> LlmContext:
    """Builds a bundle and renders its prompt: the pattern of A4.2 in one call (A8.3).

    The arguments, the exceptions and the warnings are those of
    :func:`build_step_awareness_bundle`, and BundleError where Tier 0 alone is more than a prompt
    may have (A2.2).

    Returns:
        The prompt, the name of its grammar, and the bundle.
    """
    bundle = build_step_awareness_bundle(
        step_id,
        run_id,
        results,
        run_number,
        manifest_path,
        state_paths,
        budgets,
        is_chapter_13,
        catalogue=catalogue,
        fallback=fallback,
        history=history,
    )
    return LlmContext(render_prompt_from_bundle(bundle), bundle.grammar_name, bundle)


def _to_bytes(text: Union[bytes, str]) -> bytes:
    if not isinstance(text, (bytes, str)):
        raise TypeError(f"found {type(text)}, expected bytes or str")
    return text.encode() if isinstance(text, str) else text


def _to_text(path: Any) -> Optional[str]:
    """A path as JSON takes it. Raises ValueError for one that is not UTF-8."""
    if path is None:
        return None
    name = os.fsdecode(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ValueError(f"found the path {name!r}, expected one in UTF-8") from None
    return name


def _take_report(status: int, text: c_void_p) -> bytes:
    """What a call has given. Raises the exception for its error."""
    if status in (AXH_OK, AXH_NOT_OK):
        return take_string(text)
    message, reason = lib.axh_last_error().decode(), lib.axh_last_reason()
    if reason == AXH_REASON_BUNDLE:
        raise BundleError(message)
    if reason == AXH_REASON_GRAMMAR:
        raise InvalidGrammarError(message)
    if status == AXH_ERR_ARGUMENT:
        raise ValueError(message)
    if status != AXH_ERR_IO:
        raise AxilogError(message)
    error = OSError(message)
    error.errno = lib.axh_last_os_error() or None
    raise error
