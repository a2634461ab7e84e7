/**
 * Functions of authors, and fields of users, that are wrong. Each ends in a condition that names the place, and destroys nothing that
 * no user asked for. What is wrong with the provider config is in `bad-config.test.ts`.
 */
import { inspect } from "node:util";
import { Secret } from "@treadle/apimachinery/kinds";
import { beforeEach, describe, expect, test } from "vitest";
import { type Provider, reference } from "../src/index.ts";
import { managed } from "../src/managed.ts";
import type { AnyManagedOptions } from "../src/types.ts";
import { bucketOf, IMPORTED, scene, type Scene, type SceneOptions } from "./scene.ts";
import { Bucket, bucketOptions, conditionsOf, outside, type Outside, type Values } from "./stage.ts";

type Parts = ReturnType<NonNullable<SceneOptions["options"]>>;

interface Case {
  readonly name: string;
  readonly parts: (api: Outside) => Parts;
  readonly type?: "Ready" | "Synced" | "UpToDate";
  readonly says: string;
  /** The calls that change the provider and end with the error. */
  readonly calls?: readonly string[];
}

const boom = new Error("boom");
const fails = (thrown: unknown) => (): never => {
  throw thrown;
};
const gives = (value: unknown) => (): never => value as never;
const late = (): never => Promise.reject(boom) as never;
const where = 'managed "bucket":';
const failed = "False/ReconcileError: ";

/** Functions that fail while a resource that differs exists. */
const PRESENT: readonly Case[] = [
  ...[
    { name: "throws an error", thrown: boom, what: "boom" },
    { name: "throws a text", thrown: "no", what: "no" },
    { name: "throws nothing", thrown: undefined, what: "undefined" },
    { name: "throws an object without a text", thrown: Object.create(null) as object, what: "" },
    { name: "throws an error of two lines", thrown: new Error("one\ntwo"), what: "one two" },
  ].map(({ name, thrown, what }) => ({
    name: `observe ${name}`,
    parts: () => ({ observe: fails(thrown) }),
    says: `${failed}cannot observe Bucket "default-a" at the provider: ${what}`,
  })),
  ...[
    { value: 7, what: "a number" },
    { value: [], what: "a list" },
    { value: "text", what: "a string" },
    { value: true, what: "true" },
  ].map(({ value, what }) => ({
    name: `observe returns ${what}`,
    parts: () => ({ observe: gives(value) }),
    says: `${failed}${where} observe returned ${what}, but must return an object, or undefined if it does not exist`,
  })),
  ...["desired", "status", "connection", "lateInitialize"].flatMap((member) => [
    { name: `${member} throws`, parts: () => ({ [member]: fails(boom) }), says: `${failed}${where} ${member} threw: boom` },
    {
      name: `${member} throws a text`,
      parts: () => ({ [member]: fails("x") }),
      says: `${failed}${where} ${member} threw a string, not an error`,
    },
    ...[
      { value: 7, what: "a number" },
      { value: "text", what: "a string" },
      { value: ["a"], what: "a list" },
    ].map(({ value, what }) => ({
      name: `${member} returns ${what}`,
      parts: () => ({ [member]: gives(value) }),
      says: `${failed}${where} ${member} returned ${what}, but must return an object`,
    })),
    {
      name: `${member} returns a promise that rejects`,
      parts: () => ({ [member]: late }),
      says: `${failed}${where} ${member} returned a promise, but must return an object`,
    },
  ]),
  {
    name: "desired returns nothing",
    parts: () => ({ desired: gives(undefined) }),
    says: `${failed}${where} desired returned nothing, but must`,
  },
  { name: "state throws", parts: () => ({ state: fails(boom) }), says: `${failed}${where} state threw: boom` },
  ...[
    { value: "Sleeping", what: '"Sleeping"' },
    { value: { type: "Sleeping" }, what: '"Sleeping"' },
    { value: { type: 7 }, what: "an object" },
    { value: undefined, what: "nothing" },
    { value: 7, what: "a number" },
    { value: Promise.resolve("Available"), what: "a promise" },
  ].map(({ value, what }) => ({
    name: `state returns ${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
    parts: () => ({ state: gives(value) }),
    says: `${failed}${where} state returned ${what}, but must return one of Available, Unavailable, Creating, Updating, Deleting, Failed`,
  })),
  { name: "pollMs throws", parts: () => ({ pollMs: fails(boom) }), says: `${failed}${where} pollMs threw: boom` },
  {
    name: "pollMs returns no number",
    parts: () => ({ pollMs: gives("often") }),
    says: `${failed}${where} pollMs must be a number of milliseconds above 0, not often`,
  },
  {
    name: "update throws",
    parts: () => ({ update: fails(boom) }),
    says: `${failed}cannot update Bucket "default-a" at the provider: boom`,
  },
  {
    name: "update throws, as UpToDate says it",
    parts: () => ({ update: fails(boom) }),
    type: "UpToDate",
    says: 'False/UpdateFailed: cannot update Bucket "default-a" at the provider: boom',
  },
  {
    name: "update returns an operation that is not JSON",
    parts: () => ({ update: gives({ operation: 7n }) }),
    says: `${failed}${where} the operation that was returned is not plain JSON: return an id, or an object of texts`,
  },
];

/** Functions that fail while no resource exists. */
const ABSENT: readonly Case[] = [
  { name: "externalName throws", parts: () => ({ externalName: fails(boom) }), says: `${failed}${where} externalName threw: boom` },
  ...[
    { value: "", what: "it is empty" },
    { value: "a\nb", what: "it contains a line break or another control character" },
    { value: 7, what: "it is a number, not a text" },
    { value: undefined, what: "it is a undefined, not a text" },
    { value: "x".repeat(3_000), what: "it has 3000 characters, and at most 2048 are allowed" },
  ].map(({ value, what }) => ({
    name: `externalName returns ${JSON.stringify(value)?.slice(0, 20)}`,
    parts: () => ({ externalName: gives(value) }),
    says: `${failed}${where} externalName returned a name that cannot be used: ${what}`,
  })),
  {
    name: "create throws",
    parts: () => ({ create: fails(boom) }),
    says: `${failed}cannot create Bucket "default-a" at the provider: boom`,
  },
  {
    name: "create throws, as Ready says it",
    parts: () => ({ create: fails(boom) }),
    type: "Ready",
    says: "False/Creating: the external resource does not exist yet",
  },
  {
    name: "references to itself",
    parts: () => ({ references: { source: reference(Bucket, () => "a") } }),
    says: 'False/WaitingForReference: reference "source": Bucket default/a refers to itself',
  },
  {
    name: "a reference that throws",
    parts: () => ({ references: { source: reference(Bucket, fails(boom)) } }),
    says: "boom",
  },
];

const sceneWith = (parts: Case["parts"], given: SceneOptions = {}): Scene => scene({ ...given, options: parts });

describe("a bucket that exists, where", () => {
  test.for(PRESENT)("$name", async ({ parts, says, type = "Synced" }) => {
    const { api, w, said } = sceneWith(parts);
    api.add("default-a", { sizeGb: 5 });
    const before = api.items;
    await w.create(Bucket, bucketOf({ sizeGb: 2 }, IMPORTED) as never);
    await w.settled();
    expect(await said(type)).toContain(says);
    expect(api.items, "nothing is changed").toEqual(before);
    expect(w.dueIn("a"), "it is tried again").toBeGreaterThan(0);
    expect(JSON.stringify(w.logs)).not.toContain("unhandled");
  });

  test.for(PRESENT.filter(({ name }) => !name.startsWith("update")))("and that was Ready keeps its Ready: $name", async ({ parts }) => {
    let bad: Record<string, unknown> = {};
    const members = parts(outside({}));
    const switched = Object.fromEntries(
      Object.entries(members).map(([member, broken]) => [
        member,
        (args: never, more: never): unknown => {
          const good = (GOOD as Record<string, unknown>)[member] ?? bad["good"];
          return ((bad[member] === undefined ? good : broken) as (a: never, b: never) => unknown)(args, more);
        },
      ]),
    );
    const { api, w, after, bucket } = sceneWith((outer) => {
      bad = { good: outer.observe };
      return switched as Parts;
    });
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(5_000);
    expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    for (const member of Object.keys(members)) bad[member] = true;
    await after(66_000);
    const conditions = await conditionsOf(w);
    expect(conditions["Synced"]).toBe("False/ReconcileError");
    expect(conditions["Ready"]).toBe("True/Available");
    expect([(await bucket())?.status?.externalName, api.items.length]).toEqual(["default-a", 1]);
  });
});

/** Parts that work, for the tests in which they fail later. */
const GOOD = {
  desired: () => ({}),
  status: () => ({}),
  connection: () => ({}),
  lateInitialize: () => ({}),
  state: () => "Available",
  pollMs: () => 60_000,
};

describe("a bucket that does not exist, where", () => {
  test.for(ABSENT)("$name", async ({ parts, says, type = "Synced" }) => {
    const { api, w, said } = sceneWith(parts);
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    expect(await said(type)).toContain(says);
    expect(api.items).toEqual([]);
    expect(w.dueIn("a"), "it is tried again").toBeGreaterThan(0);
  });
});

describe("a provider that assigns names, where", () => {
  const assigned = { outside: { names: "assigned" as const } };

  test.for([
    { value: "", what: "it is empty" },
    { value: "a\nb", what: "it contains a line break or another control character" },
    { value: 7, what: "it is a number, not a text" },
    { value: null, what: "it is a null, not a text" },
  ])("create returns the name $value", async ({ value, what }) => {
    const { api, w, said, after, verbs } = sceneWith(
      ({ create }) => ({
        externalName: undefined,
        recoverCreate: undefined,
        create: async (args) => ({ ...(await create(args)), name: value as never }),
      }),
      assigned,
    );
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    expect(await said("Synced")).toBe(`${failed}${where} create returned a name that cannot be used: ${what}`);
    await after(3_600_000);
    expect(await said("Synced"), "only a person knows which one it is").toContain("Unknown/CreateInterrupted: the create ");
    expect([verbs(), api.items.length], "it is not created a second time").toEqual([["create"], 1]);
  });

  test.for([
    { value: "", what: "it is empty" },
    { value: { name: "a\u2028b" }, what: "it contains a line break or another control character" },
    { value: 7, what: "it is a number, not a text" },
    { value: {}, what: "it is a undefined, not a text" },
  ])("recoverCreate returns $value", async ({ value, what }) => {
    const { api, w, said, after } = sceneWith(() => ({ externalName: undefined, recoverCreate: gives(value) }), assigned);
    api.fail("create", "lost");
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(10_000);
    expect(await said("Synced")).toBe(`${failed}${where} recoverCreate returned a name that cannot be used: ${what}`);
    await after(3_600_000);
    expect(api.items, "it is not created a second time").toHaveLength(1);
  });

  test.for([
    { name: "an operation in a circle", value: { name: "item-1", operation: circle() } },
    { name: "a connection that is a text", value: { name: "item-1", connection: "text" } },
    { name: "a connection that is null", value: { name: "item-1", connection: null } },
    { name: "nothing", value: undefined },
    { name: "a list", value: [1] },
  ])("create returns $name", async ({ value }) => {
    const { api, w, after, bucket } = sceneWith(
      ({ create, observe }) => ({
        externalName: undefined,
        create: async (args) => {
          await create(args);
          return value;
        },
        // A result without a name means the default name.
        observe: async (args) => await observe({ ...args, name: "item-1" }),
      }),
      assigned,
    );
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    for (let i = 0; i < 5; i++) await after(60_000);
    expect(api.items, "it is not created a second time").toHaveLength(1);
    expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    await w.delete(Bucket, "a");
    expect((await bucket())?.metadata.finalizers, "it is deleted with the object").toHaveLength(1);
  });
});

function circle(): object {
  const value: Record<string, unknown> = {};
  return Object.assign(value, { value });
}

describe("a call that hangs", () => {
  let arrived: Promise<void>;
  let hanging: Scene;
  const begin = (verb: string): void => {
    let arrive = (): void => undefined;
    arrived = new Promise((resolve) => (arrive = resolve));
    const never = (): never => {
      arrive();
      return new Promise(() => undefined) as never; // It ignores the signal.
    };
    hanging = scene({ options: () => ({ [verb]: never }) });
  };
  beforeEach(() => begin("observe"));

  test.for(["observe", "create", "update"])("ends after the deadline of 60 s: %s", async (verb) => {
    begin(verb);
    const { api, w, said } = hanging;
    if (verb === "update") api.add("default-a", { sizeGb: 5 });
    await w.create(Bucket, bucketOf({}, verb === "update" ? IMPORTED : {}) as never);
    const before = api.items;
    const settled = w.settled();
    await arrived;
    await w.advance(59_999);
    await w.advance(1);
    await settled;
    expect(await said("Synced")).toBe(
      `False/TimedOut: cannot ${verb} Bucket "default-a" at the provider: the provider did not answer within 60 s`,
    );
    expect(api.items).toEqual(before);
    expect(w.dueIn("a")).toBeGreaterThan(0);
  });

  test("of a deletion holds the object, and says so", async () => {
    begin("delete");
    const { api, w, said, after } = hanging;
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(5_000);
    await w.delete(Bucket, "a");
    const settled = w.settled();
    await arrived;
    await w.advance(60_000);
    await settled;
    expect(await said("Synced")).toContain('False/TimedOut: cannot delete Bucket "default-a" at the provider');
    expect(await said("Ready")).toContain("False/Deleting");
    expect(api.items).toHaveLength(1);
  });
});

describe("an error with a secret in it", () => {
  const PASSWORD = "hunter2-hunter2";
  const leaks = `login with dG9rZW4tMTIzNDU2 and token-123456 failed, password=${PASSWORD}`;

  test.for(["observe", "create", "update", "delete"])("is redacted in conditions, events, logs and the change log: %s", async (verb) => {
    const changes: unknown[] = [];
    const { api, w, said, after } = scene({
      options: () => ({ [verb]: fails(new Error(leaks)), onChange: ({ error }) => void changes.push(error) }),
    });
    await w.update(Secret, "login", (secret) => void (secret.data = { token: "dG9rZW4tMTIzNDU2" }));
    if (verb !== "create") api.add("default-a", verb === "update" ? { sizeGb: 9 } : {});
    await w.create(Bucket, bucketOf({}, verb === "create" ? {} : IMPORTED) as never);
    await w.settled();
    await w.delete(Bucket, "a");
    await w.settled();
    await after(5_000);
    const synced = verb === "create" || verb === "observe" ? JSON.stringify(w.events) : await said("Synced");
    if (verb !== "update") expect(synced).toContain("login with <redacted> and <redacted> failed, password=<redacted>");
    const all = JSON.stringify([await w.list(Bucket), w.events, w.logs]);
    for (const secret of [PASSWORD, "token-123456", "dG9rZW4tMTIzNDU2"]) expect(all).not.toContain(secret);
    for (const secret of ["token-123456", "dG9rZW4tMTIzNDU2"]) expect(inspect(changes)).not.toContain(secret);
    expect(w.events.map(({ reason }) => reason)).toContain(`Cannot${verb.charAt(0).toUpperCase()}${verb.slice(1)}`);
  });
});

describe("options that are wrong throw a TypeError with the fix", () => {
  test.for<{ name: string; options: object | undefined; says: string }>([
    { name: "no options", options: undefined, says: "managed(Bucket): the options need a name, the persistent name of the step" },
    { name: "no name", options: { name: "" }, says: "managed(Bucket): the options need a name" },
    { name: "no observe", options: { observe: undefined }, says: `${where} observe is missing: it must be a function` },
    { name: "no desired", options: { desired: undefined }, says: `${where} desired is missing: it must be a function` },
    { name: "a create that is no function", options: { create: true }, says: `${where} create must be a function` },
    { name: "a name that is no function", options: { externalName: "x" }, says: `${where} externalName must be a function` },
    {
      name: "a prefix with a hyphen",
      options: { prefix: "my-bucket" },
      says: `${where} prefix must be a CamelCase word, such as "Bucket", not "my-bucket"`,
    },
    { name: "a poll of 0", options: { pollMs: 0 }, says: `${where} pollMs must be a number of milliseconds, not 0` },
    { name: "a negative grace", options: { graceMs: -1 }, says: `${where} graceMs must be a number of milliseconds, not -1` },
    { name: "an endless deadline", options: { timeoutMs: Number.POSITIVE_INFINITY }, says: `${where} timeoutMs must be a number` },
    { name: "a redact that is no list", options: { redact: "token" }, says: `${where} redact must be a list of keys of desired` },
    {
      name: "a reference that is no reference",
      options: { references: { a: Bucket } },
      says: `${where} references.a must be what reference()`,
    },
    {
      name: "no provider",
      options: { provider: undefined as unknown as Provider<Outside> },
      says: `${where} provider must be what provider()`,
    },
  ])("$name", ({ options, says }) => {
    const given = options === undefined ? undefined : { ...bucketOptions(outside()), ...options };
    expect(() => managed(Bucket, given as AnyManagedOptions)).toThrow(
      expect.objectContaining({ name: "TypeError", message: expect.stringContaining(says) }),
    );
  });
});

describe("an annotation of a user that is wrong", () => {
  const LONG = "x".repeat(3_000);

  test.for([
    { name: "with a line break", value: "default-a\nCreated: yes", what: "it contains a line break or another control character" },
    { name: "with a blank at the end", value: "default-a ", what: "it begins or ends with a blank or a line break" },
    { name: "that is empty", value: "", what: "it is empty" },
    { name: "of 3,000 characters", value: LONG, what: "it has 3000 characters, and at most 2048 are allowed" },
  ])("$name is not used for a call", async ({ value, what }) => {
    const { api, w, said, verbs, bucket, forget, after } = scene();
    const annotation = { "treadle.dev/external-name": value };
    await w.create(Bucket, bucketOf({}, annotation) as never);
    await w.settled();
    const says = `False/InvalidExternalName: the annotation treadle.dev/external-name cannot be used: ${what}`;
    expect(await said("Synced")).toBe(says);
    expect([verbs(), api.items]).toEqual([[], []]);

    await w.update(
      Bucket,
      "a",
      (object) => void delete (object.metadata.annotations as Record<string, string>)["treadle.dev/external-name"],
    );
    await w.settled();
    await after(5_000);
    expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    forget();
    await w.update(Bucket, "a", (object) => void Object.assign(object.metadata.annotations ?? {}, annotation));
    await w.settled();
    expect(await said("Synced")).toBe(says);
    await w.delete(Bucket, "a");
    await w.settled();
    expect(verbs(), "a deletion waits as well: it is not known what to delete").toEqual([]);
    expect(await said("Synced")).toBe(says);
    expect([(await bucket())?.metadata.finalizers?.length, api.items.length]).toEqual([1, 1]);
  });

  test.for(["often", "30", "-5s", "0s", "5 m", "", "1e9s", "\n"])(
    "that is not an interval is ignored with one warning: %j",
    async (value) => {
      const { w, after } = scene();
      await w.create(Bucket, bucketOf({}, { "treadle.dev/poll-interval": value }) as never);
      await w.settled();
      for (const ms of [5_000, 66_000, 66_000]) await after(ms);
      expect(w.dueIn("a")).toBeGreaterThanOrEqual(54_000);
      expect(w.dueIn("a")).toBeLessThanOrEqual(66_000);
      expect(w.logs.filter(({ text }) => text.startsWith("ignored the annotation treadle.dev/poll-interval"))).toHaveLength(1);
    },
  );
});

describe("references in a circle", () => {
  const circular = (): Scene => scene({ options: () => ({ references: { source: reference(Bucket, (b: Bucket) => b.spec.region) } }) });

  test("wait with a message that names the circle, and do not hold a deletion", async () => {
    const { api, w, said, after, bucket } = circular();
    await w.create(Bucket, bucketOf({ region: "b" }) as never);
    await w.create(Bucket, { metadata: { name: "b" }, spec: { region: "a" } } as never);
    await w.settled();
    await after(30_000);
    expect(await said("Synced")).toBe(
      "False/WaitingForReference: " +
        'reference "source": Bucket default/b is not Ready: NotObserved; a circle of references: Bucket default/a -> Bucket default/b -> Bucket default/a',
    );
    await w.delete(Bucket, "a");
    await w.settled();
    expect([await bucket(), api.calls]).toEqual([undefined, []]);
  });
});

test("policies that are not known are refused by the server, and those that contradict each other take the safe side", async () => {
  const { api, w, bucket } = scene();
  await expect(w.create(Bucket, bucketOf({ managementPolicies: ["Destroy"] }) as never)).rejects.toThrow("managementPolicies");
  await w.create(Bucket, bucketOf({ managementPolicies: ["*", "Delete"], deletionPolicy: "Orphan" }) as never);
  await w.settled();
  expect((await bucket())?.metadata.finalizers).toBeUndefined();
  await w.delete(Bucket, "a");
  await w.settled();
  expect([await bucket(), api.items.length]).toEqual([undefined, 1]);
});

test("a status, or a late initialisation, that the schema refuses says so, and changes nothing", async () => {
  for (const parts of [{ status: () => ({ region: 7 }) }, { lateInitialize: () => ({ region: 7 }) }]) {
    const { api, w, bucket } = scene({ options: () => parts as never });
    api.add("default-a", { sizeGb: 1 } satisfies Partial<Values>);
    await w.create(Bucket, bucketOf({}, IMPORTED) as never);
    await w.settled();
    expect(JSON.stringify((await bucket())?.status?.conditions)).toContain("region");
    expect((await conditionsOf(w))["Ready"]).toMatch(/^False/);
    expect((await bucket())?.spec.region).toBeUndefined();
    expect(api.items).toHaveLength(1);
  }
});
