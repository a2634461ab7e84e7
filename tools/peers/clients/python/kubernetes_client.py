"""The official Python client."""
from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

from steps import refused, same, step, until

NS = "python"
config.load_kube_config()
core = client.CoreV1Api()
maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")


def config_map(name, data=None, finalizers=None):
    metadata = {"name": name, "namespace": NS, "finalizers": finalizers or []}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data or {"a": "1"}}


def patch(name, body, content_type):
    return maps.patch(name=name, namespace=NS, body=body, content_type=f"application/{content_type}+json")


def is_absent(name):
    try:
        core.read_namespaced_config_map(name, NS)
    except ApiException as problem:
        return problem.status == 404
    return False


def objects():
    with step("create"):
        same(core.create_namespaced_config_map(NS, config_map("one")).data, {"a": "1"})
    with step("read"):
        same(core.read_namespaced_config_map("one", NS).metadata.name, "one")
    with step("update"):
        same(core.replace_namespaced_config_map("one", NS, config_map("one", {"a": "2"})).data, {"a": "2"})
    with step("list in pages"):
        for number in range(5):
            core.create_namespaced_config_map(NS, config_map(f"page-{number}"))
        first = core.list_namespaced_config_map(NS, limit=2)
        same(len(first.items), 2)
        same(len(core.list_namespaced_config_map(NS, limit=2, _continue=first.metadata._continue).items), 2)
    with step("status subresource"):
        condition = {"type": "Tried", "status": "True", "reason": "Test", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        status = {"conditions": [condition]}
        service = {"metadata": {"name": "one"}, "spec": {"ports": [{"port": 80}]}, "status": status}
        same(core.create_namespaced_service(NS, service).status.conditions, None)
        changed = core.patch_namespaced_service_status("one", NS, {"status": status})
        same(changed.status.conditions[0].type, "Tried")


def patches():
    with step("merge patch"):
        same(patch("one", {"data": {"merge": "x"}}, "merge-patch").data.merge, "x")
    with step("strategic merge patch"):
        same(patch("one", {"data": {"strategic": "x"}}, "strategic-merge-patch").data.strategic, "x")
    with step("JSON patch"):
        same(patch("one", [{"op": "add", "path": "/data/json", "value": "x"}], "json-patch").data.json, "x")
    with step("apply"):
        applied = maps.server_side_apply(name="applied", namespace=NS, body=config_map("applied"), field_manager="clients")
        same(applied.metadata.managedFields[0].operation, "Apply")
    with step("apply of another manager conflicts"):
        body = config_map("applied", {"a": "2"})
        refused(409, lambda: maps.server_side_apply(name="applied", namespace=NS, body=body, field_manager="other"))
        forced = maps.server_side_apply(name="applied", namespace=NS, body=body, field_manager="other", force_conflicts=True)
        same(forced.data.a, "2")


def answers():
    with step("404"):
        refused(404, lambda: core.read_namespaced_config_map("absent", NS))
    with step("409 for an existing object"):
        refused(409, lambda: core.create_namespaced_config_map(NS, config_map("one")))
    with step("409 for an old version"):
        old = config_map("one")
        old["metadata"]["resourceVersion"] = "1"
        refused(409, lambda: core.replace_namespaced_config_map("one", NS, old))
    with step("422 for a bad name"):
        refused(422, lambda: core.create_namespaced_config_map(NS, config_map("Bad_Name")))


def watches():
    with step("watch"):
        version = core.list_namespaced_config_map(NS).metadata.resource_version
        core.create_namespaced_config_map(NS, config_map("watched"))
        patch("watched", {"data": {"b": "1"}}, "merge-patch")
        core.delete_namespaced_config_map("watched", NS)
        seen, stream = [], watch.Watch()
        for event in stream.stream(core.list_namespaced_config_map, NS, resource_version=version, timeout_seconds=10):
            seen.append(f"{event['type']} {event['object'].metadata.name}")
            if event["type"] == "DELETED":
                stream.stop()
        same(seen, ["ADDED watched", "MODIFIED watched", "DELETED watched"])


def deletion():
    with step("a finalizer delays a deletion"):
        core.create_namespaced_config_map(NS, config_map("held", finalizers=["treadle.dev/held"]))
        core.delete_namespaced_config_map("held", NS)
        same(core.read_namespaced_config_map("held", NS).metadata.deletion_timestamp is not None, True)
        patch("held", {"metadata": {"finalizers": None}}, "merge-patch")
        until("the object is deleted", lambda: is_absent("held"))
    with step("delete a collection"):
        core.delete_collection_namespaced_config_map(NS)
        until("the object is deleted", lambda: is_absent("one"))


core.create_namespace({"metadata": {"name": NS}})
for part in (objects, patches, answers, watches, deletion):
    part()
