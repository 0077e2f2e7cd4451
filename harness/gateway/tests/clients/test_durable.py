"""No byte of an answer leaves before its record is durable: the system calls of a gateway, in their order."""

import re
import threading
from time import sleep

import openai

from conftest import AXILOG, SPEED, Gateway

CLIENTS = 8
CALLS = 25
TRACED = "trace=write,writev,sendto,sendmsg,fsync,fdatasync"


class Order:
    """What a trace says of the markers in answers: which records are durable, and which answers were sent."""

    def __init__(self, trace):
        self.durable, self.sent, self.early = set(), set(), set()
        recorded, syncing = set(), {}
        for line in trace.splitlines():
            thread, call = line.split(maxsplit=1)
            is_ledger = "default.jsonl>" in call
            if call.startswith(("fsync(", "fdatasync(")) and is_ledger:
                # A sync makes durable what was written before it began.
                syncing[thread] = set(recorded)
            elif not re.match(r"<\.\.\. f(data)?sync resumed>", call):
                markers = set(re.findall(r"marker-\d+-\d+", call))
                if is_ledger:
                    recorded |= markers
                elif "TCP" in call:
                    self.sent |= markers
                    self.early |= markers - self.durable
            if call.endswith("= 0") and thread in syncing:
                self.durable |= syncing.pop(thread)


def test_an_answer_that_is_sent_too_early_is_noticed():
    write = '7 write(3<ledgers/default.jsonl>, "marker-1-1", 10) = 10\n'
    sync = "7 fdatasync(3<ledgers/default.jsonl>) = 0\n"
    begun = "8 fdatasync(3<ledgers/default.jsonl> <unfinished ...>\n"
    ended = "8 <... fdatasync resumed>) = 0\n"
    send = '9 writev(4<TCP:[a->b]>, "marker-1-1", 10) = 10\n'
    assert Order(write + sync + send).early == set()
    assert Order(write + begun + ended + send).early == set()
    for early in (write + send + sync, send, write + begun + send + ended, begun + write + ended + send):
        assert Order(early).early == {"marker-1-1"}


def test_an_answer_is_sent_after_its_record_is_synced(provider, tmp_path):
    gateway = Gateway(tmp_path, provider.base_url, SPEED)
    trace = tmp_path / "trace"
    # The gateway is the child of this process, and its tracer stands aside.
    tracer = ["strace", "-D", "-f", "-yy", "-s", "100000", "-e", TRACED, "-o", str(trace)]
    gateway.spawn([*tracer, AXILOG, "gateway", "serve", "gateway.toml", "--json"])
    failed = []

    def ask(number):
        client = openai.OpenAI(base_url=gateway.base_url, api_key="sk-0123456789")
        for call in range(CALLS):
            messages = [{"role": "user", "content": f"echo {number}-{call}"}]
            if call % 2 == 0:
                said = client.chat.completions.create(model="model-1", messages=messages)
                said = said.choices[0].message.content
            else:
                # Its text comes in pieces, none of which is a marker; its record has one.
                pieces = client.chat.completions.create(model="model-1", messages=messages, stream=True)
                said = "".join(piece.choices[0].delta.content or "" for piece in pieces)
            if f"marker-{number}-{call}" not in said:
                failed.append((number, call, said))

    clients = [threading.Thread(target=ask, args=(number,)) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    process = gateway.process.pid
    gateway.audit()
    while not re.search(rf"^{process} +\+\+\+ exited", trace.read_text(errors="replace"), re.MULTILINE):
        sleep(0.1)

    order = Order(trace.read_text(errors="replace"))
    assert failed == []
    assert order.early == set()
    assert len(order.durable) == CLIENTS * CALLS
    assert len(order.sent) == CLIENTS * -(-CALLS // 2)
