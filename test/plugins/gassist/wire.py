"""The wire of G-Assist V2 as a fixture program speaks it: the standard library alone, one thread, as the official SDK has it."""
import json
import struct
import sys


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode("utf-8")
    sys.stdout.buffer.write(struct.pack(">I", len(body)))
    sys.stdout.buffer.write(body)
    sys.stdout.buffer.flush()


def answer(id, result):
    send({"id": id, "result": result})


def notify(method, params=None):
    send({"method": method} if params is None else {"method": method, "params": params})


def read(count):
    data = b""
    while len(data) < count:
        piece = sys.stdin.buffer.read(count - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


MANNERS = {
    "initialize": lambda params, id: answer(
        id,
        {
            "name": "fixture",
            "version": "1.0.0",
            "protocol_version": "2.0",
            "commands": [{"name": "work", "description": "Works."}],
        },
    ),
    "ping": lambda params, id: answer(id, {"timestamp": params.get("timestamp")}),
    "execute": lambda params, id: notify(
        "complete", {"request_id": id, "success": True, "data": "done", "keep_session": False}
    ),
    "shutdown": lambda params, id: sys.exit(0),
}


def serve(**handlers):
    """Serves until stdin ends: with these handlers, and with good manners where there is none."""
    while True:
        (length,) = struct.unpack(">I", read(4))
        message = json.loads(read(length).decode("utf-8"))
        method = message.get("method")
        handler = handlers.get(method) or MANNERS.get(method)
        if handler:
            handler(message.get("params") or {}, message.get("id"))
