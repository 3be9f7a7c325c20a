"""Sends NaN and Infinity, which Python writes as bare words."""
from wire import notify, serve

serve(
    execute=lambda params, id: notify(
        "complete",
        {"request_id": id, "success": True, "data": {"ratio": float("nan"), "limit": float("inf"), "word": "NaN"}},
    )
)
