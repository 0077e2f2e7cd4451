"""An evaluation with inspect_ai, through the gateway: nothing in it knows of it.

    OPENAI_BASE_URL=http://127.0.0.1:8089/v1 inspect eval letters.py --model openai/MODEL --temperature 0

A second time with `axilog gateway replay ledgers/default.jsonl` in place of the gateway: the same scores, and no provider.
"""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate


@task
def letters():
    samples = [Sample(input=f"Say the letter {letter}.", target=letter) for letter in "aeiou"]
    return Task(dataset=samples, solver=generate(), scorer=includes())
