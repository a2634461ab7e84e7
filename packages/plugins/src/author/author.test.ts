import { ConfigMap, Secret, Service, StatefulSet } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { postgres } from "../../test/plugins/kube-postgres.ts";
import type { PlanRequest } from "../wire/messages.ts";
import { capability, dependent, type Dependent, PlanError, planOf } from "./index.ts";
import { answerOf, type AnyCapability, describe as describePlugin } from "./plan.ts";

const request: PlanRequest = {
  type: "postgresql",
  version: "",
  owner: { apiVersion: "v1", kind: "Capability", metadata: { name: "orders" } },
  parameters: {},
  live: [],
};

/** A capability whose plan is given. */
function planning(plan: () => unknown): AnyCapability {
  return capability({
    name: "test",
    category: "database",
    types: [{ name: "postgresql" }],
    kinds: [Secret, ConfigMap],
    plan: plan as () => readonly Dependent<string, typeof Secret>[],
  });
}

/** The answer to a request of a plan that is given. */
const answerTo = (plan: () => unknown) => answerOf([planning(plan)], request);

describe("planOf", () => {
  test("a plan uses the requested storage", () =>
    expect(planOf(postgres, { spec: { type: "postgresql", parameters: { storageGb: 5 } } })).toMatchObject({
      server: { spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "5Gi" } } } }] } },
    }));

  test("an owner without parameters gets the defaults of the schema", () =>
    expect(planOf(postgres, {})).toMatchObject({
      credentials: { apiVersion: "v1", kind: "Secret", metadata: { name: "example-credentials" }, stringData: { user: "example" } },
      server: { spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "1Gi" } } } }] } },
    }));

  test("an owner with two invalid fields throws both problems", () =>
    expect(() => planOf(postgres, { spec: { version: "9", parameters: { storageGb: "5" } } })).toThrow(
      /spec\.version: "9" is not offered; the versions are 16, 17; spec\.parameters\.storageGb: /,
    ));

  test("an asynchronous plan gives a promise", async () => {
    const late = capability({ ...postgres, plan: async () => await Promise.resolve([dependent("a", Secret, {})]) });
    expect(await planOf(late, {})).toEqual({ a: { apiVersion: "v1", kind: "Secret", metadata: { name: "example-a" } } });
  });

  test("an error of the plan is thrown as it is", () => {
    const boom = new PlanError("NoDisk", "boom");
    expect(() =>
      planOf(
        planning(() => {
          throw boom;
        }),
        {},
      ),
    ).toThrow(boom);
  });
});

describe("an answer", () => {
  test("a live object decides the state of a dependent", async () => {
    const address = { apiVersion: "v1", kind: "Service", metadata: { name: "orders-address" }, spec: { clusterIP: "10.0.0.1" } };
    const states = async (live: PlanRequest["live"]) => {
      const answer = await answerOf([postgres], { ...request, live });
      return answer.type === "dependents" ? answer.dependents.map(({ state }) => state) : answer;
    };
    expect(await states([])).toEqual([undefined, undefined, { type: "Pending", reason: "NotReady", message: "it has no address yet" }]);
    expect(await states([{ id: "address", object: address }])).toEqual([
      undefined,
      undefined,
      { type: "Ready", reason: "Ready", message: "" },
    ]);
  });

  test("the flags of a dependent are its config, and its state is given in full", async () => {
    const state = { type: "Failed", reason: "Full", message: "no disk", attributes: [{ name: "pod", value: "a" }] };
    const answer = await answerTo(() => [dependent("a", Secret, {}, { owned: false, created: false, watched: true, state })]);
    expect(answer).toMatchObject({ dependents: [{ config: { owned: false, created: false, watched: true }, state }] });
  });

  test("a type is found without regard to case, and the plan gets it as declared", async () => {
    const typed = capability({ ...postgres, plan: ({ type }) => [dependent(type, Secret, {})] });
    expect(await answerOf([typed], { ...request, type: "PostgreSQL" })).toMatchObject({ dependents: [{ id: "postgresql" }] });
  });

  test("an unknown type is a problem of spec.type", async () =>
    expect(await answerOf([postgres], { ...request, type: "mysql" })).toEqual({
      type: "problems",
      problems: [{ path: "spec.type", message: '"mysql" is not offered; the types are postgresql' }],
    }));

  test("a parameter that breaks its schema is a problem with its path", async () => {
    const nested = capability({
      ...postgres,
      types: [{ name: "postgresql", parameters: z.object({ users: z.array(z.object({ name: z.string() })) }) }],
      plan: () => [],
    });
    const answer = await answerOf([nested], { ...request, parameters: { users: [{ name: 1 }] } });
    expect(answer).toMatchObject({ type: "problems", problems: [{ path: "spec.parameters.users[0].name" }] });
  });

  test("problems of the plan are the answer", async () => {
    const problems = [{ path: "spec.size", message: "is too small" }];
    expect(await answerTo(() => ({ problems }))).toEqual({ type: "problems", problems });
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = { of: cycle };
  test.for([
    { name: "a bigint", body: { data: { a: 1n } }, message: /"a": data\.a is of the type bigint/ },
    { name: "a function", body: { data: { "a.b": () => 1 } }, message: /data\["a\.b"\] is of the type function/ },
    { name: "a symbol", body: { data: Symbol("a") }, message: /data is of the type symbol/ },
    { name: "undefined in a list", body: { list: [1, undefined] }, message: /list\[1\] is of the type undefined/ },
    { name: "a hole in a list", body: { list: Object.assign([], { length: 1 }) }, message: /list\[0\] is of the type undefined/ },
    { name: "NaN", body: { data: { a: Number.NaN } }, message: /data\.a is NaN/ },
    { name: "a cycle", body: { data: cycle }, message: /data\.self\.of is a part of itself/ },
    { name: "a Date", body: { data: { a: new Date(0) } }, message: /data\.a is of the class Date/ },
    { name: "a namespace", body: { metadata: { namespace: "b" } }, message: /namespace is always that of the owner/ },
  ])("an object with $name is an error that names it", async ({ body, message }) =>
    expect(await answerTo(() => [dependent("a", ConfigMap, body as object)])).toMatchObject({
      type: "error",
      error: { code: "PlanFailed", message: expect.stringMatching(message) as string },
    }),
  );

  test("a field that is undefined is not sent, and one object in two places is", async () => {
    const data = { a: undefined, b: "c" };
    const answer = await answerTo(() => [dependent("a", ConfigMap, { data, binaryData: data } as object)]);
    expect(answer).toMatchObject({ dependents: [{ object: { data: { b: "c" }, binaryData: { b: "c" } } }] });
  });

  test.for<{ name: string; plan: () => unknown; message: string }>([
    { name: "no list", plan: () => undefined, message: "neither a list of dependents nor" },
    { name: "a text", plan: () => "none", message: "neither a list of dependents nor" },
    { name: "an object that is no dependent", plan: () => [{}], message: "dependent() did not make" },
    { name: "undefined in the list", plan: () => [undefined], message: "dependent() did not make" },
    { name: "empty problems", plan: () => ({ problems: [] }), message: "problems is empty" },
    { name: "two equal ids", plan: () => [dependent("a", Secret, {}), dependent("a", ConfigMap, {})], message: 'dependents has "a" twice' },
    { name: "an empty id", plan: () => [dependent("", Secret, {})], message: "dependents[0].id is empty" },
    { name: "a kind that is not declared", plan: () => [dependent("a", Service, {})], message: "does not declare v1/Service" },
  ])("a plan with $name is an error", async ({ plan, message }) =>
    expect(await answerTo(plan)).toMatchObject({ type: "error", error: { message: expect.stringContaining(message) as string } }),
  );

  test("a record of kinds decides the kind of each id", async () => {
    const plugin = { ...planning(() => [dependent("a", ConfigMap, {})]), kinds: { a: Secret, b: ConfigMap } };
    expect(await answerOf([plugin], request)).toMatchObject({ type: "error" });
  });

  const fail = (error: unknown) => () => {
    throw error;
  };
  test.for<{ name: string; plan: () => unknown; want: object }>([
    { name: "an Error", plan: fail(new Error("boom")), want: { code: "PlanFailed", message: "boom", terminal: false } },
    { name: "a rejection", plan: () => Promise.reject(new Error("boom")), want: { code: "PlanFailed", message: "boom" } },
    { name: "a text", plan: fail("boom"), want: { message: "the plan failed: boom" } },
    { name: "undefined", plan: fail(undefined), want: { message: "the plan failed: undefined" } },
    {
      name: "an object without a text",
      plan: fail(Object.create(null)),
      want: { message: expect.stringContaining("null prototype") as string },
    },
    { name: "a code of Node", plan: fail(Object.assign(new Error("boom"), { code: "ERR_X" })), want: { code: "PlanFailed" } },
    {
      name: "a PlanError",
      plan: fail(new PlanError("NoDisk", "boom", { retryAfterMs: 500, terminal: true })),
      want: { code: "NoDisk", message: "boom", retryAfterMs: 500, terminal: true },
    },
  ])("$name that plan throws is an answer", async ({ plan, want }) =>
    expect(await answerTo(plan)).toMatchObject({ type: "error", error: want }),
  );
});

describe("a description", () => {
  test("it has the types, the schemas and the kinds of all capabilities once", () => {
    const redis = capability({
      ...postgres,
      types: [{ name: "redis" }],
      kinds: { server: StatefulSet, config: ConfigMap },
      plan: () => [],
    });
    expect(describePlugin([postgres, redis])).toMatchObject({
      name: "kube-postgres",
      category: "database",
      version: "",
      apiVersions: { oldest: "1.0", newest: "1.0" },
      types: [
        {
          name: "postgresql",
          versions: ["16", "17"],
          parameterSchema: { type: "object", properties: { storageGb: { type: "integer", default: 1 } } },
        },
        { name: "redis", versions: [], parameterSchema: undefined },
      ],
      kinds: [
        { group: "", version: "v1", kind: "Secret" },
        { group: "", version: "v1", kind: "Service" },
        { group: "apps", version: "v1", kind: "StatefulSet" },
        { group: "", version: "v1", kind: "ConfigMap" },
      ],
    });
  });

  test("a parameter with a default is not required", () =>
    expect(describePlugin([postgres]).types[0]?.parameterSchema).not.toHaveProperty("required"));

  test("a schema that JSON Schema cannot express is left to the plugin", () =>
    expect(describePlugin([{ ...postgres, types: [{ name: "a", parameters: z.object({ at: z.date() }) }] }]).types[0]).toMatchObject({
      parameterSchema: { properties: { at: {} } },
    }));

  test.for<{ name: string; of: readonly AnyCapability[] }>([
    { name: "no capability", of: [] },
    { name: "two names", of: [postgres, { ...postgres, name: "other" }] },
    { name: "two categories", of: [postgres, { ...postgres, category: "cache" }] },
    { name: "one type twice", of: [postgres, postgres] },
  ])("$name is refused", ({ of }) => expect(() => describePlugin(of)).toThrow(TypeError));

  test.for([
    { name: "no type", definition: { types: [] } },
    { name: "a type twice", definition: { types: [{ name: "a" }, { name: "A" }] } },
    { name: "an empty name", definition: { name: "" } },
    { name: "an empty category", definition: { category: "" } },
  ])("a capability with $name is refused", ({ definition }) =>
    expect(() => capability({ ...postgres, ...definition } as never)).toThrow(TypeError),
  );
});
