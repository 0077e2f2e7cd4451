"""Asks a model with the `openai` client, and records every answer before the program uses it.

    pip install openai
    OPENAI_API_KEY=… python openai_client.py LEDGER MODEL QUESTION

The question is checked and made canonical before the model is asked. Whatever comes back, an
answer, an error or a timeout, is recorded, and the agent evaluates its policies on it. A permitted
answer is returned; a breach raises axilog.BreachError, which holds the decision."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Optional

import openai
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

import axilog


class RecordedChat:
    """Chat completions of one model, which ``agent`` records and decides on.

    ``model`` names one version of a model, such as ``gpt-4o-2024-08-06``: an oracle has one model
    in a ledger. An answer of a server that names another one is recorded under this name, and a
    warning says which. The client does not retry, since each attempt is an observation of its own.
    """

    def __init__(
        self, client: openai.OpenAI, agent: axilog.Agent, *, oracle_id: str, model: str
    ) -> None:
        self._client = client.with_options(max_retries=0)
        self._agent = agent
        self._oracle_id = oracle_id
        self._model = model

    def ask(
        self,
        messages: list[ChatCompletionMessageParam],
        *,
        max_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        temperature: Optional[float] = None,
        top_p: Optional[float] = None,
    ) -> str:
        """Asks the model and returns its answer as recorded.

        Raises axilog.InputError before anything is asked, and axilog.BreachError for an answer that
        breaches a policy, or for no answer (``__cause__`` is then the client's error).
        """
        sampling = {
            "max_tokens": max_tokens,
            "seed": seed,
            "temperature": temperature,
            "top_p": top_p,
        }
        options: dict[str, Any] = {name: v for name, v in sampling.items() if v is not None}
        request = axilog.canonical_json({"messages": messages, "model": self._model})
        self._input = self._agent.check_question(
            oracle_id=self._oracle_id,
            model_id=self._model,
            input=request,
            input_kind=axilog.InputKind.JSON,
        )
        self._params = axilog.Params(**options)
        try:
            completion = self._client.chat.completions.create(
                messages=messages, model=self._model, **options
            )
            answer, truncated = self._read_answer(completion)
        except openai.APITimeoutError as error:
            raise self._record_failure(axilog.Failure.TIMEOUT) from error
        except (openai.APIError, AttributeError, IndexError, TypeError, ValueError) as error:
            # The server cannot be reached, or its response is no chat completion.
            raise self._record_failure(axilog.Failure.TRANSPORT_ERROR) from error
        decision = self._agent.observe(
            answer,
            oracle_id=self._oracle_id,
            model_id=self._model,
            input=self._input,
            input_kind=axilog.InputKind.JSON,
            params=self._params,
            truncated=truncated,
        )
        return decision.output()

    def _read_answer(self, completion: ChatCompletion) -> tuple[str, bool]:
        """The text, and whether it was cut off. A refusal has no text, and counts as empty."""
        choice = completion.choices[0]
        if completion.model != self._model:
            warnings.warn(
                f"the server says that {completion.model!r} answered, and {self._model!r} was "
                "asked for; the answer is recorded under the latter",
                stacklevel=3,
            )
        return choice.message.content or "", choice.finish_reason == "length"

    def _record_failure(self, failure: axilog.Failure) -> axilog.BreachError:
        decision = self._agent.observe_failure(
            failure,
            oracle_id=self._oracle_id,
            model_id=self._model,
            input=self._input,
            input_kind=axilog.InputKind.JSON,
            params=self._params,
        )
        return axilog.BreachError(decision)


def main() -> int:
    """Asks one question and prints the answer if the policies permit it."""
    if len(sys.argv) != 4:
        print("usage: openai_client.py LEDGER MODEL QUESTION", file=sys.stderr)
        return 2
    path, model, question = sys.argv[1:]
    with axilog.Agent.start(path) as agent:
        chat = RecordedChat(openai.OpenAI(), agent, oracle_id="chat", model=model)
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": 'Answer with a JSON object: {"value": a number}'},
            {"role": "user", "content": question},
        ]
        try:
            print(chat.ask(messages, temperature=0.0))
        except axilog.BreachError as error:
            print(f"not used: {error}", file=sys.stderr)
            return 1
        finally:
            # Keep the head where nobody can change it, and give it to axilog.verify.
            print(f"head {agent.head}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
