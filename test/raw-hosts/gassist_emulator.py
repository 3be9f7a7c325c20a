"""An engine for G-Assist plugins that behaves like the official emulator, written from the specification and from what
the emulator is known to do. It starts the program given after --, does what the lines on stdin say, and prints a report.

A step is a line of JSON: {"do": "initialize"}, {"do": "execute", "function": …, "arguments": …}, {"do": "input", "content": …},
{"do": "shutdown"}, {"do": "end"} (closes stdin), or any {"do": "send", "message": …}.
"""
import argparse
import json
import queue
import struct
import subprocess
import sys
import threading
import time

MESSAGE_MAX = 10 * 1024 * 1024


class Engine:
    def __init__(self, options):
        self.options = options
        # stderr comes mixed into stdout: whoever prints there breaks the frames.
        self.process = subprocess.Popen(
            options.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        )
        self.sending = threading.Lock()
        self.numbering = threading.Lock()
        self.next_id = 1
        self.pending = {}
        self.text = ""
        self.keeps_session = False
        self.last_sign = time.monotonic()
        self.transcript = []
        self.problems = []
        self.pings = set()
        self.pongs = 0
        self.ending = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.pinger = threading.Thread(target=self.ping, daemon=True)
        self.reader.start()

    # What is sent

    def send(self, message):
        body = json.dumps(message).encode()
        with self.sending:
            self.transcript.append({"from": "engine", "message": message})
            try:
                self.process.stdin.write(struct.pack(">I", len(body)) + body)
            except OSError:
                self.problems.append(f"the plugin does not read {message.get('method')}")

    def ask(self, method, params, waiting):
        """`waiting` gets to know the id before the plugin does."""
        with self.numbering:
            id = self.next_id
            self.next_id += 1
        waiting(id)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def request(self, method, params, seconds):
        """Waits for whatever ends the request; the text is all that was streamed and what came with the end."""
        self.text = ""
        answers = queue.Queue()
        id = self.ask(method, params, lambda id: self.pending.update({id: answers}))
        until = time.monotonic() + seconds
        try:
            while True:
                try:
                    return answers.get(timeout=0.05)
                except queue.Empty:
                    silence = time.monotonic() - self.last_sign
                    if silence > self.options.heartbeat:
                        self.problems.append(f"no sign of life for {self.options.heartbeat} s during {method}")
                        self.last_sign = time.monotonic()
                    if time.monotonic() > until:
                        self.problems.append(f"{method} did not end within {seconds} s")
                        return {"ok": False, "timeout": True}
                    if self.process.poll() is not None and answers.empty():
                        self.reader.join()
                        if answers.empty():
                            return {"ok": False, "exited": self.process.returncode}
        finally:
            self.pending.pop(id, None)

    def ping(self):
        while not self.ending.wait(self.options.ping_every):
            if self.process.poll() is None:
                self.ask("ping", {"timestamp": int(time.time() * 1000)}, self.pings.add)

    # What comes

    def read(self):
        while True:
            header = self.exactly(4)
            if header is None:
                return
            length = struct.unpack(">I", header)[0]
            if length > MESSAGE_MAX:
                self.problems.append(f"no frame begins with {header!r}")
                continue
            body = self.exactly(length)
            if body is None:
                self.problems.append("a frame ends before its length")
                return
            try:
                message = json.loads(body.decode())
            except ValueError:
                self.problems.append(f"no JSON: {body[:80]!r}")
                continue
            self.transcript.append({"from": "plugin", "message": message})
            self.receive(message)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.process.stdout.read(count - len(data))
            if not piece:
                if data:
                    self.problems.append(f"the output ends with {data[:80]!r}")
                return None
            data += piece
        return data

    def receive(self, message):
        if message.get("jsonrpc") != "2.0":
            self.problems.append(f"no JSON-RPC: {message}")
            return
        self.last_sign = time.monotonic()
        if "method" in message:
            self.notified(message["method"], message.get("params", {}))
        else:
            self.answered(message)

    def answered(self, message):
        result = message.get("result")
        if isinstance(result, dict) and "timestamp" in result:
            # Whatever has this key is a pong.
            if message["id"] not in self.pings:
                self.problems.append(f"taken for a pong: {message}")
            self.pings.discard(message["id"])
            self.pongs += 1
        elif isinstance(result, dict) and result.get("acknowledged"):
            pass
        elif message["id"] in self.pending:
            # The text and the session of a response are lost here, and the message of an error too.
            error = message.get("error") or {}
            answer = {"ok": "error" not in message, "text": self.text, "result": result, "code": error.get("code")}
            self.pending[message["id"]].put(answer)
        else:
            self.problems.append(f"nobody waits for {message}")

    def notified(self, method, params):
        if method == "stream":
            self.add(method, params.get("data", ""))
        elif method == "complete":
            if not self.add(method, params.get("data", "")):
                return
            self.keeps_session = params.get("keep_session", False)
            self.end({"ok": params.get("success", True), "text": self.text, "keep_session": self.keeps_session})
        elif method == "error":
            self.keeps_session = False
            self.end({"ok": False, "text": params.get("message", "Unknown error"), "code": params.get("code", -1)})
        elif method != "log":
            self.problems.append(f"unknown notification {method}")

    def add(self, method, data):
        if not isinstance(data, str):
            # The emulator fails here, and whoever waits for the end waits for ever.
            self.problems.append(f"the data of {method} is no text: {json.dumps(data)[:80]}")
            return False
        self.text += data
        return True

    def end(self, answer):
        """It does not look at request_id: whoever waits gets it."""
        for answers in list(self.pending.values()):
            answers.put(answer)

    # What the steps say

    def do(self, step):
        kind = step["do"]
        if kind == "initialize":
            answer = self.request(
                "initialize", {"protocol_version": "2.0", "engine_version": "1.0.0"}, self.options.execute_seconds
            )
            self.pinger.start()
            return answer
        if kind == "execute":
            params = {key: step[key] for key in ("function", "arguments", "context", "system_info") if key in step}
            return self.request("execute", params, self.options.execute_seconds)
        if kind == "input":
            if not self.keeps_session:
                return {"ok": False, "text": "Plugin not awaiting input"}
            params = {"content": step["content"], "timestamp": int(time.time() * 1000)}
            return self.request("input", params, self.options.execute_seconds)
        if kind == "shutdown":
            self.ending.set()
            return self.request("shutdown", {}, self.options.shutdown_seconds)
        if kind == "send":
            return self.send(step["message"])
        if kind == "end":
            self.ending.set()
            return self.process.stdin.close()
        raise ValueError(f"unknown step {kind}")

    def stop(self):
        self.ending.set()
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(self.options.exit_seconds)
        except subprocess.TimeoutExpired:
            self.problems.append("the plugin did not exit by itself")
            self.process.kill()
            self.process.wait()
        self.reader.join()
        return self.process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ping-every", type=float, default=2)
    parser.add_argument("--heartbeat", type=float, default=5)
    parser.add_argument("--execute-seconds", type=float, default=30)
    parser.add_argument("--shutdown-seconds", type=float, default=5)
    parser.add_argument("--exit-seconds", type=float, default=2)
    parser.add_argument("command", nargs="+")
    engine = Engine(parser.parse_args())
    answers = [engine.do(json.loads(line)) for line in sys.stdin if line.strip()]
    exit_code = engine.stop()
    report = {
        "answers": answers,
        "exit_code": exit_code,
        "problems": engine.problems,
        "pongs": engine.pongs,
        "transcript": engine.transcript,
    }
    print(json.dumps(report))


main()
