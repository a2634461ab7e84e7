/** Provider configs and Secrets that are missing, deleted or wrong, and functions of a provider that fail. */
import { Secret } from "@treadle/apimachinery/kinds";
import { fakeClock } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { type Provider, provider, type ProviderOptions, secretText } from "../src/index.ts";
import { fakeWorld } from "@treadle/testing";
import { bucketOf, scene, type Scene, sceneOf } from "./scene.ts";
import { Bucket, bucketHandler, conditionsOf, CONFIG, LOGIN, type Outside, outside, StoreConfig } from "./stage.ts";

const boom = new Error("boom with hunter2-hunter2, password=hunter3");
const fails = (): never => {
  throw boom;
};
const failsEarly = (): never => {
  throw new Error("too early");
};

/** A scene with these objects instead of the config and its Secret. */
function sceneOn(objects: readonly object[], made?: (api: Outside) => Provider<Outside>): Scene {
  const clock = fakeClock();
  const api = outside({ clock });
  const options = made === undefined ? {} : { provider: made(api) };
  return sceneOf(api, fakeWorld(bucketHandler(api, options) as never, { clock, objects }), clock);
}

const secretOf = (data: Readonly<Record<string, string>>): object => ({ ...LOGIN, data });
const of =
  (options: Partial<ProviderOptions<StoreConfig, Outside>>) =>
  (api: Outside): Provider<Outside> =>
    provider(StoreConfig, { secret: (config) => config.spec.secret, connect: () => api, ...options });

interface Case {
  readonly name: string;
  readonly objects?: readonly object[];
  readonly made?: (api: Outside) => Provider<Outside>;
  readonly spec?: object;
  readonly type?: "Ready" | "Synced";
  readonly says: string;
}

const CASES: readonly Case[] = [
  { name: "no config", objects: [LOGIN], says: "False/NotConnected: StoreConfig default does not exist" },
  {
    name: "another config",
    spec: { providerConfigRef: { name: "other" } },
    says: "False/NotConnected: StoreConfig other does not exist",
  },
  { name: "no Secret", objects: [CONFIG], says: "False/NotConnected: Secret login of StoreConfig default/default does not exist" },
  {
    name: "a Secret without the key",
    objects: [CONFIG, secretOf({ user: "eA==" })],
    says: 'False/NotConnected: cannot read key "token" of Secret default/login: it does not exist; the Secret has "user"',
  },
  {
    name: "a Secret that is empty",
    objects: [CONFIG, secretOf({})],
    says: 'False/NotConnected: cannot read key "token" of Secret default/login: it does not exist; the Secret has no keys',
  },
  {
    name: "connect throws",
    made: of({ connect: fails }),
    says: "False/NotConnected: cannot connect to the provider: boom with <redacted>, password=<redacted>",
  },
  {
    name: "connect rejects",
    made: of({ connect: () => Promise.reject(boom) }),
    says: "False/NotConnected: cannot connect to the provider: boom with <redacted>, password=<redacted>",
  },
  {
    name: "connect throws a text",
    made: of({
      connect: () => {
        throw "no route"; // oxlint-disable-line typescript/only-throw-error -- an author may
      },
    }),
    says: "False/NotConnected: cannot connect to the provider: no route",
  },
  {
    name: "connect is refused",
    made: of({ connect: () => Promise.reject(Object.assign(new Error("no"), { status: 401 })) }),
    says: "False/CredentialsRefused: cannot connect to the provider: no",
  },
  // They run before the Secret is read.
  { name: "secret throws", made: of({ secret: failsEarly }), says: 'step "bucket", read "provider secret": too early' },
  { name: "configOf throws", made: of({ configOf: failsEarly }), type: "Ready", says: 'step "bucket", read "provider config": too early' },
  {
    name: "secret returns a number",
    made: of({ secret: () => 7 as never }),
    says: 'False/InvalidReference: step "bucket", read "provider secret": one(Secret)',
  },
  {
    name: "configOf returns a number",
    made: of({ configOf: () => 7 as never }),
    says: 'False/InvalidReference: step "bucket", read "provider config": one(StoreConfig)',
  },
  {
    name: "configOf returns nothing",
    made: of({ configOf: () => undefined }),
    says: "False/NotConnected: the object names no StoreConfig",
  },
];

describe("a new bucket with", () => {
  test.for(CASES)(
    "$name",
    async ({ objects = [CONFIG, secretOf({ token: "aHVudGVyMi1odW50ZXIy" })], made, spec = {}, type = "Synced", says }) => {
      const given = sceneOn(objects, made ?? of({ connect: ({ secret }) => void secretText(secret, "token") as never }));
      const { api, w, said, bucket, after } = given;
      api.add("default-a", { sizeGb: 9 });
      await w.create(Bucket, bucketOf(spec) as never);
      await w.settled();
      expect(await said(type)).toContain(says);
      expect((await conditionsOf(w))["Ready"], "a new object is not Ready").not.toMatch(/^True/);
      await after(600_000);
      expect([api.calls, api.items.length]).toEqual([[], 1]);
      expect(w.dueIn("a"), "it is tried again").toBeGreaterThan(0);
      const all = JSON.stringify([await w.list(Bucket), w.events, w.logs]);
      for (const secret of ["hunter2-hunter2", "hunter3", "aHVudGVyMi1odW50ZXIy"]) expect(all).not.toContain(secret);
      await w.delete(Bucket, "a");
      await w.settled();
      expect(await bucket(), "an object that was never connected is deleted at once").toBeUndefined();
    },
  );
});

describe("a bucket that was Ready, and", () => {
  test.for([
    { name: "whose config was deleted", kind: StoreConfig, key: "default", says: "StoreConfig default does not exist" },
    { name: "whose Secret was deleted", kind: Secret, key: "login", says: "Secret login of StoreConfig default/default does not exist" },
  ])("$name says so, and is not deleted at the provider before it is back", async ({ kind, key, says }) => {
    const { api, w, said, after, bucket, forget } = scene();
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(5_000);
    forget();
    await w.delete(kind, key);
    await w.settled();
    expect(await said("Synced")).toBe(`False/NotConnected: ${says}`);
    expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    await w.delete(Bucket, "a");
    await w.settled();
    expect(await said("Synced")).toBe(
      `False/NotConnected: ${says}; to leave the external resource as it is, set spec.deletionPolicy to Orphan`,
    );
    expect(await said("Ready")).toContain("False/Deleting");
    for (let i = 0; i < 5; i++) await after(600_000);
    expect([api.calls, api.items.length, (await bucket())?.metadata.finalizers?.length]).toEqual([[], 1, 1]);
    await w.apply(kind === Secret ? LOGIN : CONFIG);
    await w.settled();
    await after(60_000);
    expect([await bucket(), api.items]).toEqual([undefined, []]);
  });

  test("whose Secret was deleted becomes Unknown after 5 poll intervals", async () => {
    const { w, after } = scene();
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(5_000);
    await w.delete(Secret, "login");
    for (let i = 0; i < 4; i++) await after(60_000);
    expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    for (let i = 0; i < 3; i++) await after(60_000);
    expect((await conditionsOf(w))["Ready"]).toBe("Unknown/NotObserved");
  });

  test("whose object orphans the resource is deleted without its config", async () => {
    const { api, w, bucket, after } = scene();
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(5_000);
    await w.delete(StoreConfig, "default");
    await w.delete(Bucket, "a");
    await w.settled();
    await w.update(Bucket, "a", ({ spec }) => void (spec.deletionPolicy = "Orphan"));
    await w.settled();
    expect([await bucket(), api.items.length]).toEqual([undefined, 1]);
  });
});

test("a connect that hangs ends after the deadline, and the object says NotConnected", async () => {
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const hanging = of({
    connect: () => {
      arrive();
      return new Promise(() => undefined);
    },
  });
  const { w, said, api } = sceneOn([CONFIG, LOGIN], hanging);
  await w.create(Bucket, bucketOf() as never);
  const settled = w.settled();
  await arrived;
  await w.advance(60_000);
  await settled;
  expect(await said("Synced")).toMatch(/^False\/NotConnected: /);
  expect(api.calls).toEqual([]);
});

test("credentials that are refused stop all calls, and a new Secret ends that at once", async () => {
  const { api, w, said, after, verbs, forget } = scene();
  await w.create(Bucket, bucketOf() as never);
  await w.settled();
  await after(5_000);
  api.fail("*", 401, Number.POSITIVE_INFINITY);
  await after(66_000);
  expect(await said("Synced")).toContain("False/CredentialsRefused: ");
  expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
  forget();
  api.heal();
  await w.update(Secret, "login", (secret) => void (secret.data = { token: "bmV3LXRva2Vu" }));
  await w.settled();
  expect(verbs()).toEqual(["observe"]);
  expect((await conditionsOf(w))["Synced"]).toBe("True/ReconcileSuccess");
});
