#!/usr/bin/env python3
"""plugin-name: an extractor for YAMS. What it extracts comes first; the protocol below it can stay as it is.

Print to stderr alone: stdout belongs to the protocol.
"""
import base64
import csv
import io
import json
import os
import sys
import threading
from pathlib import Path

NAME = "plugin_name"
VERSION = "0.1.0"
DESCRIPTION = "Text from tables in CSV files."
FORMATS = ["text/csv"]
EXTENSIONS = [".csv"]


def extract_text(content, config, options):
    """From the bytes of a file to what can be searched, and metadata about it."""
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))
    except UnicodeDecodeError as problem:
        raise Failure(-32000, f"Extraction failed: {problem}", reason="NotUtf8", recoverable=False) from None
    text = "\n".join(" ".join(row) for row in rows)
    return text, {"rows": str(len(rows)), "columns": str(max(map(len, rows), default=0))}


class Failure(Exception):
    """Raise it to fail with a code: -32000 failed, -32001 unsupported, -32002 timeout."""

    def __init__(self, code, message, **data):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


def invalid(message):
    return Failure(-32602, message, reason="InvalidParams")


# From here on: JSON-RPC 2.0, a line for each message, and batches.

# YAMS ends a plugin that is still there so long after plugin.shutdown.
END_SECONDS = 5
writing = threading.Lock()
extracting = threading.Lock()


class Plugin:
    def __init__(self):
        self.config = None
        self.is_over = False
        self.methods = {
            "handshake.manifest": self.manifest,
            "plugin.init": self.init,
            "plugin.health": self.health,
            "plugin.shutdown": self.shutdown,
            "extractor.supports": self.supports,
            "extractor.extract": self.extract,
        }

    def manifest(self, params):
        return {
            "name": NAME,
            "version": VERSION,
            "description": DESCRIPTION,
            "interfaces": ["content_extractor_v1"],
            "capabilities": {"content_extraction": {"formats": FORMATS, "extensions": EXTENSIONS}},
        }

    def init(self, params):
        # YAMS itself sends the configuration bare, its specification wraps it.
        config = params.get("config", params)
        if not isinstance(config, dict):
            raise invalid("The config has to be an object.")
        self.config = config
        return {"status": "initialized", "config_applied": config}

    def health(self, params):
        return {"status": "ok", "started": self.config is not None}

    def shutdown(self, params):
        self.is_over = True

    def supports(self, params):
        if not (params.get("mime_type") or params.get("extension")):
            raise invalid("mime_type, extension or both have to be given.")
        if not takes(params):
            return {"supported": False, "confidence": 0.0}
        return {"supported": True, "confidence": 1.0, "method": "csv"}

    def extract(self, params):
        if self.config is None:
            message = "Plugin not initialized. Call plugin.init first."
            raise Failure(-32003, message, reason="NotInitialized", required_method="plugin.init")
        options = params.get("options") or {}
        if not isinstance(options, dict):
            raise invalid("The options have to be an object.")
        content, extension = read(params.get("source"))
        kind = {"extension": extension, **options}
        if any(kind.get(key) for key in ("mime_type", "extension")) and not takes(kind):
            raise Failure(
                -32001,
                f"Unsupported file format: {kind.get('mime_type') or kind.get('extension')}",
                reason="UnsupportedFormat",
                mime_type=kind.get("mime_type"),
                extension=kind.get("extension"),
                supported_formats=FORMATS,
            )
        with extracting:
            text, metadata = extract_text(content, self.config, options)
        # `content` is what the specification calls it, `text` what YAMS itself reads.
        return {"success": True, "content": text, "text": text, "metadata": metadata}

    def answer_line(self, line):
        """The response, a list of them for a batch, or None where none is expected."""
        try:
            message = json.loads(line)
        except ValueError:
            return response(None, error={"code": -32700, "message": "Parse error"})
        if not isinstance(message, list) or not message:
            return self.answer(message)
        replies = [reply for reply in map(self.answer, message) if reply is not None]
        return replies or None

    def answer(self, message):
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return response(None, error={"code": -32600, "message": "Invalid Request"})
        ending = self.ending(message["method"], message.get("params") or {})
        return response(message["id"], **ending) if "id" in message else None

    def ending(self, method, params):
        handler = self.methods.get(method)
        if handler is None:
            error = {"code": -32601, "message": f"Method not found: {method}", "data": {"method": method}}
            return {"error": error}
        if not isinstance(params, dict):
            return {"error": invalid(f"The params of {method} have to be an object.").error}
        try:
            return {"result": handler(params)}
        except Failure as failure:
            return {"error": failure.error}
        except Exception as problem:
            return {"error": {"code": -32603, "message": f"{type(problem).__name__}: {problem}"}}


def takes(kind):
    return kind.get("mime_type") in FORMATS or str(kind.get("extension")).lower() in EXTENSIONS


def read(source):
    """The bytes, and the extension of the file where there is one."""
    if not isinstance(source, dict):
        raise invalid('The source has to be {"type": "path", "path": …} or {"type": "bytes", "data": …}.')
    try:
        if source.get("type") == "bytes":
            return base64.b64decode(source["data"], validate=True), None
        path = Path(source["path"])
        return path.read_bytes(), path.suffix
    except (KeyError, TypeError, ValueError) as problem:
        raise invalid(f"The source cannot be read: {problem}") from None
    except OSError as problem:
        raise Failure(-32000, f"Extraction failed: {problem}", reason="Unreadable") from None


def response(request_id, **ending):
    return {"jsonrpc": "2.0", "id": request_id, **ending}


def take(plugin, line):
    reply = plugin.answer_line(line)
    if reply is not None:
        with writing:
            sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
            sys.stdout.buffer.flush()


def main():
    """Extractions run in the background, one at a time, so that health is answered meanwhile. At the end they are finished."""
    plugin, workers = Plugin(), []
    for line in sys.stdin.buffer:
        if b"extractor.extract" in line:
            workers.append(threading.Thread(target=take, args=(plugin, line), daemon=True))
            workers[-1].start()
        elif line.strip():
            take(plugin, line)
        if plugin.is_over:
            break
    for worker in workers:
        worker.join(END_SECONDS if plugin.is_over else None)
    with writing:
        os._exit(0)


if __name__ == "__main__":
    main()
