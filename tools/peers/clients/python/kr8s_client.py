"""kr8s: objects that know how to act, and its watches."""
import threading
import warnings

import kr8s
from kr8s.objects import ConfigMap, Deployment, Namespace, new_class

from steps import same, step, until

warnings.simplefilter("ignore")  # about the version of the servers, which is newer than this release
NS = "kr8s"
Widget = new_class(kind="Widget", version="example.dev/v1", namespaced=True)


def config_map(name, data=None, labels=None):
    return ConfigMap({"metadata": {"name": name, "namespace": NS, "labels": labels or {}}, "data": data or {"a": "1"}})


def refused(code, call):
    try:
        call()
    except kr8s.ServerError as problem:
        same(problem.response.status_code, code)
        return
    raise AssertionError(f"accepted, wanted {code}")


def objects():
    with step("create and read"):
        config_map("one").create()
        same(dict(ConfigMap.get("one", namespace=NS).data), {"a": "1"})
    with step("exists"):
        same([config_map("one").exists(), config_map("absent").exists()], [True, False])
    with step("patches"):
        one = ConfigMap.get("one", namespace=NS)
        one.patch({"data": {"b": "1"}})
        one.patch([{"op": "add", "path": "/data/c", "value": "1"}], type="json")
        one.refresh()
        same(dict(one.data), {"a": "1", "b": "1", "c": "1"})
    with step("labels and annotations"):
        one = ConfigMap.get("one", namespace=NS)
        one.label({"app": "one"})
        one.annotate({"note": "x"})
        one.refresh()
        same([one.labels["app"], one.annotations["note"]], ["one", "x"])
        one.remove_label("app")
        same("app" in one.labels, False)
    with step("selectors"):
        for number in range(3):
            config_map(f"page-{number}", labels={"page": str(number)}).create()
        names = [each.name for each in kr8s.get("configmaps", namespace=NS, label_selector={"page": "1"})]
        same(names, ["page-1"])
        same(len(list(kr8s.get("configmaps", namespace=NS, field_selector={"metadata.name": "page-2"}))), 1)
    with step("refusals"):
        refused(409, lambda: config_map("one").create())
        refused(422, lambda: config_map("Bad_Name").create())
        try:
            ConfigMap.get("absent", namespace=NS, timeout=1)
            raise AssertionError("found")
        except kr8s.NotFoundError:
            pass
    with step("scale"):
        labels = {"app": "web"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web"}]}}
        spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
        web = Deployment({"metadata": {"name": "web", "namespace": NS}, "spec": spec})
        web.create()
        web.patch({"spec": {"replicas": 3}}, subresource="scale")
        web.refresh()
        same(web.replicas, 3)
    with step("server and user"):
        same(kr8s.api().version()["major"], "1")
        same(bool(kr8s.whoami()), True)
        kinds = {each["kind"] for each in kr8s.api().api_resources()}
        same({"Widget", "Deployment", "Lease"} <= kinds, True)


def custom():
    with step("a custom kind, and a wait for its status"):
        widget = Widget({"metadata": {"name": "one", "namespace": NS}, "spec": {"size": 3}})
        widget.create()
        widget.patch({"status": {"conditions": []}}, subresource="status")  # kr8s cannot wait for an object without status
        conditions = [{"type": "Ready", "status": "True"}]
        ready = threading.Timer(0.3, lambda: widget.patch({"status": {"conditions": conditions}}, subresource="status"))
        ready.start()
        Widget.get("one", namespace=NS).wait("condition=Ready", timeout=10)
        ready.join()
    with step("an owner and its deletion"):
        widget, owned = Widget.get("one", namespace=NS), config_map("owned")
        owned.create()
        widget.adopt(owned)
        widget.delete(propagation_policy="Background")
        until("no owned object", lambda: not owned.exists())


def watches():
    with step("watch"):
        seen = []
        change = threading.Timer(0.5, change_one)
        change.start()
        for event, each in kr8s.watch("configmaps", namespace=NS, label_selector={"watched": "yes"}):
            seen.append(f"{event} {each.name}")
            if event == "DELETED":
                break
        change.join()
        same(seen, ["ADDED watched", "MODIFIED watched", "DELETED watched"])


def change_one():
    watched = config_map("watched", labels={"watched": "yes"})
    watched.create()
    watched.patch({"data": {"b": "1"}})
    watched.delete()


def deletion():
    with step("a namespace is deleted with its content"):
        namespace = Namespace.get(NS)
        namespace.delete()
        until("no namespace", lambda: not namespace.exists())


Namespace({"metadata": {"name": NS}}).create()
for part in (objects, custom, watches, deletion):
    part()
