"""All that the specification asks for, and nothing else. Says that a function is unknown by a response, as the Python SDK does."""
from wire import answer, notify, send, serve


def count(params, id):
    for number in range(1, params["arguments"]["to"] + 1):
        notify("stream", {"request_id": id, "data": f"{number} "})
    return {"data": "done"}


FUNCTIONS = {
    "count": count,
    "echo": lambda params, id: {"data": params["arguments"]["value"]},
    "surroundings": lambda params, id: {
        "data": {key: params[key] for key in ("context", "system_info") if key in params}
    },
    "chat": lambda params, id: {"data": "Go on.", "keep_session": True},
    "rate_limited": lambda params, id: notify(
        "error", {"request_id": id, "code": -3, "message": "too many requests"}
    ),
    "no_such_city": lambda params, id: {"success": False, "data": "no such city"},
}


def complete(id, words):
    notify("complete", {"request_id": id, "success": True, "keep_session": False, **words})


def initialize(params, id):
    commands = [{"name": name, "description": f"The {name}"} for name in FUNCTIONS]
    answer(
        id,
        {
            "name": "well-behaved",
            "version": "1.2.3",
            "capabilities": ["streaming"],
            "commands": commands + [{"name": "on_input"}],
        },
    )


def execute(params, id):
    run = FUNCTIONS.get(params["function"])
    if run is None:
        send({"id": id, "error": {"code": -32601, "message": f"Unknown function: {params['function']}"}})
        return
    notify("log", {"level": "info", "message": f"{params['function']} begins"})
    words = run(params, id)
    if words is not None:
        complete(id, words)


def on_input(params, id):
    answer(id, {"acknowledged": True})
    notify("stream", {"request_id": id, "data": "You said "})
    complete(id, {"data": params["content"], "keep_session": params["content"] != "bye"})


serve(initialize=initialize, execute=execute, input=on_input)
