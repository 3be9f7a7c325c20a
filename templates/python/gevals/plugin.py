#!/usr/bin/env python3
"""plugin-name: an extension for gevals. Its operations come first; the protocol below them can stay as it is.

Print to stderr alone: stdout belongs to the protocol.
"""
import json
import re
import sys
import threading
from pathlib import Path

NAME = "plugin-name"
VERSION = "0.1.0"
DESCRIPTION = "Greets people, and looks at files."


def greet(args, context, log):
    log("info", f"greeting {args['name']}")
    greeting = f"Hello, {args['name']}!"
    return {"message": greeting, "outputs": {"greeting": greeting}}


def file_exists(args, context, log):
    file = Path(context.get("workdir") or ".", args["file"])
    if not file.exists():
        raise Failure(f"{args['file']} is not there", outputs={"path": str(file)})
    return {"message": f"{args['file']} is there", "outputs": {"path": str(file)}}


OPERATIONS = {
    "greet": {
        "handler": greet,
        "description": "Greets somebody by name",
        "params": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "Who is greeted"}},
            "required": ["name"],
        },
    },
    "file-exists": {
        "handler": file_exists,
        "description": "Verifies that a file of the task is there",
        "params": {
            "type": "object",
            "properties": {"file": {"type": "string", "description": "Its path in the folder of the task"}},
            "required": ["file"],
        },
    },
}


class Failure(Exception):
    """Raise it when an operation did its work and the answer is no."""

    def __init__(self, error, outputs=None):
        super().__init__(error)
        self.outputs = outputs or {}


# From here on: JSON-RPC 2.0, a line for each message.

PROTOCOL_VERSION = "0.0.1"
# A longer line is the end of real hosts.
LINE_BYTES = 65_535
TEXT_MAX = 8000


class Refusal(Exception):
    """What the host did wrong."""

    def __init__(self, code, message):
        super().__init__(message)
        self.error = {"code": code, "message": message}


def initialize(params):
    version = params.get("protocolVersion")
    if version != PROTOCOL_VERSION:
        raise Refusal(-32602, f"This extension speaks version {PROTOCOL_VERSION}, not {version}.")
    operations = {
        name: {"description": operation["description"], "params": operation["params"]}
        for name, operation in OPERATIONS.items()
    }
    return {
        "name": NAME,
        "version": VERSION,
        "protocolVersion": PROTOCOL_VERSION,
        "description": DESCRIPTION,
        "operations": operations,
    }


def execute(params):
    name, args, context = params.get("operation"), params.get("args") or {}, params.get("context") or {}
    operation = OPERATIONS.get(str(name))
    if operation is None:
        raise Refusal(-32601, f"Unknown operation: {name}")
    if not isinstance(args, dict) or not isinstance(context, dict):
        raise Refusal(-32602, "args and context have to be objects.")
    check(name, operation["params"], args)
    try:
        told = within(seconds_in(context.get("timeout")), lambda: operation["handler"](args, context, log))
        return {"success": True, "message": cut(told["message"]), "outputs": shortened(told.get("outputs", {}))}
    except Failure as failure:
        return {
            "success": False,
            "message": f"{name} failed",
            "error": cut(str(failure)),
            "outputs": shortened(failure.outputs),
        }


def within(limit, work):
    """What the work gives or raises, unless it takes longer than the host allows."""
    ended = []

    def attempt():
        try:
            ended.append((work(), None))
        except Exception as problem:
            ended.append((None, problem))

    worker = threading.Thread(target=attempt, daemon=True)
    worker.start()
    worker.join(limit)
    if not ended:
        raise Refusal(-32001, f"It took longer than {limit} s.")
    result, problem = ended[0]
    if problem is not None:
        raise problem
    return result


UNITS = {"h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def seconds_in(duration):
    """Of a text such as 1h30m or 100ms; None where there is none."""
    parts = re.findall(r"([0-9.]+)(h|ms|m|s|us|µs|ns)", str(duration or ""))
    return sum(float(number) * UNITS[unit] for number, unit in parts) if parts else None


def check(name, schema, args):
    kinds = {"string": str, "boolean": bool, "integer": int, "number": (int, float), "object": dict, "array": list}
    for key in schema.get("required", []):
        if key not in args:
            raise Refusal(-32602, f"{name}: {key} is missing.")
    for key, value in args.items():
        known = schema["properties"].get(key)
        if known is None:
            raise Refusal(-32602, f"{name}: {key} is unknown.")
        if not isinstance(value, kinds[known["type"]]):
            raise Refusal(-32602, f"{name}: {key} has to be of type {known['type']}.")


def log(level, message, data=None):
    params = {"level": level, "message": cut(message), **({} if data is None else {"data": data})}
    send({"jsonrpc": "2.0", "method": "log", "params": params})


def cut(text):
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]} ... ({len(text)} characters)"


def shortened(outputs):
    """Outputs are strings."""
    return {key: cut(str(value)) for key, value in outputs.items()}


METHODS = {"initialize": initialize, "execute": execute, "shutdown": lambda params: {}}


def answer(line):
    """The response, or None where none is expected."""
    try:
        message = json.loads(line)
    except ValueError:
        return response(None, error={"code": -32700, "message": "Parse error"})
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return response(None, error={"code": -32600, "message": "Invalid request"})
    ending = ending_of(message["method"], message.get("params") or {})
    # The line of a notification has nobody who waits for an answer.
    return response(message["id"], **ending) if message.get("id") is not None else None


def ending_of(method, params):
    handler = METHODS.get(method)
    if handler is None:
        return {"error": {"code": -32601, "message": f"Unknown method: {method}"}}
    if not isinstance(params, dict):
        return {"error": {"code": -32602, "message": f"The params of {method} have to be an object."}}
    try:
        return {"result": handler(params)}
    except Refusal as refusal:
        return {"error": refusal.error}
    except Exception as problem:
        return {"error": {"code": -32603, "message": cut(f"{type(problem).__name__}: {problem}")}}


def response(request_id, **ending):
    return {"jsonrpc": "2.0", "id": request_id, **ending}


def send(message):
    line = json.dumps(message).encode()
    if len(line) > LINE_BYTES:
        problem = {"code": -32603, "message": f"An answer of {len(line)} bytes is over the limit of {LINE_BYTES}."}
        line = json.dumps(response(message.get("id"), error=problem)).encode()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def main():
    """When stdin ends, all that was asked is done: `echo '{…}' | python3 plugin.py` works."""
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        reply = answer(line)
        if reply is not None:
            send(reply)
        if is_shutdown(line):
            break


def is_shutdown(line):
    try:
        return json.loads(line)["method"] == "shutdown"
    except (ValueError, TypeError, KeyError):
        return False


if __name__ == "__main__":
    main()
