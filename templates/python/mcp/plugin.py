#!/usr/bin/env python3
"""plugin-name: an MCP server. Your tools come first; the protocol below them can stay as it is.

Print to stderr alone: stdout belongs to the protocol.
"""
import json
import os
import sys
import threading

NAME = "plugin-name"
VERSION = "0.1.0"
INSTRUCTIONS = "Greets people."


def greet(call, name):
    call.progress(1, 2, "thinking of something nice")
    return f"Hello, {name}!"


TOOLS = {
    "greet": {
        "handler": greet,
        "description": "Greets somebody by name.",
        "inputSchema": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "Who is greeted"}},
            "required": ["name"],
        },
        "annotations": {"readOnlyHint": True},
    }
}

# From here on: JSON-RPC 2.0, a line for each message.

VERSIONS = ["2025-06-18", "2025-03-26", "2024-11-05"]
writing = threading.Lock()
running = {}


class Call:
    """One use of a tool, and what it may do while it runs."""

    def __init__(self, request_id, token):
        self.request_id = request_id
        self.token = token
        self.cancelled = threading.Event()

    def progress(self, progress, total=None, message=None):
        if self.token is None:
            return
        params = {"progressToken": self.token, "progress": progress, "total": total, "message": message}
        notify("notifications/progress", {key: value for key, value in params.items() if value is not None})

    def run(self, tool, arguments):
        try:
            result = content(tool["handler"](self, **arguments))
        except Exception as problem:
            result = content(str(problem) or type(problem).__name__, is_error=True)
        running.pop(self.request_id, None)
        # Nobody waits for a call that was cancelled.
        if not self.cancelled.is_set():
            answer(self.request_id, result)


def content(value, is_error=False):
    text = value if isinstance(value, str) else json.dumps(value)
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def problem_of(schema, arguments):
    """What is wrong with arguments, as far as names and types tell; None when nothing is."""
    kinds = {"string": str, "boolean": bool, "integer": int, "number": (int, float), "object": dict, "array": list}
    for name in schema.get("required", []):
        if name not in arguments:
            return f"{name} is missing"
    for name, value in arguments.items():
        known = schema["properties"].get(name)
        if known is None:
            return f"{name} is unknown"
        if not isinstance(value, kinds[known["type"]]):
            return f"{name} has to be of type {known['type']}"
    return None


def initialize(request_id, params):
    asked = params.get("protocolVersion")
    answer(
        request_id,
        {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": NAME, "version": VERSION},
            "instructions": INSTRUCTIONS,
        },
    )


def list_tools(request_id, params):
    if params.get("cursor") is not None:
        # All tools are on one page, so that no cursor was ever given out.
        return refuse(request_id, -32602, f"Unknown cursor: {params['cursor']}")
    hidden = ("handler",)
    tools = [
        {"name": name, **{key: value for key, value in tool.items() if key not in hidden}}
        for name, tool in TOOLS.items()
    ]
    answer(request_id, {"tools": tools})


def call_tool(request_id, params):
    tool, arguments = TOOLS.get(str(params.get("name"))), params.get("arguments") or {}
    if tool is None:
        return refuse(request_id, -32602, f"Unknown tool: {params.get('name')}")
    if not isinstance(arguments, dict):
        return refuse(request_id, -32602, "The arguments have to be an object.")
    problem = problem_of(tool["inputSchema"], arguments)
    if problem is not None:
        # As an answer, so that the model reads it and tries again.
        return answer(request_id, content(f"{params['name']}: {problem}.", is_error=True))
    meta = params.get("_meta")
    call = Call(request_id, meta.get("progressToken") if isinstance(meta, dict) else None)
    running[request_id] = call
    # In the background, so that pings and cancellations are heard.
    threading.Thread(target=call.run, args=(tool, arguments), daemon=True).start()


def cancelled(request_id, params):
    call = running.get(params.get("requestId"))
    if call is not None:
        call.cancelled.set()


METHODS = {
    "initialize": initialize,
    "ping": lambda request_id, params: answer(request_id, {}),
    "tools/list": list_tools,
    "tools/call": call_tool,
    "notifications/cancelled": cancelled,
}


def handle(line):
    try:
        message = json.loads(line)
    except ValueError:
        return refuse(None, -32700, "Parse error")
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return refuse(None, -32600, "Invalid Request")
    request_id, params = message.get("id"), message.get("params") or {}
    method = METHODS.get(message["method"])
    if method is not None and isinstance(params, dict):
        method(request_id, params)
    elif request_id is not None:
        code, problem = (-32601, "Method not found") if method is None else (-32602, "Invalid params")
        refuse(request_id, code, f"{problem}: {message['method']}")


def answer(request_id, result):
    if request_id is not None:
        send({"jsonrpc": "2.0", "id": request_id, "result": result})


def refuse(request_id, code, message):
    send({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}})


def notify(method, params):
    send({"jsonrpc": "2.0", "method": method, "params": params})


def send(message):
    with writing:
        sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
        sys.stdout.buffer.flush()


def main():
    for line in sys.stdin.buffer:
        if line.strip():
            handle(line)
    # What still runs gets to its end, for a host that only closed its side.
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(5)
    with writing:
        os._exit(0)


if __name__ == "__main__":
    main()
