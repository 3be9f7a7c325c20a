"""Run it with: python3 -m unittest"""
import json
import subprocess
import sys
import unittest
from pathlib import Path


class Client:
    """As much of an MCP client as a test needs."""

    def __init__(self):
        plugin = Path(__file__).with_name("plugin.py")
        self.process = subprocess.Popen([sys.executable, plugin], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0
        self.notifications = []

    def request(self, method, params):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.last_id:
                return message
            self.notifications.append(message)

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


class PluginTest(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        self.addCleanup(self.client.close)

    def test_it_introduces_itself(self):
        told = self.client.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})["result"]
        self.assertEqual(told["serverInfo"]["name"], "plugin-name")
        tools = self.client.request("tools/list", {})["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools], ["greet"])

    def test_it_greets(self):
        call = {"name": "greet", "arguments": {"name": "Ada"}, "_meta": {"progressToken": 1}}
        result = self.client.request("tools/call", call)["result"]
        self.assertEqual(result["content"][0]["text"], "Hello, Ada!")
        self.assertFalse(result["isError"])
        self.assertEqual([one["method"] for one in self.client.notifications], ["notifications/progress"])

    def test_it_says_what_is_missing(self):
        result = self.client.request("tools/call", {"name": "greet", "arguments": {}})["result"]
        self.assertTrue(result["isError"])
        self.assertIn("name", result["content"][0]["text"])

    def test_it_has_no_other_tool(self):
        self.assertEqual(self.client.request("tools/call", {"name": "other"})["error"]["code"], -32602)


if __name__ == "__main__":
    unittest.main()
