import { isConflict, isKindNotServed, isNotFound, kind } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Pod, ServiceAccount } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { expect, onTestFinished, test } from "vitest";
import { createClient, evict, getScale, requestToken, setScale } from "../src/index.ts";
import { failure, json, scriptedTransport } from "./scripted-transport.ts";

const ref = { name: "a", namespace: "default" };
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "app", image: "app" }] } };

function setUp() {
  const server = createApiServer();
  onTestFinished(() => server.close());
  return createClient({ transport: server.transport() });
}

const failed = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "it succeeded",
    (error: unknown) => error,
  );

test("a scale is read and set, and changes the replicas of the object", async () => {
  const client = setUp();
  expect(await getScale(client, Deployment, ref)).toBeUndefined();
  await client.create(Deployment, { metadata: ref, spec: { replicas: 1, selector: { matchLabels: { app: "a" } }, template } });
  expect(await getScale(client, Deployment, ref)).toMatchObject({ kind: "Scale", spec: { replicas: 1 }, status: { selector: "app=a" } });
  expect((await setScale(client, Deployment, ref, { replicas: 3, dryRun: true })).spec.replicas).toBe(3);
  expect((await setScale(client, Deployment, ref, { replicas: 2 })).spec.replicas).toBe(2);
  expect((await client.get(Deployment, ref))?.spec?.replicas).toBe(2);
  expect(await failed(setScale(client, Deployment, { ...ref, name: "none" }, { replicas: 1 }))).toSatisfy(isNotFound);
  await client.create(ConfigMap, { metadata: ref });
  expect(await failed(getScale(client, ConfigMap, ref))).toSatisfy(isKindNotServed);
  for (const replicas of [-1, 1.5, Number.NaN]) await expect(setScale(client, Deployment, ref, { replicas })).rejects.toThrow(TypeError);
});

test("a kind whose objects are answered and not stored is created without a name", async () => {
  const client = setUp();
  const review = (name: string, scope: "Cluster" | "Namespaced") =>
    kind({ group: "authorization.k8s.io", version: "v1", kind: name, scope });
  const resourceAttributes = { namespace: "default", verb: "list", group: "", resource: "pods" };
  const spec = { resourceAttributes };
  expect(await client.create(review("SelfSubjectAccessReview", "Cluster"), { spec })).toMatchObject({ status: { allowed: true } });
  const local = review("LocalSubjectAccessReview", "Namespaced");
  expect(await client.create(local, { metadata: { namespace: "default" }, spec: { user: "jane", resourceAttributes } })).toHaveProperty(
    "status.allowed",
  );
  await expect(client.create(local, { spec })).rejects.toThrow(
    "cannot create LocalSubjectAccessReview: LocalSubjectAccessReview is namespaced",
  );
});

test("an object that needs a name and has none is refused by the server", async () => {
  const error = await failed(setUp().create(ConfigMap, { metadata: { namespace: "default" } } as never));
  expect(error).toMatchObject({
    code: "ERR_INVALID",
    message: expect.stringMatching(/^cannot create ConfigMap in namespace default: .*name or generateName is required/),
  });
});

test("an eviction deletes the given pod, and reports a missing one", async () => {
  const client = setUp();
  expect(await evict(client, ref)).toEqual({ type: "gone" });
  const pod = await client.create(Pod, { metadata: ref, spec: template.spec });
  expect(await failed(evict(client, ref, { preconditions: { uid: "another" } }))).toSatisfy(isConflict);
  expect(await evict(client, ref, { dryRun: true })).toEqual({ type: "evicted" });
  expect(await client.get(Pod, ref)).toBeDefined();
  expect(await evict(client, pod.metadata, { gracePeriodSeconds: 0 })).toEqual({ type: "evicted" });
  expect(await client.get(Pod, ref)).toBeUndefined();
});

test("an eviction that a budget forbids is not an error; any other 429 is", async () => {
  const refused = (details: object) =>
    failure(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", details);
  const causes = [{ reason: "DisruptionBudget", message: "The disruption budget a needs 1 healthy pods and has 1 currently" }];
  const transport = scriptedTransport(refused({ causes, retryAfterSeconds: 10 }), refused({}));
  const client = createClient({ transport });
  expect(await evict(client, ref)).toEqual({ type: "blocked", reason: causes[0]?.message, retryAfterMs: 10_000 });
  expect(await failed(evict(client, ref))).toMatchObject({ code: "ERR_TOO_MANY_REQUESTS" });
  expect(transport.requests).toHaveLength(2);
});

test("a token is that of the server, with its expiry", async () => {
  const client = setUp();
  expect(await failed(requestToken(client, ref))).toSatisfy(isNotFound);
  await client.create(ServiceAccount, { metadata: ref });
  const { token, expiresAt } = await requestToken(client, ref, { audiences: ["vault"], expirationSeconds: 600 });
  expect(token).not.toBe("");
  expect(expiresAt.getTime()).toBeGreaterThan(Date.now() + 500_000);
});

test("an answer without a token is an error that does not quote it", async () => {
  const client = createClient({
    transport: scriptedTransport(json(201, { kind: "TokenRequest", status: { token: "hunter2", expirationTimestamp: "soon" } })),
  });
  const error = await failed(requestToken(client, ref));
  expect(String(error)).toContain("cannot create token of ServiceAccount default/a: the answer holds no token with a time");
  expect(String(error)).not.toContain("hunter2");
});
