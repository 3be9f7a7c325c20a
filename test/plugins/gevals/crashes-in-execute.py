# Panics in an operation: a trace on stderr, then exit code 2.
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "execute":
        print("panic: runtime error: index out of range", file=sys.stderr)
        sys.exit(2)
    manifest = {"name": "fixture", "version": "1", "protocolVersion": "0.0.1", "operations": {"run": {"params": True}}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": manifest}), flush=True)
