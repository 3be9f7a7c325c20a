"""Tools with progress, logs and failures, of the version 2025-06-18."""
from plain_server import answer, hello, notify, refuse, serve, text

TOOLS = [
    {"name": "reverse", "description": "Turns a text round.", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
    {"name": "steps", "description": "Does it in steps.", "inputSchema": {"type": "object"}},
]


def call(request):
    name, arguments = request["params"]["name"], request["params"]["arguments"]
    if name == "reverse":
        answer(request, text(arguments["text"][::-1]))
    elif name == "steps":
        for step in range(1, 4):
            notify("notifications/progress", {"progressToken": request["params"]["_meta"]["progressToken"], "progress": step / 3, "total": 1})
        notify("notifications/message", {"level": "warning", "logger": "steps", "data": {"taken": 3}})
        answer(request, {"content": [{"type": "text", "text": "three steps"}], "structuredContent": {"steps": 3}})
    else:
        refuse(request, -32602, f"Unknown tool: {name}")


serve(initialize=lambda request: hello(request, "2025-06-18"), list=lambda request: answer(request, {"tools": TOOLS}), call=call)
