"""An operator on kopf, and its test."""
import time

import kopf
from kopf.testing import KopfRunner
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

WIDGETS = ("example.dev", "v1", "widgets")
config.load_kube_config()
core = client.CoreV1Api()


@kopf.on.create(*WIDGETS)
@kopf.on.update(*WIDGETS)
def keep_config_map(name, namespace, spec, patch, **_):
    config_map = {"metadata": {"name": name}, "data": {"size": str(spec["size"])}}
    try:
        core.create_namespaced_config_map(namespace, config_map)
    except ApiException as problem:
        if problem.status != 409:
            raise
        core.replace_namespaced_config_map(name, namespace, config_map)
    patch.status["ready"] = True


@kopf.on.delete(*WIDGETS)  # kopf keeps a finalizer on each Widget for it
def remove_config_map(name, namespace, **_):
    core.delete_namespaced_config_map(name, namespace)


def test_widget():
    namespace = "kopf"
    widgets = client.CustomObjectsApi()
    at = {"group": "example.dev", "version": "v1", "plural": "widgets", "namespace": namespace}
    core.create_namespace({"metadata": {"name": namespace}})
    with KopfRunner(["run", "--standalone", "--namespace", namespace, __file__]) as runner:
        body = {"apiVersion": "example.dev/v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": {"size": 3}}
        widgets.create_namespaced_custom_object(body=body, **at)
        eventually(lambda: core.read_namespaced_config_map("one", namespace).data == {"size": "3"})
        eventually(lambda: widgets.get_namespaced_custom_object(name="one", **at)["status"]["ready"])
        assert widgets.get_namespaced_custom_object(name="one", **at)["metadata"]["finalizers"]

        widgets.patch_namespaced_custom_object(name="one", body={"spec": {"size": 4}}, **at)
        eventually(lambda: core.read_namespaced_config_map("one", namespace).data == {"size": "4"})

        widgets.delete_namespaced_custom_object(name="one", **at)
        eventually(lambda: widgets.list_namespaced_custom_object(**at)["items"] == [])
        assert core.list_namespaced_config_map(namespace, field_selector="metadata.name=one").items == []
    assert runner.exit_code == 0, runner.output


def eventually(is_true):
    end = time.monotonic() + 20
    while True:
        try:
            if is_true():
                return
            problem = None
        except (ApiException, KeyError) as failure:
            problem = failure
        assert time.monotonic() < end, f"not in 20 s: {problem}"
        time.sleep(0.05)


if __name__ == "__main__":
    test_widget()
