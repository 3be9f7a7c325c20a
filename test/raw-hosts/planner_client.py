"""A host of planners and executors written from the specification and docs/dialects/planner.md, and strict about both.

usage: planner_client.py SCRIPT COMMAND...
SCRIPT is JSON:
  {"secret": "...", "gzip": true, "executor": {"chunks": ["..."], "result": {...}}, "steps": [...]}
With a secret, all that is said is signed, and all that is heard has to be. With gzip, what is large is packed. With an executor, tasks that a
planner sends up its pipe are done as told there. Steps are done in their order:
  {"request": METHOD, "params": {...}}          waits for the answer; "id" where it matters, "auth": "none", "wrong", "stale" or "again"
  {"batch": [{"method", "params", "id"?}, ...]} sends an array, and waits for all answers; without an id it is a notification
  {"together": [{"method", "params"}, ...]}     sends one line each, and waits for all answers
  {"line": "..."}                               sends that as it is, and waits for an answer to nobody
{"repeat": TEXT, "times": NUMBER} in params stands for a text that is too long for a command line.
Prints what it saw, as JSON: an entry for each step, what the plugin asked for, and its exit code.

usage: planner_client.py --sign VECTORS
Prints the canonical JSON and the signature of each vector of {"secret", "timestamp", "message"}, as JSON.
"""

import base64
import decimal
import gzip
import hashlib
import hmac
import json
import subprocess
import sys
import tempfile
import time

MESSAGE_LIMIT = 1_000_000
REPLAY_WINDOW_S = 300


def canonical(value):
    """RFC 8785: members in the order of their UTF-16, no blanks, numbers as ECMAScript writes them."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{%s}" % ",".join("%s:%s" % (canonical(name), canonical(value[name])) for name in names)
    if isinstance(value, list):
        return "[%s]" % ",".join(map(canonical, value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def number(value):
    sign, digits, exponent = decimal.Decimal(repr(value)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if value == 0:
        return "0"
    if len(text) <= point <= 21:
        text = text.ljust(point, "0")
    elif 0 < point <= 21:
        text = "%s.%s" % (text[:point], text[point:])
    elif -6 < point <= 0:
        text = "0.%s%s" % ("0" * -point, text)
    else:
        fraction = ".%s" % text[1:] if len(text) > 1 else ""
        text = "%s%se%+d" % (text[0], fraction, point - 1)
    return "-%s" % text if sign else text


def signature(message, timestamp, secret):
    text = "%d.%s" % (timestamp, canonical(message))
    return base64.b64encode(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()).decode()


def packed(value):
    return {"gzip": base64.b64encode(gzip.compress(json.dumps(value).encode())).decode()}


def expanded(value):
    if isinstance(value, dict) and list(value) == ["repeat", "times"]:
        return value["repeat"] * value["times"]
    if isinstance(value, dict):
        return {name: expanded(part) for name, part in value.items()}
    return [expanded(part) for part in value] if isinstance(value, list) else value


class Stream:
    def __init__(self, task_id):
        self.task_id = task_id
        self.chunks = []
        self.is_over = False


class Client:
    def __init__(self, command, script):
        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr
        )
        self.secret = script.get("secret")
        self.gzip = script.get("gzip", False)
        self.executor = script.get("executor")
        self.last_id = 0
        self.last_auth = None
        self.streams = {}
        self.asked = []
        self.answers = {}
        self.to_nobody = []
        self.packed_ids = set()
        self.array_ids = set()

    # What is said.

    def next_id(self):
        self.last_id += 1
        return self.last_id

    def sealed(self, message, auth="right"):
        """Packed where it is large, signed where there is a secret."""
        message = {"jsonrpc": "2.0", **message}
        if self.gzip and len(json.dumps(message)) >= MESSAGE_LIMIT:
            part = "params" if "params" in message else "result"
            message[part] = packed(message[part])
        if self.secret is None or auth == "none":
            return message
        timestamp = int(time.time()) - (2 * REPLAY_WINDOW_S if auth == "stale" else 0)
        secret = "another" if auth == "wrong" else self.secret
        return {**message, "auth": {"timestamp": timestamp, "signature": signature(message, timestamp, secret)}}

    def write(self, message):
        line = json.dumps(message).encode()
        if len(line) >= MESSAGE_LIMIT:
            raise SystemExit("a message of %d bytes is not sent" % len(line))
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, step):
        request_id = step.get("id", self.next_id())
        message = {"method": step["request"], "id": request_id}
        if "params" in step:
            message["params"] = step["params"]
        line = self.sealed(message, step.get("auth", "right"))
        self.write(line)
        seen = self.ending_of(request_id)
        if step.get("auth") == "again":
            self.write(line)
            seen = self.ending_of(request_id)
        return seen

    def batch(self, requests):
        messages = []
        for request in requests:
            one = {"method": request["method"], "params": request["params"]}
            if "id" in request:
                one["id"] = request["id"]
            messages.append(self.sealed(one))
        self.write(messages)
        ids = [request["id"] for request in requests if "id" in request]
        return {"answers": [self.ending_of(request_id) for request_id in ids]}

    def together(self, requests):
        ids = []
        for request in requests:
            ids.append(self.next_id())
            self.write(self.sealed({"id": ids[-1], "method": request["method"], "params": request["params"]}))
        return {"answers": [self.ending_of(request_id) for request_id in ids]}

    def line(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()
        while not self.to_nobody:
            self.hear()
        return self.to_nobody.pop()

    # What is heard.

    def ending_of(self, request_id):
        while request_id not in self.answers:
            self.hear()
        seen = self.answers.pop(request_id)
        streams = [stream for stream in self.streams.values() if stream.task_id == request_id]
        if any(not stream.is_over for stream in streams):
            raise SystemExit("the answer came before the end of its stream")
        seen["streamed"] = ["".join(stream.chunks) for stream in streams]
        if request_id in self.packed_ids:
            seen["wasPacked"] = True
        if request_id in self.array_ids:
            seen["wasInArray"] = True
        return seen

    def hear(self):
        line = self.process.stdout.readline()
        if line == b"":
            self.stderr.seek(0)
            raise SystemExit("it closed its stdout: %s" % self.stderr.read().decode()[-2000:])
        if len(line) > MESSAGE_LIMIT:
            raise SystemExit("a message of %d bytes" % len(line))
        message = json.loads(line)
        for one in message if isinstance(message, list) else [message]:
            self.take(one, isinstance(message, list))

    def take(self, message, is_in_array):
        self.verify(message)
        if message.pop("jsonrpc", None) != "2.0":
            raise SystemExit("no JSON-RPC: %r" % message)
        message = self.unpacked(message)
        if "method" not in message:
            self.take_answer(message, is_in_array)
        elif "id" in message:
            self.take_request(message)
        else:
            self.take_notice(message["method"], message["params"])

    def verify(self, message):
        auth = message.pop("auth", None)
        if self.secret is None:
            if auth is not None:
                raise SystemExit("signed with a secret that nobody has")
            return
        if auth is None or abs(time.time() - auth["timestamp"]) > REPLAY_WINDOW_S:
            raise SystemExit("not signed, or long ago: %r" % message)
        if auth["signature"] != signature(message, auth["timestamp"], self.secret):
            raise SystemExit("a wrong signature: %r" % message)

    def unpacked(self, message):
        for part in ("params", "result"):
            value = message.get(part)
            if isinstance(value, dict) and list(value) == ["gzip"]:
                if not self.gzip:
                    raise SystemExit("packed, though nobody said that it is understood")
                message[part] = json.loads(gzip.decompress(base64.b64decode(value["gzip"], validate=True)))
                self.packed_ids.add(message.get("id"))
        return message

    def take_answer(self, message, is_in_array):
        request_id = message.pop("id")
        if ("result" in message) == ("error" in message):
            raise SystemExit("neither a result nor an error, or both: %r" % message)
        if request_id is None:
            self.to_nobody.append(message)
            return
        if is_in_array:
            self.array_ids.add(request_id)
        self.answers[request_id] = message

    def take_notice(self, method, params):
        stream_id = params["stream_id"]
        if method == "stream_start":
            if stream_id in self.streams:
                raise SystemExit("the stream %s begins twice" % stream_id)
            self.streams[stream_id] = Stream(params["task_id"])
            return
        stream = self.streams[stream_id]
        if stream.is_over:
            raise SystemExit("the stream %s goes on after its end" % stream_id)
        if method == "stream_data":
            stream.chunks.append(params["chunk"])
            if params["sequence"] != len(stream.chunks):
                raise SystemExit("chunk %d has the sequence %r" % (len(stream.chunks), params["sequence"]))
        elif method == "stream_end":
            stream.is_over = True
            if params["total_chunks"] != len(stream.chunks):
                raise SystemExit("%d chunks, total_chunks %r" % (len(stream.chunks), params["total_chunks"]))
        else:
            raise SystemExit("no such notification: %s" % method)

    def take_request(self, message):
        """A planner sends execute_task up its pipe: that is the direction of the specification."""
        request_id, method = message["id"], message["method"]
        self.asked.append({"method": method, "params": message["params"]})
        if self.executor is None or method != "execute_task":
            error = {"code": -32601, "message": "Method not found"}
            self.write(self.sealed({"id": request_id, "error": error}))
            return
        stream_id = "up_%s" % request_id
        chunks = self.executor["chunks"]
        self.write(self.sealed({"method": "stream_start", "params": {"stream_id": stream_id, "task_id": request_id}}))
        for sequence, chunk in enumerate(chunks, start=1):
            params = {"stream_id": stream_id, "chunk": chunk, "sequence": sequence}
            self.write(self.sealed({"method": "stream_data", "params": params}))
        params = {"stream_id": stream_id, "total_chunks": len(chunks)}
        self.write(self.sealed({"method": "stream_end", "params": params}))
        self.write(self.sealed({"id": request_id, "result": self.executor["result"]}))


def sign(vectors):
    return [
        {"canonical": canonical(one["message"]), "signature": signature(one["message"], one["timestamp"], one["secret"])}
        for one in vectors
    ]


def main():
    if sys.argv[1] == "--sign":
        json.dump(sign(json.loads(sys.argv[2])), sys.stdout)
        return
    script = expanded(json.loads(sys.argv[1]))
    client = Client(sys.argv[2:], script)
    seen = []
    for step in script["steps"]:
        if "request" in step:
            seen.append(client.request(step))
        elif "batch" in step:
            seen.append(client.batch(step["batch"]))
        elif "together" in step:
            seen.append(client.together(step["together"]))
        else:
            seen.append(client.line(step["line"]))
    client.process.stdin.close()
    left = client.process.stdout.read().decode()
    json.dump({"seen": seen, "asked": client.asked, "left": left, "exitCode": client.process.wait()}, sys.stdout)


main()
