"""Run it with: python3 -m unittest"""
import base64
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


class Host:
    """As much of a YAMS host as a test needs."""

    def __init__(self):
        plugin = Path(__file__).with_name("plugin.py")
        self.process = subprocess.Popen([sys.executable, plugin], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0

    def request(self, method, params=None):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.request("plugin.shutdown")
        self.process.wait(10)
        self.process.stdin.close()
        self.process.stdout.close()


class PluginTest(unittest.TestCase):
    def setUp(self):
        self.host = Host()
        self.addCleanup(self.host.close)

    def test_it_introduces_itself_as_its_manifest_does(self):
        manifest = json.loads(Path(__file__).with_name("yams-plugin.json").read_text())
        told = self.host.request("handshake.manifest")["result"]
        for field in ("name", "version", "interfaces", "capabilities"):
            self.assertEqual(told[field], manifest[field])

    def test_it_extracts_from_a_path(self):
        self.host.request("plugin.init", {"config": {}})
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "table.csv")
            file.write_text("name,age\nAda,36\n")
            result = self.host.request("extractor.extract", {"source": {"type": "path", "path": str(file)}})["result"]
        self.assertEqual(result["content"], "name age\nAda 36")
        self.assertEqual(result["metadata"], {"rows": "2", "columns": "2"})

    def test_it_extracts_from_bytes(self):
        self.host.request("plugin.init", {"config": {}})
        source = {"type": "bytes", "data": base64.b64encode(b"a,b").decode()}
        result = self.host.request("extractor.extract", {"source": source, "options": {"extension": ".csv"}})["result"]
        self.assertEqual(result["content"], "a b")

    def test_it_says_what_it_does_not_take(self):
        self.assertFalse(self.host.request("extractor.supports", {"extension": ".png"})["result"]["supported"])
        self.assertEqual(self.host.request("extractor.extract", {})["error"]["code"], -32003)


if __name__ == "__main__":
    unittest.main()
