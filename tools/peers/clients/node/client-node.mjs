/** The official client for JavaScript: objects, patches, rights and kinds. `client-node-watches.mjs` follows with watches. */
import * as k8s from "@kubernetes/client-node";
import { watches } from "./client-node-watches.mjs";
import { refused, same, step, until } from "./steps.mjs";

const namespace = "client-node";
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const map = (name, data = { a: "1" }, metadata = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, ...metadata },
  data,
});
const create = (name, data, metadata) => core.createNamespacedConfigMap({ namespace, body: map(name, data, metadata) });
const read = (name) => core.readNamespacedConfigMap({ namespace, name });
const isAbsent = (name) =>
  read(name).then(
    () => false,
    ({ code }) => code === 404,
  );
const patch = (name, body, strategy) =>
  core.patchNamespacedConfigMap({ namespace, name, body }, k8s.setHeaderOptions("Content-Type", strategy));
const apply = (body, manager, force) => objects.patch(body, undefined, undefined, manager, force, k8s.PatchStrategy.ServerSideApply);

async function crud() {
  await step("create", async () => same((await create("one")).data, { a: "1" }));
  await step("read", async () => same((await read("one")).metadata.name, "one"));
  await step("times are dates", async () => same((await read("one")).metadata.creationTimestamp instanceof Date, true));
  await step("update", async () => {
    const body = { ...(await read("one")), data: { a: "2" } };
    same((await core.replaceNamespacedConfigMap({ namespace, name: "one", body })).data, { a: "2" });
  });
  await step("dry run of a create", async () => {
    await core.createNamespacedConfigMap({ namespace, body: map("dry"), dryRun: "All" });
    same(await isAbsent("dry"), true);
  });
  await step("generateName", async () => {
    const body = { metadata: { generateName: "made-" } };
    same(/^made-[a-z0-9]{5}$/.test((await core.createNamespacedConfigMap({ namespace, body })).metadata.name), true);
  });
  await step("pages", async () => {
    for (let i = 0; i < 5; i++) await create(`page-${i}`, {}, { labels: { page: String(i) } });
    const names = [];
    let _continue;
    do {
      const { items, metadata } = await core.listNamespacedConfigMap({ namespace, labelSelector: "page", limit: 2, _continue });
      names.push(...items.map((item) => item.metadata.name));
      ({ _continue } = metadata);
    } while (_continue);
    same(names, ["page-0", "page-1", "page-2", "page-3", "page-4"]);
  });
  await step("selectors", async () => {
    const count = async (query) => (await core.listNamespacedConfigMap({ namespace, ...query })).items.length;
    same(await count({ labelSelector: "page in (1,2),page!=2" }), 1);
    same(await count({ fieldSelector: "metadata.name=page-1" }), 1);
    await refused(400, count({ fieldSelector: "data.a=1" }));
    await refused(400, count({ labelSelector: "a in" }));
  });
}

async function patches() {
  await step("merge patch", async () => same((await patch("one", { data: { merge: "x" } }, k8s.PatchStrategy.MergePatch)).data.merge, "x"));
  await step("strategic merge patch", async () => {
    same((await patch("one", { data: { strategic: "x" } }, k8s.PatchStrategy.StrategicMergePatch)).data.strategic, "x");
  });
  await step("JSON patch", async () => {
    const operations = [
      { op: "test", path: "/data/a", value: "2" },
      { op: "add", path: "/data/json", value: "x" },
    ];
    same((await patch("one", operations, k8s.PatchStrategy.JsonPatch)).data.json, "x");
    await refused(422, patch("one", [{ op: "test", path: "/data/a", value: "9" }], k8s.PatchStrategy.JsonPatch));
  });
  await step("apply, a conflict with its cause, and force", async () => {
    same((await apply(map("applied"), "clients")).metadata.managedFields[0].operation, "Apply");
    const { body } = await refused(409, apply(map("applied", { a: "2" }), "other"));
    same(JSON.parse(body).details.causes[0].field, ".data.a");
    same((await apply(map("applied", { a: "2" }), "other", true)).data.a, "2");
  });
  await step("apply of less removes the fields of its manager", async () => {
    await apply(map("shrunk", { a: "1", b: "1" }), "clients");
    same((await apply(map("shrunk", { a: "1" }), "clients")).data, { a: "1" });
  });
}

async function refusals() {
  await step("404", () => refused(404, read("absent")));
  await step("409 for an existing object", () => refused(409, create("one")));
  await step("409 for an old version", () =>
    refused(409, core.replaceNamespacedConfigMap({ namespace, name: "one", body: map("one", {}, { resourceVersion: "1" }) })),
  );
  await step("422 with the field", async () => {
    const { body } = await refused(422, create("Bad_Name"));
    same(JSON.parse(body).details.causes[0].field, "metadata.name");
  });
  await step("exec into a pod without a node", async () => {
    const spec = { containers: [{ name: "main", image: "main" }] };
    await core.createNamespacedPod({ namespace, body: { metadata: { name: "main" }, spec } });
    const exec = new k8s.Exec(config).exec(namespace, "main", "main", ["true"], null, null, null, false);
    const { error } = await exec.then(
      () => ({}),
      (problem) => ({ error: String(problem.message ?? problem) }),
    );
    same(/Unexpected server response: (\d+)/.exec(error ?? "")?.[1], "400");
  });
}

async function parts() {
  await step("scale of a Deployment", async () => {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } };
    await apps.createNamespacedDeployment({
      namespace,
      body: { metadata: { name: "web" }, spec: { replicas: 1, selector: { matchLabels: labels }, template } },
    });
    const body = { metadata: { name: "web", namespace }, spec: { replicas: 3 } };
    same((await apps.replaceNamespacedDeploymentScale({ namespace, name: "web", body })).spec.replicas, 3);
    same((await apps.readNamespacedDeployment({ namespace, name: "web" })).metadata.generation, 2);
  });
  await step("status of a Deployment", async () => {
    const body = [{ op: "add", path: "/status/replicas", value: 1 }];
    const changed = await apps.patchNamespacedDeploymentStatus(
      { namespace, name: "web", body },
      k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.JsonPatch),
    );
    same([changed.status.replicas, changed.metadata.generation], [1, 2]);
  });
  await step("eviction of a pod", async () => {
    const body = { metadata: { name: "main", namespace } };
    await core.createNamespacedPodEviction({ namespace, name: "main", body });
    await refused(404, core.readNamespacedPod({ namespace, name: "main" }));
  });
  await step("a Lease changes its holder once", async () => {
    const leases = config.makeApiClient(k8s.CoordinationV1Api);
    const renewTime = new k8s.V1MicroTime("2026-01-01T00:00:00.123456Z");
    const body = await leases.createNamespacedLease({
      namespace,
      body: { metadata: { name: "leader" }, spec: { holderIdentity: "a", renewTime } },
    });
    const take = (holderIdentity) =>
      leases.replaceNamespacedLease({ namespace, name: "leader", body: { ...body, spec: { ...body.spec, holderIdentity } } });
    same((await take("b")).spec.holderIdentity, "b");
    await refused(409, take("c"));
  });
}

/** Another user: by a token of a ServiceAccount, and by impersonation. */
async function rights() {
  await step("a token of a ServiceAccount authenticates, without rights", async () => {
    await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: "robot" } } });
    const body = { spec: { audiences: [], expirationSeconds: 600 } };
    const { token } = (await core.createNamespacedServiceAccountToken({ namespace, name: "robot", body })).status;
    const robot = userWith({ token });
    const review = await robot.makeApiClient(k8s.AuthenticationV1Api).createSelfSubjectReview({ body: {} });
    same(review.status.userInfo.username, `system:serviceaccount:${namespace}:robot`);
    await refused(403, robot.makeApiClient(k8s.CoreV1Api).listNamespacedSecret({ namespace }));
  });
  await step("a role gives its rights", async () => {
    const rbac = config.makeApiClient(k8s.RbacAuthorizationV1Api);
    await rbac.createNamespacedRole({
      namespace,
      body: { metadata: { name: "reader" }, rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }] },
    });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
    await rbac.createNamespacedRoleBinding({
      namespace,
      body: { metadata: { name: "reader" }, roleRef, subjects: [{ kind: "User", apiGroup: roleRef.apiGroup, name: "alice" }] },
    });
    const alice = userWith({ impersonateUser: "alice" }).makeApiClient(k8s.CoreV1Api);
    await until("the binding is known", () =>
      alice.listNamespacedConfigMap({ namespace }).then(
        () => true,
        () => false,
      ),
    );
    await refused(403, alice.createNamespacedConfigMap({ namespace, body: map("forbidden") }));
  });
  await step("a wrong token", () =>
    refused(401, userWith({ token: "wrong" }).makeApiClient(k8s.CoreV1Api).listNamespacedConfigMap({ namespace })),
  );
}

function userWith(user) {
  const cluster = config.getCurrentCluster();
  const mine = user.impersonateUser === undefined ? {} : config.getCurrentUser();
  const other = new k8s.KubeConfig();
  other.loadFromClusterAndUser(cluster, { ...mine, name: "other", ...user });
  return other;
}

/** A kind with two versions that differ in nothing, from its CRD to its deletion. */
async function kinds() {
  const definitions = config.makeApiClient(k8s.ApiextensionsV1Api);
  const custom = config.makeApiClient(k8s.CustomObjectsApi);
  const group = "node.example.dev";
  const name = `things.${group}`;
  const at = { group, namespace, plural: "things" };
  const version = (versionName, storage) => {
    const openAPIV3Schema = {
      type: "object",
      properties: { spec: { type: "object", properties: { size: { type: "integer", _default: 1 } } } },
    };
    return { name: versionName, served: true, storage, schema: { openAPIV3Schema } };
  };
  await step("a CRD is established", async () => {
    const spec = {
      group,
      scope: "Namespaced",
      names: { kind: "Thing", plural: "things" },
      versions: [version("v1", true), version("v2", false)],
    };
    await definitions.createCustomResourceDefinition({ body: { metadata: { name }, spec } });
    const isEstablished = ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True");
    await until("Established", async () => isEstablished(await definitions.readCustomResourceDefinition({ name })));
    await until("served", () =>
      custom.listNamespacedCustomObject({ ...at, version: "v1" }).then(
        () => true,
        () => false,
      ),
    );
  });
  await step("an object in both versions, with its default", async () => {
    const body = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "one" }, spec: {} };
    await custom.createNamespacedCustomObject({ ...at, version: "v1", body });
    const found = await custom.getNamespacedCustomObject({ ...at, version: "v2", name: "one" });
    same([found.apiVersion, found.spec], [`${group}/v2`, { size: 1 }]);
  });
  await step("an object that its schema refuses", async () => {
    const body = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "two" }, spec: { size: "big" } };
    await refused(422, custom.createNamespacedCustomObject({ ...at, version: "v1", body }));
  });
  await step("a deleted CRD takes its objects with it", async () => {
    await definitions.deleteCustomResourceDefinition({ name });
    await until("no CRD", () =>
      definitions.readCustomResourceDefinition({ name }).then(
        () => false,
        ({ code }) => code === 404,
      ),
    );
    await until("no kind", () =>
      custom.listNamespacedCustomObject({ ...at, version: "v1" }).then(
        () => false,
        ({ code }) => code === 404,
      ),
    );
  });
}

async function deletion() {
  await step("a finalizer delays a deletion", async () => {
    await create("held", {}, { finalizers: ["treadle.dev/held"] });
    await core.deleteNamespacedConfigMap({ namespace, name: "held" });
    same((await read("held")).metadata.deletionTimestamp instanceof Date, true);
    await patch("held", { metadata: { finalizers: null } }, k8s.PatchStrategy.MergePatch);
    await until("the object is deleted", () => isAbsent("held"));
  });
  await step("a deletion with another uid", () =>
    refused(409, core.deleteNamespacedConfigMap({ namespace, name: "one", body: { preconditions: { uid: "other" } } })),
  );
  for (const [policy, isKept] of [
    ["Background", false],
    ["Orphan", true],
  ])
    await step(`an owned object after a deletion with the policy ${policy}`, async () => {
      const name = policy.toLowerCase();
      const { uid } = (await create(name)).metadata;
      await create(`${name}-owned`, {}, { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name, uid }] });
      await core.deleteNamespacedConfigMap({ namespace, name, propagationPolicy: policy });
      await until("no owner", () => isAbsent(name));
      if (isKept) same((await read(`${name}-owned`)).metadata.ownerReferences, undefined);
      else await until("no owned object", () => isAbsent(`${name}-owned`));
    });
  await step("delete a collection by label", async () => {
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "page in (0,1)" });
    same((await core.listNamespacedConfigMap({ namespace, labelSelector: "page" })).items.length, 3);
  });
  await step("a namespace is deleted with its content", async () => {
    await core.deleteNamespace({ name: namespace });
    await until("no namespace", () =>
      core.readNamespace({ name: namespace }).then(
        () => false,
        ({ code }) => code === 404,
      ),
    );
  });
}

await core.createNamespace({ body: { metadata: { name: namespace } } });
for (const part of [crud, patches, refusals, parts, rights, kinds]) await part();
await watches({ config, core, namespace, create, patch });
await deletion();
