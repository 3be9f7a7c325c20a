"""A plugin of G-Assist V1: reads whatever comes and answers in JSON that ends with a mark."""
import json
import sys

while True:
    data = sys.stdin.buffer.read1(65536)
    if not data:
        break
    sys.stdout.write(json.dumps({"success": True, "message": "initialized"}) + "<<END>>")
    sys.stdout.flush()
