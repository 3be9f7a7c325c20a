# Leaves out "jsonrpc" and gives ids back as strings.
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": str(request["id"]), "result": {"status": "ok", "text": "fine"}}), flush=True)
