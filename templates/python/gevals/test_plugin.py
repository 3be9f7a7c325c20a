"""Run it with: python3 -m unittest"""
import json
import subprocess
import sys
import unittest
from pathlib import Path


class Host:
    """As much of gevals as a test needs."""

    def __init__(self):
        plugin = Path(__file__).with_name("plugin.py")
        self.process = subprocess.Popen([sys.executable, plugin], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0
        self.logs = []

    def request(self, method, params):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.last_id:
                return message
            self.logs.append(message["params"]["message"])

    def execute(self, operation, args):
        context = {"workdir": str(Path(__file__).parent), "phase": "verify"}
        return self.request("execute", {"operation": operation, "args": args, "context": context})

    def close(self):
        self.request("shutdown", {})
        self.process.wait(10)
        self.process.stdin.close()
        self.process.stdout.close()


class PluginTest(unittest.TestCase):
    def setUp(self):
        self.host = Host()
        self.addCleanup(self.host.close)

    def test_it_introduces_itself(self):
        told = self.host.request("initialize", {"protocolVersion": "0.0.1"})["result"]
        self.assertEqual(told["name"], "plugin-name")
        self.assertEqual(list(told["operations"]), ["greet", "file-exists"])

    def test_it_greets(self):
        result = self.host.execute("greet", {"name": "Ada"})["result"]
        self.assertEqual(result["outputs"], {"greeting": "Hello, Ada!"})
        self.assertEqual(self.host.logs, ["greeting Ada"])

    def test_it_verifies(self):
        self.assertTrue(self.host.execute("file-exists", {"file": "plugin.py"})["result"]["success"])
        self.assertFalse(self.host.execute("file-exists", {"file": "missing"})["result"]["success"])

    def test_it_says_what_is_wrong(self):
        self.assertEqual(self.host.execute("greet", {})["error"]["code"], -32602)
        self.assertEqual(self.host.execute("other", {})["error"]["code"], -32601)


if __name__ == "__main__":
    unittest.main()
