/** Values of live objects that later steps get: gives. */
import "@treadle/testing/matchers";
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret, Service } from "@treadle/apimachinery/kinds";
import { all, type AnyStep, conditions, handler, optional, step } from "@treadle/reconcile";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { dependentApply, dependentApplyAll, dependentsOf } from "../src/index.ts";

const Store = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Store",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ credentials: z.string().default("creds"), isOn: z.boolean().default(true), text: z.string().default("") }),
});
type Store = ObjectOf<typeof Store>;
const STORE = { apiVersion: "example.dev/v1", kind: "Store", metadata: { name: "a" }, spec: {} };

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const secret = (data: Record<string, string>): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "creds" },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
});

const credentials = dependentApply(Store, {
  name: "credentials",
  kind: Secret,
  objectName: (store) => store.spec.credentials,
  created: false,
  gives: { user: (live) => live.data?.["user"], host: (live) => live.data?.["host"] },
});
const store = dependentApply(Store, {
  name: "store",
  kind: ConfigMap,
  needs: [credentials],
  desired: (_owner, { vars }) => ({ data: { user: vars.user, host: vars.host } }),
});

const worldOf = (steps: readonly AnyStep[], ...objects: object[]): FakeWorld => {
  let builder = handler(Store).step(conditions());
  // The types of a list that is known only at run time do not fit: build() checks it.
  for (const each of steps) builder = builder.step(each as never);
  return fakeWorld(builder.build(), { objects: [STORE, ...objects] });
};
const dataOf = async (world: FakeWorld, name = "a"): Promise<unknown> => (await world.get(ConfigMap, name))?.data;
const ready = async (world: FakeWorld): Promise<string> => {
  const found = (await world.get(Store, "a"))?.status?.conditions?.find(({ type }) => type === "Ready");
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};
const entries = async (world: FakeWorld): Promise<readonly string[]> =>
  dependentsOf((await world.get(Store, "a")) ?? {}).map(({ step: name, type, reason, message }) => `${name} ${type}/${reason} ${message}`);

const PLACES = [
  { name: "separate steps", steps: [credentials, store] },
  { name: "one dependentApplyAll()", steps: [dependentApplyAll("parts", [store, credentials])] },
  { name: "one all()", steps: [all("parts", [store, credentials])] },
  { name: "two groups", steps: [dependentApplyAll("first", [credentials]), all("second", [dependentApplyAll("third", [store])])] },
];

describe.for(PLACES)("a giver and its user in $name", ({ steps }) => {
  test("the user gets the values of the live object, and follows them", async () => {
    const world = worldOf(steps, secret({ user: "admin", host: "db.example" }));
    await world.settled();
    expect(await dataOf(world)).toEqual({ user: base64("admin"), host: base64("db.example") });
    await world.update(Secret, "creds", ({ data }) => void (data!["user"] = base64("root")));
    await world.settled();
    expect(await dataOf(world)).toEqual({ user: base64("root"), host: base64("db.example") });
    world.requests.clear();
    await world.pass("a");
    await world.pass("a");
    expect(world.requests.length).toBe(0);
  });

  test("the user waits for a value that appears later", async () => {
    const world = worldOf(steps, secret({ user: "admin" }));
    await world.settled();
    expect(await dataOf(world)).toBeUndefined();
    expect(await ready(world)).toBe('Unknown MissingValue: step "store": waiting for host of Secret creds');
    expect(await entries(world)).toContain("store Pending/MissingValue waiting for host of Secret creds");
    await world.update(Secret, "creds", ({ data }) => void (data!["host"] = base64("db.example")));
    await world.settled();
    expect(await dataOf(world)).toMatchObject({ host: base64("db.example") });
    expect(await ready(world)).toMatch(/^True/);
  });
});

describe("a giver whose object does not exist", () => {
  test("is reported to its user", async () => {
    const world = worldOf([dependentApplyAll("parts", [credentials, store])]);
    await world.settled();
    expect(await entries(world)).toEqual([
      "credentials Pending/NotFound Secret creds does not exist yet, and another writer is to create it",
      "store Pending/MissingValue waiting for user, host of Secret creds (it does not exist yet)",
    ]);
    await world.create(Secret, secret({ user: "admin", host: "db.example" }) as never);
    await world.settled();
    expect(await ready(world)).toMatch(/^True/);
  });

  test("is not desired: its user reports it, and a user that is not desired either is deleted with it", async () => {
    const giver = dependentApply(Store, {
      name: "role",
      kind: ConfigMap,
      objectName: "role",
      desired: (owner) => (owner.spec.isOn ? { data: { arn: "arn:1" } } : undefined),
      gives: { arn: (live) => live.data?.["arn"] },
    });
    const stays = dependentApply(Store, {
      name: "stays",
      kind: ConfigMap,
      objectName: "stays",
      needs: [giver],
      desired: (_owner, { vars }) => ({ data: { arn: vars.arn } }),
    });
    const goes = dependentApply(Store, {
      name: "goes",
      kind: ConfigMap,
      objectName: "goes",
      needs: [giver],
      desired: (owner, { vars }) => (owner.spec.isOn ? { data: { arn: vars.arn } } : undefined),
    });
    const world = worldOf([dependentApplyAll("parts", [stays, giver, goes])]);
    await world.settled();
    expect(await ready(world)).toMatch(/^True/);
    await world.update(Store, "a", ({ spec }) => void (spec.isOn = false));
    await world.settled();
    expect(await world.get(ConfigMap, "goes")).toBeUndefined();
    expect(await world.get(ConfigMap, "role")).toBeUndefined();
    expect(await dataOf(world, "stays")).toEqual({ arn: "arn:1" });
    expect(await ready(world)).toBe('Unknown MissingValue: step "stays": waiting for arn of ConfigMap role (it is not desired)');
  });

  test("does not hold up a user by optional()", async () => {
    const user = dependentApply(Store, {
      name: "user",
      kind: ConfigMap,
      needs: [optional(credentials)],
      desired: (_owner, { vars }) => ({ data: { user: vars.user ?? "none" } }),
    });
    const world = worldOf([dependentApplyAll("parts", [credentials, user])]);
    await world.settled();
    expect(await dataOf(world)).toEqual({ user: "none" });
    await world.create(Secret, secret({ user: "admin", host: "x" }) as never);
    await world.settled();
    expect(await dataOf(world)).toEqual({ user: base64("admin") });
  });
});

describe("a giver", () => {
  test.for([
    { name: "without a watch", options: { watched: false } },
    { name: "that its owner does not wait for", options: { checkedForReadiness: false } },
    { name: "that is not owned", options: { owned: false } },
  ])("$name gives its values", async ({ options }) => {
    const giver = dependentApply(Store, {
      name: "giver",
      kind: ConfigMap,
      objectName: "giver",
      desired: { data: { url: "http://a" } },
      gives: { url: (live) => live.data?.["url"] },
      ...options,
    });
    const user = dependentApply(Store, { name: "user", kind: ConfigMap, needs: [giver], desired: (_o, { vars }) => ({ data: vars }) });
    const world = worldOf([giver, user]);
    await world.settled();
    expect(await dataOf(world)).toEqual({ url: "http://a" });
    await world.pass("a");
    expect(await ready(world)).toMatch(/^True/);
  });

  test("gives values of an object that is not ready yet", async () => {
    const service = dependentApply(Store, {
      name: "service",
      kind: Service,
      desired: { spec: { ports: [{ port: 80 }] } },
      readyWhen: () => "never ready",
      gives: { ip: (live) => live.spec?.clusterIP },
    });
    const user = dependentApply(Store, { name: "user", kind: ConfigMap, needs: [service], desired: (_o, { vars }) => ({ data: vars }) });
    const world = worldOf([dependentApplyAll("parts", [service, user])]);
    await world.settled();
    expect(await dataOf(world)).toEqual({ ip: expect.stringMatching(/^\d/) });
  });

  test("does not give values of an object that is not ours", async () => {
    const giver = dependentApply(Store, {
      name: "giver",
      kind: ConfigMap,
      objectName: "foreign",
      desired: {},
      gives: { url: (live) => live.data?.["url"] },
    });
    const user = dependentApply(Store, { name: "user", kind: ConfigMap, needs: [giver], desired: (_o, { vars }) => ({ data: vars }) });
    const foreign = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "foreign" }, data: { url: "http://evil" } };
    const world = worldOf([dependentApplyAll("parts", [giver, user])], foreign);
    await world.settled();
    expect((await entries(world))[1]).toBe("user Pending/MissingValue waiting for url of ConfigMap foreign (it is not ours)");
  });

  test("computes its values again only when the object or the owner changes", async () => {
    let calls = 0;
    const giver = dependentApply(Store, {
      name: "giver",
      kind: ConfigMap,
      objectName: "giver",
      desired: { data: { url: "http://a" } },
      gives: {
        url: (live) => {
          calls++;
          return live.data?.["url"];
        },
      },
    });
    const user = dependentApply(Store, { name: "user", kind: ConfigMap, needs: [giver], desired: (_o, { vars }) => ({ data: vars }) });
    const world = worldOf([giver, user]);
    await world.settled();
    await world.pass("a");
    const before = calls;
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(calls).toBe(before);
  });

  test.for<{ name: string; give: () => unknown; want: string }>([
    {
      name: "throws",
      give: () => {
        throw new Error("boom");
      },
      want: 'step "giver": gives.url threw: boom',
    },
    {
      name: "returns a promise",
      give: async () => "x",
      want: 'step "giver": gives.url returned a promise: it must return the value at once, from the live object',
    },
    { name: "returns a function", give: () => () => 1, want: 'step "giver": gives.url is a function, which is not JSON' },
    {
      name: "returns a class",
      give: () => ({ at: new Map() }),
      want: 'step "giver": gives.url holds at at a Map, not a plain object, which is not JSON',
    },
  ])("that $name is a failure of its step", async ({ give, want }) => {
    const giver = dependentApply(Store, { name: "giver", kind: ConfigMap, objectName: "giver", desired: {}, gives: { url: give } });
    const world = worldOf([giver]);
    await world.pass("a");
    expect((await entries(world))[0]).toMatch(/^giver Failed\/(?:InvalidStep|Error) /);
    expect((await entries(world))[0]).toContain(want);
  });

  test("gives plain copies that its users cannot change", async () => {
    const giver = dependentApply(Store, {
      name: "giver",
      kind: ConfigMap,
      objectName: "giver",
      desired: { data: { a: "1" } },
      gives: { all: (live) => ({ data: live.data ?? {} }) },
    });
    const seen: unknown[] = [];
    const user = step(Store, {
      name: "user",
      needs: [giver],
      do(req) {
        seen.push(req.vars.all);
        expect(() => ((req.vars.all.data as Record<string, string>)["a"] = "2")).toThrow(TypeError);
      },
    });
    const world = worldOf([giver, user]);
    await world.settled();
    expect(seen[0]).toEqual({ data: { a: "1" } });
  });
});

describe("a value of a Secret", () => {
  test("is not shown in messages and logs, also where it was computed from the Secret", async () => {
    const url = "postgres://admin:hunter22-long@db.example/app";
    const giver = dependentApply(Store, {
      name: "credentials",
      kind: Secret,
      objectName: "creds",
      created: false,
      gives: { password: (live) => /:([^:@]+)@/.exec(Buffer.from(live.data?.["url"] ?? "", "base64").toString())?.[1] },
    });
    const user = dependentApply(Store, {
      name: "user",
      kind: ConfigMap,
      needs: [giver],
      desired: {},
      readyWhen: (_live, _owner, { vars }) => `cannot log in with ${vars.password}`,
    });
    const world = worldOf([giver, user], secret({ url }));
    await world.settled();
    for (let i = 0; i < 3; i++) {
      await world.pass("a");
      expect((await entries(world))[1]).toBe("user Pending/NotReady cannot log in with <redacted>");
      expect(JSON.stringify(await world.get(Store, "a"))).not.toContain("hunter22");
    }
  });
});

test("gives that is not an object of functions is refused", () => {
  const make = (gives: unknown) => () => dependentApply(Store, { name: "x", kind: ConfigMap, desired: {}, gives } as never);
  expect(make([])).toThrow('dependentApply "x": gives must be an object of functions: gives: { name: (live) => ... }');
  expect(make({ arn: "x" })).toThrow('dependentApply "x": gives.arn must be a function of the live object');
});

test.for([
  { name: "that another writer creates", until: undefined, desired: undefined },
  {
    name: "while until does not hold",
    until: ({ spec }: Store): true | string => spec.text === "" || "held",
    desired: { metadata: { finalizers: ["example.dev/hold"] }, data: { user: "joe" } },
  },
])("an object that is being deleted gives no values: an object $name", async ({ until, desired }) => {
  const giver = dependentApply(Store, {
    name: "giver",
    kind: ConfigMap,
    objectName: "giver",
    ...(until === undefined ? { created: false } : { until, desired }),
    gives: { user: (live) => live.data?.["user"] },
  });
  const user = dependentApply(Store, {
    name: "user",
    kind: ConfigMap,
    needs: [giver],
    desired: ({ spec }, { vars }) => ({ data: { user: vars.user, text: spec.text } }),
  });
  const existing = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "giver", finalizers: ["example.dev/hold"] },
    data: { user: "joe" },
  };
  const world = worldOf([dependentApplyAll("parts", [giver, user])], ...(until === undefined ? [existing] : []));
  await world.settled();
  expect(await dataOf(world)).toEqual({ user: "joe", text: "" });
  await world.delete(ConfigMap, "giver");
  await world.settled();
  await world.update(Store, "a", ({ spec }) => void (spec.text = "two"));
  await world.settled();
  expect(await dataOf(world)).toEqual({ user: "joe", text: "" });
});

test.for([
  { name: "a text", thrown: (value: string): unknown => value },
  { name: "an object", thrown: (value: string): unknown => ({ value }) },
])("a value of a Secret that is thrown as $name is not in the log or the status", async ({ thrown }) => {
  const user = dependentApply(Store, {
    name: "user",
    kind: ConfigMap,
    needs: [credentials],
    desired: (_store, { vars }) => {
      throw thrown(Buffer.from(vars.user, "base64").toString());
    },
  });
  const world = worldOf([credentials, user], secret({ user: "hunter22", host: "db.example" }));
  await world.settled();
  expect(world.logs.length).toBeGreaterThan(0);
  expect(JSON.stringify([world.logs, await world.get(Store, "a")])).not.toContain("hunter22");
});
