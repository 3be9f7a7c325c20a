"""Prints to stdout before, between and after its messages."""
import sys

from wire import MANNERS, notify, serve


def chatty(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def initialize(params, id):
    chatty("Loading the model: 100%|##########|\n")
    MANNERS["initialize"](params, id)


def execute(params, id):
    chatty("DEBUG {'function': 'work'}\n")
    notify("stream", {"request_id": id, "data": "one "})
    chatty("é" * 1000 + "\n")
    notify("complete", {"request_id": id, "success": True, "data": "two"})
    chatty("done\n")


serve(initialize=initialize, execute=execute)
