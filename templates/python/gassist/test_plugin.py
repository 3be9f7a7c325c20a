"""Run it with: python3 -m unittest"""
import json
import struct
import subprocess
import sys
import unittest
from pathlib import Path


class Engine:
    """As much of a G-Assist engine as a test needs."""

    def __init__(self):
        plugin = Path(__file__).with_name("plugin.py")
        self.process = subprocess.Popen([sys.executable, plugin], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0

    def send(self, method, params):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        body = json.dumps(message).encode()
        self.process.stdin.write(struct.pack(">I", len(body)) + body)
        self.process.stdin.flush()

    def receive(self):
        (length,) = struct.unpack(">I", self.process.stdout.read(4))
        return json.loads(self.process.stdout.read(length))

    def until_the_end(self, method, params):
        """What is streamed, and the message that ends the call."""
        self.send(method, params)
        streamed = ""
        while True:
            message = self.receive()
            if message.get("method") == "stream":
                streamed += message["params"]["data"]
            elif message.get("method") in ("complete", "error"):
                return streamed, message["params"]

    def close(self):
        self.send("shutdown", {})
        self.process.wait(10)
        self.process.stdin.close()
        self.process.stdout.close()


class PluginTest(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()
        self.addCleanup(self.engine.close)

    def test_it_introduces_itself_as_its_manifest_does(self):
        manifest = json.loads(Path(__file__).with_name("manifest.json").read_text())
        self.engine.send("initialize", {"protocol_version": "2.0"})
        told = self.engine.receive()["result"]
        self.assertEqual([told["name"], told["version"]], [manifest["name"], manifest["version"]])
        self.assertEqual([one["name"] for one in told["commands"]], [one["name"] for one in manifest["functions"]])

    def test_it_greets(self):
        streamed, end = self.engine.until_the_end("execute", {"function": "greet", "arguments": {"name": "Ada"}})
        self.assertEqual(streamed + end["data"], "One moment ... Hello, Ada!")
        self.assertTrue(end["success"])

    def test_it_says_what_is_missing(self):
        _, end = self.engine.until_the_end("execute", {"function": "greet", "arguments": {}})
        self.assertEqual(end["code"], -32602)
        self.assertIn("name", end["message"])

    def test_it_talks_until_bye(self):
        _, end = self.engine.until_the_end("execute", {"function": "chat", "arguments": {}})
        self.assertTrue(end["keep_session"])
        _, end = self.engine.until_the_end("input", {"content": "bye"})
        self.assertFalse(end["keep_session"])


if __name__ == "__main__":
    unittest.main()
