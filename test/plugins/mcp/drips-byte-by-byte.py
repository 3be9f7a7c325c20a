"""Every answer comes in single bytes, letters of several bytes cut apart."""
import json
import os
import plain_server


def drip(message):
    for byte in json.dumps(message, ensure_ascii=False).encode() + b"\r\n":
        os.write(1, bytes([byte]))


plain_server.send = drip
plain_server.serve(call=lambda request: plain_server.answer(request, plain_server.text("é 日本 😀")))
