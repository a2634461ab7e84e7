/** Authorization: allowed and refused requests, the texts of refusals, and the prevention of escalation. */
import type { Json, Scenario, Send, Session } from "../session.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";

/** Returns the options of a request as another user. */
function as(user: string, groups: readonly string[] = [], send: Send = {}): Send {
  const group = groups.length === 0 ? {} : { "impersonate-group": groups.join(",") };
  return { ...send, headers: { "impersonate-user": user, ...group, ...send.headers } };
}

function role(kind: "Role" | "ClusterRole", name: string, rules: readonly Json[], more: Json = {}): Json {
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata: { name }, rules, ...more };
}

function binding(
  kind: "RoleBinding" | "ClusterRoleBinding",
  name: string,
  ref: readonly [string, string],
  subjects: readonly Json[],
): Json {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: ref[0], name: ref[1] };
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata: { name }, roleRef, subjects };
}

const user = (name: string): Json => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name });
const group = (name: string): Json => ({ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name });
const rule = (verbs: readonly string[], resources: readonly string[], more: Json = {}): Json => ({
  apiGroups: [""],
  resources,
  verbs,
  ...more,
});
const configMap = (name: string, more: Json = {}): Json => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more } });

function paths({ namespace }: Session): { readonly roles: string; readonly bindings: string; readonly maps: string; readonly ns: string } {
  const ns = `/api/v1/namespaces/${namespace}`;
  const at = `${RBAC}/namespaces/${namespace}`;
  return { roles: `${at}/roles`, bindings: `${at}/rolebindings`, maps: `${ns}/configmaps`, ns };
}

/** Gives a right, and waits until the authorizer of the real server knows it. */
async function give(session: Session, who: Json, rules: readonly Json[], name = "given"): Promise<void> {
  const { roles, bindings } = paths(session);
  await session.quietly("POST", roles, { body: role("Role", name, rules) });
  await session.quietly("POST", bindings, { body: binding("RoleBinding", name, ["Role", name], [who]) });
  await heard();
}

const heard = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300));

export const rights: readonly Scenario[] = [
  {
    name: "refusals",
    async run(session) {
      const { send, gadgets } = session;
      const { maps, ns } = paths(session);
      await send("list", "GET", maps, as("nobody"));
      await send("get", "GET", `${maps}/a`, as("nobody"));
      await send("watch", "GET", maps, { ...as("nobody"), query: "watch=true" });
      await send("list of one name", "GET", maps, { ...as("nobody"), query: "fieldSelector=metadata.name%3Da" });
      await send("create", "POST", maps, as("nobody", [], { body: configMap("a") }));
      await send("create without a body", "POST", maps, as("nobody"));
      await send("update", "PUT", `${maps}/a`, as("nobody", [], { body: configMap("a") }));
      await send("patch", "PATCH", `${maps}/a`, as("nobody", [], { body: {} }));
      await send("delete", "DELETE", `${maps}/a`, as("nobody"));
      await send("delete many", "DELETE", maps, as("nobody"));
      await send("another group", "GET", gadgets, as("nobody"));
      await send("a subresource", "PUT", `${gadgets}/a/status`, as("nobody", [], { body: {} }));
      await send("all namespaces", "GET", "/api/v1/configmaps", as("nobody"));
      await send("without a namespace", "GET", "/api/v1/nodes/n", as("nobody"));
      await send("a namespace", "GET", ns, as("nobody"));
      await send("an unknown resource", "GET", `${ns}/nothings`, as("nobody"));
      await send("an unknown group", "GET", "/apis/nowhere.example/v1/things", as("nobody"));
      await send("a quoted name", "GET", maps, as('no "body"'));
      await send("discovery", "GET", "/api", as("nobody"));
      await send("discovery of a version", "GET", "/apis/conformance.treadle.dev/v1", as("nobody"));
      await send("health", "GET", "/healthz", as("nobody"));
      await send("a path", "GET", "/metrics/anything", as("nobody"));
      await send("discovery, anonymous", "GET", "/api", as("system:anonymous"));
      await send("resources, anonymous", "GET", maps, as("system:anonymous"));
      await send("the masters' group", "GET", `${maps}/none`, as("nobody", ["system:masters"]));
    },
  },
  {
    name: "roles",
    async run(session) {
      const { send, quietly } = session;
      const { maps, ns, roles, bindings } = paths(session);
      const rules = [
        rule(["get", "list"], ["configmaps"]),
        rule(["update"], ["configmaps"], { resourceNames: ["a"] }),
        rule(["create"], ["secrets"]),
        { apiGroups: ["apps"], resources: ["*/scale"], verbs: ["*"] },
        rule(["get"], ["namespaces"]),
      ];
      await give(session, user("reader"), rules);
      await quietly("POST", maps, { body: configMap("a") });
      await quietly("POST", maps, { body: configMap("b") });
      const reader = as("reader");
      await send("granted", "GET", `${maps}/a`, reader);
      await send("granted list", "GET", maps, { ...reader, query: "labelSelector=none%3Dx" });
      await send("not granted", "DELETE", `${maps}/a`, reader);
      await send("granted by name", "PUT", `${maps}/a`, as("reader", [], { body: configMap("a", { labels: { by: "reader" } }) }));
      await send("another name", "PUT", `${maps}/b`, as("reader", [], { body: configMap("b") }));
      await send("another namespace", "GET", "/api/v1/namespaces/kube-system/configmaps", reader);
      await send("all namespaces", "GET", "/api/v1/configmaps", reader);
      await send("a subresource by pattern", "GET", `/apis/apps/v1/namespaces/${session.namespace}/deployments/none/scale`, reader);
      await send("its object", "GET", `/apis/apps/v1/namespaces/${session.namespace}/deployments/none`, reader);
      await send("the namespace", "GET", `${ns}`, as("reader"));
      await send("apply that would create", "PATCH", `${maps}/c`, {
        ...as("reader", [], { body: configMap("c"), headers: { "content-type": "application/apply-patch+yaml" } }),
        query: "fieldManager=x",
      });
      await quietly("DELETE", `${roles}/given`);
      await heard();
      await send("a role that is gone", "GET", `${maps}/a`, reader);
      await quietly("POST", bindings, { body: binding("RoleBinding", "other", ["ClusterRole", "nowhere"], [user("reader")]) });
      await heard();
      await send("two roles that are gone", "GET", `${maps}/a`, as("reader", ["g"]));
    },
  },
  {
    name: "subjects",
    async run(session) {
      const { send, quietly, namespace } = session;
      const { maps, bindings } = paths(session);
      await quietly("POST", maps, { body: configMap("a") });
      await give(session, group("readers"), [rule(["get"], ["configmaps"])]);
      const account = { kind: "ServiceAccount", name: "robot" };
      await send("an account without its namespace", "POST", bindings, { body: binding("RoleBinding", "r", ["Role", "given"], [account]) });
      await quietly("POST", bindings, { body: binding("RoleBinding", "s", ["Role", "given"], [{ ...account, namespace }]) });
      await heard();
      await send("by group", "GET", `${maps}/a`, as("someone", ["readers"]));
      await send("by another group", "GET", `${maps}/a`, as("someone", ["writers"]));
      await send("an account", "GET", `${maps}/a`, as(`system:serviceaccount:${namespace}:robot`));
      await send("an account, not granted", "GET", maps, as(`system:serviceaccount:${namespace}:robot`));
      await send("another account", "GET", `${maps}/a`, as(`system:serviceaccount:${namespace}:human`));
    },
  },
  {
    name: "impersonation",
    async run(session) {
      const { send, quietly, namespace } = session;
      const { maps } = paths(session);
      await send("a group without a user", "GET", maps, { headers: { "impersonate-group": "g" } });
      await send("a uid without a user", "GET", maps, { headers: { "impersonate-uid": "u" } });
      const who = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      await send("who am I", "POST", who, as("alice", [], { body }));
      await send("with a group", "POST", who, as("alice", ["g"], { body }));
      await send("with everybody's group", "POST", who, as("alice", ["system:authenticated"], { body }));
      await send("unauthenticated", "POST", who, as("alice", ["system:unauthenticated"], { body }));
      await send("anonymous", "POST", who, as("system:anonymous", [], { body }));
      await send("anonymous, with a group", "POST", who, as("system:anonymous", ["system:masters"], { body }));
      await send("an account", "POST", who, as(`system:serviceaccount:${namespace}:robot`, [], { body }));
      const more = { "impersonate-uid": "u-1", "impersonate-extra-scopes": "a", "impersonate-extra-example.com%2fb": "c" };
      await send("with uid and extra", "POST", who, as("alice", [], { body, headers: more }));
      await quietly("POST", `${RBAC}/clusterroles`, {
        body: role("ClusterRole", `imp-${namespace}`, [rule(["impersonate"], ["users"], { resourceNames: ["bob"] })]),
      });
      await send("everything of a review", "POST", who, {
        ...as("alice"),
        body: { ...body, status: { userInfo: { username: "x" } }, spec: {} },
      });
    },
  },
  {
    name: "giving rights",
    async run(session) {
      const { send, namespace, quietly } = session;
      const { roles, bindings } = paths(session);
      const every = ["get", "create", "update", "patch", "delete"];
      const manage = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: every };
      await give(session, user("deputy"), [manage, rule(["get"], ["configmaps"]), rule(["get"], ["secrets"], { resourceNames: ["s"] })]);
      const give2 = (name: string, rules: readonly Json[]): Send => as("deputy", ["staff"], { body: role("Role", name, rules) });
      await send("a role one has", "POST", roles, give2("same", [rule(["get"], ["configmaps"])]));
      await send("more verbs", "POST", roles, give2("more", [rule(["get", "list", "delete"], ["configmaps", "pods"])]));
      await send("without the name", "POST", roles, give2("wide", [rule(["get"], ["secrets"])]));
      await send("other names", "POST", roles, give2("names", [rule(["get"], ["secrets"], { resourceNames: ["s", "t"] })]));
      await send("everything", "POST", roles, give2("all", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]));
      await send("change to more", "PUT", `${roles}/same`, give2("same", [rule(["watch"], ["configmaps"])]));
      const patch = { headers: { "content-type": "application/merge-patch+json" } };
      await send("a label", "PATCH", `${roles}/same`, as("deputy", [], { body: { metadata: { labels: { a: "b" } } }, ...patch }));
      const admin = binding("RoleBinding", "adm", ["ClusterRole", "cluster-admin"], [user("deputy")]);
      await send("bind a role one has not", "POST", bindings, as("deputy", [], { body: admin }));
      await send(
        "bind a role one has",
        "POST",
        bindings,
        as("deputy", [], { body: binding("RoleBinding", "ok", ["Role", "same"], [user("x")]) }),
      );
      await send("bind none", "POST", bindings, as("deputy", [], { body: binding("RoleBinding", "no", ["Role", "none"], [user("x")]) }));
      await send(
        "bind no cluster role",
        "POST",
        bindings,
        as("deputy", [], { body: binding("RoleBinding", "no", ["ClusterRole", `none-${namespace}`], [user("x")]) }),
      );
      await give(
        session,
        user("boss"),
        [manage, { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "clusterroles"], verbs: ["escalate", "bind"] }],
        "bosses",
      );
      await send("escalate", "POST", roles, as("boss", [], { body: role("Role", "esc", [rule(["get"], ["pods"])]) }));
      await send("bind", "POST", bindings, as("boss", [], { body: { ...admin, metadata: { name: "b2" } } }));
      await quietly("DELETE", `${bindings}/b2`);
    },
  },
  {
    name: "owners",
    async run(session) {
      const { send, quietly } = session;
      const { maps } = paths(session);
      await give(session, user("owner"), [rule(["get", "create", "update", "patch"], ["configmaps"])]);
      const made = await quietly("POST", maps, { body: configMap("parent") });
      const uid = made["metadata"]?.uid ?? "";
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: "parent", uid };
      const child = (name: string, owner: Json): Json => configMap(name, { ownerReferences: [owner] });
      await send("create", "POST", maps, as("owner", [], { body: child("one", reference) }));
      await send("create that blocks", "POST", maps, as("owner", [], { body: child("two", { ...reference, blockOwnerDeletion: true }) }));
      await send(
        "an unknown kind",
        "POST",
        maps,
        as("owner", [], { body: child("three", { ...reference, kind: "Nothing", blockOwnerDeletion: true }) }),
      );
      await quietly("POST", maps, { body: configMap("four") });
      await send("a new owner", "PUT", `${maps}/four`, as("owner", [], { body: child("four", reference) }));
      await send("as administrator", "PUT", `${maps}/four`, { body: child("four", { ...reference, blockOwnerDeletion: true }) });
    },
  },
  {
    name: "reviews",
    async run(session) {
      const { send, namespace, quietly } = session;
      await give(session, user("asked"), [rule(["get"], ["configmaps"]), rule(["list"], ["secrets"], { resourceNames: ["a"] })]);
      const group = "authorization.k8s.io";
      const at = `/apis/${group}/v1`;
      const review = (kind: string, spec: Json, more: Json = {}): Json => ({ apiVersion: `${group}/v1`, kind, ...more, spec });
      const resourceAttributes = { namespace, verb: "get", resource: "configmaps" };
      const ask = (step: string, spec: Json): Promise<Json> =>
        send(step, "POST", `${at}/subjectaccessreviews`, { body: review("SubjectAccessReview", spec) });
      await ask("allowed", { user: "asked", resourceAttributes });
      await ask("not allowed", { user: "other", resourceAttributes });
      await ask("by group", { groups: ["system:masters"], resourceAttributes });
      await ask("all names", { user: "asked", resourceAttributes: { ...resourceAttributes, verb: "list", resource: "secrets" } });
      await ask("one name", { user: "asked", resourceAttributes: { ...resourceAttributes, verb: "list", resource: "secrets", name: "a" } });
      await ask("a subresource", { user: "asked", resourceAttributes: { ...resourceAttributes, subresource: "status" } });
      // A right of a single role: of several roles, the real server names a random one.
      await ask("a path", { user: "asked", groups: ["system:authenticated"], nonResourceAttributes: { path: "/api", verb: "get" } });
      await ask("another path", { user: "asked", nonResourceAttributes: { path: "/metrics", verb: "get" } });
      await ask("nobody", { resourceAttributes });
      await ask("nothing", { user: "asked" });
      await ask("both", { user: "asked", resourceAttributes, nonResourceAttributes: { path: "/", verb: "get" } });
      const local = `${at}/namespaces/${namespace}/localsubjectaccessreviews`;
      await send("local", "POST", local, { body: review("LocalSubjectAccessReview", { user: "asked", resourceAttributes }) });
      await send("local, elsewhere", "POST", local, {
        body: review("LocalSubjectAccessReview", { user: "asked", resourceAttributes: { ...resourceAttributes, namespace: "default" } }),
      });
      await send("local, a path", "POST", local, {
        body: review("LocalSubjectAccessReview", { user: "asked", nonResourceAttributes: { path: "/", verb: "get" } }),
      });
      const self = { body: review("SelfSubjectAccessReview", { resourceAttributes }) };
      await send("self", "POST", `${at}/selfsubjectaccessreviews`, self);
      await send("self, as another", "POST", `${at}/selfsubjectaccessreviews`, as("asked", [], self));
      await send("self, refused", "POST", `${at}/selfsubjectaccessreviews`, as("system:anonymous", [], self));
      const rules = { body: review("SelfSubjectRulesReview", { namespace }) };
      await send("rules without a namespace", "POST", `${at}/selfsubjectrulesreviews`, { body: review("SelfSubjectRulesReview", {}) });
      await send("get of reviews", "GET", `${at}/subjectaccessreviews`);
      await send("delete of reviews", "DELETE", `${at}/subjectaccessreviews`);
      await send("a named review", "GET", `${at}/subjectaccessreviews/x`);
      await send("a local review without namespace", "POST", `${at}/localsubjectaccessreviews`, {
        body: review("LocalSubjectAccessReview", { user: "asked", resourceAttributes }),
      });
      await send("as another kind", "POST", `${at}/subjectaccessreviews`, self);
      await send("no JSON", "POST", `${at}/subjectaccessreviews`, { body: "{" });
      await send("discovery", "GET", at);
      await quietly("POST", `${at}/selfsubjectrulesreviews`, rules);
    },
  },
  {
    name: "tokens",
    async run(session) {
      const { send, namespace, quietly } = session;
      const { ns } = paths(session);
      const accounts = `${ns}/serviceaccounts`;
      await quietly("POST", accounts, { body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } } });
      const ask = (spec: Json, more: Json = {}): Send => ({
        body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", ...more, spec },
      });
      const token = `${accounts}/robot/token`;
      await send("too short", "POST", token, ask({ expirationSeconds: 100 }));
      await send("too long", "POST", token, ask({ expirationSeconds: 2 ** 33 }));
      await send("no account", "POST", `${accounts}/nobody/token`, ask({}));
      await send("another name", "POST", token, ask({}, { metadata: { name: "human" } }));
      await send("another namespace", "POST", token, ask({}, { metadata: { namespace: "default" } }));
      await send("another uid", "POST", token, ask({}, { metadata: { uid: "x" } }));
      await send("bound to no kind", "POST", token, ask({ boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "x" } }));
      await send("bound to nothing", "POST", token, ask({ boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "x" } }));
      await send("a get", "GET", token);
      await send("of others", "POST", `${ns}/configmaps/x/token`, ask({}));
      const review = "/apis/authentication.k8s.io/v1/tokenreviews";
      const of = (spec: Json): Send => ({ body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec } });
      await send("review of nothing", "POST", review, of({}));
      await send("review of no token", "POST", review, of({ token: "nobody's" }));
      const made = await quietly("POST", token, ask({ audiences: ["a"] }));
      await send("for another audience", "POST", review, of({ token: made["status"]?.token ?? "", audiences: ["b"] }));
      const shown = await quietly("POST", review, of({ token: made["status"]?.token ?? "", audiences: ["a", "b"] }));
      const userInfo = shown["status"]?.user ?? {};
      await send(
        "its user",
        "GET",
        `${ns}/${String(userInfo["username"]).replaceAll(":", "-")}-${shown["status"]?.authenticated}-${String(shown["status"]?.audiences)}-${namespace}`,
      );
      await quietly("DELETE", `${accounts}/robot`);
      await send("of an account that is gone", "POST", review, of({ token: made["status"]?.token ?? "", audiences: ["a"] }));
    },
  },
];
