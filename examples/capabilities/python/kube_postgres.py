"""A plugin: it plans the objects of a PostgreSQL database."""

import json

from treadle.capability import v1_pb2, v1_pb2_grpc
from treadle_plugin import serve

PARAMETERS = {
    "type": "object",
    "properties": {"storageGb": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1, "default": 1}},
    "additionalProperties": False,
}


class Postgres(v1_pb2_grpc.CapabilityServicer):
    def Describe(self, request, context):
        schema = json.dumps(PARAMETERS).encode()
        return v1_pb2.DescribeResponse(
            name="kube-postgres",
            api_versions=v1_pb2.ApiVersions(oldest="1.0", newest="1.0"),
            category="database",
            types=[v1_pb2.Type(name="postgresql", versions=["16", "17"], parameter_schema=schema)],
            kinds=[
                v1_pb2.Kind(version="v1", kind="Secret"),
                v1_pb2.Kind(version="v1", kind="Service"),
                v1_pb2.Kind(group="apps", version="v1", kind="StatefulSet"),
            ],
        )

    def Plan(self, request, context):
        """A pure function: it reads and writes nothing."""
        name = json.loads(request.owner)["metadata"]["name"]
        parameters = json.loads(request.parameters)
        live = {each.id: json.loads(each.object) for each in request.live}
        dependents = [
            v1_pb2.Dependent(
                id="credentials",
                object=encoded("v1", "Secret", stringData={"user": name}),
                config=v1_pb2.Config(updated=False),
            ),
            v1_pb2.Dependent(
                id="server",
                object=encoded("apps/v1", "StatefulSet", spec=server_of(name, request.version or "17", parameters)),
            ),
            v1_pb2.Dependent(
                id="address",
                object=encoded("v1", "Service", spec={"selector": labels_of(name), "ports": [{"port": 5432}]}),
                state=state_of(live.get("address")),
            ),
        ]
        return v1_pb2.PlanResponse(dependents=v1_pb2.Dependents(dependents=dependents))


def labels_of(name):
    return {"app.kubernetes.io/name": "postgresql", "app.kubernetes.io/instance": name}


def server_of(name, version, parameters):
    user = {"secretKeyRef": {"name": f"{name}-credentials", "key": "user"}}
    container = {
        "name": "postgresql",
        "image": f"postgres:{version}",
        # A plan has no passwords: it is a pure function.
        "env": [
            {"name": "POSTGRES_USER", "valueFrom": user},
            {"name": "POSTGRES_HOST_AUTH_METHOD", "value": "trust"},
        ],
        "ports": [{"containerPort": 5432}],
        "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}],
    }
    storage = {"requests": {"storage": f"{parameters['storageGb']}Gi"}}
    return {
        "serviceName": f"{name}-address",
        "selector": {"matchLabels": labels_of(name)},
        "template": {"metadata": {"labels": labels_of(name)}, "spec": {"containers": [container]}},
        "volumeClaimTemplates": [
            {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": storage}}
        ],
    }


def state_of(service):
    """Judges the Service: it is ready when it has an address."""
    if service is not None and service.get("spec", {}).get("clusterIP"):
        return v1_pb2.State(type="Ready", reason="Ready")
    return v1_pb2.State(type="Pending", reason="NotReady", message="it has no address yet")


def encoded(api_version, kind, **body):
    return json.dumps({"apiVersion": api_version, "kind": kind, **body}).encode()


def main():
    serve(Postgres())


if __name__ == "__main__":
    main()
