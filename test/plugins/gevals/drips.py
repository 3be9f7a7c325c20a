# Writes every answer byte by byte, with CRLF at its end, the last without any line end.
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    result = {
        "initialize": {"name": "drips", "version": "1", "protocolVersion": "0.0.1", "operations": {"run": {"params": True}}},
        "execute": {"success": True, "message": "drip é drop 😀"},
        "shutdown": {},
    }[message["method"]]
    text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}, ensure_ascii=False)
    for byte in text.encode("utf-8"):
        sys.stdout.buffer.write(bytes([byte]))
        sys.stdout.buffer.flush()
    if message["method"] == "shutdown":
        break
    sys.stdout.buffer.write(b"\r\n")
    sys.stdout.buffer.flush()
