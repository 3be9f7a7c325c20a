#!/usr/bin/env python3
"""An MCP server that knows the time, on Python alone: one JSON-RPC message a line comes on stdin, one a line goes to stdout."""
import json
import sys
from datetime import date, datetime, timedelta, timezone

VERSIONS = ["2025-11-25", "2025-06-18"]


def now(hours_from_utc=0):
    """What time it is, so many hours from UTC."""
    zone = timezone(timedelta(hours=hours_from_utc))
    return datetime.now(zone).strftime("%A, %d %B %Y, %H:%M:%S %z")


def days_between(first, second):
    """How many days there are from one date to another."""
    days = (date.fromisoformat(second) - date.fromisoformat(first)).days
    return f"{days} days"


DAY = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$", "description": "Such as 2026-11-17"}
TOOLS = {
    "now": (now, {"hours_from_utc": {"type": "number", "minimum": -12, "maximum": 14}}, []),
    "days_between": (days_between, {"first": DAY, "second": DAY}, ["first", "second"]),
}


def listed(name):
    work, properties, required = TOOLS[name]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    hints = {"readOnlyHint": True, "openWorldHint": False}
    return {"name": name, "description": work.__doc__, "inputSchema": schema, "annotations": hints}


def initialize(params):
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "clock", "version": "1.0.0"},
    }


def tools(params):
    if params.get("cursor") is not None:
        raise LookupError("All tools are on one page: there is no such cursor.")
    return {"tools": [listed(name) for name in TOOLS]}


def call(params):
    name = params.get("name")
    if not isinstance(name, str) or name not in TOOLS:
        raise LookupError(f"Unknown tool: {name}")
    try:
        return {"content": [{"type": "text", "text": TOOLS[name][0](**(params.get("arguments") or {}))}]}
    except (TypeError, ValueError, OverflowError) as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}


METHODS = {
    "initialize": initialize,
    "ping": lambda params: {},
    "tools/list": tools,
    "tools/call": call,
}


def answer(message):
    method, params = message.get("method"), message.get("params") or {}
    if method not in METHODS:
        return {"error": {"code": -32601, "message": "Method not found"}}
    if not isinstance(params, dict):
        return {"error": {"code": -32602, "message": "The params have to be an object"}}
    try:
        return {"result": METHODS[method](params)}
    except LookupError as error:
        return {"error": {"code": -32602, "message": str(error)}}


def main():
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            reply = {"id": None, "error": {"code": -32700, "message": "Parse error"}}
        elif "id" not in message or "method" not in message:
            continue
        else:
            reply = {"id": message["id"], **answer(message)}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **reply}) + "\n")
        sys.stdout.flush()


main()
