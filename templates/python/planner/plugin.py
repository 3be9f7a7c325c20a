#!/usr/bin/env python3
"""plugin-name: a planner and executor. What it plans and does comes first; the protocol below it can stay as it is.

Print to stderr alone: stdout belongs to the protocol.
"""
import ast
import json
import sys
import threading
import time

NAME = "plugin-name"
VERSION = "0.1.0"
DESCRIPTION = "Plans one task for each sentence, and counts words."


def create_plan(user_request, current_state, constraints):
    """Breaks a request down into tasks, each with what has to be done before it."""
    sentences = [part.strip() for part in user_request.split(".") if part.strip()]
    tasks = []
    for number, sentence in enumerate(sentences[: constraints.get("max_tasks", 10)], start=1):
        before = [tasks[-1]["id"]] if tasks else []
        tasks.append(
            {
                "id": f"task_{number:03}",
                "type": "analysis",
                "description": sentence,
                "dependencies": before,
                "priority": number,
            }
        )
    explanation = f"{len(tasks)} tasks, one for each sentence, in their order."
    return {"tasks": tasks, "estimated_time_seconds": len(tasks), "explanation": explanation}


def execute_task(task, task_type, prompt, context, options):
    """Does one task. What it says before the end is streamed."""
    if task_type != "analysis":
        raise Failure(f"This executor knows analysis, not {task_type}.", suggestions=["Ask for an analysis."])
    words = prompt.split()
    for word in words:
        task.stream(f"{word} ")
    return {"code": str(len(words)), "explanation": f"The prompt has {len(words)} words."}


def validate_code(code, language, rules):
    """Looks for what is wrong with code; an empty list when nothing is."""
    if language != "python":
        raise Failure(f"This executor validates python, not {language}.", suggestions=["Give python code."])
    try:
        ast.parse(code)
    except SyntaxError as problem:
        where = {"line": problem.lineno or 1, "column": problem.offset or 1}
        return [{"rule": "syntax", **where, "severity": "error", "message": str(problem.msg)}]
    return []


def update_context(action, context_type, data):
    """Hears what was added, removed or modified around the work."""


class Failure(Exception):
    """Raise it when a task cannot be done; suggestions say what would help."""

    def __init__(self, details, code=-32000, kind="EXECUTION_ERROR", suggestions=()):
        super().__init__(details)
        data = {"type": kind, "details": details, "recovery_suggestions": list(suggestions)}
        self.error = {"code": code, "message": "Execution failed", "data": data}


# From here on: JSON-RPC 2.0, a line for each message, and batches.

writing = threading.Lock()


class Task:
    """One task, and what it says before its end."""

    def __init__(self, request_id):
        self.stream_id = f"stream_{request_id}"
        self.request_id = request_id
        self.chunks = 0

    def stream(self, chunk):
        if self.chunks == 0:
            notify("stream_start", {"stream_id": self.stream_id, "task_id": self.request_id})
        self.chunks += 1
        notify("stream_data", {"stream_id": self.stream_id, "chunk": chunk, "sequence": self.chunks})

    def end(self):
        if self.chunks > 0:
            notify("stream_end", {"stream_id": self.stream_id, "total_chunks": self.chunks})


def field(params, name, kind, default=None):
    """A field of the params; without a default it is required."""
    value = params.get(name, default)
    if not isinstance(value, kind):
        raise Refusal(-32602, f"Invalid params: {name} has to be of type {kind.__name__}.")
    return value


class Refusal(Exception):
    """What the other end did wrong."""

    def __init__(self, code, message):
        super().__init__(message)
        data = {"type": "PARSE_ERROR", "details": message, "recovery_suggestions": []}
        self.error = {"code": code, "message": message, "data": data}


def answer_discover(request_id, params):
    methods = [name for name in METHODS if not name.startswith("rpc.")]
    about = {"name": NAME, "version": VERSION, "description": DESCRIPTION}
    wire = {"gzip": False, "batch": True, "auth": False}
    return {**about, "roles": ["planner", "executor"], "methods": methods, **wire}


def answer_plan(request_id, params):
    state, constraints = field(params, "current_state", dict, {}), field(params, "constraints", dict, {})
    return {"plan": create_plan(field(params, "user_request", str), state, constraints)}


def answer_task(request_id, params):
    task_type, prompt = field(params, "task_type", str), field(params, "prompt", str)
    context, options = field(params, "context", dict, {}), field(params, "options", dict, {})
    task, started = Task(request_id), time.monotonic()
    try:
        output = execute_task(task, task_type, prompt, context, options)
    finally:
        task.end()
    return {
        "status": "success",
        "output": {"code": "", "explanation": "", "files_modified": [], "files_created": [], **output},
        "metadata": {"execution_time_ms": round((time.monotonic() - started) * 1000)},
    }


def answer_validation(request_id, params):
    code, language = field(params, "code", str), field(params, "language", str, "python")
    findings = validate_code(code, language, field(params, "rules", list, []))
    return {"valid": not findings, "findings": findings}


def answer_update(request_id, params):
    action, context_type = field(params, "action", str), field(params, "context_type", str)
    if action not in ("add", "remove", "modify") or context_type not in ("file", "dependency", "state"):
        raise Refusal(-32602, f"Invalid params: nothing is known of {action} {context_type}.")
    update_context(action, context_type, field(params, "data", dict))
    return {"status": "ok"}


METHODS = {
    "rpc.discover": answer_discover,
    "create_plan": answer_plan,
    "execute_task": answer_task,
    "validate_code": answer_validation,
    "update_context": answer_update,
}


def answer(message):
    """The response, or None where none is expected."""
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return response(None, error=Refusal(-32600, "Invalid Request").error)
    ending = ending_of(message["method"], message.get("id"), message.get("params") or {})
    return response(message["id"], **ending) if "id" in message else None


def ending_of(method, request_id, params):
    handler = METHODS.get(method)
    if handler is None:
        return {"error": Refusal(-32601, f"Method not found: {method}").error}
    if not isinstance(params, dict):
        return {"error": Refusal(-32602, "Invalid params: an object is needed.").error}
    try:
        return {"result": handler(request_id, params)}
    except (Failure, Refusal) as problem:
        return {"error": problem.error}
    except Exception as problem:
        return {"error": Failure(f"{type(problem).__name__}: {problem}", code=-32603).error}


def answer_line(line):
    try:
        message = json.loads(line)
    except ValueError:
        return send(response(None, error=Refusal(-32700, "Parse error").error))
    if isinstance(message, list) and message:
        replies = [reply for reply in map(answer, message) if reply is not None]
        return send(replies) if replies else None
    reply = answer(message)
    if reply is not None:
        send(reply)


def response(request_id, **ending):
    return {"jsonrpc": "2.0", "id": request_id, **ending}


def notify(method, params):
    send({"jsonrpc": "2.0", "method": method, "params": params})


def send(message):
    with writing:
        sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
        sys.stdout.buffer.flush()


def main():
    """Several tasks at once; when stdin ends, all that was asked is done."""
    workers = []
    for line in sys.stdin.buffer:
        if line.strip():
            worker = threading.Thread(target=answer_line, args=(line,), daemon=True)
            worker.start()
            workers = [other for other in workers if other.is_alive()] + [worker]
    for worker in workers:
        worker.join(30)


if __name__ == "__main__":
    main()
