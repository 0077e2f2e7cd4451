"""Step awareness bundles (Addendum A, A1 to A8): the one structured context that a language model gets to
see of a pipeline step, built by the code of ``axilog bundle``."""

from __future__ import annotations

import json
import os
import pathlib
import warnings
from dataclasses import astuple, dataclass
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from axilog_harness._native import (
    BundleError,
    Catalogue,
    Grammar,
    InvalidGrammarError,
    StepAwarenessBundle,
    render_prompt_from_bundle,
)
from axilog_harness._native import build_step_awareness_bundle as _build

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

#: A path in the file system.
Path = Union[str, "os.PathLike[str]"]


class SkippedRecordWarning(UserWarning):
    """An entry of the history that is no valid record was left out of a bundle."""


@dataclass(frozen=True)
class TokenBudget:
    """How many tokens each part of a prompt may have (A2.1). ``None`` is the default of the document.

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


class LlmContext(NamedTuple):
    """What a dispatch function needs (A8.3).

    Attributes:
        prompt: The prompt; its tokens are estimated from words.
        grammar_name: The file name of the grammar that an answer fits; ``Catalogue.grammar`` reads it.
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
    """Builds the bundle of a step (A8.1). Reads the files that are named, and does nothing else (A5.3).

    Args:
        step_id: The step, 1 to 6, or 13 for Chapter 13, unless the catalogue has others.
        run_id: The id of the run; made from step and time where it is empty.
        results: The step's output to be evaluated: a mapping whose values JSON has, or the path of a file
            that holds a JSON object, which then is in the provenance.
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
        BundleError for a step that is not in the catalogue or has no fallback grammar, and for results that
        are no JSON object; OSError for a file that is there and cannot be read; ValueError and TypeError
        for results that JSON does not have, as NaN.

    Warns:
        SkippedRecordWarning for each entry of the history that is no valid record.
    """
    given: Union[str, os.PathLike[str], None]
    if results is None or isinstance(results, os.PathLike):
        given = results
    elif isinstance(results, str):
        given = pathlib.Path(results)
    else:
        given = json.dumps(results, allow_nan=False)
    bundle, skipped = _build(
        Catalogue() if catalogue is None else catalogue,
        step_id,
        run_id,
        given,
        run_number,
        manifest_path,
        list(state_paths or ()),
        list(astuple(budgets or TokenBudget())),
        is_chapter_13,
        fallback,
        history,
    )
    for record in skipped:
        warnings.warn(record, SkippedRecordWarning, stacklevel=2)
    return bundle


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

    The arguments, the exceptions and the warnings are those of :func:`build_step_awareness_bundle`, and
    BundleError where Tier 0 alone is more than a prompt may have (A2.2).

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
