# Finds at setup that a program is not there, and says so as the specification does.
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "handshake.manifest":
        reply["result"] = {"name": "misses", "version": "1.0.0", "interfaces": []}
    else:
        reply["error"] = {
            "code": -32603,
            "message": "Ghidra not found.",
            "data": {"reason": "DependencyMissing", "dependency": "ghidra", "env_var": "GHIDRA_INSTALL_DIR"},
        }
    print(json.dumps(reply), flush=True)
