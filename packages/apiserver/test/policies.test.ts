/** ValidatingAdmissionPolicies. `conformance/scenarios/policies.ts` compares their verdicts with the real ones. */
import { expect, test } from "vitest";
import { harness, type Json } from "./harness.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

type Call = ReturnType<typeof harness>["call"];

/** Creates a policy on ConfigMaps and a binding, both named `limit`. */
async function install(call: Call, spec: Json, binding: Json = {}): Promise<void> {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const resourceRules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  const made = await call("POST", `${GROUP}/validatingadmissionpolicies`, {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "limit" },
    spec: { matchConstraints: { resourceRules }, ...spec },
  });
  expect(made.status).toBe(201);
  const bound = await call("POST", `${GROUP}/validatingadmissionpolicybindings`, {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "limit" },
    spec: { policyName: "limit", validationActions: ["Deny"], ...binding },
  });
  expect(bound.status).toBe(201);
}

const configMap = (name: string, a: string): Json => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a } });

test("a forbidden object is not stored, and the policy's message is the reason", async () => {
  const { call } = harness();
  await install(call, { validations: [{ expression: "object.data.a != 'bad'", messageExpression: "'not ' + object.data.a" }] });
  expect((await call("POST", CONFIG_MAPS, configMap("good", "good"))).status).toBe(201);
  const refused = await call("POST", CONFIG_MAPS, configMap("bad", "bad"));
  expect(refused.body).toMatchObject({
    code: 422,
    reason: "Invalid",
    message: `configmaps "bad" is forbidden: ValidatingAdmissionPolicy 'limit' with binding 'limit' denied request: not bad`,
  });
  expect((await call("GET", `${CONFIG_MAPS}/bad`)).status).toBe(404);
});

test("a policy without a binding, or with a deleted one, has no effect", async () => {
  const { call } = harness();
  await install(call, { validations: [{ expression: "false" }] });
  expect((await call("POST", CONFIG_MAPS, configMap("a", "a"))).status).toBe(422);
  await call("DELETE", `${GROUP}/validatingadmissionpolicybindings/limit`);
  expect((await call("POST", CONFIG_MAPS, configMap("a", "a"))).status).toBe(201);
});

test("a policy that forbids everything can be removed", async () => {
  const { call } = harness();
  const everything = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];
  await install(call, { matchConstraints: { resourceRules: everything }, validations: [{ expression: "false" }] });
  expect((await call("DELETE", `${GROUP}/validatingadmissionpolicies/limit`)).status).toBe(200);
});

test.for([
  { reason: "no CEL at all", spec: { validations: [{ expression: "object.data.(" }] } },
  { reason: "no boolean", spec: { validations: [{ expression: "object.data.a" }] } },
  {
    reason: "a variable of its own",
    spec: { variables: [{ name: "a", expression: "variables.a" }], validations: [{ expression: "true" }] },
  },
])("an expression that does not compile is refused with its policy: $reason", async ({ spec }) => {
  const { call } = harness();
  const resourceRules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  const made = await call("POST", `${GROUP}/validatingadmissionpolicies`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "limit" },
    spec: { matchConstraints: { resourceRules }, ...spec },
  });
  expect(made).toMatchObject({ status: 422, body: { reason: "Invalid" } });
});

test("a parameter of no kind fails the request and nothing else", async () => {
  const { call } = harness();
  const spec = { paramKind: { apiVersion: "x/v1", kind: "None" }, validations: [{ expression: "true" }] };
  await install(call, spec, { paramRef: { name: "a", parameterNotFoundAction: "Deny" } });
  expect((await call("POST", CONFIG_MAPS, configMap("a", "a"))).status).toBe(422);
});

test("a budget that is used up ends the evaluation as a failure", async () => {
  const { call } = harness();
  const list = `[${Array.from({ length: 200 }, (_, index) => index).join(",")}]`;
  const costly = `${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c >= 0)))`;
  await install(call, { validations: [{ expression: costly }] });
  const { body } = await call("POST", CONFIG_MAPS, configMap("a", "a"));
  expect(body["message"]).toContain("resulted in error: operation cancelled: actual cost limit exceeded");
});

test("each of 1,000 variables is compiled once", async () => {
  const { call } = harness();
  const variables = Array.from({ length: 1000 }, (_, i) => ({ name: `v${i}`, expression: "1" }));
  // Compiled again for each later variable, they would take minutes.
  await install(call, { variables, validations: [{ expression: "variables.v999 == 1" }] });
});

test("variables that read each other too deeply fail, and the failure policy decides", async () => {
  const { call } = harness();
  const nested = (inner: string): string => `${"[".repeat(20)}${inner}${"][0]".repeat(20)}`;
  const variables = Array.from({ length: 300 }, (_, i) => ({ name: `v${i}`, expression: i === 0 ? "1" : nested(`variables.v${i - 1}`) }));
  const spec = { variables, validations: [{ expression: "variables.v299 == 1" }] };
  await install(call, spec);
  const refused = await call("POST", CONFIG_MAPS, configMap("a", "a"));
  expect(refused.body).toMatchObject({ code: 422, reason: "Invalid" });
  expect(refused.body["message"]).toContain("expression is nested too deeply");
  const path = `${GROUP}/validatingadmissionpolicies/limit`;
  expect((await call("PUT", path, await ignoring(path))).status).toBe(200);
  expect((await call("POST", CONFIG_MAPS, configMap("a", "a"))).status).toBe(201);

  async function ignoring(of: string): Promise<Json> {
    const { body } = await call("GET", of);
    return { ...body, spec: { ...body["spec"], failurePolicy: "Ignore" } };
  }
});
