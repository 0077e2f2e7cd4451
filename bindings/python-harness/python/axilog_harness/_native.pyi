"""The types of the compiled module. Import from the modules beside it."""

import os
from typing import Literal, Optional, Union, final

_Path = Union[str, "os.PathLike[str]"]

class InvalidGrammarError(ValueError):
    """A text is no grammar. The message says where and why."""

@final
class Grammar:
    """A grammar in GBNF, the notation of llama.cpp, which takes what is taken here.

    Args:
        text: The grammar.

    Raises:
        InvalidGrammarError with line and column.
    """

    def __new__(cls, text: Union[bytes, str]) -> Grammar: ...
    def judge(
        self, text: Union[bytes, str], *, max_steps: int = 10_000_000
    ) -> tuple[Literal["MATCHES", "DOES_NOT_MATCH", "CANNOT_BE_TOLD"], Optional[str]]:
        """Whether ``text``, from its first character to its last, fits. Other threads run meanwhile.

        Args:
            text: The text; bytes that are not UTF-8 fit nowhere.
            max_steps: The steps within which it is decided. Where they do not suffice it cannot be told.

        Returns:
            The verdict, and unless the text fits a sentence with the place, what stands there, and what
            could.
        """

class BundleError(ValueError):
    """A bundle cannot be built or rendered. The message says why and what to do."""

@final
class Catalogue:
    """The steps, and what is said to a model of each (A7).

    Args:
        path: A catalogue in TOML; the seven steps of the document where there is none.

    Raises:
        BundleError for a file that is no catalogue, with the place; OSError where it cannot be read.
    """

    def __new__(cls, path: Optional[_Path] = None) -> Catalogue: ...
    @property
    def steps(self) -> list[tuple[int, str]]:
        """The id and the name of each step, in the order of the ids."""

    def grammar_text(self, name: str) -> str:
        """The text of a grammar: of the file beside the catalogue, or else of the one that is built in.

        Raises:
            BundleError where there is none of that name; OSError where the file cannot be read.
        """

    def grammar(self, name: str) -> Grammar:
        """The grammar of that name. Raises as ``grammar_text``, and BundleError for a text that is none."""

@final
class StepAwarenessBundle:
    """What a model gets to see of one step in one run, and what it was made from (A1). Nothing in it can be
    changed (A5.2). Two bundles are equal where all their members are."""

    def __eq__(self, other: object) -> bool: ...
    def __ne__(self, other: object) -> bool: ...
    @property
    def step_id(self) -> int:
        """The step."""

    @property
    def step_name(self) -> str:
        """The step's name."""

    @property
    def run_id(self) -> str:
        """The id of the run."""

    @property
    def grammar_name(self) -> str:
        """The file name of the grammar that an answer fits."""

    def to_json(self) -> str:
        """The whole bundle as a JSON text, in the form that ``axilog bundle build`` prints and
        ``axilog bundle schema`` describes."""

def build_step_awareness_bundle(
    catalogue: Catalogue,
    step_id: int,
    run_id: str,
    results: Union[str, "os.PathLike[str]", None],
    run_number: int,
    manifest_path: Optional[_Path],
    state_paths: list[_Path],
    budgets: list[Optional[int]],
    is_chapter_13: bool,
    fallback: bool,
    history: Optional[_Path],
) -> tuple[StepAwarenessBundle, list[str]]:
    """As ``axilog_harness.bundle.build_step_awareness_bundle``, with the skipped records; ``results`` is a
    JSON text or a path that is no str."""

def render_prompt_from_bundle(bundle: StepAwarenessBundle) -> str:
    """Renders the prompt of a bundle within its budget (A8.2); tokens are estimated from words.

    Raises:
        BundleError where Tier 0, which is never cut, is more than a prompt may have (A2.2).
    """

def canonicalize(
    text: str,
) -> tuple[str, str, Optional[str], Optional[str], Optional[str]]:
    """As ``axilog_harness.x0l.canonicalize``, which names the parts."""
