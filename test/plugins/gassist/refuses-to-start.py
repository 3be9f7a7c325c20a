"""Answers initialize with an error."""
from wire import send, serve

serve(initialize=lambda params, id: send({"id": id, "error": {"code": -32603, "message": "no API key"}}))
