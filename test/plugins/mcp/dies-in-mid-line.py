"""Begins an answer and is gone."""
import os
import sys
import plain_server


def call(request):
    os.write(1, b'{"jsonrpc":"2.0","id":%d,"result":{"content":[' % request["id"])
    print("out of memory", file=sys.stderr, flush=True)
    os._exit(3)


plain_server.serve(call=call)
