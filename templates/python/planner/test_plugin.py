"""Run it with: python3 -m unittest"""
import json
import subprocess
import sys
import unittest
from pathlib import Path


class Host:
    """As much of an orchestrator as a test needs."""

    def __init__(self):
        plugin = Path(__file__).with_name("plugin.py")
        self.process = subprocess.Popen([sys.executable, plugin], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0
        self.streamed = []

    def request(self, method, params):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.last_id:
                return message
            if message["method"] == "stream_data":
                self.streamed.append(message["params"]["chunk"])

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


class PluginTest(unittest.TestCase):
    def setUp(self):
        self.host = Host()
        self.addCleanup(self.host.close)

    def test_it_plans(self):
        plan = self.host.request("create_plan", {"user_request": "Bake a cake. Eat it."})["result"]["plan"]
        self.assertEqual([task["description"] for task in plan["tasks"]], ["Bake a cake", "Eat it"])
        self.assertEqual(plan["tasks"][1]["dependencies"], ["task_001"])

    def test_it_does_tasks(self):
        result = self.host.request("execute_task", {"task_type": "analysis", "prompt": "Count these words"})["result"]
        self.assertEqual(result["output"]["code"], "3")
        self.assertEqual(self.host.streamed, ["Count ", "these ", "words "])

    def test_it_validates(self):
        params = {"code": "def broken(:", "language": "python"}
        self.assertFalse(self.host.request("validate_code", params)["result"]["valid"])

    def test_it_says_what_it_does_not_know(self):
        error = self.host.request("execute_task", {"task_type": "testing", "prompt": "x"})["error"]
        self.assertEqual(error["data"]["recovery_suggestions"], ["Ask for an analysis."])
        self.assertEqual(self.host.request("execute_task", {})["error"]["code"], -32602)


if __name__ == "__main__":
    unittest.main()
