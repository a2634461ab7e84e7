import "@treadle/testing/matchers";
import { fakeReq, fakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { checkInput } from "./check-input.ts";
import { simple } from "./controller.ts";
import { divide } from "./divide.ts";
import { Simple } from "./simple.ts";

const cr = (dividend: number, divisor: number): object => ({
  apiVersion: "examples.treadle.dev/v1beta1",
  kind: "Simple",
  metadata: { name: "a" },
  spec: { dividend, divisor },
});

test("checkInput hands the numbers to the next step", async () => {
  const req = fakeReq(Simple, { spec: { dividend: 17, divisor: 5 } });
  expect(await req.run(checkInput)).toContinue({ input: { dividend: 17, divisor: 5 } });
  expect(req).toHaveCondition("InputReady", "True");
});

test("a division by zero stops with a reason", async () => {
  const req = fakeReq(Simple, { spec: { dividend: 42, divisor: 0 } });
  expect(await req.run(checkInput)).toStop(/cannot be divided by 0/);
  expect(req).toHaveCondition("InputReady", { status: "False", reason: "DivisionByZero" });
});

test("a quotient beyond int32 stops with a reason, and no save is retried", async () => {
  const world = fakeWorld(simple, { objects: [cr(-2147483648, -1)] });
  await world.settled();
  expect(await world.get(Simple, "a")).toHaveCondition("Ready", { status: "False", reason: "QuotientTooLarge" });
  expect((await world.get(Simple, "a"))?.status).not.toHaveProperty("quotient");
  expect(world.dueIn("a")).toBeUndefined();

  await world.update(Simple, "a", (object) => {
    object.spec.divisor = 1;
  });
  await world.settled();
  expect(await world.get(Simple, "a")).toBeReady();
  expect((await world.get(Simple, "a"))?.status).toMatchObject({ quotient: -2147483648, remainder: 0 });
});

test.for([
  { dividend: 17, divisor: 5, quotient: 3, remainder: 2 },
  { dividend: -17, divisor: 5, quotient: -3, remainder: -2 },
  { dividend: 17, divisor: -5, quotient: -3, remainder: 2 },
  { dividend: -1, divisor: 5, quotient: 0, remainder: -1 },
  { dividend: 0, divisor: -5, quotient: 0, remainder: 0 },
])("$dividend / $divisor = $quotient, remainder $remainder", async ({ dividend, divisor, quotient, remainder }) => {
  const req = fakeReq(Simple, { spec: { dividend, divisor } });
  expect(await req.run(divide, { vars: { input: { dividend, divisor } } })).toContinue();
  expect(req.status).toMatchObject({ quotient, remainder });
});

test("the first pass divides and makes the object Ready, the second writes nothing", async () => {
  const world = fakeWorld(simple, { objects: [cr(17, 5)] });
  await world.settled();
  expect(await world.get(Simple, "a")).toBeReady();
  expect((await world.get(Simple, "a"))?.status).toMatchObject({ quotient: 3, remainder: 2, observedGeneration: 1 });

  world.requests.clear();
  expect(await world.pass("a")).toContinue();
  expect(world.requests.length).toBe(0);
});

test("an outdated result is removed, and nothing is retried until the spec changes", async () => {
  const world = fakeWorld(simple, { objects: [cr(17, 5)] });
  await world.settled();
  await world.update(Simple, "a", (object) => {
    object.spec.divisor = 0;
  });
  await world.settled();
  expect(await world.get(Simple, "a")).toHaveCondition("Ready", { status: "False", reason: "DivisionByZero" });
  expect(await world.get(Simple, "a")).toHaveCondition("InputReady", { status: "False", observedGeneration: 2 });
  expect((await world.get(Simple, "a"))?.status).not.toHaveProperty("quotient");
  expect((await world.get(Simple, "a"))?.status).not.toHaveProperty("remainder");
  expect(world.dueIn("a")).toBeUndefined();

  await world.update(Simple, "a", (object) => {
    object.spec.divisor = 4;
  });
  await world.settled();
  expect(await world.get(Simple, "a")).toBeReady();
  expect((await world.get(Simple, "a"))?.status).toMatchObject({ quotient: 4, remainder: 1 });
});

test("a deleted object disappears at once: the handler has no finalizer", async () => {
  const world = fakeWorld(simple, { objects: [cr(17, 5)] });
  await world.settled();
  await world.delete(Simple, "a");
  await world.settled();
  expect(await world.get(Simple, "a")).toBeUndefined();
});
