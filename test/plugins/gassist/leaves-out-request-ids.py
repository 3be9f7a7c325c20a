"""Names no request in its notifications, and leaves out params where they would be empty."""
from wire import answer, notify, serve


def execute(params, id):
    notify("stream", {"data": "work "})
    notify("stream")
    notify("complete", {"success": True, "data": "done"})


def on_input(params, id):
    answer(id, {"acknowledged": True})
    notify("complete")


serve(execute=execute, input=on_input)
