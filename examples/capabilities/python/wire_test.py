"""A plugin for the suite of the wire: the parameter `answer` decides what it does. It is served like kube_postgres."""

import json
import logging
import time

from treadle.capability import v1_pb2, v1_pb2_grpc
from treadle_plugin import TRACE, serve

PARAMETERS = {"type": "object", "properties": {"answer": {"type": "string", "default": "objects"}}}
log = logging.getLogger("wire-test")


class Echo(v1_pb2_grpc.CapabilityServicer):
    def Describe(self, request, context):
        return v1_pb2.DescribeResponse(
            name="wire-test",
            version="1.2.3",
            api_versions=v1_pb2.ApiVersions(oldest="1.0", newest="1.0"),
            category="test",
            types=[v1_pb2.Type(name="echo", versions=["1", "2"], parameter_schema=json.dumps(PARAMETERS).encode())],
            kinds=[v1_pb2.Kind(version="v1", kind="ConfigMap")],
        )

    def Plan(self, request, context):
        answer = json.loads(request.parameters).get("answer")
        if answer == "problems":
            problem = v1_pb2.Problem(path="spec.parameters.answer", message="problems are requested")
            return v1_pb2.PlanResponse(problems=v1_pb2.Problems(problems=[problem]))
        if answer == "error":
            return v1_pb2.PlanResponse(error=v1_pb2.PlanError(code="Busy", message="it is busy", retry_after_ms=1500))
        if answer == "terminal":
            error = v1_pb2.PlanError(code="Impossible", message="it is impossible", terminal=True)
            return v1_pb2.PlanResponse(error=error)
        if answer == "logs":
            log.log(TRACE, "a trace")
            log.debug("a detail")
            log.info("a fact")
            log.warning("a warning")
            log.error("a failure")
            print("a printed line", flush=True)
        while answer == "hang" and context.is_active():
            time.sleep(0.05)
        return objects(request)


def objects(request):
    """Two objects of one kind. The first has what arrived."""
    data = {
        "ownerBytes": str(len(request.owner)),
        "version": request.version,
        "live": " ".join(each.id for each in request.live),
        "text": "Grüße \u2028 \U0001f40a",
    }
    first = {"apiVersion": "v1", "kind": "ConfigMap", "data": data}
    state = v1_pb2.State(
        type="Failed",
        reason="Broken",
        message="it is broken",
        attributes=[v1_pb2.Attribute(name="color", value="red")],
    )
    config = v1_pb2.Config(owned=False, created=False, watched=False, checked_for_readiness=False)
    dependents = [
        v1_pb2.Dependent(id="first", object=json.dumps(first).encode(), config=v1_pb2.Config(updated=False)),
        v1_pb2.Dependent(id="second", object=b'{"apiVersion":"v1","kind":"ConfigMap"}', config=config, state=state),
    ]
    return v1_pb2.PlanResponse(dependents=v1_pb2.Dependents(dependents=dependents))


def main():
    serve(Echo())


if __name__ == "__main__":
    main()
