"""An MCP server as plain as the specification lets it be; the fixtures beside it change one thing each. No SDK, Python alone."""
import json
import sys


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(request, result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def refuse(request, code, message):
    send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


def notify(method, params):
    send({"jsonrpc": "2.0", "method": method, "params": params})


def text(text):
    return {"content": [{"type": "text", "text": text}]}


def hello(request, version=None):
    answer(request, {
        "protocolVersion": version or request["params"]["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "plain-python", "version": "1.0.0"},
    })


def serve(**changed):
    """Serves until stdin ends. Handlers by the last word of the method, in place of the usual ones."""
    handlers = {
        "initialize": hello,
        "ping": lambda request: answer(request, {}),
        "list": lambda request: answer(request, {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
        "call": lambda request: answer(request, text(json.dumps(request["params"]["arguments"]))),
        **changed,
    }
    for line in sys.stdin:
        message = json.loads(line)
        handler = handlers.get(message.get("method", "").split("/")[-1])
        if handler:
            handler(message)
        elif "id" in message and "method" in message:
            refuse(message, -32601, "Method not found")
