"""The deeds of deeds.mjs in plain Python, for an executor: a thread for each request, since many may be under way."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

DEEDS = ["echo", "wait", "flood", "crash", "hang", "spawn", "print"]
writing = threading.Lock()


def write(stream, text):
    with writing:
        stream.buffer.write(text.encode())
        stream.buffer.flush()


def send(message):
    write(sys.stdout, json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def act(deed, params):
    if deed == "wait":
        time.sleep(params.get("ms", 0) / 1000)
    elif deed == "flood":
        write(sys.stderr, ("x" * 1023 + "\n") * (params.get("bytes", 0) // 1024))
    elif deed == "print":
        write(sys.stdout, "a print that is no message\n" * 5)
    elif deed == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif deed == "hang":
        threading.Event().wait()
    elif deed == "spawn":
        # In a session of its own, as a daemon would be, and deaf to SIGTERM.
        program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"
        nothing = subprocess.DEVNULL
        command = [sys.executable, "-c", program]
        subprocess.Popen(command, start_new_session=True, stdin=nothing, stdout=nothing, stderr=nothing)
    return params.get("text", "")


def discover():
    tools = [{"name": deed, "description": "to " + deed, "input_schema": {"type": "object"}} for deed in DEEDS]
    about = {"name": "chaos", "version": "1.0.0", "roles": ["executor"], "methods": ["execute_task", *DEEDS]}
    return {**about, "tools": tools, "gzip": False, "batch": False, "auth": False}


def answer(message):
    request_id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method == "rpc.discover":
        send({"id": request_id, "result": discover()})
    elif method in DEEDS or method == "execute_task":
        code = act(method, params)
        output = {"code": code, "explanation": "", "files_modified": [], "files_created": []}
        send({"id": request_id, "result": {"status": "success", "output": output, "metadata": {}}})
    elif request_id is not None:
        send({"id": request_id, "error": {"code": -32601, "message": "no " + str(method)}})


def main():
    for line in sys.stdin.buffer:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
    with writing:
        os._exit(0)


main()
