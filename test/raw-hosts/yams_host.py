"""A YAMS host that behaves like the real one, in plain Python and without our code.

    yams_host.py PLAN PLUGIN...

PLAN is JSON: { "config", "files": [{ "path", "mime_type", "extension" }], "calls": [[method, params]], "patience" }.
PLUGIN is the command of a plugin, or a folder with a yams-plugin.json. What the host saw is printed as one JSON object.

Like the real host: compact JSON with the keys id, jsonrpc, method, params; params left out when there are none; the config is the params
of plugin.init; files are sent as base64; a standalone plugin is first asked for its manifest by a process of its own, without init; the
manifest on disk wins; answers that come late are dropped by their id; health has to be "ok".
"""

import base64
import json
import os
import queue
import signal
import subprocess
import sys
import threading

QUICK_S = 3
EXTRACT_S = 300
STOP_S = 5


class Refused(Exception):
    pass


class Plugin:
    def __init__(self, command, cwd, patience):
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.patience = patience
        self.next_id = 1
        self.lines = queue.Queue()
        self.stderr = []
        self.noise = []
        self.dropped = []
        self.readers = [
            threading.Thread(target=self._read_stdout, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def _read_stdout(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _read_stderr(self):
        for line in self.process.stderr:
            self.stderr.append(line.decode("utf-8", "replace").rstrip("\n"))

    def send(self, method, params=None):
        request = {"id": self.next_id, "jsonrpc": "2.0", "method": method}
        if params is not None:
            request["params"] = params
        self.next_id += 1
        text = json.dumps(request, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        self.process.stdin.write(text.encode("utf-8") + b"\n")
        self.process.stdin.flush()
        return request["id"]

    def receive(self, wanted, limit_s):
        while True:
            try:
                line = self.lines.get(timeout=limit_s * self.patience)
            except queue.Empty:
                raise Refused("no answer within %d s" % limit_s)
            if line is None:
                raise Refused("the plugin is gone")
            try:
                message = json.loads(line)
            except ValueError:
                self.noise.append(line.decode("utf-8", "replace"))
                continue
            if message.get("jsonrpc") != "2.0":
                raise Refused("no JSON-RPC: %r" % message)
            if message.get("id") != wanted:
                self.dropped.append(message.get("id"))
                continue
            if "error" in message:
                error = message["error"]
                return {"error": error}
            if "result" not in message:
                raise Refused("no result: %r" % message)
            return {"result": message["result"]}

    def call(self, method, params=None, limit_s=QUICK_S):
        return self.receive(self.send(method, params), limit_s)

    def stop(self):
        """The goodbye, the end of the input, SIGTERM, SIGKILL: gives what it took and the exit code."""
        try:
            answer = self.call("plugin.shutdown")
        except (Refused, BrokenPipeError) as refused:
            answer = {"refused": str(refused)}
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        how = "left by itself"
        for step in (None, signal.SIGTERM, signal.SIGKILL):
            if step is not None:
                how = step.name
                os.killpg(self.process.pid, step)
            try:
                self.process.wait(STOP_S * self.patience)
                break
            except subprocess.TimeoutExpired:
                continue
        for reader in self.readers:
            reader.join(STOP_S * self.patience)
        return {"answer": answer, "how": how, "exit_code": self.process.returncode}


def entry_of(folder):
    with open(os.path.join(folder, "yams-plugin.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    entry = manifest["entry"]
    command = entry.get("fallback_cmd") or entry["cmd"]
    return manifest, [word.replace("${plugin_dir}", folder) for word in command]


def probe(command, cwd, patience):
    plugin = Plugin(command, cwd, patience)
    manifest = plugin.call("handshake.manifest")
    return manifest, plugin.stop()


def text_of(result):
    """As the real host reads it: an error that is not null, then text, then content."""
    if result.get("error") is not None:
        raise Refused(str(result["error"]))
    text = result["text"] if "text" in result else result["content"]
    if not isinstance(text, str):
        raise Refused("the text is %r" % text)
    return text


def extract(plugin, file):
    with open(file["path"], "rb") as content:
        data = base64.b64encode(content.read()).decode("ascii")
    options = {key: file[key] for key in ("extension", "mime_type") if key in file}
    answer = plugin.call(
        "extractor.extract", {"source": {"type": "bytes", "data": data}, "options": options}, EXTRACT_S
    )
    if "result" in answer:
        answer["text"] = text_of(answer["result"])
    return answer


def main():
    plan = json.loads(sys.argv[1])
    command = sys.argv[2:]
    patience = plan.get("patience", 1)
    seen = {}
    if len(command) == 1 and os.path.isdir(command[0]):
        cwd = os.path.abspath(command[0])
        on_disk, command = entry_of(cwd)
        seen["on_disk"] = on_disk
    else:
        cwd, on_disk = None, {}
        seen["probe"], seen["probe_end"] = probe(command, cwd, patience)

    plugin = Plugin(command, cwd, patience)
    told = plugin.call("handshake.manifest")
    seen["manifest"] = {**told.get("result", {}), **on_disk}
    seen["init"] = plugin.call("plugin.init", plan.get("config"))
    seen["health"] = plugin.call("plugin.health")
    seen["files"] = [extract(plugin, file) for file in plan.get("files", [])]
    seen["calls"] = [plugin.call(method, params) for method, params in plan.get("calls", [])]
    if plan.get("impatient"):
        # Nobody waits for this one: its answer comes while another is waited for, and is dropped.
        plugin.send(*plan["impatient"])
        seen["after_impatience"] = plugin.call(*plan["impatient"])
    seen["end"] = plugin.stop()
    seen["noise"] = plugin.noise
    seen["dropped"] = plugin.dropped
    seen["stderr"] = plugin.stderr
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
