"""Writes NaN and leaves out what JSON-RPC asks for, as hand-written servers do."""
import plain_server


def call(request):
    plain_server.send({"id": str(request["id"]), "error": None, "result": {"content": [], "structuredContent": {"mean": float("nan")}}})


plain_server.serve(call=call)
