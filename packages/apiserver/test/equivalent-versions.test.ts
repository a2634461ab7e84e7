/** Admission in another version than that of the request, and webhooks that are functions: no test here uses a socket. */
import { expect, test } from "vitest";
import type { AnswerReview } from "../src/index.ts";
import { harness, type Harness, type Json, widgetCrd } from "./harness.ts";
import { patched } from "./webhook-server.ts";

const V1 = "/apis/example.com/v1/namespaces/default/widgets";
const V2 = "/apis/example.com/v2/namespaces/default/widgets";
const ADMISSION = "/apis/admissionregistration.k8s.io/v1";

const service = { namespace: "tools", name: "hooks" };

interface World extends Harness {
  /** Reviews of admission, in order. */
  readonly asked: Json[];
}

/** Serves widgets whose v1 has `spec.size` and whose v2 has `spec.width`. v1 is stored. */
function world({ admit, convert = converted }: { readonly admit: (request: Json) => Json; readonly convert?: AnswerReview }): World {
  const asked: Json[] = [];
  const answer: AnswerReview = async (path, review, signal) => {
    if (path === "/convert") return convert(path, review, signal);
    const { request, apiVersion, kind } = review as Json;
    asked.push(request);
    return { apiVersion, kind, response: { uid: request.uid, ...admit(request) } };
  };
  const version = (name: string, storage: boolean, field: string): object => ({
    name,
    storage,
    served: true,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { [field]: { type: "integer" } } } },
      },
    },
  });
  const clientConfig = { service: { ...service, path: "/convert" } };
  const crd = widgetCrd(
    undefined,
    {},
    {
      versions: [version("v1", true, "size"), version("v2", false, "width")],
      conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
    },
  );
  return { ...harness({ resources: [crd], webhookServices: () => answer }), asked };
}

const converted: AnswerReview = async (_, review) => {
  const { request, apiVersion, kind } = review as Json;
  const convertedObjects = request.objects.map(({ spec = {}, ...rest }: Json) => {
    const { size = spec.width } = spec;
    return { ...rest, apiVersion: request.desiredAPIVersion, spec: request.desiredAPIVersion.endsWith("v1") ? { size } : { width: size } };
  });
  return { apiVersion, kind, response: { uid: request.uid, result: { status: "Success" }, convertedObjects } };
};

/** Registers a webhook for v1. */
async function register({ call }: World, phase: "Mutating" | "Validating", more: Json = {}): Promise<void> {
  const kind = `${phase}WebhookConfiguration`;
  const hook = {
    name: "hook.example.com",
    clientConfig: { service: { ...service, path: "/admit" } },
    rules: [{ operations: ["*"], apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["widgets"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
  const body = { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name: "test" }, webhooks: [hook] };
  expect(await call("POST", `${ADMISSION}/${kind.toLowerCase()}s`, body)).toMatchObject({ status: 201 });
}

const v2 = (name: string, width: number): Json => ({ apiVersion: "example.com/v2", kind: "Widget", metadata: { name }, spec: { width } });

test("a mutating webhook sees and changes the version of its rule, and the client gets its own version", async () => {
  const one = world({
    admit: ({ object }) =>
      object === null ? { allowed: true } : patched({ op: "replace", path: "/spec/size", value: object.spec.size * 10 }),
  });
  await register(one, "Mutating");
  const { status, body } = await one.call("POST", V2, v2("a", 3));
  expect({ status, apiVersion: body["apiVersion"], spec: body["spec"] }).toEqual({
    status: 201,
    apiVersion: "example.com/v2",
    spec: { width: 30 },
  });
  expect((await one.call("GET", `${V1}/a`)).body["spec"]).toEqual({ size: 30 });
  expect(one.asked[0]).toMatchObject({
    kind: { version: "v1" },
    requestKind: { version: "v2" },
    object: { apiVersion: "example.com/v1", spec: { size: 3 } },
  });
});

test("a validating webhook sees the new and the old object in the version of its rule", async () => {
  const one = world({
    admit: ({ object, oldObject }) => ({ allowed: object === null || oldObject === null || object.spec.size >= oldObject.spec.size }),
  });
  await register(one, "Validating");
  await one.call("POST", V2, v2("a", 3));
  expect(await one.merge(`${V2}/a`, { spec: { width: 2 } })).toMatchObject({ status: 400 });
  expect(await one.merge(`${V2}/a`, { spec: { width: 4 } })).toMatchObject({ status: 200 });
  await one.call("DELETE", `${V2}/a`);
  expect(one.asked.at(-1)).toMatchObject({ object: null, oldObject: { apiVersion: "example.com/v1", spec: { size: 4 } } });
});

test("a webhook with matchPolicy Exact is not called for another version", async () => {
  const one = world({ admit: () => ({ allowed: false }) });
  await register(one, "Validating", { matchPolicy: "Exact" });
  expect(await one.call("POST", V2, v2("a", 3))).toMatchObject({ status: 201 });
  expect(one.asked).toEqual([]);
});

test.for(["Fail", "Ignore"])("a conversion that fails before a webhook fails the request, with failurePolicy %s", async (failurePolicy) => {
  const one = world({ admit: () => ({ allowed: true }), convert: () => Promise.reject(new Error("no way")) });
  await register(one, "Validating", { failurePolicy });
  const { status, body } = await one.call("POST", V2, v2("a", 3));
  expect({ status, message: body["message"] }).toEqual({
    status: 500,
    message:
      'Internal error occurred: conversion webhook for example.com/v2, Kind=Widget failed: an error on the server ("no way") has prevented the request from succeeding',
  });
});

test("a policy sees the objects in the version of its rule", async () => {
  const one = world({ admit: () => ({ allowed: true }) });
  const resourceRules = [{ operations: ["*"], apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["widgets"] }];
  const apiVersion = "admissionregistration.k8s.io/v1";
  await one.call("POST", `${ADMISSION}/validatingadmissionpolicies`, {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "limit" },
    spec: { matchConstraints: { resourceRules }, validations: [{ expression: "object.spec.size < 5", message: "too large" }] },
  });
  await one.call("POST", `${ADMISSION}/validatingadmissionpolicybindings`, {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "limit" },
    spec: { policyName: "limit", validationActions: ["Deny"] },
  });
  expect(await one.call("POST", V2, v2("a", 3))).toMatchObject({ status: 201 });
  expect(await one.call("POST", V2, v2("b", 7))).toMatchObject({ status: 422 });
});

test("an object whose conversion fails does not keep the others from being read", async () => {
  const convert: AnswerReview = (path, review, signal) => {
    const { request } = review as Json;
    if (request.objects.some(({ metadata }: Json) => metadata.name === "bad")) throw new Error("not this one");
    return converted(path, review, signal);
  };
  const one = world({ admit: () => ({ allowed: true }), convert });
  for (const name of ["bad", "good"])
    await one.call("POST", V1, { apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec: { size: 1 } });
  expect(await one.call("GET", `${V2}/good`)).toMatchObject({ status: 200 });
  expect(await one.call("GET", `${V2}/bad`)).toMatchObject({ status: 500 });
  expect(await one.call("GET", V2)).toMatchObject({ status: 500 });
});

test("a function that answers after the timeout by the server's clock failed, and its signal is aborted", async () => {
  const signals: AbortSignal[] = [];
  const one = harness({
    webhookServices: () => (_, __, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  });
  await register({ ...one, asked: [] }, "Validating", { timeoutSeconds: 5 });
  const answer = one.call("POST", V1, { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" } });
  await expect.poll(() => signals.length).toBe(1);
  expect(signals[0]?.aborted).toBe(false);
  await one.clock.advance(5000);
  const { status, body } = await answer;
  expect({ status, message: body["message"], aborted: signals[0]?.aborted }).toEqual({
    status: 500,
    message:
      'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "https://hooks.tools.svc:443/admit?timeout=5s": context deadline exceeded',
    aborted: true,
  });
});

test.for<{ readonly name: string; readonly answer: AnswerReview; readonly cause: string }>([
  {
    name: "rejects",
    answer: () => Promise.reject(new Error("boom")),
    cause: 'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
  },
  {
    name: "throws what is no error",
    answer: () => {
      throw "boom"; // oxlint-disable-line typescript/only-throw-error
    },
    cause: 'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
  },
  {
    name: "answers nothing",
    answer: async () => undefined,
    cause: "failed to call webhook: 0-length response with status code: 200 and content type: application/json",
  },
  {
    name: "answers a text",
    answer: async () => "yes",
    cause:
      'failed to call webhook: couldn\'t get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  },
])("a function that $name is a failed call", async ({ answer, cause }) => {
  const one = harness({ webhookServices: () => answer });
  await register({ ...one, asked: [] }, "Validating");
  const { status, body } = await one.call("POST", V1, { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" } });
  expect({ status, message: body["message"] }).toEqual({
    status: 500,
    message: `Internal error occurred: failed calling webhook "hook.example.com": ${cause}`,
  });
});

test("a function cannot change the objects of the server", async () => {
  const one = world({
    admit: ({ object }) => {
      Object.assign(object.spec, { size: 99 });
      return { allowed: true };
    },
  });
  await register(one, "Validating");
  expect(await one.call("POST", V2, v2("a", 1))).toMatchObject({ status: 201, body: { spec: { width: 1 } } });
  expect((await one.call("GET", `${V1}/a`)).body["spec"]).toEqual({ size: 1 });
});

test("the server does not keep the answer of a function", async () => {
  const answers: Json[] = [];
  const convert: AnswerReview = async (path, review, signal) => {
    const answer = (await converted(path, review, signal)) as Json;
    answers.push(answer);
    return answer;
  };
  const one = world({ admit: () => ({ allowed: true }), convert });
  await one.call("POST", V2, v2("a", 1));
  for (const { response } of answers) Object.assign(response.convertedObjects[0].spec, { width: 99, size: 99 });
  expect((await one.call("GET", `${V1}/a`)).body["spec"]).toEqual({ size: 1 });
  expect((await one.call("GET", `${V2}/a`)).body["spec"]).toEqual({ width: 1 });
});
