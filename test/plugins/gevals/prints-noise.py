# Prints to stdout before, in and after everything, as programs do whose libraries talk.
import json
import sys

print("Loading the model: 100% |##########| 42/42", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    print("DEBUG got {'method': '%s'}" % message["method"])
    print()
    result = {
        "initialize": {"name": "fixture", "version": "1", "protocolVersion": "0.0.1", "operations": {"run": {"params": True}}},
        "execute": {"success": True, "message": "done"},
        "shutdown": {},
    }[message["method"]]
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    print("[1, 2, {", flush=True)
    if message["method"] == "shutdown":
        break
