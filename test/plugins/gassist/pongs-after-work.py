"""Has one thread: a ping waits until the function is done. The file that its argument names lets it be done."""
import os
import time

from wire import notify, serve


def execute(params, id):
    notify("stream", {"request_id": id, "data": "working"})
    while not os.path.exists(params["arguments"]["file"]):
        time.sleep(0.01)
    notify("complete", {"request_id": id, "success": True, "data": " done"})


serve(execute=execute)
