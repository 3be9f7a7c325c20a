"""A gevals host that behaves like the real one: strict about ids, deaf to lines of 64 KiB and more, careless about the context.

usage: gevals_host.py SCRIPT COMMAND...
SCRIPT is JSON: {"config": {...}, "steps": [{"operation": "...", "args": ..., "agent": {...}}]}.
Prints what it saw, as JSON: the manifest, the end of each step with the logs before it, the goodbye and the exit code.
"""

import json
import subprocess
import sys

SCANNER_LIMIT = 65536


class Host:
    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.last_id = 0

    def request(self, method, params):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.wait_for(self.last_id)

    def wait_for(self, wanted):
        logs = []
        while True:
            line = self.process.stdout.readline()
            if line == b"":
                raise SystemExit("the extension closed its stdout")
            if len(line.rstrip(b"\n")) >= SCANNER_LIMIT:
                raise SystemExit("bufio.Scanner: token too long (%d bytes)" % len(line))
            message = json.loads(line)
            if message.get("jsonrpc") != "2.0":
                raise SystemExit("no JSON-RPC: %r" % line[:200])
            if "method" in message:
                if "id" in message or message["method"] != "log":
                    raise SystemExit("an extension only logs: %r" % line[:200])
                logs.append(message["params"])
            # A string is never the id of anything: the real host decodes into an integer.
            elif type(message["id"]) is int and message["id"] == wanted:
                return {"logs": logs, **{key: message[key] for key in ("result", "error") if key in message}}
            else:
                raise SystemExit("an answer to nobody: %r" % line[:200])


def main():
    script = json.loads(sys.argv[1])
    host = Host(sys.argv[2:])
    hello = {"protocolVersion": "0.0.1"}
    if "config" in script:
        hello["config"] = script["config"]
    seen = {"manifest": host.request("initialize", hello), "steps": []}
    for step in script["steps"]:
        context = {"workdir": "/task", "phase": ""}
        if "agent" in step:
            context["agent"] = step["agent"]
        params = {"operation": step["operation"], "args": step.get("args"), "context": context}
        seen["steps"].append(host.request("execute", params))
    seen["goodbye"] = host.request("shutdown", {})
    seen["exitCode"] = host.process.wait()
    seen["stderr"] = host.process.stderr.read().decode()
    json.dump(seen, sys.stdout)


main()
