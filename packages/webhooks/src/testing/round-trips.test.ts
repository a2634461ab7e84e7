import { defineResource, type Kind } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AnyConversion } from "../definition.ts";
import { webhooks, type Webhooks } from "../webhooks.ts";
import { type AnyVersionOf, RoundTripError, roundTrips } from "./round-trips.ts";

const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: {
      spec: z.object({
        host: z.string().optional(),
        replicas: z.int32().default(1),
        tls: z.object({ issuer: z.string() }).optional(),
        zones: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }).optional(),
        ports: z
          .array(z.object({ name: z.string().regex(/^[a-z]{1,5}$/), port: z.int().min(1).max(65_535), path: z.string().optional() }))
          .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
          .optional(),
        args: z.array(z.string()).optional(),
        size: z.union([z.int(), z.string()]).optional(),
        token: z.string().nullable().optional(),
        labels: z.record(z.string(), z.string()).optional(),
        free: z.unknown().meta({ "x-kubernetes-preserve-unknown-fields": true }).optional(),
      }),
      status: z.object({ phase: z.enum(["Up", "Down"]), url: z.string().optional() }),
    },
    v1beta1: {
      spec: z.object({
        domain: z.string().optional(),
        replicas: z.int32().default(1),
        ports: z
          .array(z.object({ name: z.string().regex(/^[a-z]{1,5}$/), port: z.int().min(1).max(65_535) }))
          .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
          .optional(),
        args: z.array(z.string()).optional(),
        labels: z.record(z.string(), z.string()).optional(),
      }),
      status: z.object({ phase: z.enum(["Up", "Down"]) }),
    },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }) },
  },
});

// oxlint-disable-next-line typescript/no-explicit-any -- the functions of untyped code
type Spec = { readonly spec: any };
const specOf = (object: unknown): Spec["spec"] => (object as Spec).spec;
const untyped = (kind: Kind, convert: Readonly<Record<string, AnyConversion>>): Webhooks => webhooks(kind, { convert: convert as never });
const convert: Readonly<Record<string, AnyConversion>> = {
  v1beta1: {
    up: (object) => {
      const { domain, ...spec } = specOf(object);
      return { spec: { ...spec, host: domain } };
    },
    down: (object) => {
      const { host, replicas, ports, args, labels } = specOf(object);
      const shown = ports?.map(({ name, port }: { name: string; port: number }) => ({ name, port }));
      return { spec: { replicas, domain: host, ports: shown, args, labels } };
    },
  },
  v1alpha1: {
    up: (object) => ({ spec: { host: specOf(object).domain, replicas: specOf(object).size } }),
    down: (object) => ({ spec: { domain: specOf(object).host, size: specOf(object).replicas } }),
  },
};

test("conversions that lose nothing pass", async () => {
  await roundTrips(untyped(Website, convert), { runs: 200 });
});

test("the webhooks of a kind are checked as they are, with typed functions", async () => {
  const Site = defineResource({
    group: "web.example.com",
    kind: "Site",
    scope: "Namespaced",
    versions: {
      v1: {
        spec: z.object({
          host: z.string().optional(),
          replicas: z.int32().default(1),
          tls: z.object({ issuer: z.string() }).optional(),
        }),
      },
      v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }) },
    },
  });
  const site = webhooks(Site, {
    convert: {
      v1alpha1: {
        up: ({ spec }) => ({ spec: { host: spec.domain, replicas: spec.size } }),
        down: ({ spec }) => ({ spec: { domain: spec.host, size: spec.replicas } }),
      },
    },
  });
  await roundTrips(site);
});

const Small = defineResource({
  group: "web.example.com",
  kind: "Small",
  scope: "Cluster",
  versions: {
    v1: { spec: z.object({ host: z.string().optional(), replicas: z.int().optional() }) },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int().optional(), old: z.boolean().optional() }) },
  },
});
const good: AnyConversion = {
  up: (small) => ({ spec: { host: specOf(small).domain, replicas: specOf(small).size } }),
  down: (small) => ({ spec: { domain: specOf(small).host, size: specOf(small).replicas } }),
};
const failureOf = async (functions: Partial<AnyConversion>, kind: Kind = Small): Promise<RoundTripError> => {
  const failure = await roundTrips(untyped(kind, { v1alpha1: { ...good, ...functions } }), { seed: 1 }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(RoundTripError);
  return failure as RoundTripError;
};

describe("a conversion that is wrong fails with the versions, the object and the seed", () => {
  let calls = 0;
  test.for([
    {
      name: "a field of the lower version that the hub does not have",
      functions: {},
      want: /a client changes spec\S* in v1alpha1, and v1alpha1 -> v1 -> v1alpha1 is another object\n {2}spec\.old: (true|false) became absent\n {2}The hub must hold every field of every version: v1 needs a field for it, which up sets and down reads\./,
    },
    {
      name: "a change that is taken for another one",
      functions: {
        up: (small: unknown) => ({
          spec: { host: specOf(small).domain, replicas: specOf(small).domain === undefined ? 0 : 1 },
        }),
        down: (small: unknown) => ({ spec: { domain: specOf(small).host } }),
      },
      want: /a client changes spec\S* in v1alpha1, and v1alpha1 -> v1 -> v1alpha1 is another object/,
    },
    {
      name: "a result outside of the hub's schema",
      functions: {},
      kind: defineResource({
        group: "web.example.com",
        kind: "Small",
        scope: "Cluster",
        versions: {
          v1: { spec: z.object({ replicas: z.int().min(0).max(10).optional() }) },
          v1alpha1: { spec: z.object({ size: z.int().optional() }) },
        },
      }),
      want: /the object of v1 breaks its schema at spec\.replicas/,
    },
    {
      name: "a result outside of the version's schema",
      functions: { down: () => ({ spec: { size: "many" } }) },
      want: /the object of v1alpha1 breaks its schema at spec\.size/,
    },
    {
      name: "a function that is not pure",
      functions: { down: () => ({ spec: { size: calls++ } }) },
      want: /v1 -> v1alpha1 twice gives two results: the functions are not pure\n {2}\S+: /,
    },
    {
      name: "a function that throws",
      functions: {
        up: () => {
          throw new RangeError("no domain");
        },
      },
      want: /convert\.v1alpha1\.up threw RangeError[^]*it threw: no domain\n {2}with: \{/,
    },
    { name: "a function that returns nothing", functions: { up: () => undefined }, want: /convert\.v1alpha1\.up returned no object/ },
  ])("$name", async ({ functions, kind, want }) => {
    const { message, seed } = await failureOf(functions as Partial<AnyConversion>, kind);
    expect(message).toMatch(want);
    expect(message).toMatch(/^roundTrips of Small, v1 and v1alpha1: /);
    expect(message).toMatch(/\n {2}Repeat it with \{ seed: 1 \}\.$/);
    expect(seed).toBe(1);
  });
});

test("the counterexample is small, and the same for the same seed", async () => {
  const first = await failureOf({});
  expect((await failureOf({})).message).toBe(first.message);
  expect(first.message.length).toBeLessThan(1200);
});

test("webhooks that convert nothing are refused", async () => {
  await expect(roundTrips(webhooks(Small, { problems: () => [], convert: "none" }))).rejects.toThrow(
    "roundTrips: the webhooks of Small convert nothing: give them convert",
  );
});

const byUser = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["user"] };
const Tenant = defineResource({
  group: "corp.example.com",
  kind: "Tenant",
  scope: "Namespaced",
  versions: {
    v1: {
      spec: z.object({
        members: z
          .array(z.object({ user: z.string(), role: z.enum(["admin", "viewer"]) }))
          .meta(byUser)
          .default([]),
      }),
    },
    v1alpha1: {
      spec: z.object({
        admins: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }).default([]),
        viewers: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }).default([]),
      }),
    },
  },
});
const tenant = webhooks(Tenant, {
  convert: {
    v1alpha1: {
      up: ({ spec: { admins, viewers } }) => ({
        spec: {
          members: [
            ...admins.map((user) => ({ user, role: "admin" as const })),
            ...viewers.map((user) => ({ user, role: "viewer" as const })),
          ],
        },
      }),
      down: ({ spec: { members } }) => ({
        spec: {
          admins: members.filter(({ role }) => role === "admin").map(({ user }) => user),
          viewers: members.filter(({ role }) => role === "viewer").map(({ user }) => user),
        },
      }),
    },
  },
});

test("objects that break a rule without a schema are left out by valid, and the order of sets is not compared", async () => {
  const isTenant = (spec: object): spec is { admins: string[]; viewers: string[] } => "admins" in spec;
  const valid = ({ spec }: AnyVersionOf<typeof Tenant>): boolean =>
    !isTenant(spec) || !spec.admins.some((user) => spec.viewers.includes(user));
  await roundTrips(tenant, { runs: 300, seed: 1, valid });
  await expect(roundTrips(tenant, { runs: 300, seed: 1 })).rejects.toThrow("breaks its schema at spec.members");
});

test("a list whose order is not that of the hub is equal, and an atomic list is not", async () => {
  const Sorted = defineResource({
    group: "corp.example.com",
    kind: "Sorted",
    scope: "Cluster",
    versions: {
      v1: { spec: z.object({ names: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }).optional() }) },
      v1alpha1: { spec: z.object({ names: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }).optional() }) },
    },
  });
  const sorted = (object: { readonly spec: { readonly names?: readonly string[] | undefined } }) => ({
    spec: { names: object.spec.names && [...object.spec.names].toSorted() },
  });
  await roundTrips(webhooks(Sorted, { convert: { v1alpha1: { up: sorted, down: sorted } } }), { seed: 1 });
});
