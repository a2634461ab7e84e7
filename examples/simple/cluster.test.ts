import "@treadle/testing/matchers";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { simple } from "./controller.ts";
import { Simple } from "./simple.ts";

test("a user creates, breaks, fixes and deletes an object", async () => {
  await using cluster = await startTestCluster();
  const op = await cluster.start(simple);

  await cluster.create(Simple, { metadata: { name: "a" }, spec: { dividend: 17, divisor: 5 } });
  await op.settled();
  expect(await cluster.get(Simple, "a")).toBeReady();
  expect((await cluster.get(Simple, "a"))?.status).toMatchObject({ quotient: 3, remainder: 2 });

  await cluster.update(Simple, "a", (object) => {
    object.spec.divisor = 0;
  });
  await op.settled();
  expect(await cluster.get(Simple, "a")).toHaveCondition("Ready", { status: "False", message: /change spec.divisor/ });
  expect((await cluster.get(Simple, "a"))?.status).not.toHaveProperty("quotient");

  await cluster.update(Simple, "a", (object) => {
    object.spec.divisor = 4;
  });
  await op.settled();
  expect(await cluster.get(Simple, "a")).toBeReady();

  await cluster.delete(Simple, "a");
  await op.settled();
  expect(await cluster.get(Simple, "a")).toBeUndefined();
});

test("a division by zero is not retried within 24 hours", async () => {
  await using cluster = await startTestCluster();
  const op = await cluster.start(simple);
  await cluster.create(Simple, { metadata: { name: "a" }, spec: { dividend: 42, divisor: 0 } });
  await op.settled();
  const before = op.passes.length;
  await op.settled({ horizonMs: 24 * 60 * 60_000 });
  expect(op.passes.length).toBe(before);
});

test("each object costs one write, and an idle operator sends no request", async () => {
  await using cluster = await startTestCluster();
  const op = await cluster.start(simple);
  for (let i = 1; i <= 20; i++) await cluster.create(Simple, { metadata: { name: `n${i}` }, spec: { dividend: 100, divisor: i } });
  await op.settled();
  expect(cluster.requests.filter({ kind: Simple, verb: "patch" })).toHaveLength(20);

  cluster.requests.clear();
  await op.settled({ horizonMs: 60_000 });
  expect(cluster.requests.filter({ verb: ["create", "update", "patch", "delete", "get"] })).toHaveLength(0);
});

test("a restarted operator writes nothing for settled objects", async () => {
  await using cluster = await startTestCluster();
  const first = await cluster.start(simple);
  await cluster.create(Simple, { metadata: { name: "a" }, spec: { dividend: 17, divisor: 5 } });
  await first.settled();
  await first.stop();
  cluster.requests.clear();
  const second = await cluster.start(simple);
  await second.settled();
  expect(second.passes).toHaveLength(1);
  expect(cluster.requests.filter({ verb: "patch" })).toHaveLength(0);
});

test("the API server refuses what the schema does not allow", async () => {
  await using cluster = await startTestCluster();
  await cluster.start(simple);
  const manifest = {
    apiVersion: "examples.treadle.dev/v1beta1",
    kind: "Simple",
    metadata: { name: "a" },
    spec: { dividend: "seventeen", divisor: 5 },
  };
  await expect(cluster.apply(manifest)).rejects.toMatchObject({ code: "ERR_INVALID" });
});
