/** Managed steps and the other steps of a handler: vars, waits and failures of earlier and later steps, and several in one handler. */
import { defineResource, fakeClock } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { all, type AnyStep, conditions, handler, type Step, step, TerminalError } from "@treadle/reconcile";
import { fakeWorld, secretText } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { connectionSecret, managed, managedSpec, managedTraits } from "../src/index.ts";
import type { AnyManagedOptions, External } from "../src/types.ts";
import { bucketOf, scene, type Scene, type SceneOptions, sceneOf } from "./scene.ts";
import { Bucket, bucketOptions, conditionsOf, CONFIG, type Later, LOGIN, outside, type Outside, storeProvider, world } from "./stage.ts";

const boom = new Error("boom");

async function available(given: SceneOptions): Promise<Scene> {
  const made = scene(given);
  await made.w.create(Bucket, bucketOf() as never);
  await made.w.settled();
  await made.after(5_000);
  return made;
}

/** A step that records the vars of the bucket. */
function watching(seen: External<unknown>[]): Later {
  return (bucket) =>
    step(Bucket, {
      name: "later",
      needs: [bucket as Step<Bucket, {}, { readonly bucket: External<unknown> }>],
      do: (req) => void seen.push(req.vars.bucket),
    }) as AnyStep;
}

describe("the vars of a managed step", () => {
  test("reach later steps in the pass of the create, with what only create returned", async () => {
    const seen: External<unknown>[] = [];
    const connection = ({ name }: { readonly name: string }): Readonly<Record<string, string>> => ({ password: `secret-of-${name}` });
    const made = await available({
      later: [watching(seen)],
      outside: { connection },
      options: () => ({ connection: () => ({ host: "h" }) }),
    });
    expect(seen[0]).toEqual({
      name: "default-a",
      state: "Creating",
      seen: undefined,
      connection: { password: "secret-of-default-a" },
      createdKeys: ["password"],
      creation: 1,
    });
    expect(seen.at(-1)).toMatchObject({
      name: "default-a",
      state: "Available",
      seen: { region: "eu", sizeGb: 1 },
      connection: { host: "h" },
      createdKeys: [],
      creation: 1,
    });
    made.api.remove("default-a");
    await made.after(120_000);
    expect(seen.at(-1)).toMatchObject({ creation: 2, createdKeys: ["password"] });
  });

  test("of an imported resource say that it was never created", async () => {
    const seen: External<unknown>[] = [];
    const made = scene({ later: [watching(seen)] });
    made.api.add("default-a");
    await made.w.create(Bucket, bucketOf({}, { "treadle.dev/external-name": "default-a" }) as never);
    await made.w.settled();
    expect(seen[0]).toMatchObject({ creation: 0, state: "Available" });
  });

  test("have no keys without a text, and are not in conditions or logs", async () => {
    const seen: External<unknown>[] = [];
    const made = await available({
      later: [watching(seen)],
      options: () => ({ connection: () => ({ host: "h", port: 5, none: undefined, no: null }) as never }),
    });
    expect(seen.at(-1)?.connection).toEqual({ host: "h" });
    expect(made.w.logs.map(({ text }) => text).join()).not.toContain("host");
  });

  test("of a state other than Available reach later steps as well", async () => {
    const seen: External<unknown>[] = [];
    const made = await available({ later: [watching(seen)] });
    made.api.setState("default-a", "Unavailable");
    await made.after(66_000);
    expect(seen.at(-1)?.state).toBe("Unavailable");
  });
});

describe("what only create returned", () => {
  const connection = (): Readonly<Record<string, string>> => ({ password: "hunter2" });
  const secret: Later = (bucket) => connectionSecret(bucket as never) as AnyStep;

  test("is stored later, if its Secret cannot be written in the pass of the create", async () => {
    const foreign = { apiVersion: "v1", kind: "Secret", metadata: { name: "a-bucket" } };
    const made = await available({ later: [secret], outside: { connection }, world: { objects: [foreign] } });
    expect(await made.said("Synced")).toContain('False/StepWaiting: step "bucket-connection');
    await made.w.delete(Secret, "a-bucket");
    await made.after(66_000);
    expect(secretText((await made.w.get(Secret, "a-bucket")) as never)).toEqual({ password: "hunter2" });
    await made.after(66_000);
    expect(secretText((await made.w.get(Secret, "a-bucket")) as never)).toEqual({ password: "hunter2" });
  });

  test("is given until the chain is done once, and not after it", async () => {
    const seen: External<unknown>[] = [];
    let fails = true;
    const later = step(Bucket, { name: "failing", do: (req) => (fails ? req.wait("not yet", 1_000) : undefined) }) as AnyStep;
    const made = await available({ later: [watching(seen), later], outside: { connection } });
    const details = { connection: { password: "hunter2" }, createdKeys: ["password"], creation: 1 };
    expect(seen.length).toBeGreaterThan(1);
    for (const each of seen) expect(each).toMatchObject(details);
    fails = false;
    await made.after(10_000);
    expect(seen.at(-1)).toMatchObject(details);
    await made.after(66_000);
    expect(seen.at(-1)).toMatchObject({ connection: {}, createdKeys: [] });
  });

  test("is not given for another resource that the annotation names then", async () => {
    const seen: External<unknown>[] = [];
    const later = step(Bucket, { name: "failing", do: (req) => req.wait("never", 1_000) }) as AnyStep;
    const made = await available({ later: [watching(seen), later], outside: { connection } });
    made.api.add("other");
    await made.w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { "treadle.dev/external-name": "other" }));
    await made.w.settled();
    expect(seen.at(-1)).toMatchObject({ name: "other", connection: {}, createdKeys: [] });
  });

  test("is removed from the Secret when the annotation names another resource", async () => {
    const made = await available({ later: [secret], outside: { connection } });
    made.api.add("other");
    await made.w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { "treadle.dev/external-name": "other" }));
    await made.w.settled();
    expect(secretText((await made.w.get(Secret, "a-bucket")) as never)).toEqual({});
    made.api.remove("other");
    await made.after(120_000);
    expect(secretText((await made.w.get(Secret, "a-bucket")) as never), "it is created again").toEqual({ password: "hunter2" });
  });

  test("stays in the Secret when a user corrects a typing error in the annotation", async () => {
    const made = await available({ later: [secret], outside: { connection } });
    for (const name of ["default-typo", "default-a"]) {
      await made.w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { "treadle.dev/external-name": name }));
      await made.w.settled();
      expect(secretText((await made.w.get(Secret, "a-bucket")) as never)).toEqual({ password: "hunter2" });
    }
    expect((await conditionsOf(made.w))["Ready"]).toBe("True/Available");
  });
});

describe("a later step", () => {
  test.for<{
    name: string;
    does: (req: { wait: (why: string, ms: number) => never; stop: (why: string) => never }) => unknown;
    says: string;
  }>([
    { name: "waits", does: (req) => req.wait("for the moon", 60_000), says: 'False/StepWaiting: step "later" waits: for the moon' },
    { name: "stops", does: (req) => req.stop("no moon"), says: 'False/StepWaiting: step "later" stopped: no moon' },
    {
      name: "fails",
      does: () => {
        throw boom;
      },
      says: 'False/StepFailed: step "later" failed: boom',
    },
    {
      name: "fails for good",
      does: () => {
        throw new TerminalError("never");
      },
      says: 'False/StepFailed: step "later" failed: never',
    },
    {
      name: "fails with a secret",
      does: () => {
        throw new Error("password=hunter2");
      },
      says: 'False/StepFailed: step "later" failed: password=<redacted>',
    },
  ])("that $name is in Synced, with its name, and Ready is that of the resource", async ({ does, says }) => {
    const later = step(Bucket, { name: "later", do: (req) => does(req as never) as never }) as AnyStep;
    const made = await available({ later: [later] });
    expect(await made.said("Synced")).toBe(says);
    expect(await conditionsOf(made.w)).toMatchObject({ Ready: "True/Available", UpToDate: "True/ObserveMatched" });
    expect(made.api.count("create")).toBe(1);
  });

  test("that works again makes Synced True again", async () => {
    let fails = true;
    const later = step(Bucket, { name: "later", do: (req) => (fails ? req.wait("not yet", 60_000) : undefined) }) as AnyStep;
    const made = await available({ later: [later] });
    expect((await conditionsOf(made.w))["Synced"]).toBe("False/StepWaiting");
    fails = false;
    await made.after(66_000);
    expect((await conditionsOf(made.w))["Synced"]).toBe("True/ReconcileSuccess");
  });
});

describe("an earlier step", () => {
  function earlier(does: (req: never) => unknown): Scene {
    const clock = fakeClock();
    const api = outside({ clock });
    const first = step(Bucket, { name: "first", do: does as never }) as Step<Bucket>;
    const bucket = managed(Bucket, bucketOptions(api)) as unknown as Step<Bucket>;
    const made = handler(Bucket).step(conditions()).step(first).step(bucket).build();
    return sceneOf(api, world(made, { clock }), clock);
  }

  test("that waits is in Synced, and nothing is asked", async () => {
    const made = earlier((req: { wait: (why: string, ms: number) => unknown }) => req.wait("not yet", 60_000));
    await made.w.create(Bucket, bucketOf() as never);
    await made.w.settled();
    expect(await made.said("Synced")).toBe('False/StepWaiting: step "first" waits: not yet');
    expect((await conditionsOf(made.w))["Ready"]).toMatch(/^Unknown/);
    expect(made.api.calls).toEqual([]);
  });

  test("that fails later leaves Ready and UpToDate as they were", async () => {
    let fails = false;
    const made = earlier(() => {
      if (fails) throw boom;
    });
    await made.w.create(Bucket, bucketOf() as never);
    await made.w.settled();
    await made.after(5_000);
    fails = true;
    await made.after(66_000);
    expect(await conditionsOf(made.w)).toEqual({ Ready: "True/Available", Synced: "False/StepFailed", UpToDate: "True/ObserveMatched" });
    expect(await made.said("Synced")).toBe('False/StepFailed: step "first" failed: boom');
  });
});

describe("several managed steps in one handler", () => {
  const Pair = defineResource({
    ...managedTraits,
    group: "store.test",
    version: "v1",
    kind: "Pair",
    scope: "Namespaced",
    spec: z.object({ ...managedSpec }),
    status: z.object({ leftExternalName: z.string(), rightExternalName: z.string() }),
  });
  interface Pair {
    readonly metadata: { readonly name: string };
  }

  const part = (prefix: string, api: Outside): Step<never> => {
    const options = {
      ...api.functions,
      name: prefix.toLowerCase(),
      prefix,
      provider: storeProvider(api),
      externalName: ({ metadata }: Pair) => `${prefix}-${metadata.name}`,
      desired: () => ({}),
    };
    // The names of the steps are texts of any value here.
    return managed(Pair, options as unknown as AnyManagedOptions) as unknown as Step<never>;
  };

  test.for([
    { name: "in a row", isGroup: false },
    { name: "in all()", isGroup: true },
  ])("$name give their vars to later steps, and Ready counts both", async ({ isGroup }) => {
    const clock = fakeClock();
    const api = outside({ clock });
    const vars: unknown[] = [];
    const [left, right] = [part("Left", api), part("Right", api)];
    const last = step(Pair, { name: "last", needs: [left, right] as never, do: (req) => void vars.push(req.vars) }) as never;
    const chain = handler(Pair).step(conditions());
    const chained = isGroup
      ? chain.step(all("both", [left, right] as never) as never)
      : (chain.step(left as never) as typeof chain).step(right as never);
    const w = fakeWorld((chained as typeof chain).step(last).build() as never, { clock, objects: [CONFIG, LOGIN] });
    const said = async (): Promise<readonly string[]> =>
      ((await w.get(Pair, "a"))?.status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`).toSorted();
    const after = async (ms: number): Promise<void> => {
      await w.advance(ms);
      await w.settled();
    };
    await w.create(Pair, { metadata: { name: "a" }, spec: {} } as never);
    await w.settled();
    await after(5_000);
    expect(vars.at(-1)).toMatchObject({ left: { name: "Left-a", state: "Available" }, right: { name: "Right-a", state: "Available" } });
    expect(await said()).toContain("Ready=True/Ready");

    api.setState("Right-a", "Unavailable");
    await after(66_000);
    expect(await said()).toEqual(
      expect.arrayContaining(["LeftReady=True/Available", "RightReady=False/Unavailable", "Ready=False/Unavailable"]),
    );
    api.setState("Right-a", undefined);
    await after(66_000);
    api.fail("observe", 500, Number.POSITIVE_INFINITY);
    await after(66_000);
    expect(await said(), "a failure of one is in its own Synced").toEqual(
      expect.arrayContaining(["LeftReady=True/Available", "LeftSynced=False/ReconcileError"]),
    );
    api.heal();
    for (let i = 0; i < 3; i++) await after(66_000);
    expect(await said()).toContain("Ready=True/Ready");

    await w.delete(Pair, "a");
    await w.settled();
    for (let i = 0; i < 3; i++) await after(30_000);
    expect([await w.get(Pair, "a"), api.items]).toEqual([undefined, []]);
  });

  test("delete the last one first, and a failing one holds those before it", async () => {
    const clock = fakeClock();
    const api = outside({ clock });
    const made = handler(Pair)
      .step(conditions())
      .step(part("Left", api) as never)
      .step(part("Right", api) as never)
      .build();
    const w = fakeWorld(made as never, { clock, objects: [CONFIG, LOGIN] });
    const after = async (ms: number): Promise<void> => {
      await w.advance(ms);
      await w.settled();
    };
    await w.create(Pair, { metadata: { name: "a" }, spec: {} } as never);
    await w.settled();
    await after(5_000);
    await after(5_000);
    api.fail("delete", 500, 2);
    await w.delete(Pair, "a");
    await w.settled();
    for (let i = 0; i < 12; i++) await after(30_000);
    const deletes = api.calls.filter(({ verb }) => verb === "delete").map(({ subject }) => subject);
    expect(deletes.slice(0, 3)).toEqual(["Right-a", "Right-a", "Right-a"]);
    expect(new Set(deletes.slice(3))).toEqual(new Set(["Left-a"]));
    expect([await w.get(Pair, "a"), api.items]).toEqual([undefined, []]);
  });
});

describe("a settled resource whose poll has to wait for a turn", () => {
  test("keeps its conditions and gives its vars to later steps", async () => {
    const seen: External<unknown>[] = [];
    const made = scene({
      later: [watching(seen)],
      options: (api) => ({ provider: storeProvider(api, { rate: { perSecond: 0.05, burst: 3 } }) }),
    });
    await made.w.create(Bucket, bucketOf() as never);
    await made.w.settled();
    for (let i = 0; i < 20; i++) await made.after(5_000);
    expect(await conditionsOf(made.w)).toEqual({
      Ready: "True/Available",
      Synced: "True/ReconcileSuccess",
      UpToDate: "True/ObserveMatched",
    });
    seen.length = 0;
    for (let i = 0; i < 6; i++)
      await made.w.update(Bucket, "a", ({ metadata }) => void (metadata.labels = { n: String(i) })).then(() => made.w.settled());
    expect(await conditionsOf(made.w)).toEqual({
      Ready: "True/Available",
      Synced: "True/ReconcileSuccess",
      UpToDate: "True/ObserveMatched",
    });
    expect(new Set(seen.map(({ state }) => state))).toEqual(new Set(["Available"]));
    expect(seen.length).toBe(6);
  });
});
