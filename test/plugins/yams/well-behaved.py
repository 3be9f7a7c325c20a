# The plugin of the specification's Python example, with as much of an SDK around it as it needs.
import json
import sys


class RpcError(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message, "data": data}


def rpc(name):
    def mark(function):
        function.rpc_name = name
        return function
    return mark


class BasePlugin:
    def __init__(self):
        marked = (getattr(self, name) for name in dir(self))
        self.handlers = {handler.rpc_name: handler for handler in marked if hasattr(handler, "rpc_name")}

    @rpc("handshake.manifest")
    def _manifest(self):
        return self.manifest()

    @rpc("plugin.init")
    def init(self, config=None):
        self.config = config or {}
        return {"status": "ok"}

    @rpc("plugin.health")
    def health(self):
        return {"status": "ok", "started": True}

    @rpc("plugin.shutdown")
    def shutdown(self):
        self.running = False
        return {"status": "ok"}

    def answer(self, line):
        request = json.loads(line)
        reply = {"jsonrpc": "2.0", "id": request.get("id")}
        try:
            handler = self.handlers.get(request["method"])
            if handler is None:
                raise RpcError(-32601, "Method not found: " + request["method"])
            reply["result"] = handler(**request.get("params", {}))
        except RpcError as problem:
            reply["error"] = problem.error
        except TypeError as problem:
            reply["error"] = {"code": -32602, "message": str(problem)}
        except Exception as problem:
            reply["error"] = {"code": -32603, "message": str(problem)}
        return reply

    def run(self):
        self.running = True
        for line in sys.stdin:
            print(json.dumps(self.answer(line), ensure_ascii=False), flush=True)
            if not self.running:
                break


class MyExtractor(BasePlugin):
    def manifest(self):
        return {"name": "my_extractor", "version": "1.0.0", "interfaces": ["content_extractor_v1"]}

    @rpc("extractor.supports")
    def supports(self, mime_type=None, extension=None):
        return {"supported": extension == ".myformat"}

    @rpc("extractor.extract")
    def extract(self, source, options=None):
        with open(source["path"], encoding="utf-8") as file:
            text = file.read()
        return {"success": True, "content": text, "metadata": {}}

    @rpc("text.upper")
    def upper(self, text):
        return {"text": text.upper()}


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    MyExtractor().run()
