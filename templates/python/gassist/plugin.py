#!/usr/bin/env python3
"""plugin-name: a plugin for G-Assist. Your functions come first; the protocol below them can stay as it is.

Never print: stdout belongs to the protocol, and the engine reads stderr as a part of it. Use call.log instead.
"""
import inspect
import json
import os
import struct
import sys
import threading

NAME = "plugin-name"
VERSION = "0.1.0"
DESCRIPTION = "Greets people, and repeats what they say."


def greet(call, name: str):
    """Greets somebody by name."""
    call.stream("One moment ... ")
    return f"Hello, {name}!"


def chat(call):
    """Repeats what you say, until you say bye."""
    call.keep_session = True
    return "Say something; bye ends it."


def on_input(call, content: str):
    """Gets what the user says while a session is kept."""
    call.keep_session = content.strip() != "bye"
    return f"You said: {content}" if call.keep_session else "Bye!"


FUNCTIONS = {"greet": greet, "chat": chat}


class Failure(Exception):
    """Raise it to fail with a code: -1 your own, -2 timeout, -3 rate limited."""

    def __init__(self, message, code=-1):
        super().__init__(message)
        self.code = code


# From here on: JSON-RPC 2.0, each message behind its length as four bytes, big-endian.

MESSAGE_BYTES = 10 * 1024 * 1024
# The engine waits no longer for the end of a call.
CALL_SECONDS = 30
writing = threading.Lock()
session = threading.Event()


class Call:
    """One use of a function, and what it may do while it runs."""

    def __init__(self, request_id):
        self.request_id = request_id
        self.keep_session = False

    def stream(self, text):
        self.notify("stream", {"data": text})

    def log(self, message, level="info"):
        notify("log", {"level": level, "message": message})

    def notify(self, method, params):
        notify(method, {"request_id": self.request_id, **params})

    def run(self, function, arguments):
        """Ends with one message: complete, or error."""
        try:
            check(function, arguments)
            result = function(self, **arguments)
            text = result if isinstance(result, str) else json.dumps(result)
            ending = {"success": True, "data": text, "keep_session": self.keep_session}
            (session.set if self.keep_session else session.clear)()
            self.notify("complete", ending)
        except Exception as problem:
            session.clear()
            code = problem.code if isinstance(problem, Failure) else -1
            self.notify("error", {"code": code, "message": str(problem) or type(problem).__name__})


def check(function, arguments):
    if not isinstance(arguments, dict):
        raise Failure(f"The arguments of {function.__name__} have to be an object.", -32602)
    try:
        inspect.signature(function).bind(None, **arguments)
    except TypeError as problem:
        raise Failure(f"{function.__name__}: {problem}.", -32602) from None
    for name, kind in function.__annotations__.items():
        if name in arguments and not isinstance(arguments[name], kind):
            raise Failure(f"{function.__name__}: {name} has to be a {kind.__name__}.", -32602)


def in_background(call, function, arguments):
    """So that pings are answered while it runs."""
    threading.Thread(target=call.run, args=(function, arguments), daemon=True).start()


def initialize(request_id, params):
    version = params.get("protocol_version", "2.0")
    if not str(version).startswith("2."):
        return refuse(request_id, -32602, f"This plugin speaks version 2.0, not {version}.")
    commands = [{"name": name, "description": inspect.getdoc(function)} for name, function in FUNCTIONS.items()]
    answer(
        request_id,
        {
            "name": NAME,
            "version": VERSION,
            "description": DESCRIPTION,
            "protocol_version": "2.0",
            "capabilities": ["streaming", "passthrough"],
            "commands": commands,
        },
    )


def execute(request_id, params):
    name, call = params.get("function"), Call(request_id)
    if not isinstance(name, str):
        call.notify("error", {"code": -32602, "message": "The function has to be named by a string."})
    elif name not in FUNCTIONS:
        call.notify("error", {"code": -32601, "message": f"Unknown function: {name}"})
    else:
        in_background(call, FUNCTIONS[name], params.get("arguments") or {})


def user_input(request_id, params):
    answer(request_id, {"acknowledged": True})
    call = Call(request_id)
    if session.is_set():
        in_background(call, on_input, {"content": str(params.get("content", ""))})
    else:
        call.notify("error", {"code": -1, "message": "No session is kept: call a function that keeps it first."})


def shutdown(request_id, params):
    # A notification by the specification; the emulator sends an id, and waits for the answer.
    answer(request_id, {})
    end()


METHODS = {
    "initialize": initialize,
    "ping": lambda request_id, params: answer(request_id, {"timestamp": params.get("timestamp")}),
    "execute": execute,
    "input": user_input,
    "shutdown": shutdown,
}


def handle(body):
    try:
        message = json.loads(body)
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
    body = json.dumps(message).encode()
    if len(body) > MESSAGE_BYTES:
        raise Failure(f"A message of {len(body)} bytes is over the limit of {MESSAGE_BYTES}.")
    with writing:
        sys.stdout.buffer.write(struct.pack(">I", len(body)) + body)
        sys.stdout.buffer.flush()


def end():
    with writing:
        os._exit(0)


def finish():
    """Nothing more is asked: what runs gets to its end."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(CALL_SECONDS)
    end()


def main():
    wire = sys.stdin.buffer
    while True:
        header = wire.read(4)
        if len(header) < 4:
            finish()
        (length,) = struct.unpack(">I", header)
        if length <= MESSAGE_BYTES:
            handle(wire.read(length))
            continue
        while length > 0:
            length -= len(wire.read(min(length, 65536)) or end())
        refuse(None, -32600, f"A message is over the limit of {MESSAGE_BYTES} bytes.")


if __name__ == "__main__":
    main()
