"""The example of the specification, as it stands there, with something to search in."""
from gassist_sdk import Plugin

plugin = Plugin("my-plugin", version="1.0.0")


@plugin.command("search_web")
def search_web(query: str, context: list = None):
    """Search the web for information."""
    plugin.stream("Searching...")
    results = do_search(query)
    return {"results": results}


@plugin.command("get_weather")
def get_weather(location: str):
    """Get weather for a location."""
    return get_weather_data(location)


def do_search(query):
    return [f"All about {query}"]


def get_weather_data(location):
    if location == "Atlantis":
        raise LookupError("Atlantis is under water")
    return f"Rain in {location}"


@plugin.command("on_input")
def on_input(content: str):
    return f"You said {content}"


if __name__ == "__main__":
    plugin.run()
