# Parses every line, whatever it is: a blank one ends it with a traceback.
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    result = {"supported": True, "status": "ok", "text": line.strip()}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
