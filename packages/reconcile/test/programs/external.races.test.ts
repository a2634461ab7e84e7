/**
 * Two processes and one object: a leader, and one that was deposed and has not noticed. Its cache is old; that its
 * checkpoint is stored must mean that it acts on the present object, or a disk is made that should not be.
 */
import { Secret } from "@treadle/apimachinery/kinds";
import { beforeEach, describe, expect, test } from "vitest";
import { type Harness, type Operator, startHarness } from "../harness.ts";
import { Cloud } from "./cloud.ts";
import { external, Volume } from "./external.ts";

const KEY = "default/data";
const REF = { namespace: "default", name: "data" };

let harness: Harness;
let cloud: Cloud;
let leader: Operator;
let deposed: Operator;
/** Both know the object and its disk. */
beforeEach(async () => {
  harness = await startHarness([Volume, Secret]);
  cloud = new Cloud(harness.clock);
  let attempts = 0;
  const start = (): Operator => harness.operator(external({ cloud, newId: () => `attempt-${++attempts}` }));
  [leader, deposed] = [start(), start()];
  await harness.user.create(Secret, { metadata: { namespace: "default", name: "cloud" } });
  await harness.user.create(Volume, { metadata: REF, spec: { sizeGb: 1, credentials: "cloud" } });
  await leader.pass(KEY);
  await leader.pass(KEY);
  await deposed.pass(KEY);
});

describe("a checkpoint on an old object is not stored", () => {
  test("when the leader has replaced the disk, and the step state reads as before", async () => {
    cloud.vanish("disk-1");
    await leader.pass(KEY);
    await leader.pass(KEY);
    await deposed.stalePass(KEY);
    expect(cloud.disks).toMatchObject([{ id: "disk-2" }]);
    expect((await harness.user.get(Volume, REF))?.metadata.annotations).toMatchObject({ "test.treadle.dev/external-name": "disk-2" });
  });

  test("when the object is being deleted, and its cleanup has found nothing to delete", async () => {
    cloud.vanish("disk-1");
    await harness.user.delete(Volume, REF);
    let isFirst = true;
    harness.intercept = async (request, send) => {
      if (isFirst && request.body?.includes("finalizers")) {
        isFirst = false;
        await deposed.stalePass(KEY);
      }
      return await send();
    };
    for (let i = 0; i < 6; i++) await leader.pass(KEY);
    expect(await harness.user.get(Volume, REF)).toBeUndefined();
    expect(cloud.disks).toEqual([]);
  });
});

test("a checkpoint whose answer is lost does not let the save remove the name of the present disk", async () => {
  cloud.vanish("disk-1");
  await leader.pass(KEY);
  await leader.pass(KEY);
  let isFirst = true;
  harness.intercept = async (request, send) => {
    const answer = await send();
    if (isFirst && request.body?.includes("external-name")) {
      isFirst = false;
      throw new Error("connection reset");
    }
    return answer;
  };
  await deposed.stalePass(KEY);
  expect((await harness.user.get(Volume, REF))?.metadata.annotations).toEqual({ "test.treadle.dev/external-name": "disk-2" });
  await leader.pass(KEY);
  expect(cloud.disks).toMatchObject([{ id: "disk-2" }]);
});

test("a finalizer is not removed from an object that a person named another disk for during the cleanup", async () => {
  cloud.vanish("disk-1");
  await harness.user.delete(Volume, REF);
  const other = await cloud.create({ tag: "by hand", sizeGb: 1 }, new AbortController().signal);
  let isFirst = true;
  harness.intercept = async (request, send) => {
    if (isFirst && request.body?.includes("finalizers")) {
      isFirst = false;
      await harness.user.patch(Volume, REF, {
        type: "merge",
        body: { metadata: { annotations: { "test.treadle.dev/external-name": other } } },
      });
    }
    return await send();
  };
  for (let i = 0; i < 6; i++) await leader.pass(KEY);
  expect(cloud.disks).toEqual([]);
});
