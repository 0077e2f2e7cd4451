"""The agent for programs on asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Callable, Optional, TypeVar, Union

from axilog.agent import Agent
from axilog.decision import Decision
from axilog.derivation import Source
from axilog.enums import Failure, InputClass, InputKind
from axilog.inputs import Text
from axilog.params import Params

T = TypeVar("T")


class AsyncAgent(AbstractAsyncContextManager["AsyncAgent"]):
    """An agent whose calls are awaited, so that no call holds up the event loop while it waits for
    the disk. Leaving the ``async with`` block closes the agent.

    Each call runs in a thread of the agent's own, and those that wait for the disk at once share a
    sync. A task that is cancelled tears no step: a call that has begun is recorded whole, and one
    that has not is not made.

    Args:
        agent: The agent, which only this object closes.
        threads: How many calls can wait for the disk at once, at least 1.
    """

    def __init__(self, agent: Agent, *, threads: int = 64) -> None:
        self._agent = agent
        self._threads = ThreadPoolExecutor(threads, "axilog")

    @property
    def agent(self) -> Agent:
        """The agent, for its state. Its other methods wait for the disk."""
        return self._agent

    async def observe(
        self,
        output: Text,
        *,
        oracle_id: str,
        model_id: str,
        input: Text = "",
        input_kind: InputKind = InputKind.TEXT,
        params: Union[Params, Mapping[str, Any], None] = None,
        truncated: bool = False,
        derived_from: Sequence[Source] = (),
        even_refused: bool = False,
    ) -> Decision:
        """Records an answer as :meth:`axilog.Agent.observe` does."""
        return await self._run(
            self._agent.observe,
            output,
            oracle_id=oracle_id,
            model_id=model_id,
            input=input,
            input_kind=input_kind,
            params=params,
            truncated=truncated,
            derived_from=derived_from,
            even_refused=even_refused,
        )

    async def observe_failure(
        self,
        failure: Failure,
        *,
        oracle_id: str,
        model_id: str,
        input: Text = "",
        input_kind: InputKind = InputKind.TEXT,
        params: Union[Params, Mapping[str, Any], None] = None,
    ) -> Decision:
        """Records a failure as :meth:`axilog.Agent.observe_failure` does."""
        return await self._run(
            self._agent.observe_failure,
            failure,
            oracle_id=oracle_id,
            model_id=model_id,
            input=input,
            input_kind=input_kind,
            params=params,
        )

    async def check_question(
        self,
        *,
        oracle_id: str,
        model_id: str,
        input: Text = "",
        input_kind: InputKind = InputKind.TEXT,
        derived_from: Sequence[Source] = (),
        even_refused: bool = False,
    ) -> bytes:
        """Checks a question as :meth:`axilog.Agent.check_question` does."""
        return await self._run(
            self._agent.check_question,
            oracle_id=oracle_id,
            model_id=model_id,
            input=input,
            input_kind=input_kind,
            derived_from=derived_from,
            even_refused=even_refused,
        )

    async def observe_time(
        self, timestamp: Optional[int] = None, *, force: bool = False
    ) -> Decision:
        """Records the time as :meth:`axilog.Agent.observe_time` does."""
        return await self._run(self._agent.observe_time, timestamp, force=force)

    async def observe_control(self, input_class: InputClass) -> Decision:
        """Records a control input as :meth:`axilog.Agent.observe_control` does."""
        return await self._run(self._agent.observe_control, input_class)

    async def reset(self) -> Decision:
        """Records a reset request as :meth:`axilog.Agent.reset` does."""
        return await self._run(self._agent.reset)

    async def mitigate(self) -> Decision:
        """Records that an alarm was handled as :meth:`axilog.Agent.mitigate` does."""
        return await self._run(self._agent.mitigate)

    async def signal_fault(self) -> Decision:
        """Records a fault as :meth:`axilog.Agent.signal_fault` does."""
        return await self._run(self._agent.signal_fault)

    async def seal(self) -> None:
        """Ends the ledger as :meth:`axilog.Agent.seal` does."""
        await self._run(self._agent.seal)

    async def close(self) -> None:
        """Closes the agent, once the calls that were made before have returned. A later call raises
        RuntimeError. Closing twice does nothing."""
        loop = asyncio.get_running_loop()
        # In a thread of the loop: the agent's own end here.
        await loop.run_in_executor(None, self._threads.shutdown)
        await loop.run_in_executor(None, self._agent.close)

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<axilog.AsyncAgent of {self._agent!r}>"

    async def _run(self, call: Callable[..., T], *arguments: Any, **named: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(call, *arguments, **named))
