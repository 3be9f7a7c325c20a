# Well behaved: makes and checks files in the workdir of a task. Written from the specification, on Python's own library.
import json
import os
import sys

FILE = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}
MANIFEST = {
    "name": "files",
    "version": "1.0.0",
    "protocolVersion": "0.0.1",
    "description": "Makes and checks files",
    "requires": [{"command": "python3"}],
    "operations": {
        "create": {"description": "Create a file", "params": FILE},
        "exists": {"description": "Check that a file is there", "params": FILE},
        "tell": {"description": "Tell what came", "params": True},
    },
}
config = None


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def create(args, context):
    send(method="log", params={"level": "info", "message": "Creating " + args["file"]})
    text = args.get("text", "")
    with open(os.path.join(context["workdir"], args["file"]), "w", encoding="utf-8") as file:
        file.write(text)
    size = str(len(text.encode("utf-8")))
    return {"success": True, "message": "Created " + args["file"], "outputs": {"size": size}}


def exists(args, context):
    if os.path.exists(os.path.join(context["workdir"], args["file"])):
        return {"success": True, "message": args["file"] + " is there"}
    error = args["file"] + " is not in " + context["workdir"]
    return {"success": False, "message": "Not found", "error": error, "outputs": {"looked": "1"}}


def tell(args, context):
    values = {"args": args, "context": context, "config": config}
    return {"success": True, "outputs": {name: json.dumps(value) for name, value in values.items()}}


OPERATIONS = {"create": create, "exists": exists, "tell": tell}


def execute(params):
    name = params.get("operation")
    if not isinstance(name, str):
        return {"error": {"code": -32600, "message": "operation is missing"}}
    if name not in OPERATIONS:
        return {"error": {"code": -32601, "message": "Unknown operation: " + name}}
    args = params.get("args") or {}
    if name != "tell" and not isinstance(args.get("file"), str):
        return {"error": {"code": -32602, "message": "file is required"}}
    return {"result": OPERATIONS[name](args, params["context"])}


sys.stdin.reconfigure(encoding="utf-8")
sys.stdout.reconfigure(encoding="utf-8")
for line in sys.stdin:
    try:
        message = json.loads(line)
    except ValueError:
        send(id=None, error={"code": -32700, "message": "Parse error"})
        continue
    ident, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method == "initialize":
        if params.get("protocolVersion") != "0.0.1":
            send(id=ident, error={"code": -32602, "message": "unsupported protocol version"})
            continue
        config = params.get("config")
        send(id=ident, result=MANIFEST)
    elif method == "execute":
        send(id=ident, **execute(params))
    elif method == "shutdown":
        print("goodbye", file=sys.stderr)
        send(id=ident, result={})
        break
    else:
        send(id=ident, error={"code": -32601, "message": "Unknown method: " + str(method)})
