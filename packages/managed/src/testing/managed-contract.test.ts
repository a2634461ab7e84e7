/** The contract finds a planted defect for each rule, and nothing in functions that are right. */
import { defineResource, fakeClock, type FakeClock, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { managedSpec, managedStatus, managedTraits } from "../fragments.ts";
import { managed } from "../managed.ts";
import { provider, type Provider } from "../provider/provider.ts";
import type { ManagedOptions } from "../types.ts";
import type { ContractRule } from "./contract-probe.ts";
import { type FakeProvider, fakeProvider, type FakeProviderOptions, type FakeSeen } from "./fake-provider.ts";
import { FakeProviderError } from "./fake-errors.ts";
import { ContractError, type ContractWorld, managedContract } from "./managed-contract.ts";

interface Disk extends KubernetesObject {
  readonly spec: { readonly sizeGb: number };
}
interface Values {
  readonly sizeGb: number;
  readonly zone: string;
}
interface Want {
  readonly sizeGb: number;
}
type Api = FakeProvider<Values>;
type Options = ManagedOptions<Disk, "disk", Api, {}, {}, FakeSeen<Values>, Want>;
type World = ContractWorld<Disk, Api>;

function disk(name: string): Disk {
  return {
    apiVersion: "test.treadle.dev/v1",
    kind: "Disk",
    metadata: { name, namespace: "default", uid: `uid-${name}` },
    spec: { sizeGb: 5 },
  };
}

/** A provider that does not accept the credentials. */
function refusing(): Api {
  const api = fakeProvider<Values>({ defaults: { sizeGb: 1, zone: "a" } });
  api.fail("*", 401, Number.POSITIVE_INFINITY);
  return api;
}

const BOTH: Options = {
  name: "disk",
  provider: {} as Provider<Api>, // The contract does not connect.
  observe: ({ api, name, signal }) => api.observe({ name, signal }),
  desired: ({ spec }) => ({ sizeGb: spec.sizeGb }),
  create: ({ api, name, token, want, signal }) => api.create({ name, token, want, signal }),
  update: ({ api, name, changes, signal }) => api.update({ name, changes, signal }),
  delete: ({ api, name, signal }) => api.delete({ name, signal }),
  state: ({ state }) => (state === "Failed" ? { type: "Failed", message: "failed" } : state),
  connection: ({ zone }) => ({ zone }),
};
const CHOSEN: Options = { ...BOTH, externalName: ({ metadata }) => `disk-${metadata.uid}` };
const ASSIGNED: Options = { ...BOTH, recoverCreate: ({ api, token, signal }) => api.recoverCreate({ token, signal }) };

interface Given {
  readonly options?: Options;
  readonly provider?: Partial<FakeProviderOptions<Values>>;
  readonly world?: (api: Api, clock: FakeClock) => Partial<World>;
}

async function brokenRules({ options = CHOSEN, provider, world }: Given): Promise<readonly ContractRule[]> {
  const clock = fakeClock();
  const names = options.externalName === undefined ? "assigned" : "chosen";
  const api = fakeProvider<Values>({ defaults: { sizeGb: 1, zone: "a" }, names, clock, ...provider });
  const error: unknown = await managedContract(options, {
    world: {
      api,
      objects: [disk("a"), disk("b")],
      changed: (object) => ({ ...object, spec: { sizeGb: 9 } }),
      snapshot: () => api.items,
      refusedApi: refusing(),
      advance: () => clock.advance(1_000),
      ...world?.(api, clock),
    },
  }).catch((reason: unknown) => reason);
  if (error === undefined) return [];
  if (!(error instanceof ContractError)) throw error;
  for (const { rule, message, fix } of error.problems) expect(error.message).toContain(`${rule}: ${message}. Fix: ${fix}`);
  return [...new Set(error.problems.map(({ rule }) => rule))];
}

describe("functions that are right break no rule", () => {
  test.for<Given & { name: string }>([
    { name: "a name that the caller chooses" },
    { name: "a name that the provider assigns, and a token", options: ASSIGNED },
    { name: "a name that the provider assigns, without a token", options: BOTH },
    { name: "slow creates, updates and deletes", provider: { createMs: 3_000, updateMs: 3_000, deleteMs: 3_000 } },
    { name: "reads that lag behind", options: ASSIGNED, provider: { visibleAfterMs: 3_000, createMs: 5_000 } },
    { name: "neither update nor delete", options: without(CHOSEN, "update", "delete"), world: () => ({ snapshot: () => 0 }) },
    { name: "observe alone", options: without(CHOSEN, "create", "update", "delete") },
  ])("$name", async (given) => {
    expect(await brokenRules(given)).toEqual([]);
  });
});

describe("a planted defect breaks its rule", () => {
  let counter = 0;
  const notFound = new FakeProviderError("not found", { status: 404 });
  test.for<Given & { name: string; rules: readonly ContractRule[] }>([
    {
      name: "observe that throws for an absent resource",
      options: { ...CHOSEN, observe: async (args) => (await CHOSEN.observe(args)) ?? Promise.reject(notFound) },
      rules: ["functions answer"],
    },
    {
      name: "observe that makes up an absent resource",
      options: { ...CHOSEN, observe: async (args) => (await CHOSEN.observe(args)) ?? seen(args.name) },
      rules: ["absent gives undefined"],
    },
    {
      name: "observe that returns a text",
      options: { ...CHOSEN, observe: () => "on" as unknown as undefined },
      rules: ["functions answer"],
    },
    {
      name: "observe that changes the resource",
      options: {
        ...CHOSEN,
        observe: async (args) => {
          const found = await CHOSEN.observe(args);
          if (found?.state === "Available") args.api.change(args.name, { zone: `${found.zone}+` });
          return found;
        },
      },
      rules: ["observe changes nothing", "create twice is once"],
    },
    {
      name: "observe that returns the time",
      options: { ...CHOSEN, observe: async (args) => withZone(await CHOSEN.observe(args), String(++counter)) },
      rules: ["observe changes nothing", "create twice is once"],
    },
    {
      name: "observe that hangs",
      options: { ...CHOSEN, observe: () => new Promise<never>(() => undefined) },
      world: () => ({ deadlineMs: 1 }),
      rules: ["functions answer"],
    },
    {
      name: "externalName that changes",
      options: { ...CHOSEN, externalName: () => `disk-${++counter}` },
      rules: ["names fit"],
    },
    { name: "externalName without the object", options: { ...CHOSEN, externalName: () => "disk" }, rules: ["names fit"] },
    { name: "externalName of two lines", options: { ...CHOSEN, externalName: () => "a\nb" }, rules: ["names fit"] },
    { name: "create under another name", options: { ...CHOSEN, create: (args) => create({ ...args, name: "x" }) }, rules: ["names fit"] },
    {
      name: "create that keeps the assigned name",
      options: { ...ASSIGNED, create: async (args) => void (await create(args)) },
      rules: ["names fit"],
    },
    {
      name: "create without the values",
      options: { ...CHOSEN, create: (args) => create({ ...args, want: {} }) },
      rules: ["create is seen"],
    },
    {
      name: "create that does not accept an existing resource",
      options: {
        ...CHOSEN,
        create: async (args) => {
          if (args.api.items.some(({ name }) => name === args.name)) throw new FakeProviderError("exists", { status: 409 });
          return await create(args);
        },
      },
      rules: ["create twice is once"],
    },
    {
      name: "create that makes another resource each time",
      options: {
        ...CHOSEN,
        create: async (args) => {
          args.api.add(`log-${++counter}`);
          return await create(args);
        },
      },
      rules: ["create twice is once", "delete leaves nothing"],
    },
    {
      name: "create without the token",
      options: { ...ASSIGNED, create: (args) => create({ ...args, token: "none" }) },
      rules: ["a create is recovered"],
    },
    {
      name: "recoverCreate that finds any resource",
      options: { ...ASSIGNED, recoverCreate: ({ api }) => api.items[0] },
      rules: ["a create is recovered"],
    },
    { name: "update that does nothing", options: { ...CHOSEN, update: () => undefined }, rules: ["an update is seen"] },
    { name: "a changed object without a change", world: () => ({ changed: (object) => object }), rules: ["an update is seen"] },
    {
      name: "delete that does nothing",
      options: { ...CHOSEN, delete: () => undefined },
      rules: ["errors carry their kind", "delete leaves nothing"],
    },
    {
      name: "delete that does not accept an absent resource",
      options: {
        ...CHOSEN,
        delete: async (args) => {
          if (args.seen === undefined) throw notFound;
          await args.api.delete({ name: args.name });
        },
      },
      rules: ["errors carry their kind", "delete twice is once"],
    },
    {
      name: "observe that takes a refusal for an absence",
      options: { ...CHOSEN, observe: (args) => Promise.resolve(CHOSEN.observe(args)).catch(() => undefined) },
      rules: ["errors carry their kind"],
    },
    {
      name: "errors without a status",
      options: { ...CHOSEN, observe: (args) => Promise.resolve(CHOSEN.observe(args)).catch(() => Promise.reject(new Error("failed"))) },
      rules: ["errors carry their kind"],
    },
    { name: "desired that throws", options: { ...CHOSEN, desired: () => boom() }, rules: ["functions answer"] },
    {
      name: "desired that changes",
      options: { ...CHOSEN, desired: () => ({ sizeGb: ++counter }) },
      rules: ["functions answer", "create is seen"],
    },
    {
      name: "desired that changes the object",
      options: { ...CHOSEN, desired: ({ spec }) => Object.assign(spec, { sizeGb: 3 }) },
      rules: ["functions answer"],
    },
    { name: "a state that does not exist", options: { ...CHOSEN, state: () => "on" as "Available" }, rules: ["functions answer"] },
    {
      name: "a connection that is no text",
      options: { ...CHOSEN, connection: () => ({ port: 5 as unknown as string }) },
      rules: ["functions answer"],
    },
    { name: "a status that throws", options: { ...CHOSEN, status: () => boom() }, rules: ["functions answer"] },
  ])("$name", async ({ rules, ...given }) => {
    expect(await brokenRules(given)).toEqual(rules);
  });
});

test("the contract of a step is that of its options", async () => {
  const kind = defineResource({
    ...managedTraits,
    group: "test.treadle.dev",
    version: "v1",
    kind: "Disk",
    scope: "Namespaced",
    spec: z.object({ ...managedSpec, sizeGb: z.int32() }),
    status: z.object({ ...managedStatus }),
  });
  const step = managed(kind, {
    name: "disk",
    provider: provider(kind, { connect: () => refusing() }),
    observe: ({ api, name }) => api.observe({ name }),
    desired: ({ spec }) => ({ sizeGb: spec.sizeGb }),
    create: ({ api, name, token }) => api.create({ name, token, want: {} }),
  });
  const spec = { providerConfigRef: { name: "default" }, managementPolicies: ["*" as const], deletionPolicy: "Delete" as const };
  const object = (name: string): ObjectOf<typeof kind> => {
    const { metadata } = disk(name);
    return { apiVersion: "test.treadle.dev/v1", kind: "Disk", metadata, spec: { ...spec, sizeGb: 5 } };
  };
  const api = fakeProvider<Values>({ defaults: { sizeGb: 1, zone: "a" } });
  const failure = managedContract(step, { world: { api, objects: [object("a"), object("b")] } });
  await expect(failure).rejects.toMatchObject({ problems: [{ rule: "create is seen" }] });
  await expect(managedContract({} as typeof step, { world: { api, objects: [object("a"), object("b")] } })).rejects.toThrow(TypeError);
});

test("an error of a contract names the step, and has no values of the provider", async () => {
  const api = fakeProvider<Values>({ defaults: { sizeGb: 1, zone: "secret" }, names: "chosen" });
  const options: Options = { ...CHOSEN, desired: () => ({ sizeGb: 5, zone: "other" }), create: (args) => create({ ...args, want: {} }) };
  const failure = managedContract(options, { world: { api, objects: [disk("a"), disk("b")] } });
  await expect(failure).rejects.toThrow(
    'managedContract: "disk" breaks a rule:\n- create is seen: a created resource differs from desired at sizeGb, zone.',
  );
  expect(api.items).toEqual([]);
});

async function create(args: Omit<Parameters<Api["create"]>[0], "want"> & { readonly api: Api; readonly want: object }): Promise<unknown> {
  return await args.api.create(args);
}

function boom(): never {
  throw new Error("boom");
}

function seen(name: string): FakeSeen<Values> {
  return { name, token: undefined, state: "Available", sizeGb: 5, zone: "a" };
}

function withZone(found: FakeSeen<Values> | undefined, zone: string): FakeSeen<Values> | undefined {
  return found === undefined ? undefined : { ...found, zone };
}

function without<V extends object>(value: V, ...keys: (keyof V)[]): V {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key as keyof V))) as V; // Only optional keys are left out.
}
