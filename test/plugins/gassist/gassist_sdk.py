"""A stand-in for the SDK, with what the specification says that it does. So its example runs as it stands there."""
import inspect

from wire import answer, notify, send, serve


class Plugin:
    def __init__(self, name, version):
        self.name = name
        self.version = version
        self.commands = {}
        self.active = None

    def command(self, name):
        def register(function):
            self.commands[name] = function
            return function

        return register

    def stream(self, data):
        notify("stream", {"request_id": self.active, "data": data})

    def run(self):
        serve(initialize=self._initialize, execute=self._execute, input=self._input)

    def _initialize(self, params, id):
        commands = [
            {"name": name, "description": inspect.getdoc(function)} for name, function in self.commands.items()
        ]
        answer(
            id, {"name": self.name, "version": self.version, "protocol_version": "2.0", "commands": commands}
        )

    def _execute(self, params, id):
        function = self.commands.get(params["function"])
        if function is None:
            send({"id": id, "error": {"code": -32601, "message": f"Unknown function: {params['function']}"}})
            return
        known = inspect.signature(function).parameters
        given = {**params.get("arguments", {}), **{key: params[key] for key in ("context",) if key in params}}
        self._answer(id, lambda: function(**{key: value for key, value in given.items() if key in known}))

    def _input(self, params, id):
        answer(id, {"acknowledged": True})
        self._answer(id, lambda: self.commands["on_input"](params["content"]))

    def _answer(self, id, work):
        self.active = id
        try:
            data = work()
            notify("complete", {"request_id": id, "success": True, "data": data, "keep_session": False})
        except Exception as error:
            notify("error", {"request_id": id, "code": -1, "message": str(error)})
