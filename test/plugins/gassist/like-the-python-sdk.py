"""Does as plugins on the official SDK for Python do: no capabilities, one message after the other, what is no JSON and params that
are no object logged and passed over, and SIGTERM noticed with the next message."""
import json
import signal
import struct
import sys

running = True


def stop(*_):
    global running
    running = False


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(struct.pack(">I", len(body)) + body)
    sys.stdout.buffer.flush()


def take(id, method, params):
    if method == "ping":
        send({"id": id, "result": {"timestamp": params.get("timestamp")}})
    elif method == "initialize":
        about = {"name": "like-the-python-sdk", "version": "1.0.0", "description": "Greets", "protocol_version": "2.0"}
        send({"id": id, "result": {**about, "commands": [{"name": "get_greeting", "description": "Greets"}]}})
    elif method == "execute":
        name = params.get("function", "")
        if name != "get_greeting":
            send({"id": id, "error": {"code": -32601, "message": f"Unknown command: {name}"}})
            return
        send({"method": "complete", "params": {"request_id": id, "success": True, "data": "Hello!", "keep_session": False}})
    elif method == "input":
        send({"id": id, "result": {"acknowledged": True}})
        data = params.get("content", "")
        send({"method": "complete", "params": {"request_id": id, "success": True, "data": data, "keep_session": False}})
    elif method == "shutdown":
        stop()
    elif method and id is not None:
        send({"id": id, "error": {"code": -32601, "message": f"Method not found: {method}"}})


signal.signal(signal.SIGTERM, stop)
while running:
    # Blocked between the reads: a signal then is noticed with the next message too, whatever the machine's speed.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    head = sys.stdin.buffer.read(4)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    if len(head) < 4:
        break
    body = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
    try:
        message = json.loads(body)
        take(message.get("id"), message.get("method", ""), message.get("params") or {})
    except Exception as error:
        print(f"Protocol error: {error}", file=sys.stderr)
