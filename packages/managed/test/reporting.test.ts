/** What a managed step says: events, the change log, UpToDate, and the dry run. What later steps see is in `chain.test.ts`. */
import { fakeClock, seededRandom } from "@treadle/apimachinery";
import { createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ExternalChange } from "../src/index.ts";
import { bucketOf, IMPORTED, scene, type Scene, type SceneOptions } from "./scene.ts";
import { Bucket, bucketHandler, conditionsOf, CONFIG, LOGIN, type Outside, outside, StoreConfig } from "./stage.ts";
import { Secret } from "@treadle/apimachinery/kinds";

async function available(given: SceneOptions = {}, spec: object = {}): Promise<Scene> {
  const made = scene(given);
  await made.w.create(Bucket, bucketOf(spec) as never);
  await made.w.settled();
  await made.after(5_000);
  return made;
}

const resize = async ({ w }: Scene, sizeGb: number): Promise<void> => {
  await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = sizeGb));
  await w.settled();
};

describe("events", () => {
  test("tell the life of a resource", async () => {
    const made = await available();
    await resize(made, 2);
    await made.after(5_000);
    await made.w.delete(Bucket, "a");
    await made.w.settled();
    await made.after(30_000);
    expect(made.events()).toEqual(["Created: default-a", "Updated: default-a: sizeGb: 1 -> 2", "Deleted: default-a"]);
    expect(new Set(made.w.events.map(({ type, action }) => `${type} ${action}`))).toEqual(new Set(["Normal bucket"]));
  });

  test.for([
    { verb: "observe", reason: "CannotObserve" },
    { verb: "create", reason: "CannotCreate" },
    { verb: "update", reason: "CannotUpdate" },
    { verb: "delete", reason: "CannotDelete" },
  ] as const)("warn once of an error that repeats, and again after a success: $reason", async ({ verb, reason }) => {
    const made = scene();
    const { api, w, after, events } = made;
    if (verb === "update") api.add("default-a", { sizeGb: 9 });
    if (verb === "delete") {
      await w.create(Bucket, bucketOf() as never);
      await w.settled();
      await after(5_000);
    }
    api.fail(verb, { status: 500, message: "out of order" }, Number.POSITIVE_INFINITY);
    if (verb === "delete") await w.delete(Bucket, "a");
    else await w.create(Bucket, bucketOf({}, verb === "update" ? IMPORTED : {}) as never);
    await w.settled();
    const ofReason = (): readonly string[] => events().filter((text) => text.startsWith(reason));
    for (let i = 0; i < 5; i++) await after(60_000);
    const says = `${reason}: cannot ${verb} Bucket "default-a" at the provider: ${verb} default-a: 500 out of order`;
    expect(ofReason()).toEqual([says]);
    expect(w.events.find((event) => event.reason === reason)?.type).toBe("Warning");
    if (verb === "delete") return;
    api.heal();
    for (let i = 0; i < 3; i++) await after(120_000);
    expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    if (verb === "create") api.remove("default-a");
    if (verb === "update") api.change("default-a", { sizeGb: 9 });
    api.fail(verb, { status: 500, message: "out of order" }, Number.POSITIVE_INFINITY);
    for (let i = 0; i < 3; i++) await after(66_000);
    expect(ofReason()).toEqual([says, says]);
  });

  test("of a deletion that takes long are given once, although delete is called again", async () => {
    const made = await available({ outside: { deleteMs: 100_000 }, options: () => ({ state: undefined }) });
    made.forget();
    await made.w.delete(Bucket, "a");
    await made.w.settled();
    for (let i = 0; i < 5; i++) await made.after(30_000);
    expect(await made.bucket()).toBeUndefined();
    expect(made.verbs().filter((verb) => verb === "delete").length).toBeGreaterThan(1);
    expect(made.events()).toEqual(["Deleted: default-a"]);
  });

  test("of a failure are repeated when its text changes, also back", async () => {
    const made = await available();
    made.forget();
    for (const message of ["one", "two", "two", "one"]) {
      made.api.fail("observe", { status: 500, message });
      await made.after(66_000);
    }
    const texts = made.events().map((event) => /(one|two)$/.exec(event)?.[0]);
    expect(texts).toEqual(["one", "two", "one"]);
  });

  test("of a name that was changed by hand are Normal, and say both names", async () => {
    const made = await available();
    made.api.add("other");
    made.forget();
    await made.w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { "treadle.dev/external-name": "other" }));
    await made.w.settled();
    expect(made.w.events.slice(-2).map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      "Normal ExternalNameChanged",
      "Normal Imported",
    ]);
  });
});

describe("the change log", () => {
  const logged = (): { readonly given: SceneOptions; readonly changes: ExternalChange[] } => {
    const changes: ExternalChange[] = [];
    return { given: { options: () => ({ onChange: (change) => void changes.push(change), redact: ["versioning"] }) }, changes };
  };

  test("has one entry for each create, update and delete, without the values of redact", async () => {
    const { given, changes } = logged();
    const made = await available({ ...given, outside: { latencyMs: 0 } }, { versioning: true });
    await made.w.update(Bucket, "a", ({ spec }) => Object.assign(spec, { sizeGb: 2, versioning: false }));
    await made.w.settled();
    await made.after(5_000);
    await made.w.delete(Bucket, "a");
    await made.w.settled();
    await made.after(30_000);
    const common = { kind: "Bucket", name: "default-a", error: undefined, isDrift: false, durationMs: 0, object: expect.any(Object) };
    const seen = { region: "eu", name: "default-a", state: "Available", token: expect.any(String), versioning: "<redacted>" };
    expect(changes).toEqual([
      { ...common, verb: "create", before: undefined, changes: { sizeGb: 1, versioning: "<redacted>" } },
      { ...common, verb: "update", before: { ...seen, sizeGb: 1 }, changes: { sizeGb: 2, versioning: "<redacted>" } },
      { ...common, verb: "delete", before: { ...seen, sizeGb: 2 }, changes: undefined },
    ]);
    expect(made.events()[1]).toBe("Updated: default-a: sizeGb: 1 -> 2, versioning: <redacted>");
  });

  test("has the error of a call that failed, each time", async () => {
    const { given, changes } = logged();
    const made = scene(given);
    made.api.fail("create", 500, 2);
    await made.w.create(Bucket, bucketOf() as never);
    await made.w.settled();
    for (let i = 0; i < 3; i++) await made.after(60_000);
    expect(changes.map(({ verb, error }) => [verb, (error as Error | undefined)?.message])).toEqual([
      ["create", "create default-a: 500 internal error"],
      ["create", "create default-a: 500 internal error"],
      ["create", undefined],
    ]);
  });

  test("says what was drift, and what a user asked for", async () => {
    const { given, changes } = logged();
    const made = await available(given);
    await resize(made, 2);
    await made.after(5_000);
    made.api.change("default-a", { sizeGb: 50 });
    await made.after(66_000);
    await made.after(5_000);
    made.api.remove("default-a");
    await made.after(66_000);
    expect(changes.map(({ verb, isDrift }) => [verb, isDrift])).toEqual([
      ["create", false],
      ["update", false],
      ["update", true],
      ["create", true],
    ]);
  });

  test.for([
    {
      name: "throws",
      onChange: () => {
        throw new Error("the log is full");
      },
    },
    { name: "rejects", onChange: (): never => Promise.reject(new Error("the log is full")) as never },
  ])("that $name is an error in the log, and repeats nothing", async ({ onChange }) => {
    const made = await available({ options: () => ({ onChange }) });
    expect((await conditionsOf(made.w))["Ready"]).toBe("True/Available");
    expect(made.api.count("create")).toBe(1);
    expect(made.w.logs.filter(({ level }) => level === "error")).toMatchObject([{ text: "onChange failed" }]);
  });
});

describe("UpToDate", () => {
  test("names the paths with the old and the new value", async () => {
    const made = scene({
      options: ({ observe }: Outside) => ({
        observe: async (args) => ({ ...(await observe(args)), tags: { env: "dev", kept: 1 }, rules: [{ port: 1 }, { port: 2 }], own: 7 }),
        desired: () => ({ tags: { env: "prod" }, rules: [{ port: 1 }, { port: 3 }], own: undefined, sizeGb: 4 }),
      }),
    });
    made.api.add("default-a");
    await made.w.create(Bucket, bucketOf({ managementPolicies: ["Observe"] }, IMPORTED) as never);
    await made.w.settled();
    expect(await made.said("UpToDate")).toBe(
      'False/UpdateRestricted: tags.env: "dev" -> "prod", rules[1].port: 2 -> 3, sizeGb: 1 -> 4; spec.managementPolicies does not allow it',
    );
  });

  test("gets the keys that differ into the update, and no others", async () => {
    const asked: unknown[] = [];
    const made = await available(
      { options: () => ({ update: ({ changes, want }) => void asked.push([changes, want]) }) },
      { versioning: false },
    );
    await resize(made, 2);
    expect(asked[0]).toEqual([{ sizeGb: 2 }, { sizeGb: 2, versioning: false }]);
  });

  test("is Unknown while nothing exists, and UpdateFailed with the error of the update", async () => {
    const made = await available();
    made.api.fail("update", 500, 1);
    await resize(made, 2);
    expect(await made.said("UpToDate")).toContain('False/UpdateFailed: cannot update Bucket "default-a" at the provider: ');
    expect((await conditionsOf(made.w))["Ready"]).toBe("True/Available");
  });

  test("hides what a key of redact differs in", async () => {
    const made = await available({ options: () => ({ redact: ["sizeGb"], update: undefined }) });
    await resize(made, 4711);
    expect(await made.said("UpToDate")).toBe("False/UpdateRestricted: sizeGb: <redacted>; the provider cannot update it");
    expect(JSON.stringify([made.w.events, made.w.logs])).not.toContain("4711");
  });
});

describe("late initialisation", () => {
  const given: SceneOptions = {
    options: () => ({ lateInitialize: ({ region, sizeGb }: { region: string; sizeGb: number }) => ({ region, sizeGb }) }),
  };

  test("fills an empty field once: a user who removes it is not overruled", async () => {
    const made = await available(given);
    expect((await made.bucket())?.spec).toMatchObject({ region: "eu", sizeGb: 1 });
    await made.w.update(Bucket, "a", ({ spec }) => void delete spec.region);
    await made.w.settled();
    for (let i = 0; i < 3; i++) await made.after(66_000);
    expect((await made.bucket())?.spec).not.toHaveProperty("region");
    expect(await conditionsOf(made.w)).toEqual({
      Ready: "True/Available",
      Synced: "True/ReconcileSuccess",
      UpToDate: "True/ObserveMatched",
    });
  });

  test("does not change a field that a user has set", async () => {
    const made = await available(given, { region: "us" });
    expect((await made.bucket())?.spec.region).toBe("us");
    expect((await made.bucket())?.metadata.generation).toBe(1);
  });

  test("leaves no condition behind that says less than before", async () => {
    const made = await available(given);
    expect(await conditionsOf(made.w)).toEqual({
      Ready: "True/Available",
      Synced: "True/ReconcileSuccess",
      UpToDate: "True/ObserveMatched",
    });
  });
});

describe("a dry run", () => {
  async function dryRun(prepare: (user: ReturnType<typeof createClient>, api: Outside) => Promise<void>) {
    const clock = fakeClock();
    const api = outside({ clock });
    const server = createApiServer({ clock, random: seededRandom(1), resources: [Bucket, StoreConfig] });
    const user = createClient({ transport: server.transport(), clock, fieldManager: "user" });
    await user.create(StoreConfig, { ...CONFIG, metadata: { name: "default", namespace: "default" } } as never);
    await user.create(Secret, { ...LOGIN, metadata: { name: "login", namespace: "default" } } as never);
    await prepare(user, api);
    const logs: string[] = [];
    const log = (data: object, text: string): void => void logs.push(`${text} ${JSON.stringify(data)}`);
    const manager = createManager({
      client: (wish) => createClient({ ...wish, transport: server.transport(), clock, random: seededRandom(2) }),
      clock,
      random: seededRandom(3),
      probes: false,
      metrics: false,
      signals: false,
      dryRun: true,
      log: { debug: log, info: log, warn: log, error: log },
    });
    manager.add(bucketHandler(api, { redact: ["versioning"] }));
    onTestFinished(async () => {
      const stopped = manager.stop();
      await clock.advance(60_000);
      await stopped;
      await server.close();
    });
    await manager.start();
    await manager.settled({ horizonMs: 120_000 });
    return { api, logs: logs.filter((line) => line.startsWith("dry run: the external resource")), user };
  }
  const key = { name: "a", namespace: "default" };
  const create = async (user: ReturnType<typeof createClient>, metadata: object, spec: object = {}): Promise<void> =>
    void (await user.create(Bucket, { metadata: { ...key, ...metadata }, spec } as never));

  test("creates nothing, and logs that it would", async () => {
    const { api, logs } = await dryRun(async (user) => await create(user, {}));
    expect([api.items, new Set(api.calls.map(({ verb }) => verb))]).toEqual([[], new Set(["observe"])]);
    expect(logs[0]).toMatch(/^dry run: the external resource would be created .*"name":"default-a"/);
  });

  test("updates nothing, and logs the differences without the values of redact", async () => {
    const { api, logs } = await dryRun(async (user, outer) => {
      outer.add("default-a", { sizeGb: 5 });
      await create(user, { annotations: IMPORTED }, { versioning: true });
    });
    expect(new Set(api.calls.map(({ verb }) => verb))).toEqual(new Set(["observe"]));
    expect(logs[0]).toMatch(/^dry run: the external resource would be updated .*sizeGb: 5 -> 1, versioning: <redacted>/);
  });

  test("deletes nothing, and logs that it would", async () => {
    const { api, logs, user } = await dryRun(async (client, outer) => {
      outer.add("default-a");
      await create(client, { annotations: IMPORTED, finalizers: ["store.test/buckets.store.test"] });
      await client.delete(Bucket, key);
    });
    expect(new Set(api.calls.map(({ verb }) => verb))).toEqual(new Set(["observe"]));
    expect(logs[0]).toMatch(/^dry run: the external resource would be deleted /);
    expect(await user.get(Bucket, key)).toBeDefined();
  });
});
