"""An MCP client written from the specification, over stdio.

usage: mcp_client.py SCRIPT COMMAND...
SCRIPT is JSON: a list of steps, done in their order:
  {"request": METHOD, "params": {...}}          waits for the answer
  {"start": METHOD, "params": {...}}            does not
  {"notify": METHOD, "params": {...}}           "$started" in params stands for the id of the last start
  {"hear": METHOD}                              waits for a notification
Prints what it saw, as JSON: an entry for each request with what came before its answer, and how the server ended.
"""

import json
import subprocess
import sys


class Client:
    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.last_id = 0
        self.started = None

    def send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message})
        self.process.stdin.write(text.replace('"$started"', json.dumps(self.started)).encode() + b"\n")
        self.process.stdin.flush()

    def start(self, method, params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, **params})
        return self.last_id

    def next(self):
        line = self.process.stdout.readline()
        if line == b"":
            raise SystemExit("the server closed its stdout")
        message = json.loads(line)
        if message.pop("jsonrpc", None) != "2.0" or b"\n" in line[:-1]:
            raise SystemExit("no message: %r" % line[:200])
        return message

    def until(self, fits):
        before = []
        while True:
            message = self.next()
            if fits(message):
                return {"before": before, **message}
            before.append(message)


def main():
    client = Client(sys.argv[2:])
    seen = []
    for step in json.loads(sys.argv[1]):
        params = {"params": step["params"]} if "params" in step else {}
        if "request" in step:
            wanted = client.start(step["request"], params)
            seen.append(client.until(lambda message: message.get("id") == wanted and "method" not in message))
        elif "start" in step:
            client.started = client.start(step["start"], params)
        elif "notify" in step:
            client.send({"method": step["notify"], **params})
        else:
            seen.append(client.until(lambda message: message.get("method") == step["hear"]))
    client.process.stdin.close()
    left = client.process.stdout.read().decode()
    json.dump({"seen": seen, "left": left, "exitCode": client.process.wait()}, sys.stdout)


main()
