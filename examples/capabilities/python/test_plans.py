"""Compares the plans with those of the plugins in other languages."""

import json
import pathlib
import unittest

from google.protobuf import json_format
from kube_postgres import Postgres
from treadle.capability import v1_pb2


def request_of(given):
    live = [v1_pb2.LiveObject(id=each["id"], object=json.dumps(each["object"]).encode()) for each in given["live"]]
    return v1_pb2.PlanRequest(
        type=given["type"],
        version=given["version"],
        owner=json.dumps(given["owner"]).encode(),
        parameters=json.dumps(given["parameters"]).encode(),
        live=live,
    )


def planned(dependent):
    plain = {"id": dependent.id, "object": json.loads(dependent.object)}
    plain["config"] = json_format.MessageToDict(dependent.config)
    if dependent.HasField("state"):
        state = dependent.state
        plain["state"] = {"type": state.type, "reason": state.reason, "message": state.message}
    return plain


class Plans(unittest.TestCase):
    def test_plans(self):
        self.maxDiff = None
        path = pathlib.Path(__file__).parent.parent / "plans.json"
        for each in json.loads(path.read_text(encoding="utf-8")):
            with self.subTest(each["name"]):
                response = Postgres().Plan(request_of(each["request"]), None)
                self.assertEqual([planned(dependent) for dependent in response.dependents.dependents], each["dependents"])


if __name__ == "__main__":
    unittest.main()
