/** MutatingAdmissionPolicies. `conformance/scenarios/mutating-policies.ts` compares their results with the real ones. */
import { expect, test } from "vitest";
import type { AnswerReview } from "../src/index.ts";
import { harness, type Json } from "./harness.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

type Call = ReturnType<typeof harness>["call"];

const applies = (...expressions: readonly string[]): Json => ({
  mutations: expressions.map((expression) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } })),
});

/** Creates a policy on ConfigMaps and its binding. */
async function install(call: Call, name: string, spec: Json): Promise<void> {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const resourceRules = [{ operations: ["CREATE", "UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  const policy = { apiVersion, kind: "MutatingAdmissionPolicy", metadata: { name } };
  const made = await call("POST", `${GROUP}/mutatingadmissionpolicies`, {
    ...policy,
    spec: { matchConstraints: { resourceRules }, reinvocationPolicy: "Never", ...spec },
  });
  expect(made.status).toBe(201);
  const binding = { apiVersion, kind: "MutatingAdmissionPolicyBinding", metadata: { name }, spec: { policyName: name } };
  expect((await call("POST", `${GROUP}/mutatingadmissionpolicybindings`, binding)).status).toBe(201);
}

const configMap = (a: string): Json => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a } });

/** An expression that appends a letter to `data.log`. */
const logs = (letter: string): string => `Object{data: {'log': (has(object.data.log) ? object.data.log : '') + '${letter}'}}`;

test("a policy changes an object before it is stored, and owns no field", async () => {
  const { call } = harness();
  await install(call, "p", applies("Object{data: {'b': object.data.a + '!'}}"));
  const { body } = await call("POST", CONFIG_MAPS, configMap("x"));
  expect(body["data"]).toEqual({ a: "x", b: "x!" });
  expect(JSON.stringify(body["metadata"])).not.toContain("f:b");
});

test("a policy that fails refuses the request with all its failures, and the object is not stored", async () => {
  const { call } = harness();
  await install(call, "p", applies("Object{data: {'b': object.data.none}}", "Object{data: {'c': object.data.nothing}}"));
  const { body } = await call("POST", CONFIG_MAPS, configMap("x"));
  expect(body).toMatchObject({ code: 403, reason: "Invalid", details: { causes: [{}, {}] } });
  expect(body["message"]).toMatch(/^policy 'p' with binding 'p' denied request: expression '.*' resulted in error: no such key: none$/);
  expect((await call("GET", `${CONFIG_MAPS}/a`)).status).toBe(404);
});

test("a policy that is reinvoked sees the changes of later policies and of webhooks", async () => {
  const answer: AnswerReview = async (_, review) => {
    const { apiVersion, kind, request } = review as { apiVersion: string; kind: string; request: Json };
    const log = `${request["object"].data.log ?? ""}w`;
    const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/data/log", value: log }])).toString("base64");
    return { apiVersion, kind, response: { uid: request["uid"], allowed: true, patchType: "JSONPatch", patch } };
  };
  const { call } = harness({ webhookServices: () => answer });
  const webhook = {
    name: "w.example.dev",
    clientConfig: { service: { namespace: "n", name: "w" } },
    rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  await call("POST", `${GROUP}/mutatingwebhookconfigurations`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "w" },
    webhooks: [webhook],
  });
  await install(call, "a", { ...applies(logs("a")), reinvocationPolicy: "IfNeeded" });
  await install(call, "b", applies(logs("b")));
  // Policies come before webhooks. In the second pass only the policy that may run again does.
  expect((await call("POST", CONFIG_MAPS, configMap("x"))).body["data"].log).toBe("abwa");
});

test("a deletion does not run the policies", async () => {
  const { call } = harness();
  await call("POST", CONFIG_MAPS, configMap("x"));
  await install(call, "p", applies("Object{data: {'b': object.data.none}}"));
  expect((await call("DELETE", `${CONFIG_MAPS}/a`)).status).toBe(200);
});

test.for(["0.0 / 0.0", "1.0 / 0.0", "-1.0 / 0.0"])(
  "a patch with the number %s, which JSON does not have, refuses the request",
  async (value) => {
    const { call } = harness();
    const expression = `[JSONPatch{op: 'add', path: '/data', value: {'b': ${value}}}]`;
    await install(call, "p", { mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }] });
    const { body } = await call("POST", CONFIG_MAPS, configMap("x"));
    expect(body).toMatchObject({ code: 403, reason: "Invalid" });
    expect(body["message"]).toMatch(/could not marshal to JSON: .* invalid (NaN|\+Inf|-Inf) value$/);
  },
);

test("a patch writes an integer beyond 2^53 as a text, as on a real server", async () => {
  const { call } = harness();
  const expression = "[JSONPatch{op: 'add', path: '/data/b', value: 9007199254740993}]";
  await install(call, "p", { mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }] });
  expect((await call("POST", CONFIG_MAPS, configMap("x"))).body["data"]).toEqual({ a: "x", b: "9007199254740993" });
});
