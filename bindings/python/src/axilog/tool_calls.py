"""The tool calls in an assistant's message, each to be recorded as an answer of the oracle
``tool.NAME`` before it is made (SRS-004 section 8)."""

from __future__ import annotations

import json
from ctypes import byref, c_void_p
from typing import Any, NamedTuple, Union

from axilog._host_call import take_string
from axilog.capi import lib
from axilog.capi.host import AXH_END, AXH_OK
from axilog.errors import InputError
from axilog.inputs import Text, as_bytes


class ToolCall(NamedTuple):
    """A call of a tool, as :meth:`axilog.Agent.observe` takes it.

    Attributes:
        oracle_id: ``tool.`` and the tool's name.
        output: The arguments: canonical JSON where they are JSON, else the text; empty where the
            call has none.
    """

    oracle_id: str
    output: bytes


def split_tool_calls(message: Union[Text, dict[str, Any], list[Any]]) -> list[ToolCall]:
    """Lists the tool calls of an assistant's message in their order. A program records each before
    it makes the first::

        for call in axilog.split_tool_calls(message):
            decision = agent.observe(call.output, oracle_id=call.oracle_id, model_id=model)

    Args:
        message: The message of a choice of OpenAI's chat completions or its ``tool_calls``, a
            response of OpenAI's responses or its ``output``, or a message of Anthropic or its
            ``content``: JSON as text, at most 64 MiB, or a value that :func:`json.dumps` takes,
            such as ``message.model_dump()`` of the official packages.

    Raises:
        InputError for a message that is none of these, or that holds a call without a name or of
        another form: nothing of it may be acted on.
    """
    if isinstance(message, (dict, list)):
        try:
            message = json.dumps(message, ensure_ascii=False, allow_nan=False)
        except (ValueError, RecursionError) as error:
            raise InputError(f"the message cannot be split into tool calls: {error}") from error
    data = as_bytes("message", message)
    calls: list[ToolCall] = []
    while True:
        oracle, arguments = c_void_p(), c_void_p()
        status = lib.axh_tool_call(data, len(data), len(calls), byref(oracle), byref(arguments))
        if status == AXH_END:
            return calls
        if status != AXH_OK:
            raise InputError(lib.axh_last_error().decode())
        calls.append(ToolCall(take_string(oracle).decode(), take_string(arguments)))
