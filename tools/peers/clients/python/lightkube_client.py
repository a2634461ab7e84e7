"""lightkube: typed objects, apply, watches and custom kinds."""
from lightkube import ApiError, Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.core_v1 import ServicePort, ServiceSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ConfigMap, Namespace, Service
from lightkube.types import CascadeType, PatchType

from steps import same, step, until

NS = "lightkube"
client = Client(namespace=NS, field_manager="lightkube")
Widget = create_namespaced_resource("example.dev", "v1", "Widget", "widgets")


def config_map(name, data=None, **metadata):
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=NS, **metadata), data=data or {"a": "1"})


def refused(code, call):
    try:
        call()
    except ApiError as problem:
        same(problem.status.code, code)
        return
    raise AssertionError(f"accepted, wanted {code}")


def is_absent(kind, name):
    try:
        client.get(kind, name)
    except ApiError as problem:
        return problem.status.code == 404
    return False


def version():
    found = client.list(ConfigMap)
    list(found)
    return found.resourceVersion


def objects():
    with step("create and read"):
        client.create(config_map("one"))
        same(client.get(ConfigMap, "one").data, {"a": "1"})
    with step("update"):
        one = client.get(ConfigMap, "one")
        one.data["a"] = "2"
        same(client.replace(one).data, {"a": "2"})
    with step("dry run"):
        client.create(config_map("dry"), dry_run=True)
        same(is_absent(ConfigMap, "dry"), True)
    with step("a list of several pages"):
        for number in range(5):
            client.create(config_map(f"page-{number}", labels={"page": str(number)}))
        found = client.list(ConfigMap, chunk_size=2, labels={"page": ["0", "1", "2", "4"]})
        same([each.metadata.name for each in found], ["page-0", "page-1", "page-2", "page-4"])
        same(bool(found.resourceVersion), True)
    with step("patches"):
        same(client.patch(ConfigMap, "one", {"data": {"b": "1"}}).data["b"], "1")
        same(client.patch(ConfigMap, "one", {"data": {"b": None}}, patch_type=PatchType.MERGE).data, {"a": "2"})
        added = [{"op": "add", "path": "/data/c", "value": "1"}]
        same(client.patch(ConfigMap, "one", added, patch_type=PatchType.JSON).data["c"], "1")
    with step("apply, its conflict, and force"):
        same(client.apply(config_map("applied")).metadata.managedFields[0].operation, "Apply")
        refused(409, lambda: client.apply(config_map("applied", {"a": "2"}), field_manager="other"))
        same(client.apply(config_map("applied", {"a": "2"}), field_manager="other", force=True).data, {"a": "2"})
    with step("refusals"):
        refused(404, lambda: client.get(ConfigMap, "absent"))
        refused(409, lambda: client.create(config_map("one")))
        refused(422, lambda: client.create(config_map("Bad_Name")))
    with step("defaults of a Service"):
        service = Service(metadata=ObjectMeta(name="web"), spec=ServiceSpec(ports=[ServicePort(port=80)], selector={"app": "web"}))
        spec = client.create(service).spec
        same([spec.type, spec.ports[0].protocol, spec.ports[0].targetPort, spec.sessionAffinity], ["ClusterIP", "TCP", 80, "None"])
    with step("scale of a Deployment"):
        labels = {"app": "web"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web"}]}}
        spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
        client.create(Deployment.from_dict({"metadata": {"name": "web"}, "spec": spec}))
        scaled = client.patch(Deployment.Scale, "web", {"spec": {"replicas": 3}}, patch_type=PatchType.MERGE)
        same([scaled.spec.replicas, client.get(Deployment, "web").spec.replicas], [3, 3])


def custom():
    with step("status of a custom kind"):
        widget = Widget(metadata=ObjectMeta(name="one"), spec={"size": 3}, apiVersion="example.dev/v1", kind="Widget")
        client.create(widget)
        same(client.apply(Widget.Status(metadata=ObjectMeta(name="one"), status={"ready": True})).status, {"ready": True})
        same(client.get(Widget, "one").spec, {"size": 3})
    with step("wait for a condition"):
        condition = {"type": "Ready", "status": "True"}
        client.patch(Widget.Status, "one", {"status": {"conditions": [condition]}}, patch_type=PatchType.MERGE)
        same(client.wait(Widget, "one", for_conditions=["Ready"]).metadata.name, "one")


def watches():
    with step("watch"):
        start = version()
        client.create(config_map("watched"))
        client.patch(ConfigMap, "watched", {"data": {"b": "1"}})
        client.delete(ConfigMap, "watched")
        seen = []
        for operation, each in client.watch(ConfigMap, resource_version=start, server_timeout=10):
            seen.append(f"{operation} {each.metadata.name}")
            if operation == "DELETED":
                break
        same(seen, ["ADDED watched", "MODIFIED watched", "DELETED watched"])
    with step("a watch is opened again at its timeout"):
        events = client.watch(ConfigMap, resource_version=version(), server_timeout=1, fields={"metadata.name": "later"})
        client.create(config_map("later"))
        same(next(events)[0], "ADDED")
        client.patch(ConfigMap, "later", {"data": {"b": "1"}})
        same(next(events)[0], "MODIFIED")


def deletion():
    with step("a deletion in the background deletes owned objects"):
        owner = client.create(config_map("owner"))
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.metadata.uid}
        client.create(ConfigMap.from_dict({"metadata": {"name": "owned", "ownerReferences": [reference]}}))
        client.delete(ConfigMap, "owner", cascade=CascadeType.BACKGROUND)
        until("no owned object", lambda: is_absent(ConfigMap, "owned"))
    with step("delete a collection"):
        client.deletecollection(ConfigMap)
        same(list(client.list(ConfigMap, labels={"page": None})), [])
    with step("a namespace is deleted with its content"):
        client.delete(Namespace, NS)
        until("no namespace", lambda: is_absent(Namespace, NS))


client.create(Namespace(metadata=ObjectMeta(name=NS)))
for part in (objects, custom, watches, deletion):
    part()
