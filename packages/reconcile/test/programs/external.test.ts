/** One external resource on the engine's public API: what each situation asks of it, one at a time. */
import { Secret } from "@treadle/apimachinery/kinds";
import { PAUSED_ANNOTATION } from "@treadle/reconcile";
import { beforeEach, describe, expect, test } from "vitest";
import { type Harness, type Operator, startHarness } from "../harness.ts";
import { Cloud, CloudError, type Hook } from "./cloud.ts";
import { EXTERNAL_NAME, external, type ExternalOptions, FAILED_ATTEMPT, POLL_MS, SETTLE_MS, Volume } from "./external.ts";

const KEY = "default/data";
const REF = { namespace: "default", name: "data" };
const FINALIZER = "test.treadle.dev/volumes.test.treadle.dev";

let harness: Harness;
let cloud: Cloud;
let operator: Operator;
let attempts: number;
beforeEach(async () => {
  harness = await startHarness([Volume, Secret]);
  cloud = new Cloud(harness.clock);
  attempts = 0;
  operator = start();
  await harness.user.create(Secret, { metadata: { namespace: "default", name: "cloud" } });
  await harness.user.create(Volume, { metadata: REF, spec: { sizeGb: 1, credentials: "cloud" } });
});

const start = (options: Partial<ExternalOptions> = {}): Operator =>
  harness.operator(external({ cloud, newId: () => `attempt-${++attempts}`, ...options }));
const live = async (): Promise<Volume | undefined> => await harness.user.get(Volume, REF);
const patch = async (body: object): Promise<void> => void (await harness.user.patch(Volume, REF, { type: "merge", body }));
const annotate = (annotations: Record<string, string | null>): Promise<void> => patch({ metadata: { annotations } });
async function conditionsNow(): Promise<Record<string, string>> {
  return Object.fromEntries((await live())?.status?.conditions?.map(({ type, status, reason }) => [type, `${status}/${reason}`]) ?? []);
}
/** Fails the next call of this verb, before it happens or after. */
function failNext(verb: Parameters<Hook>[0], error: Error, when: "before" | "after" = "before"): void {
  cloud.hook = (called, side) => {
    if (called !== verb || side !== when) return;
    cloud.hook = () => undefined;
    throw error;
  };
}
async function settled(): Promise<void> {
  await operator.pass(KEY);
  await operator.pass(KEY);
}

describe("life", () => {
  test("create: finalizer, then the record, then the call, then the name", async () => {
    cloud.hook = async (verb, when) => {
      if (verb !== "create" || when !== "before") return;
      const stored = await live();
      expect(stored?.metadata.finalizers).toEqual([FINALIZER]);
      expect(stored?.status?.steps).toMatchObject({ disk: { attempt: { id: "attempt-1" } } });
    };
    expect((await operator.pass(KEY)).outcome).toMatchObject({ type: "wait", reason: "the disk is being made" });
    expect(await conditionsNow()).toEqual({ Ready: "False/Creating", Synced: "True/Created", Paused: "False/NotPaused" });
    const result = await operator.pass(KEY);
    expect(result).toMatchObject({ outcome: { type: "done" }, requeue: { type: "after", afterMs: POLL_MS, reason: "observe again" } });
    expect(await conditionsNow()).toEqual({ Ready: "True/Available", Synced: "True/InSync", Paused: "False/NotPaused" });
    expect(await live()).toMatchObject({
      metadata: { annotations: { [EXTERNAL_NAME]: "disk-1" } },
      status: { sizeGb: 1, observedGeneration: 1 },
    });
  });

  test("a poll that finds everything in order observes once and writes nothing", async () => {
    await settled();
    const [requests, calls] = [harness.requests.length, cloud.calls.length];
    await operator.pass(KEY);
    expect(harness.requests.slice(requests)).toEqual([]);
    expect(cloud.calls.slice(calls)).toEqual(["observe disk-1"]);
  });

  test("drift is put back, a change of the spec reaches the disk, a disk that vanished is made anew", async () => {
    await settled();
    await cloud.update("disk-1", 9, new AbortController().signal);
    await operator.pass(KEY);
    expect(cloud.disks).toMatchObject([{ sizeGb: 1 }]);
    await patch({ spec: { sizeGb: 2 } });
    await operator.pass(KEY);
    expect([cloud.disks, (await live())?.status?.sizeGb]).toMatchObject([[{ id: "disk-1", sizeGb: 2 }], 2]);
    cloud.pollsUntilGone = 0;
    await cloud.delete("disk-1", new AbortController().signal);
    await settled();
    await settled();
    expect(cloud.disks).toMatchObject([{ id: "disk-2", sizeGb: 2, isDeleting: false }]);
    expect((await live())?.metadata.annotations).toMatchObject({ [EXTERNAL_NAME]: "disk-2" });
  });

  test("a disk named by a person is taken over, and deleted with the object", async () => {
    const id = await cloud.create({ tag: "by hand", sizeGb: 1 }, new AbortController().signal);
    await annotate({ [EXTERNAL_NAME]: id });
    await operator.pass(KEY);
    expect(cloud.disks).toHaveLength(1);
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
  });

  test("deletion waits until the provider says that the disk is gone", async () => {
    await settled();
    await harness.user.delete(Volume, REF);
    for (let poll = 0; poll < 3; poll++) {
      expect((await operator.pass(KEY)).requeue).toMatchObject({ type: "after", afterMs: POLL_MS });
      expect(await conditionsNow()).toMatchObject({ Ready: "False/Deleting", Synced: "True/Deleting" });
    }
    expect(cloud.calls.filter((call) => call.startsWith("delete"))).toEqual(["delete disk-1"]);
    expect(cloud.disks).toHaveLength(1);
    await operator.pass(KEY);
    await operator.pass(KEY);
    expect([cloud.disks, await live()]).toEqual([[], undefined]);
  });

  test("an object for which nothing was made goes without a call", async () => {
    await harness.user.delete(Volume, REF);
    await operator.pass(KEY);
    expect([cloud.calls, await live()]).toEqual([[], undefined]);
  });
});

describe("pause", () => {
  test("keeps hands off and every condition, but for deletion", async () => {
    await settled();
    await annotate({ [PAUSED_ANNOTATION]: "true" });
    await patch({ spec: { sizeGb: 5 } });
    const calls = cloud.calls.length;
    expect((await operator.pass(KEY)).requeue).toEqual({ type: "none" });
    expect(cloud.calls.slice(calls)).toEqual([]);
    expect(await conditionsNow()).toEqual({ Ready: "True/Available", Synced: "True/InSync", Paused: "True/Annotation" });
    expect((await live())?.status?.observedGeneration).toBe(1);
    await harness.user.delete(Volume, REF);
    for (let i = 0; i < 6; i++) await operator.pass(KEY);
    expect([cloud.disks, await live()]).toEqual([[], undefined]);
  });
});

describe("an interrupted create", () => {
  const lost = new Error("connection reset");

  test("that happened is found by its attempt", async () => {
    failNext("create", lost, "after");
    expect((await operator.pass(KEY)).requeue).toEqual({ type: "failure" });
    operator = start();
    await settled();
    expect(cloud.disks).toMatchObject([{ id: "disk-1", tag: "attempt-1" }]);
    expect(await live()).toMatchObject({ metadata: { annotations: { [EXTERNAL_NAME]: "disk-1" } }, status: { steps: { disk: {} } } });
  });

  test("that may still happen is waited for, then tried again", async () => {
    failNext("create", lost);
    await operator.pass(KEY);
    expect((await operator.pass(KEY)).requeue).toMatchObject({ type: "after", afterMs: SETTLE_MS });
    expect(await conditionsNow()).toMatchObject({ Synced: "Unknown/CreateInterrupted" });
    await harness.clock.advance(SETTLE_MS);
    await settled();
    expect(cloud.disks).toMatchObject([{ tag: "attempt-2" }]);
  });

  test("by the step's deadline is found although the provider finished late", async () => {
    cloud.latencyMs = 80_000;
    const running = operator.pass(KEY);
    await harness.clock.advance(30_000);
    expect((await running).error).toMatchObject({ code: "ERR_STEP_TIMEOUT" });
    expect(cloud.disks).toEqual([]);
    await harness.clock.advance(30_000);
    cloud.latencyMs = 0;
    await settled();
    expect(cloud.disks).toMatchObject([{ tag: "attempt-1" }]);
  });

  test("asks a person where the provider cannot tell, and believes the answer", async () => {
    const blind = start({ canRecover: false });
    failNext("create", lost, "after");
    await blind.pass(KEY);
    expect(await blind.pass(KEY)).toMatchObject({ outcome: { type: "stop" }, requeue: { type: "none" } });
    expect(await conditionsNow()).toMatchObject({ Synced: "Unknown/CreateInterrupted" });
    await annotate({ [EXTERNAL_NAME]: "disk-1" });
    await blind.pass(KEY);
    expect(await conditionsNow()).toMatchObject({ Ready: "True/Available", Synced: "True/InSync" });
    expect(cloud.disks).toHaveLength(1);
  });

  test("of which a person says that it made nothing is tried again", async () => {
    const blind = start({ canRecover: false });
    failNext("create", lost);
    await blind.pass(KEY);
    await annotate({ [FAILED_ATTEMPT]: "attempt-1" });
    await blind.pass(KEY);
    expect(cloud.disks).toMatchObject([{ tag: "attempt-2" }]);
  });

  test("is found in a deletion too", async () => {
    failNext("create", lost, "after");
    await operator.pass(KEY);
    await harness.user.delete(Volume, REF);
    operator = start();
    for (let i = 0; i < 6; i++) await operator.pass(KEY);
    expect([cloud.disks, await live()]).toEqual([[], undefined]);
  });
});

describe("errors", () => {
  test.for([
    {
      name: "of the connection take the failure backoff",
      error: new CloudError("unavailable", "503"),
      requeue: { type: "failure" },
      synced: /^False\//,
    },
    {
      name: "of the request are terminal",
      error: new CloudError("invalid", "too big"),
      requeue: { type: "none" },
      synced: /^False\/Invalid$/,
    },
    {
      name: "of too many requests say when to come back",
      error: new CloudError("throttled", "slow down", 7_000),
      requeue: { type: "failure", afterMs: 7_000 },
      synced: /^False\/Throttled$/,
    },
  ])("$name, and an available disk stays Ready", async ({ error, requeue, synced }) => {
    await settled();
    await patch({ spec: { sizeGb: 2 } });
    failNext("update", error);
    expect((await operator.pass(KEY)).requeue).toEqual(requeue);
    expect(await conditionsNow()).toMatchObject({ Ready: "True/Available", Synced: expect.stringMatching(synced) });
    await operator.pass(KEY);
    expect(await conditionsNow()).toMatchObject({ Synced: "True/InSync" });
  });

  test("a refused create leaves no attempt behind", async () => {
    failNext("create", new CloudError("throttled", "slow down", 1_000));
    await operator.pass(KEY);
    await operator.pass(KEY);
    expect(cloud.disks).toMatchObject([{ tag: "attempt-2" }]);
  });

  test("Ready becomes Unknown when the disk was not observed for long", async () => {
    await settled();
    cloud.hook = () => {
      throw new CloudError("unavailable", "503");
    };
    await operator.pass(KEY);
    expect(await conditionsNow()).toMatchObject({ Ready: "True/Available", Synced: expect.stringMatching(/^False/) });
    await harness.clock.advance(6 * POLL_MS);
    await operator.pass(KEY);
    expect(await conditionsNow()).toMatchObject({ Ready: "Unknown/NotObserved" });
  });

  test("without credentials nothing is asked of the provider, in deletion neither", async () => {
    await settled();
    await harness.user.delete(Secret, { namespace: "default", name: "cloud" });
    const calls = cloud.calls.length;
    expect((await operator.pass(KEY)).outcome).toMatchObject({ type: "wait", reason: "no Secret cloud" });
    await harness.user.delete(Volume, REF);
    await operator.pass(KEY);
    expect(cloud.calls.slice(calls)).toEqual([]);
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
  });
});
