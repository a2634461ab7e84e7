/**
 * The garbage collector, tested through the API. With `TREADLE_TEST_KUBECONFIG` the same tests run against a real control
 * plane, as in `npm run test:e2e`.
 */
import { randomUUID } from "node:crypto";
import type { ApiRequest, Transport } from "@treadle/apimachinery";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createApiServer } from "../src/index.ts";
import { realServer } from "./conformance/real-server.ts";
import type { Json } from "./harness.ts";

interface Place {
  readonly transport: Transport;
  /** Waits until the collector has done its work. */
  readonly rest: () => Promise<void>;
}

function inMemory(): Place {
  const server = createApiServer({ garbageCollection: true });
  return { transport: server.transport(), rest: () => server.settled() };
}

function real(kubeconfig: string): Place {
  const transport = realServer(kubeconfig);
  return { transport, rest: () => new Promise((resolve) => void setTimeout(resolve, 2500)) };
}

const kubeconfig = process.env["TREADLE_KUBECONFIG"];
const places = [
  { name: "in memory", make: inMemory },
  ...(kubeconfig === undefined ? [] : [{ name: "real", make: () => real(kubeconfig) }]),
];

describe.for(places)("$name", ({ make }) => {
  const place = make();
  afterAll(() => place.transport.close());
  let space = "";
  beforeEach(async () => {
    space = `gc-${randomUUID().slice(0, 8)}`;
    await call("POST", "/api/v1/namespaces", { metadata: { name: space } });
  });

  async function call(method: ApiRequest["method"], path: string, body?: unknown, type = "application/json"): Promise<Json> {
    const headers = { accept: "application/json", "user-agent": "tester", "content-type": type };
    const response = await place.transport.request({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status >= 300 && response.status !== 404) throw new Error(`${method} ${path}: ${response.status} ${response.body}`);
    return JSON.parse(response.body ?? "") as Json;
  }
  const at = (name: string, namespace = space): string => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
  const reference = (owner: Json, more: object = {}): Json => ({
    apiVersion: owner["apiVersion"],
    kind: owner["kind"],
    name: owner["metadata"].name,
    uid: owner["metadata"].uid,
    ...more,
  });
  const make_ = (name: string, metadata: object = {}, namespace = space): Promise<Json> =>
    call("POST", `/api/v1/namespaces/${namespace}/configmaps`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata } });
  const owned = (name: string, owners: readonly Json[], metadata: object = {}): Promise<Json> =>
    make_(name, { ownerReferences: owners, ...metadata });
  const remove = (name: string, propagationPolicy?: string): Promise<Json> =>
    call("DELETE", at(name), propagationPolicy === undefined ? undefined : { propagationPolicy });
  const get = async (name: string, namespace = space): Promise<Json | undefined> => {
    const found = await call("GET", at(name, namespace));
    return found["kind"] === "Status" ? undefined : found;
  };
  /** Returns the names that are left, in order; `!` marks an object that is being deleted. */
  const left = async (): Promise<readonly string[]> => {
    await place.rest();
    const { items } = await call("GET", `/api/v1/namespaces/${space}/configmaps`);
    return (items as readonly Json[])
      .map(({ metadata }) => `${metadata.name}${metadata.deletionTimestamp === undefined ? "" : "!"}`)
      .filter((name) => name !== "kube-root-ca.crt");
  };
  const release = (name: string): Promise<Json> =>
    call("PATCH", at(name), { metadata: { finalizers: null } }, "application/merge-patch+json");
  const ownersOf = async (name: string): Promise<readonly string[] | undefined> =>
    ((await get(name))?.["metadata"].ownerReferences as readonly Json[] | undefined)?.map((owner) => String(owner["name"]));

  test("a chain of dependents is deleted with its first owner", async () => {
    const a = await make_("a");
    const b = await owned("b", [reference(a)]);
    await owned("c", [reference(b)]);
    await remove("a");
    expect(await left()).toEqual([]);
  });

  test("an object with two owners stays while one exists, and loses the reference to the other", async () => {
    const [a, b] = [await make_("a"), await make_("b")];
    await owned("c", [reference(a), reference(b)]);
    await remove("a");
    expect(await left()).toEqual(["b", "c"]);
    expect(await ownersOf("c")).toEqual(["b"]);
    await remove("b");
    expect(await left()).toEqual([]);
  });

  test.for<{ readonly name: string; readonly wrong: object }>([
    { name: "another uid", wrong: { uid: randomUUID() } },
    { name: "a name that nobody has", wrong: { name: "nobody" } },
    { name: "another kind", wrong: { kind: "Secret" } },
  ])("an owner of $name is none", async ({ wrong }) => {
    const a = await make_("a");
    await owned("b", [reference(a, wrong)]);
    expect(await left()).toEqual(["a"]);
  });

  test("an owner in another namespace does not count", async () => {
    const other = await make_("a", {}, "default");
    await owned("b", [reference(other)]);
    expect(await left()).toEqual([]);
    await call("DELETE", at("a", "default"));
  });

  test("a reference that is added later counts, too", async () => {
    await make_("a");
    await call(
      "PATCH",
      at("a"),
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: randomUUID() }] } },
      "application/merge-patch+json",
    );
    expect(await left()).toEqual([]);
  });

  test("a dependent stays while the kind of its owner is not served", async () => {
    await owned("a", [{ apiVersion: "nobody.example.com/v1", kind: "Nothing", name: "x", uid: randomUUID() }]);
    expect(await left()).toEqual(["a"]);
  });

  test("a cluster-scoped object can own objects in each namespace, and cannot have an owner in a namespace", async () => {
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const role = (name: string, metadata: object = {}): Promise<Json> =>
      call("POST", roles, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: `${space}-${name}`, ...metadata },
      });
    const owner = await role("owner");
    await owned("a", [reference(owner)]);
    const b = await make_("b");
    const wrong = await role("wrong", { ownerReferences: [reference(b)] });
    await role("right", { ownerReferences: [reference(owner)] });
    await remove("b");
    expect(await left()).toEqual(["a"]);
    await call("DELETE", `${roles}/${owner["metadata"].name}`);
    expect(await left()).toEqual([]);
    const names = ((await call("GET", roles))["items"] as readonly Json[]).map(({ metadata }) => String(metadata.name));
    expect(names.filter((name) => name.startsWith(space))).toEqual([wrong["metadata"].name]);
    await call("DELETE", `${roles}/${wrong["metadata"].name}`);
  });

  test("a foreground deletion deletes the owner last, and only blocking dependents delay it", async () => {
    const a = await make_("a");
    await owned("blocks", [reference(a, { blockOwnerDeletion: true })], { finalizers: ["example.com/hold"] });
    await owned("b", [reference(a)], { finalizers: ["example.com/hold"] });
    await remove("a", "Foreground");
    expect(await left()).toEqual(["a!", "b!", "blocks!"]);
    expect((await get("a"))?.["metadata"].finalizers).toEqual(["foregroundDeletion"]);
    await release("blocks");
    expect(await left()).toEqual(["b!"]);
    await release("b");
    expect(await left()).toEqual([]);
  });

  test("a foreground deletion is recursive: a dependent waits for its own dependents, too", async () => {
    const a = await make_("a");
    const b = await owned("b", [reference(a, { blockOwnerDeletion: true })]);
    await owned("c", [reference(b, { blockOwnerDeletion: true })], { finalizers: ["example.com/hold"] });
    await remove("a", "Foreground");
    expect(await left()).toEqual(["a!", "b!", "c!"]);
    await release("c");
    expect(await left()).toEqual([]);
  });

  test("a circle of owners is deleted", async () => {
    const a = await make_("a");
    const b = await owned("b", [reference(a, { blockOwnerDeletion: true })]);
    await call(
      "PATCH",
      at("a"),
      { metadata: { ownerReferences: [reference(b, { blockOwnerDeletion: true })] } },
      "application/merge-patch+json",
    );
    await remove("a", "Foreground");
    expect(await left()).toEqual([]);
  });

  test("a waiting owner is deleted when its dependent no longer blocks it", async () => {
    const a = await make_("a");
    await owned("b", [reference(a, { blockOwnerDeletion: true })], { finalizers: ["example.com/hold"] });
    await remove("a", "Foreground");
    expect(await left()).toEqual(["a!", "b!"]);
    await call("PATCH", at("b"), { metadata: { ownerReferences: [reference(a)] } }, "application/merge-patch+json");
    expect(await left()).toEqual(["b!"]);
    await release("b");
  });

  test("a dependent with another owner survives a foreground deletion, and no longer blocks it", async () => {
    const [a, b] = [await make_("a"), await make_("b")];
    await owned("c", [reference(a, { blockOwnerDeletion: true }), reference(b)]);
    await remove("a", "Foreground");
    expect(await left()).toEqual(["b", "c"]);
    expect(await ownersOf("c")).toEqual(["b"]);
  });

  test("dependents are orphaned, and then the owner is deleted", async () => {
    const [a, z] = [await make_("a"), await make_("z")];
    await owned("b", [reference(a)]);
    await owned("c", [reference(a), reference(z)]);
    await remove("a", "Orphan");
    expect(await left()).toEqual(["b", "c", "z"]);
    expect(await ownersOf("b")).toBeUndefined();
    expect(await ownersOf("c")).toEqual(["z"]);
  });

  test("a second deletion can change the policy: a waiting owner orphans its dependents", async () => {
    const a = await make_("a");
    await owned("b", [reference(a, { blockOwnerDeletion: true })], { finalizers: ["example.com/hold"] });
    await remove("a", "Foreground");
    expect(await left()).toEqual(["a!", "b!"]);
    await remove("a", "Orphan");
    expect(await left()).toEqual(["b!"]);
    expect(await ownersOf("b")).toBeUndefined();
    await release("b");
  });

  test("a background deletion keeps the dependents while a finalizer holds the owner", async () => {
    const a = await make_("a", { finalizers: ["example.com/hold"] });
    await owned("b", [reference(a)]);
    await remove("a", "Background");
    expect(await left()).toEqual(["a!", "b"]);
    await release("a");
    expect(await left()).toEqual([]);
  });

  test("a dependent with the finalizer orphan orphans its own dependents", async () => {
    const a = await make_("a");
    const b = await owned("b", [reference(a)], { finalizers: ["orphan"] });
    await owned("c", [reference(b)]);
    await remove("a");
    expect(await left()).toEqual(["c"]);
    expect(await ownersOf("c")).toBeUndefined();
  });

  test("a Job orphans its dependents by default", async () => {
    const jobs = `/apis/batch/v1/namespaces/${space}/jobs`;
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const job = (name: string): Promise<Json> =>
      call("POST", jobs, { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { suspend: true, template } });
    await owned("a", [reference(await job("one"))]);
    await owned("b", [reference(await job("two"))]);
    await call("DELETE", `${jobs}/one`);
    await call("DELETE", `${jobs}/two`, { propagationPolicy: "Background" });
    expect(await left()).toEqual(["a"]);
    expect(await ownersOf("a")).toBeUndefined();
  });

  test("the deletion of a CRD deletes its objects and their dependents", { tags: ["memory"] }, async () => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Thing", plural: "things" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    };
    const orphan = { apiVersion: "example.com/v1", kind: "Thing", name: "none", uid: randomUUID() };
    await owned("waits", [orphan]);
    expect(await left()).toEqual(["waits"]);
    await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
    expect(await left()).toEqual([]);
    const thing = await call("POST", `/apis/example.com/v1/namespaces/${space}/things`, {
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name: "t" },
    });
    await owned("a", [reference(thing)]);
    await call("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com");
    expect(await left()).toEqual([]);
  });
});

test("the collector works after the request that caused the work, and observers do not see its requests", {
  tags: ["memory"],
}, async () => {
  const seen: string[] = [];
  const server = createApiServer({ garbageCollection: true, onRequest: ({ method, path }) => void seen.push(`${method} ${path}`) });
  const maps = "/api/v1/namespaces/default/configmaps";
  const send = async (method: ApiRequest["method"], path: string, body?: object): Promise<Json> =>
    JSON.parse(
      (await server.handle({ method, path, headers: {}, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })).body ?? "",
    );
  const owner = await send("POST", maps, { metadata: { name: "a" } });
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: owner["metadata"].uid }];
  await send("POST", maps, { metadata: { name: "b", ownerReferences } });
  await send("DELETE", `${maps}/a`);
  expect((await send("GET", `${maps}/b`))["metadata"].name).toBe("b");
  await server.settled();
  expect((await send("GET", `${maps}/b`))["code"]).toBe(404);
  expect(seen).toEqual([`POST ${maps}`, `POST ${maps}`, `DELETE ${maps}/a`, `GET ${maps}/b`, `GET ${maps}/b`]);
  await server.close();
});

test("a server without a collector keeps dependents without an owner", { tags: ["memory"] }, async () => {
  const server = createApiServer();
  const path = "/api/v1/namespaces/default/configmaps";
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "u" }];
  const body = JSON.stringify({ metadata: { name: "b", ownerReferences } });
  await server.handle({ method: "POST", path, headers: {}, body });
  await server.settled();
  expect((await server.handle({ method: "GET", path: `${path}/b`, headers: {} })).status).toBe(200);
  // A Job is not deleted later because its dependents are orphaned.
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  await server.handle({ method: "POST", path: jobs, headers: {}, body: JSON.stringify({ metadata: { name: "j" }, spec: { template } }) });
  await server.handle({ method: "DELETE", path: `${jobs}/j`, headers: {} });
  expect((await server.handle({ method: "GET", path: `${jobs}/j`, headers: {} })).status).toBe(404);
});
