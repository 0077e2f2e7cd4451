"""A provider that answers each interface by a script, and misbehaves where a question says so."""

import json
import re
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def answer_text(body):
    """What the model says: a speed beyond the limit where it is asked for one, or a marker."""
    echo = re.search(r"echo (\d+-\d+)", json.dumps(body))
    if echo:
        return json.dumps({"speed": 5, "note": f"marker-{echo[1]}"})
    return '{"speed": 71}' if "fast" in json.dumps(body) else '{"speed": 5}'


def tool_arguments(body):
    return json.dumps({"amount": 251 if "much" in json.dumps(body) else 1})


def chat(body):
    message = {"role": "assistant", "content": answer_text(body)}
    if body.get("tools"):
        function = {"name": "pay", "arguments": tool_arguments(body)}
        message["tool_calls"] = [{"id": "t", "type": "function", "function": function}]
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "model-1", "choices": [choice], "usage": usage}


def chat_events(body):
    delta = {"role": "assistant", "content": ""}
    pieces = [delta, *({"content": letter} for letter in answer_text(body))]
    if body.get("tools"):
        first, second = tool_arguments(body)[:4], tool_arguments(body)[4:]
        call = {"index": 0, "id": "t", "type": "function", "function": {"name": "pay", "arguments": first}}
        pieces += [{"tool_calls": [call]}, {"tool_calls": [{"index": 0, "function": {"arguments": second}}]}]
    for piece in pieces:
        choice = {"index": 0, "delta": piece, "finish_reason": None}
        yield {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "model-1", "choices": [choice]}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    yield {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "model-1", "choices": [end]}


def completion(body):
    choice = {"index": 0, "finish_reason": "stop", "text": answer_text(body), "logprobs": None}
    return {"id": "c", "object": "text_completion", "created": 1, "model": "model-1", "choices": [choice]}


def response(body):
    part = {"type": "output_text", "text": answer_text(body), "annotations": []}
    item = {"type": "message", "id": "m", "status": "completed", "role": "assistant", "content": [part]}
    return {
        "id": "r", "object": "response", "created_at": 1, "model": "model-1", "status": "completed", "output": [item],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }


def response_events(body):
    whole = response(body)
    item, text = whole["output"][0], answer_text(body)
    place = {"item_id": "m", "output_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    events = [
        {"type": "response.created", "response": {**whole, "output": [], "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **place, "content_index": 0, "part": part},
        *({"type": "response.output_text.delta", **place, "content_index": 0, "delta": letter} for letter in text),
        {"type": "response.output_text.done", **place, "content_index": 0, "text": text},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}


def message(body):
    content = [{"type": "text", "text": answer_text(body)}]
    if body.get("tools"):
        content.append({"type": "tool_use", "id": "t", "name": "pay", "input": json.loads(tool_arguments(body))})
    return {
        "id": "m", "type": "message", "role": "assistant", "model": "model-1", "content": content,
        "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def message_events(body):
    whole = message(body)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        is_text = block["type"] == "text"
        begun = {**block, "text": ""} if is_text else {**block, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        for letter in block["text"] if is_text else json.dumps(block["input"]):
            piece = {"type": "text_delta", "text": letter} if is_text else {"type": "input_json_delta", "partial_json": letter}
            yield {"type": "content_block_delta", "index": index, "delta": piece}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def embeddings(_body):
    data = [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}]
    return {"object": "list", "model": "model-1", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


WHOLE = {
    "/v1/chat/completions": chat, "/v1/completions": completion, "/v1/responses": response,
    "/v1/messages": message, "/v1/embeddings": embeddings,
}
STREAMS = {"/v1/chat/completions": chat_events, "/v1/responses": response_events, "/v1/messages": message_events}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.server.connections += 1

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        model = {"id": "model-1", "object": "model", "created": 1, "owned_by": "here"}
        self.send(200, "application/json", json.dumps({"object": "list", "data": [model]}))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.calls[self.path] += 1
        self.server.bodies.append(body)
        said = json.dumps(body)
        if "late" in said:
            time.sleep(2)
        if "never" in said:
            self.server.has_ended.wait()
            self.close_connection = True
            return
        if "gone" in said:
            self.close_connection = True
        elif "a page" in said:
            self.send(200, "text/html", "<html>")
        elif "elsewhere" in said:
            self.send(307, "text/plain", "", location="/v1/other")
        elif "packed" in said:
            self.send(200, "application/json", "{}", content_encoding="gzip")
        elif "tell the key" in said:
            answer = WHOLE[self.path](body)
            key = self.headers["authorization"] or self.headers["x-api-key"]
            self.send(200, "application/json", json.dumps({**answer, "key": key}))
        elif "boom" in said:
            error = {"error": {"message": "boom", "type": "server_error"}}
            self.send(500, "application/json", json.dumps(error))
        elif body.get("stream"):
            events = list(STREAMS[self.path](body))
            named = "".join(f"event: {event.get('type', 'chunk')}\ndata: {json.dumps(event)}\n\n" for event in events)
            plain = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
            stream = plain if "chat" in self.path else named
            self.send(200, "text/event-stream", stream[:-100] if "cut" in said else stream)
        else:
            self.send(200, "application/json", json.dumps(WHOLE[self.path](body)))

    def send(self, status, content_type, text, **headers):
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", content_type)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(data)))
        # A client that waits no longer has closed its connection.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.end_headers()
            self.wfile.write(data)


class Provider(ThreadingHTTPServer):
    # As many as any test opens at once.
    request_queue_size = 256


@contextmanager
def serve():
    """The provider while it answers, with its number of calls at each path, their bodies, and the number of connections."""
    server = Provider(("127.0.0.1", 0), Handler)
    server.has_ended = threading.Event()
    server.calls = Counter()
    server.connections = 0
    server.bodies = []
    server.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.has_ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
