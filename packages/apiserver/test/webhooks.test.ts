/** Admission webhooks over TLS: which are called, the effect of their answers, and changes during a call. */
import { afterEach, expect, test } from "vitest";
import { systemClock } from "@treadle/apimachinery";
import { CONFIG_MAPS, configMap, harness, type Harness, type Json } from "./harness.ts";
import { patched, type Say, serveWebhook, type WebhookServer } from "./webhook-server.ts";

const PATHS = {
  Mutating: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  Validating: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
} as const;

const open: WebhookServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function webhook(say: Say, hosts: readonly string[] = []): Promise<WebhookServer> {
  const server = await serveWebhook(say, hosts);
  open.push(server);
  return server;
}

async function register(
  { call }: Harness,
  kind: keyof typeof PATHS,
  { url, ca }: Pick<WebhookServer, "url" | "ca">,
  more: Json = {},
): Promise<void> {
  const hook = {
    name: "hook.example.com",
    clientConfig: { url, caBundle: ca },
    rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
  const body = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: "test" },
    webhooks: [hook],
  };
  expect(await call("POST", PATHS[kind], body)).toMatchObject({ status: 201 });
}

test("the patch of a mutating webhook is stored, and the webhook is called once", async () => {
  const server = await webhook(() => patched({ op: "add", path: "/metadata/labels", value: { by: "hook" } }));
  const server1 = harness();
  await register(server1, "Mutating", server);
  const { body } = await server1.call("POST", CONFIG_MAPS, configMap("a", { data: { k: "v" } }));
  expect(body["metadata"].labels).toEqual({ by: "hook" });
  expect(server.asked).toHaveLength(1);
  expect((await server1.call("GET", `${CONFIG_MAPS}/a`)).body["metadata"].labels).toEqual({ by: "hook" });
});

test.for([
  { name: "moves an object to another namespace", change: { op: "replace", path: "/metadata/namespace", value: "kube-public" }, code: 400 },
  { name: "makes an update stale", change: { op: "add", path: "/metadata/resourceVersion", value: "7" }, code: 409 },
  { name: "removes the namespace", change: { op: "remove", path: "/metadata/namespace" }, code: 200 },
])("a webhook that $name is answered as on a real server", async ({ change, code }) => {
  const server = await webhook(() => patched(change));
  const one = harness();
  await one.call("POST", CONFIG_MAPS, configMap("a"));
  await register(one, "Mutating", server);
  expect(await one.call("PUT", `${CONFIG_MAPS}/a`, configMap("a", { data: { k: "v" } }))).toMatchObject({ status: code });
  expect((await one.call("GET", `${CONFIG_MAPS}/a`)).body["data"]).toEqual(code === 200 ? { k: "v" } : undefined);
});

test("a webhook cannot create an object in another namespace", async () => {
  const server = await webhook(() => patched({ op: "replace", path: "/metadata/namespace", value: "kube-public" }));
  const one = harness();
  await register(one, "Mutating", server);
  const { body } = await one.call("POST", CONFIG_MAPS, configMap("a"));
  expect(body["message"]).toBe("the namespace of the provided object does not match the namespace sent on the request");
  expect((await one.call("GET", "/api/v1/configmaps")).body["items"]).toEqual([]);
});

test("a webhook sees an update of an old version before it is refused as stale", async () => {
  const server = await webhook(() => ({ allowed: false }));
  const one = harness();
  await one.call("POST", CONFIG_MAPS, configMap("a"));
  await register(one, "Mutating", server);
  const stale = configMap("a", { metadata: { name: "a", resourceVersion: "1" } });
  expect(await one.call("PUT", `${CONFIG_MAPS}/a`, stale)).toMatchObject({ status: 400 });
  expect(server.asked).toHaveLength(1);
});

test("fields that a webhook adds have no manager", async () => {
  const server = await webhook(() => patched({ op: "add", path: "/data/added", value: "x" }));
  const one = harness();
  await register(one, "Mutating", server);
  const { body } = await one.call("POST", CONFIG_MAPS, configMap("a", { data: { k: "v" } }));
  expect(body["metadata"].managedFields[0].fieldsV1).toEqual({ "f:data": { ".": {}, "f:k": {} } });
});

test("a denial has the webhook's code and message, and nothing is stored", async () => {
  const server = await webhook(() => ({ allowed: false, status: { code: 403, message: "not on Sundays" }, warnings: ["ask on Monday"] }));
  const one = harness();
  await register(one, "Validating", server);
  const { status, body, headers } = await one.call("POST", CONFIG_MAPS, configMap("a"));
  expect({ status, message: body["message"], warning: headers["warning"] }).toEqual({
    status: 403,
    message: 'admission webhook "hook.example.com" denied the request: not on Sundays',
    warning: '299 - "ask on Monday"',
  });
  expect(await one.call("GET", `${CONFIG_MAPS}/a`)).toMatchObject({ status: 404 });
});

test("webhooks see a deletion with the object to delete", async () => {
  const server = await webhook(({ request }) => ({ allowed: request.operation !== "DELETE" }));
  const one = harness();
  await one.call("POST", CONFIG_MAPS, configMap("a", { data: { k: "v" } }));
  await register(one, "Validating", server);
  expect(await one.call("DELETE", `${CONFIG_MAPS}/a`)).toMatchObject({ status: 400 });
  expect(await one.call("DELETE", CONFIG_MAPS)).toMatchObject({ status: 400 });
  expect(server.asked[0]?.["request"]).toMatchObject({ operation: "DELETE", name: "a", object: null, oldObject: { data: { k: "v" } } });
  expect(await one.call("GET", `${CONFIG_MAPS}/a`)).toMatchObject({ status: 200 });
});

test("a change during a webhook call is not lost: the webhook is called again with the new object", async () => {
  const one = harness();
  await one.call("POST", CONFIG_MAPS, configMap("a", { data: { n: "0" } }));
  let hasRun = false;
  const server = await webhook(({ request }) => {
    // In this process, so the write is done before the webhook has answered.
    if (!hasRun && request.object.data.b === "1") {
      hasRun = true;
      void one.call(
        "PATCH",
        `${CONFIG_MAPS}/a`,
        { data: { other: "x" } },
        { "content-type": "application/merge-patch+json", "user-agent": "skip" },
      );
    }
    return { allowed: true };
  });
  await register(one, "Validating", server, { matchConditions: [{ name: "b", expression: "has(object.data) && 'b' in object.data" }] });
  const { body } = await one.merge(`${CONFIG_MAPS}/a`, { data: { b: "1" } });
  expect(body["data"]).toEqual({ n: "0", other: "x", b: "1" });
  expect(server.asked.length).toBeGreaterThan(1);
});

test("a webhook that does not answer fails the request after its timeout by the server's clock, or is ignored", async () => {
  const server = await webhook(() => "silence");
  for (const [failurePolicy, status] of [
    ["Fail", 500],
    ["Ignore", 201],
  ] as const) {
    const one = harness();
    await register(one, "Mutating", server, { timeoutSeconds: 5, failurePolicy });
    const before = server.asked.length;
    const answer = one.call("POST", CONFIG_MAPS, configMap("a"));
    await expect.poll(() => server.asked.length).toBe(before + 1);
    await one.clock.advance(5000);
    expect(await answer).toMatchObject({ status });
    if (status === 500)
      expect((await answer).body["message"]).toBe(
        `Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "${server.url}/?timeout=5s": context deadline exceeded`,
      );
  }
});

test("a webhook of a Service is called at the URL of the resolver, with the name of the Service", async () => {
  const server = await webhook(() => ({ allowed: true, warnings: ["called"] }), ["hooks.tools.svc"]);
  const services: object[] = [];
  const one = harness({ clock: systemClock, webhookServices: (service) => (services.push(service), server.url) });
  await register(one, "Validating", server, {
    clientConfig: { service: { namespace: "tools", name: "hooks", path: "/x", port: 8443 }, caBundle: server.ca },
  });
  const { status, headers } = await one.call("POST", CONFIG_MAPS, configMap("a"));
  expect({ status, warning: headers["warning"] }).toEqual({ status: 201, warning: '299 - "called"' });
  expect(services).toEqual([{ namespace: "tools", name: "hooks", port: 8443 }]);
});

test("webhooks with side effects are refused, so a dry run can call all webhooks", async () => {
  const one = harness();
  const hook = { name: "hook.example.com", clientConfig: { url: "https://a" }, sideEffects: "Some", admissionReviewVersions: ["v1"] };
  const { status, body } = await one.call("POST", PATHS.Validating, { metadata: { name: "test" }, webhooks: [hook] });
  expect({ status, field: body["details"].causes[0].field }).toEqual({ status: 422, field: "webhooks[0].sideEffects" });
});

test("the configurations of webhooks can always be removed", async () => {
  const server = await webhook(() => ({ allowed: false }));
  const one = harness();
  await register(one, "Validating", server, { rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }] });
  expect(await one.call("DELETE", `${PATHS.Validating}/test`)).toMatchObject({ status: 200 });
  expect(server.asked).toEqual([]);
});

test("a generated name stays the one that the webhook saw", async () => {
  const server = await webhook(() => ({ allowed: true }));
  const one = harness();
  await register(one, "Validating", server);
  const { body } = await one.call("POST", CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "a-" } });
  expect(server.asked.map(({ request }) => request.object.metadata.name)).toEqual([body["metadata"].name]);
});
