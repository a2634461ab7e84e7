"""The official Python client beyond objects of one kind: rights, tokens, versions that expire, kinds, forms of answers, owners."""
import base64
import json
import threading

import jwt
from kubernetes import client, config, watch
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

from steps import refused, same, step, until

NS = "python-cluster"
config.load_kube_config()
api = client.ApiClient()
core, custom = client.CoreV1Api(), client.CustomObjectsApi()


def config_map(name, **metadata):
    return {"metadata": {"name": name, **metadata}, "data": {"a": "1"}}


def is_absent(read):
    try:
        read()
    except client.ApiException as problem:
        return problem.status == 404
    return False


def request(path, method="GET", body=None, **headers):
    """An answer as the server sent it: its body in bytes, and its headers."""
    token = {each["key"]: each["value"] for each in api.configuration.auth_settings().values()}
    sent = {"Content-Type": "application/json", **token, **headers}
    response = api.call_api(method, api.configuration.host + path, header_params=sent, body=body)
    if response.status >= 400:
        raise client.ApiException(status=response.status)
    return response.response.read(decode_content=False), response.response.headers


def user_with(token=None, **headers):
    """A client of another user, with the address and the authority of the first one."""
    settings = client.Configuration()
    config.load_kube_config(client_configuration=settings)
    if token is not None:
        settings.cert_file = settings.key_file = None
        settings.api_key = {"BearerToken": f"Bearer {token}"}
        settings.refresh_api_key_hook = None
    made = client.ApiClient(settings)
    for name, value in headers.items():
        made.set_default_header(name.replace("_", "-"), value)
    return made


def rights():
    with step("an impersonated user has its rights only"):
        alice = client.CoreV1Api(user_with(Impersonate_User="alice"))
        refused(403, lambda: alice.list_namespaced_config_map(NS))
        rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]
        rbac = client.RbacAuthorizationV1Api()
        rbac.create_namespaced_role(NS, {"metadata": {"name": "lister"}, "rules": rules})
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "lister"}
        subjects = [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "alice"}]
        rbac.create_namespaced_role_binding(NS, {"metadata": {"name": "lister"}, "roleRef": role, "subjects": subjects})
        until("alice may list", lambda: may("alice", "list"))
        same([alice.list_namespaced_config_map(NS).items != [], may("alice", "create")], [True, False])
    with step("an impersonated group"):
        admin = client.CoreV1Api(user_with(Impersonate_User="bob", Impersonate_Group="system:masters"))
        same(admin.list_namespaced_secret(NS).items, [])
    with step("who the user is"):
        review = client.AuthenticationV1Api(user_with(Impersonate_User="alice")).create_self_subject_review({})
        same(review.status.user_info.username, "alice")


def may(user, verb):
    attributes = {"namespace": NS, "verb": verb, "resource": "configmaps"}
    spec = {"user": user, "resourceAttributes": attributes}
    return client.AuthorizationV1Api().create_subject_access_review({"spec": spec}).status.allowed


def claims_of(token):
    """Verifies a token by the documents of the server, as a program outside of the cluster does."""
    settings = json.loads(request("/.well-known/openid-configuration", Accept="*/*")[0])
    same(settings["jwks_uri"].endswith("/openid/v1/jwks"), True)
    keys = jwt.PyJWKSet.from_dict(json.loads(request("/openid/v1/jwks", Accept="*/*")[0]))
    key = keys[jwt.get_unverified_header(token)["kid"]]
    return jwt.decode(token, key, algorithms=["RS256"], issuer=settings["issuer"], options={"verify_aud": False})


def tokens():
    core.create_namespaced_service_account(NS, {"metadata": {"name": "robot"}})
    with step("a requested token is verified by PyJWT, and authenticates"):
        spec = {"audiences": ["vault"], "expirationSeconds": 600}
        vault = core.create_namespaced_service_account_token("robot", NS, {"spec": spec}).status.token
        claims = claims_of(vault)
        same([claims["sub"], claims["aud"]], [f"system:serviceaccount:{NS}:robot", ["vault"]])
        same(claims["exp"] - claims["iat"], 600)
        review = {"spec": {"token": vault, "audiences": ["vault"]}}
        status = client.AuthenticationV1Api().create_token_review(review).status
        same([status.authenticated, status.user.username], [True, claims["sub"]])
        refused(401, lambda: client.CoreV1Api(user_with(vault)).list_namespaced_config_map(NS))
    with step("a changed token is not verified"):
        head, body, signature = vault.split(".")
        try:
            claims_of(f"{head}.{body}.{signature[:-4]}AAAA")
        except jwt.InvalidSignatureError:
            pass
        else:
            raise AssertionError("verified")
    with step("a Secret gets a token"):
        annotations = {"kubernetes.io/service-account.name": "robot"}
        secret = {"metadata": {"name": "robot", "annotations": annotations}, "type": "kubernetes.io/service-account-token"}
        core.create_namespaced_secret(NS, secret)
        until("a token", lambda: (core.read_namespaced_secret("robot", NS).data or {}).get("token"))
        token = base64.b64decode(core.read_namespaced_secret("robot", NS).data["token"]).decode()
        review = client.AuthenticationV1Api(user_with(token)).create_self_subject_review({})
        same(review.status.user_info.username, f"system:serviceaccount:{NS}:robot")
        refused(403, lambda: client.CoreV1Api(user_with(token)).list_namespaced_secret(NS))
    with step("a Secret for a missing account is deleted"):
        annotations = {"kubernetes.io/service-account.name": "missing"}
        secret = {"metadata": {"name": "lost", "annotations": annotations}, "type": "kubernetes.io/service-account-token"}
        core.create_namespaced_secret(NS, secret)
        until("no Secret", lambda: is_absent(lambda: core.read_namespaced_secret("lost", NS)))
    with step("a Secret is deleted with its account"):
        core.delete_namespaced_service_account("robot", NS)
        until("no Secret", lambda: is_absent(lambda: core.read_namespaced_secret("robot", NS)))


def versions():
    with step("lists, pages and watches of an expired version get 410"):
        for number in range(3):
            core.create_namespaced_event(NS, event(f"page-{number}"))
        page = core.list_namespaced_event(NS, limit=1)
        version = page.metadata.resource_version
        exactly = dict(resource_version=version, resource_version_match="Exact")
        count = iter(range(1000))

        def has_expired():
            core.create_namespaced_event(NS, event(f"newer-{next(count)}"))
            try:
                core.list_namespaced_event(NS, **exactly)
            except client.ApiException as problem:
                return problem.status == 410
            return False

        until("the version expires", has_expired)
        refused(410, lambda: core.list_namespaced_event(NS, limit=1, _continue=page.metadata._continue))
        follow = watch.Watch().stream(core.list_namespaced_event, NS, resource_version=version, timeout_seconds=5)
        refused(410, lambda: list(follow))
    with step("the token of an expired page continues with the present state"):
        try:
            core.list_namespaced_event(NS, limit=1, _continue=page.metadata._continue)
        except client.ApiException as problem:
            token = json.loads(problem.body)["metadata"]["continue"]
        names = [each.metadata.name for each in core.list_namespaced_event(NS, _continue=token).items]
        same([name for name in names if name.startswith("page-")], ["page-1", "page-2"])


def event(name):
    return {"metadata": {"name": name}, "involvedObject": {"namespace": NS}}


def forms():
    with step("a table"):
        accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
        table = json.loads(request(f"/api/v1/namespaces/{NS}/configmaps", Accept=accept)[0])
        same([each["name"] for each in table["columnDefinitions"]], ["Name", "Data", "Age"])
        same(table["rows"][0]["object"]["kind"], "PartialObjectMetadata")
    with step("gzip for a large answer"):
        core.create_namespaced_config_map(NS, {"metadata": {"name": "large"}, "data": {"text": "x" * 200_000}})
        path = f"/api/v1/namespaces/{NS}/configmaps/large"
        plain, packed = request(path), request(path, **{"Accept-Encoding": "gzip"})
        same([plain[1].get("content-encoding"), packed[1].get("content-encoding")], [None, "gzip"])
    with step("YAML"):
        path = f"/api/v1/namespaces/{NS}/configmaps/kube-root-ca.crt"
        body, headers = request(path, Accept="application/yaml")
        same([headers["content-type"], body.startswith(b"apiVersion: v1\n")], ["application/yaml", True])
    with step("warnings for an unknown field, and its refusal"):
        path = f"/api/v1/namespaces/{NS}/configmaps"
        body = {**config_map("typo"), "date": {}}
        same("unknown field" in request(path, "POST", body)[1]["warning"], True)
        refused(400, lambda: request(f"{path}?fieldValidation=Strict", "POST", {**body, "metadata": {"name": "strict"}}))


def events():
    with step("an event is in both groups"):
        at = "2026-01-01T00:00:00.123456Z"
        more = {"eventTime": at, "reportingController": "test", "reportingInstance": "0", "action": "Try", "reason": "Tried", "type": "Normal"}
        made = client.EventsV1Api().create_namespaced_event(NS, {"metadata": {"name": "both"}, "regarding": {"namespace": NS}, **more})
        same(made.note, None)
        found = core.read_namespaced_event("both", NS)
        same([found.reason, found.reporting_component, found.involved_object.namespace], ["Tried", "test", NS])
        same(len(core.list_namespaced_event(NS, field_selector="reason=Tried,type=Normal").items), 1)


def leases():
    with step("a second candidate leads when the first one fails"):
        led = []
        for name in ("first", "second"):
            settings = dict(lease_duration=3, renew_deadline=2, retry_period=1, onstopped_leading=lambda: None)
            work = fail if name == "first" else lambda: None
            lead = lambda name=name, work=work: (led.append(name), work())
            lock = LeaseLock("leader", NS, name)
            election = leaderelection.LeaderElection(electionconfig.Config(lock, onstarted_leading=lead, **settings))
            threading.Thread(target=election.run, daemon=True).start()
            until(f"{led} and {name}", lambda: led[-1:] == [name])
        lease = client.CoordinationV1Api().read_namespaced_lease("leader", NS)
        same([led, lease.spec.holder_identity], [["first", "second"], "second"])


def fail():
    raise RuntimeError("the work of the first one fails")


def owners():
    for policy, survives in (("Background", False), ("Foreground", False), ("Orphan", True)):
        with step(f"an owned object after a deletion with {policy}"):
            name = policy.lower()
            uid = core.create_namespaced_config_map(NS, config_map(name)).metadata.uid
            reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid}
            core.create_namespaced_config_map(NS, config_map(f"{name}-owned", ownerReferences=[reference]))
            core.delete_namespaced_config_map(name, NS, propagation_policy=policy)
            until("no owner", lambda: is_absent(lambda: core.read_namespaced_config_map(name, NS)))
            if survives:
                same(core.read_namespaced_config_map(f"{name}-owned", NS).metadata.owner_references, None)
            else:
                until("no owned object", lambda: is_absent(lambda: core.read_namespaced_config_map(f"{name}-owned", NS)))


core.create_namespace({"metadata": {"name": NS}})
until("the authority", lambda: not is_absent(lambda: core.read_namespaced_config_map("kube-root-ca.crt", NS)))
for part in (rights, tokens, versions, forms, events, leases, owners):
    part()
