# What plugins in the field answer: text and error instead of success and content, error null beside a result, interfaces with
# versions, the config bare, both kinds of type needed, and prints of libraries in between.
import base64
import json
import sys


def extract(params):
    data = base64.b64decode(params["source"]["data"])
    if not data:
        return {"text": None, "metadata": {}, "error": "empty input"}
    return {"text": data.decode("utf-8"), "metadata": {"bytes": len(data)}, "error": None}


def supports(params):
    return {"supported": params["mime_type"] == "text/plain" and params["extension"] == ".txt"}


handlers = {
    "handshake.manifest": lambda params: {
        "name": "real",
        "version": "0.1",
        "interfaces": [{"id": "content_extractor_v1", "version": 1}],
        "capabilities": {"kg_entities": {"rpc_method": "kg.entities"}},
    },
    "plugin.init": lambda params: {"status": "ok"},
    "plugin.health": lambda params: {"status": "degraded", "score": float("nan")},
    "plugin.shutdown": lambda params: {"status": "ok"},
    "extractor.supports": supports,
    "extractor.extract": extract,
    "kg.entities": lambda params: {"nodes": [{"id": 1}], "has_more": False},
}

print("Loading models ...", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"progress": 50}), flush=True)
    result = handlers[request["method"]](request.get("params"))
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result, "error": None}), flush=True)
    if request["method"] == "plugin.shutdown":
        break
