"""The program of Helm: TREADLE_HELM names it, the argument names the chart."""
import json
import os
import subprocess
import sys
import tempfile
import threading

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

from steps import same, step, until

NS = "helm"
HELM, CHART = os.environ["TREADLE_HELM"], sys.argv[1]
config.load_kube_config()
core, apps, things = client.CoreV1Api(), client.AppsV1Api(), client.CustomObjectsApi()
home = tempfile.TemporaryDirectory()
env = {**os.environ, "HELM_CACHE_HOME": home.name, "HELM_CONFIG_HOME": home.name, "HELM_DATA_HOME": home.name}


def helm(*args):
    done = subprocess.run([HELM, "--namespace", NS, *args], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"helm {' '.join(args)}: {done.stderr.strip()}"
    return done.stdout


def fails(text, *args):
    try:
        helm(*args)
    except AssertionError as problem:
        assert text in str(problem), f"another failure: {problem}"
        return
    raise AssertionError(f"helm {' '.join(args)} succeeded")


def size():
    return core.read_namespaced_config_map("one", NS).data["size"]


def is_absent(read):
    try:
        read()
    except ApiException as problem:
        return problem.status == 404
    return False


def revision():
    return json.loads(helm("status", "one", "-o", "json"))["version"]


def installs():
    with step("install"):
        released = json.loads(helm("install", "one", CHART, "--create-namespace", "-o", "json"))
        same(released["info"]["status"], "deployed")
        found = core.read_namespaced_config_map("one", NS)
        same(found.data["size"], "3")
        same(found.metadata.annotations["meta.helm.sh/release-name"], "one")
    with step("a CRD of the chart is established before its objects"):
        found = things.get_namespaced_custom_object("helm.example.dev", "v1", NS, "things", "one")
        same(found["spec"], {"size": "3"})
    with step("a hook"):
        same(core.read_namespaced_config_map("one-hook", NS).data, {"revision": "1"})
    with step("install of an existing name"):
        fails("cannot reuse a name", "install", "one", CHART)
    with step("install over an object that Helm does not own"):
        core.create_namespaced_config_map(NS, {"metadata": {"name": "two"}})
        fails("exists and cannot be imported", "install", "two", CHART, "--set", "deployment=false")
    with step("dry run by the server"):
        text = helm("upgrade", "one", CHART, "--set", "size=9", "--dry-run=server")
        assert 'size: "9"' in text and 'has-things: "true"' in text, text
        same(size(), "3")


def upgrades():
    with step("upgrade"):
        helm("upgrade", "one", CHART, "--set-string", "size=4")
        same([size(), revision()], ["4", 2])
        same(core.read_namespaced_config_map("one-hook", NS).data, {"revision": "2"})
    with step("upgrade keeps fields of other managers"):
        core.patch_namespaced_config_map("one", NS, {"data": {"other": "x"}}, field_manager="other")
        helm("upgrade", "one", CHART, "--set-string", "size=5")
        same([size(), core.read_namespaced_config_map("one", NS).data["other"]], ["5", "x"])
    with step("upgrade conflicts with another manager"):
        core.patch_namespaced_config_map("one", NS, {"data": {"size": "x"}}, field_manager="other")
        fails("conflict", "upgrade", "one", CHART, "--set-string", "size=6")
        same(size(), "x")
    with step("upgrade with forced conflicts"):
        helm("upgrade", "one", CHART, "--set-string", "size=6", "--force-conflicts")
        same(size(), "6")
    with step("upgrade deletes what the chart no longer has"):
        helm("upgrade", "one", CHART, "--set-string", "size=6", "--set", "deployment=false")
        same(is_absent(lambda: apps.read_namespaced_deployment("one", NS)), True)
    with step("upgrade with an invalid object"):
        fails("Invalid value", "upgrade", "one", CHART, "--set", "replicas=-1")
    with step("history"):
        same([each["status"] for each in json.loads(helm("history", "one", "-o", "json"))][-1], "failed")
    with step("rollback"):
        helm("rollback", "one", "1")
        same(size(), "3")
        same(apps.read_namespaced_deployment("one", NS).spec.replicas, 0)
    with step("list"):
        same([each["name"] for each in json.loads(helm("list", "-o", "json"))], ["one"])
    with step("manifest of a release"):
        assert 'size: "3"' in helm("get", "manifest", "one")


def become_available():
    """Writes the status that the controller of Deployments would write."""
    until("Helm has written", lambda: apps.read_namespaced_deployment("one", NS).spec.replicas == 2)
    generation = apps.read_namespaced_deployment("one", NS).metadata.generation
    conditions = [{"type": "Available", "status": "True"}, {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}]
    counts = {name: 2 for name in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")}
    status = {"observedGeneration": generation, "conditions": conditions, **counts}
    apps.patch_namespaced_deployment_status("one", NS, {"status": status})


def waits():
    with step("upgrade --wait fails when the Deployment does not become available"):
        fails("not ready", "upgrade", "one", CHART, "--set", "replicas=1", "--wait", "--timeout", "3s")
    with step("upgrade --wait ends when the Deployment is available"):
        writer = threading.Thread(target=become_available)
        writer.start()
        helm("upgrade", "one", CHART, "--set", "replicas=2", "--wait", "--timeout", "20s")
        writer.join()
        same(apps.read_namespaced_deployment("one", NS).status.available_replicas, 2)


def more_releases():
    """Releases beside the first one: each step leaves none."""
    with step("upgrade --install of a new release, and values that are kept"):
        helm("upgrade", "more", CHART, "--install", "--set-string", "size=7", "--set", "deployment=false")
        helm("upgrade", "more", CHART, "--reuse-values")
        same(core.read_namespaced_config_map("more", NS).data["size"], "7")
        same(json.loads(helm("get", "values", "more", "-o", "json"))["size"], "7")
    with step("the states of a release are Secrets of Helm"):
        found = core.list_namespaced_secret(NS, label_selector="owner=helm,name=more")
        same([each.type for each in found.items], ["helm.sh/release.v1"] * 2)
        same([each.metadata.labels["status"] for each in found.items], ["superseded", "deployed"])
    with step("only the newest states are kept"):
        for size in ("8", "9"):
            helm("upgrade", "more", CHART, "--reuse-values", "--set-string", f"size={size}", "--history-max", "2")
        same([each["revision"] for each in json.loads(helm("history", "more", "-o", "json"))], [3, 4])
    with step("an object that was deleted is created again"):
        core.delete_namespaced_config_map("more", NS)
        helm("upgrade", "more", CHART, "--reuse-values")
        same(core.read_namespaced_config_map("more", NS).data["size"], "9")
    with step("a failed upgrade is rolled back"):
        fails("Invalid value", "upgrade", "more", CHART, "--reuse-values", "--set", "deployment=true,replicas=-1", "--rollback-on-failure", "--timeout", "10s")
        same(json.loads(helm("status", "more", "-o", "json"))["info"]["status"], "deployed")
        same(core.read_namespaced_config_map("more", NS).data["size"], "9")
    with step("uninstall --keep-history, and a rollback of what was uninstalled"):
        deployed = json.loads(helm("status", "more", "-o", "json"))["version"]
        helm("uninstall", "more", "--keep-history", "--wait")
        same(is_absent(lambda: core.read_namespaced_config_map("more", NS)), True)
        helm("rollback", "more", str(deployed))
        same(core.read_namespaced_config_map("more", NS).data["size"], "9")
    with step("uninstall of several releases"):
        helm("install", "other", CHART, "--set", "deployment=false")
        helm("uninstall", "more", "other")
        fails("not found", "status", "more")
    with step("a finalizer delays uninstall --wait"):
        helm("install", "held", CHART, "--set", "deployment=false")
        core.patch_namespaced_config_map("held", NS, {"metadata": {"finalizers": ["treadle.dev/held"]}})
        fails("deadline", "uninstall", "held", "--wait", "--timeout", "2s")
        core.patch_namespaced_config_map("held", NS, {"metadata": {"finalizers": None}})
        until("the object is deleted", lambda: is_absent(lambda: core.read_namespaced_config_map("held", NS)))


def removal():
    with step("uninstall"):
        helm("uninstall", "one", "--wait")
        same(is_absent(lambda: core.read_namespaced_config_map("one", NS)), True)
        same(is_absent(lambda: apps.read_namespaced_deployment("one", NS)), True)
        same(json.loads(helm("list", "-o", "json")), [])
    with step("the CRD of the chart stays"):
        same(things.list_namespaced_custom_object("helm.example.dev", "v1", NS, "things")["items"], [])


for part in (installs, upgrades, waits, more_releases, removal):
    part()
home.cleanup()
