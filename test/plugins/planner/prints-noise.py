# Prints between its messages, in all the ways that people print.
import json
import sys

print("Loading model...")
for line in sys.stdin:
    request = json.loads(line)
    print("thinking about", request["method"])
    print("{not json}")
    sys.stdout.write("50%\r\n\n")
    message = {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "Method not found"}}
    if request["method"] == "execute_task":
        message = {"id": request["id"], "result": {"output": {"code": "done", "score": float("nan")}}}
    print(json.dumps(message), flush=True)
