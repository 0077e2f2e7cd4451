"""axilog.bundle: the same bundles, prompts and verdicts as the command gives."""

from __future__ import annotations

import errno
import json
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

from axilog.bundle import (
    BundleError,
    Catalogue,
    Grammar,
    InvalidGrammarError,
    SkippedRecordWarning,
    TokenBudget,
    build_llm_context,
    build_step_awareness_bundle,
    render_prompt_from_bundle,
)
from tests.conftest import ROOT, Cli

SHARED = ROOT / "harness" / "bundle" / "tests" / "bundle"

RESULTS: dict[str, Any] = {
    "success": True,
    "confidence": 0.9,
    "zebra": [1, {"b": 2, "a": None}],
    "recall": 0.5,
}


def without_time(bundle: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in bundle.items() if name != "generated_at"}


def blank_time(text: str) -> str:
    """A bundle's text without the second at which it was built."""
    before, time, after = text.partition('"generated_at":"')
    return before + time + after[len("2026-01-01T00:00:00Z") :]


@pytest.mark.parametrize("step", [1, 2, 6, 13])
def test_python_and_the_command_build_the_same(cli: Cli, tmp_path: Path, step: int) -> None:
    results = tmp_path / "results.json"
    results.write_text(json.dumps(RESULTS))
    state = tmp_path / "state.bin"
    state.write_bytes(b"\x00\x01")
    options = ["--step", step, "--results", results, "--run-id", "r-1", "--run-number", 7]
    built = cli.run_json("bundle", "build", *options, "--state", state)
    context = build_llm_context(step, "r-1", results, 7, state_paths=[state, tmp_path / "none"])
    found = json.loads(context.bundle.to_json())
    assert found.pop("provenance")[-1]["sha256"] == "FILE_NOT_FOUND"
    built.pop("provenance")
    assert without_time(found) == without_time(built)
    prompt = cli.run("bundle", "render", *options, "--state", state).stdout.decode()
    assert context.prompt == prompt.rstrip("\n")
    assert context.grammar_name == context.bundle.grammar_name == found["context"]["grammar_name"]
    # A mapping is the file's content; only the provenance differs.
    mapped = build_llm_context(step, "r-1", RESULTS, 7, state_paths=[state])
    assert mapped.prompt == context.prompt


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 6, 13])
def test_a_bundle_is_to_the_byte_that_of_the_command(cli: Cli, step: int) -> None:
    results = SHARED / "results" / f"step{step}.json"
    context = build_llm_context(step, "r-1", results)
    options = ["--step", step, "--results", results, "--run-id", "r-1", "--json"]
    printed = cli.run("bundle", "build", *options).stdout.decode()
    assert blank_time(context.bundle.to_json() + "\n") == blank_time(printed)
    assert context.prompt + "\n" == (SHARED / "prompts" / f"step{step}.txt").read_text()


def test_a_bundle_is_pickled() -> None:
    bundle = build_step_awareness_bundle(1, "r", RESULTS)
    copy = pickle.loads(pickle.dumps(bundle))
    assert copy == bundle and render_prompt_from_bundle(copy) == render_prompt_from_bundle(bundle)


def test_a_bundle_is_equal_where_its_parts_are_and_cannot_be_changed() -> None:
    bundle = build_step_awareness_bundle(3, "r", RESULTS)
    assert (bundle.step_id, bundle.run_id) == (3, "r")
    assert bundle.step_name == dict(Catalogue().steps)[3]
    with pytest.raises(AttributeError):
        bundle.step_id = 4  # type: ignore[misc]
    assert bundle != build_step_awareness_bundle(3, "s", RESULTS)
    assert render_prompt_from_bundle(bundle) == build_llm_context(3, "r", RESULTS).prompt


def test_budgets_cut_and_refuse(tmp_path: Path) -> None:
    results = {**RESULTS, "interpretation": "so far so good " * 50}
    wide = build_llm_context(1, "r", results).prompt
    narrow = build_llm_context(1, "r", results, budgets=TokenBudget(tier1_cap=60)).prompt
    assert "truncated to fit token budget" in narrow and len(narrow) < len(wide)
    with pytest.raises(BundleError, match="Tier 0 .* is never cut"):
        build_llm_context(1, "r", budgets=TokenBudget(ctx_max_tokens=2100))


def test_what_cannot_be_built_says_why(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="there is no step 7; the catalogue has 1"):
        build_step_awareness_bundle(7)
    with pytest.raises(BundleError, match="has no fallback grammar"):
        build_step_awareness_bundle(13, fallback=True)
    with pytest.raises(OSError, match="none.json"):
        build_step_awareness_bundle(1, results=tmp_path / "none.json")
    with pytest.raises(OSError, match="directory"):
        build_step_awareness_bundle(1, state_paths=[tmp_path])
    with pytest.raises(ValueError, match="not JSON compliant"):
        build_step_awareness_bundle(1, results={"recall": float("nan")})
    with pytest.raises(TypeError):
        build_step_awareness_bundle(1, results={"recall": object()})
    listed = tmp_path / "list.json"
    listed.write_text("[]")
    with pytest.raises(BundleError, match="expected one JSON object"):
        build_step_awareness_bundle(1, results=str(listed))
    with pytest.raises(OSError) as missing:
        build_step_awareness_bundle(1, results=tmp_path / "none.json")
    assert missing.value.errno == errno.ENOENT
    with pytest.raises(ValueError, match="expected one in UTF-8"):
        build_step_awareness_bundle(1, results=b"\xff".decode(errors="surrogateescape"))
    toml = tmp_path / "c.toml"
    toml.write_text("steps = 1")
    with pytest.raises(BundleError, match=r"c\.toml"):
        Catalogue(toml)


def test_a_broken_line_of_the_history_is_a_warning(tmp_path: Path) -> None:
    history = tmp_path / "watcher_failures.jsonl"
    history.write_text('{"id":"i-1","message":"disk full","resolved":false}\nnot JSON\n')
    with pytest.warns(SkippedRecordWarning, match=r"watcher_failures\.jsonl:2: .*; skipped"):
        context = build_llm_context(1, "r", history=tmp_path)
    assert "i-1: disk full" in context.prompt


def test_grammars_judge_as_the_command_does(cli: Cli, tmp_path: Path) -> None:
    grammar = tmp_path / "g.gbnf"
    grammar.write_text('root ::= "a" [0-9]{2,3} "\\n"?')
    parsed = Grammar(grammar.read_text())
    for text, verdict in [
        (b"a12", "MATCHES"),
        (b"a1234", "DOES_NOT_MATCH"),
        (b"a12\xff", "DOES_NOT_MATCH"),
        (b"", "DOES_NOT_MATCH"),
    ]:
        file = tmp_path / "answer"
        file.write_bytes(text)
        report = cli.run_json("bundle", "match", grammar, file)
        found, reason = parsed.judge(text)
        assert (found, found == "MATCHES") == (verdict, reason is None)
        assert report["verdict"] == verdict
    assert parsed.judge("a12", max_steps=1)[0] == "CANNOT_BE_TOLD"
    with pytest.raises(InvalidGrammarError, match="^grammar:1:"):
        Grammar("root ::= other")
    with pytest.raises(InvalidGrammarError, match="^my.gbnf:1:"):
        Grammar("root ::= other", "my.gbnf")
    with pytest.raises(ValueError, match="grammar is not UTF-8 at byte 0"):
        Grammar(b"\xff")
    with pytest.raises(TypeError, match="expected bytes or str"):
        Grammar(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected a number from 1"):
        parsed.judge("a12", max_steps=0)
    assert [step for step, _ in Catalogue().steps] == [1, 2, 3, 4, 5, 6, 13]
    shipped = Catalogue().grammar("json_generic.gbnf")
    assert shipped.judge('{"a": [1, true]}') == ("MATCHES", None)
    with pytest.raises(BundleError, match="there is no grammar"):
        Catalogue().grammar_text("none.gbnf")


def test_objects_are_used_from_several_threads() -> None:
    catalogue = Catalogue()
    prompts: list[str] = []

    def build() -> None:
        prompts.append(build_llm_context(5, "r", RESULTS, catalogue=catalogue).prompt)

    threads = [threading.Thread(target=build) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(prompts) == 8 and len(set(prompts)) == 1
