/**
 * All combinations of `managementPolicies` with a resource that is absent, that differs, and with an object that is being deleted. The
 * expectations are those of an oracle that knows the rules of docs/managed.md and nothing of the code.
 */
import { describe, expect, test } from "vitest";
import { bucketOf, IMPORTED, scene, type Scene } from "./scene.ts";
import { Bucket, conditionsOf, DEFAULTS, type Values } from "./stage.ts";

const ACTIONS = ["Observe", "Create", "Update", "Delete", "LateInitialize"] as const;
type Policy = (typeof ACTIONS)[number] | "*";

/** The 32 sets, and `*` alone and with an action. */
const SETS: readonly (readonly Policy[])[] = [
  ...Array.from({ length: 32 }, (_, bits) => ACTIONS.filter((_action, i) => (bits & (1 << i)) !== 0)),
  ["*"],
  ["*", "Observe"],
];

const CASES = SETS.map((policies) => ({
  title: policies.length === 0 ? "no action" : policies.join(" and "),
  policies,
  isPaused: policies.length === 0,
  can: (action: Policy) => policies.includes("*") || policies.includes(action),
}));

const PAUSED = { Paused: "True/Requested" };

function stage(): Scene {
  return scene({ options: () => ({ lateInitialize: ({ region }: Values) => ({ region }) }) });
}

describe("a bucket that does not exist", () => {
  test.for(CASES)("is created only with Create: $title", async ({ policies, isPaused, can }) => {
    const { api, w, verbs, bucket } = stage();
    await w.create(Bucket, bucketOf({ managementPolicies: policies }) as never);
    await w.settled();
    const conditions = await conditionsOf(w);
    if (isPaused) {
      expect(verbs()).toEqual([]);
      expect(conditions).toMatchObject(PAUSED);
    } else if (can("Create")) {
      expect(verbs()).toEqual(["observe", "create"]);
      expect(conditions).toEqual({ Ready: "False/Creating", Synced: "True/ReconcileSuccess", UpToDate: "Unknown/NotObserved" });
    } else {
      expect(verbs()).toEqual(["observe"]);
      expect(conditions).toEqual({ Ready: "False/WaitingForExternal", Synced: "True/ReconcileSuccess", UpToDate: "Unknown/NotObserved" });
      expect(w.dueIn("a"), "it is observed again at the poll interval").toBe(60_000);
      expect(w.passes.at(-1)?.outcome.type, "absence is no failure").toBe("wait");
    }
    const creates = !isPaused && can("Create");
    expect(api.items.map(({ name }) => name)).toEqual(creates ? ["default-a"] : []);
    expect((await bucket())?.metadata.finalizers ?? [], "a finalizer is held only if a deletion would do something").toHaveLength(
      creates && can("Delete") ? 1 : 0,
    );
  });
});

describe("an imported bucket that differs", () => {
  test.for(CASES)("is changed only with Update, and fills the spec only with LateInitialize: $title", async (given) => {
    const { policies, isPaused, can } = given;
    const { api, w, verbs, bucket, after, said } = stage();
    api.add("default-a", { sizeGb: 5, region: "us" });
    await w.create(Bucket, bucketOf({ managementPolicies: policies, sizeGb: 2 }, IMPORTED) as never);
    await w.settled();
    if (isPaused) {
      expect(verbs()).toEqual([]);
      expect(await conditionsOf(w)).toMatchObject(PAUSED);
      expect(api.items).toMatchObject([{ values: { ...DEFAULTS, region: "us", sizeGb: 5 } }]);
      return;
    }
    const observations = can("LateInitialize") ? ["observe", "observe"] : ["observe"];
    expect(verbs()).toEqual([...observations, ...(can("Update") ? ["update"] : [])]);
    expect(await conditionsOf(w)).toEqual({
      Ready: "True/Available",
      Synced: "True/ReconcileSuccess",
      UpToDate: can("Update") ? "False/UpdateRequested" : "False/UpdateRestricted",
    });
    expect(await said("UpToDate")).toContain("sizeGb: 5 -> 2");
    expect((await bucket())?.spec.region).toBe(can("LateInitialize") ? "us" : undefined);
    expect((await bucket())?.metadata.finalizers ?? []).toHaveLength(can("Delete") ? 1 : 0);
    await after(66_000);
    expect((await conditionsOf(w))["UpToDate"]).toBe(can("Update") ? "True/ObserveMatched" : "False/UpdateRestricted");
    expect(api.items).toMatchObject([{ values: { region: "us", sizeGb: can("Update") ? 2 : 5 } }]);
    expect(api.count("update")).toBe(can("Update") ? 1 : 0);
    expect(api.count("create")).toBe(0);
  });
});

const DELETIONS = CASES.flatMap((each) => (["Delete", "Orphan"] as const).map((deletionPolicy) => ({ ...each, deletionPolicy })));

describe("a bucket that is being deleted", () => {
  test.for(DELETIONS)("is deleted at the provider only if both policies say so: $title, $deletionPolicy", async (given) => {
    const { policies, deletionPolicy, can } = given;
    const { api, w, verbs, after, bucket, forget } = stage();
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(5_000);
    expect(await bucket()).toMatchObject({ metadata: { finalizers: [expect.any(String)] } });
    await w.update(Bucket, "a", (object) => {
      object.spec.managementPolicies = [...policies];
      object.spec.deletionPolicy = deletionPolicy;
    });
    forget();
    await w.delete(Bucket, "a");
    await w.settled();
    const deletes = can("Delete") && deletionPolicy === "Delete";
    if (deletes) {
      expect(verbs()).toEqual(["observe", "delete"]);
      expect((await conditionsOf(w))["Ready"]).toBe("False/Deleting");
      await after(30_000);
      expect(verbs().filter((verb) => verb !== "observe")).toEqual(["delete"]);
    } else {
      expect(verbs(), "a resource that stays is not asked for").toEqual([]);
    }
    expect(await bucket()).toBeUndefined();
    expect(api.items.map(({ name }) => name)).toEqual(deletes ? [] : ["default-a"]);
  });

  test.for(CASES)("and that never was reconciled leaves the provider as it is: $title", async ({ policies }) => {
    const { api, w, bucket } = stage();
    api.add("default-a", {});
    api.fail("*", "unreachable", Number.POSITIVE_INFINITY);
    await w.create(Bucket, bucketOf({ managementPolicies: policies }, IMPORTED) as never);
    await w.settled();
    await w.delete(Bucket, "a");
    await w.settled();
    expect(await bucket(), "an object that never was observed has no finalizer").toBeUndefined();
    expect(api.items).toHaveLength(1);
  });
});

describe("a kind", () => {
  test.for([
    { lacks: "create", message: "the external resource does not exist, and the provider cannot create it" },
    { lacks: "update", message: "sizeGb: 1 -> 3; the provider cannot update it" },
  ])("without $lacks says that the provider cannot do it", async ({ lacks, message }) => {
    const { api, w, said } = scene({ options: () => ({ [lacks]: undefined }) });
    if (lacks === "update") api.add("default-a");
    await w.create(Bucket, bucketOf({ sizeGb: 3 }, lacks === "update" ? IMPORTED : {}) as never);
    await w.settled();
    expect(await said(lacks === "create" ? "Ready" : "UpToDate")).toContain(message);
    expect(api.calls.map(({ verb }) => verb)).toEqual(["observe"]);
  });

  test("without delete leaves the resource where it is, and holds no finalizer", async () => {
    const { api, w, after, bucket } = scene({ options: () => ({ delete: undefined }) });
    await w.create(Bucket, bucketOf() as never);
    await w.settled();
    await after(5_000);
    expect((await bucket())?.metadata.finalizers).toBeUndefined();
    await w.delete(Bucket, "a");
    await w.settled();
    expect([await bucket(), api.items.length]).toEqual([undefined, 1]);
  });
});

test("policies that are empty again and again pause and release the bucket, which keeps its Ready", async () => {
  const { w, verbs, after, forget, api } = stage();
  await w.create(Bucket, bucketOf({ region: "eu" }) as never);
  await w.settled();
  await after(5_000);
  const set = async (managementPolicies: Policy[]): Promise<unknown> =>
    await w.update(Bucket, "a", (object) => void (object.spec.managementPolicies = managementPolicies));
  await set([]);
  await w.settled();
  api.change("default-a", { sizeGb: 9 });
  forget();
  await after(3_600_000);
  expect(verbs(), "nothing is observed in a pause").toEqual([]);
  expect(await conditionsOf(w)).toMatchObject({ ...PAUSED, Ready: "True/Available" });
  await set(["*"]);
  await w.settled();
  expect(verbs()).toEqual(["observe", "update"]);
  expect(await conditionsOf(w)).not.toHaveProperty("Paused");
});
