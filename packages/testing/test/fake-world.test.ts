import "../src/matchers.ts";
import { ApiError } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { generationChanged } from "@treadle/controller";
import { conditions, handler, RECONCILE_REQUESTED_ANNOTATION, RetryAfterError, step, TerminalError } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { fakeWorld, ownerRef, secret, secretText } from "../src/index.ts";
import { primary, rw, RW } from "./rw.ts";

test("settled() runs passes of each object until none is due", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), primary("b"), secret("in", { value: "17" })] });
  await world.settled();
  expect(await world.get(RW, "a")).toBeReady();
  expect(await world.get(RW, "default/b")).toBeReady();
  expect(secretText(await world.get(Secret, "a-out"))).toEqual({ result: "17" });
});

test("a change of the awaited object triggers a pass", async () => {
  const world = fakeWorld(rw, { objects: [primary("a")] });
  await world.settled();
  expect(await world.get(RW, "a")).toHaveCondition("Ready", { status: "False", reason: "NotFound" });
  expect(world.dueIn("a")).toBe(50);
  await world.create(Secret, secret("in", { value: "3" }));
  expect(world.dueIn("a")).toBe(0);
  await world.settled();
  expect(await world.get(RW, "a")).toBeReady();
});

test("pass() runs one pass and returns its outcome", async () => {
  const world = fakeWorld(rw, { objects: [primary("a")] });
  expect(await world.pass("default/a")).toWait("Secret in does not exist");
  await world.create(Secret, secret("in", { value: "3" }));
  expect(await world.pass("a")).toContinue();
  expect(world.passes).toHaveLength(2);
  expect(await world.pass("nobody")).toEqual({ type: "gone" });
});

test("time moves only by advance(), which runs no pass", async () => {
  const world = fakeWorld(rw, { objects: [primary("a")] });
  await world.settled();
  await world.settled();
  expect(world.passes).toHaveLength(1);
  await world.advance(49);
  await world.settled();
  expect(world.passes).toHaveLength(1);
  await world.advance(1);
  expect(world.passes).toHaveLength(1);
  await world.settled();
  expect(world.passes).toHaveLength(2);
  expect(world.dueIn("a")).toBe(100);
});

test("an owned object that a user deletes is created again", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "17" })] });
  await world.settled();
  await world.delete(Secret, "a-out");
  await world.settled();
  expect(secretText(await world.get(Secret, "a-out"))).toEqual({ result: "17" });
});

test("a deleted object no longer exists after its cleanup", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "17" })] });
  await world.settled();
  await world.delete(RW, "a");
  await world.settled();
  await world.advance(50);
  await world.settled();
  expect(await world.get(RW, "a")).toBeUndefined();
  expect(await world.get(Secret, "a-out")).toBeUndefined();
});

test("a pass of a settled world writes nothing", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "17" })] });
  await world.settled();
  world.requests.clear();
  // A step that counts its runs in its state is not idempotent: only the first half of this program is.
  const reading = fakeWorld(handler(RW).step(conditions()).build(), { objects: [primary("a")] });
  await reading.settled();
  reading.requests.clear();
  await reading.pass("a");
  expect(reading.requests.length).toBe(0);
});

test("a failed pass is repeated after the failure backoff, or after the delay of its error", async () => {
  const errors: Error[] = [new Error("boom"), new Error("boom"), new RetryAfterError("later", 7_000), new TerminalError("never")];
  const failing = handler(RW)
    .step(
      step(RW, {
        name: "failing",
        do() {
          const error = errors.shift();
          if (error !== undefined) throw error;
        },
      }),
    )
    .build();
  const world = fakeWorld(failing, { objects: [primary("a")] });
  const dues: (number | undefined)[] = [];
  for (let i = 0; i < 4; i++) {
    expect(await world.pass("a")).toMatchObject({ type: "failed" });
    dues.push(world.dueIn("a"));
  }
  expect(dues).toEqual([5, 10, 7_000, undefined]);
  expect(world.logs.filter(({ level }) => level === "error")).toHaveLength(4);
});

test("an error with a delay counts as a failure, as in the controller", async () => {
  const errors: Error[] = [new RetryAfterError("later", 7_000), new Error("boom"), new Error("boom")];
  const failing = handler(RW)
    .step(step(RW, { name: "failing", do: () => Promise.reject(errors.shift() ?? new Error("no more")) }))
    .build();
  const world = fakeWorld(failing, { objects: [primary("a")] });
  const dues: (number | undefined)[] = [];
  while (errors.length > 0) {
    await world.pass("a");
    dues.push(world.dueIn("a"));
  }
  expect(dues).toEqual([7_000, 10, 20]);
});

test("a new object does not inherit the failures of a deleted object with its name", async () => {
  const failing = handler(RW)
    .step(step(RW, { name: "failing", do: () => Promise.reject(new Error("boom")) }))
    .build();
  const world = fakeWorld(failing, { objects: [primary("a")] });
  for (let i = 0; i < 5; i++) await world.pass("a");
  expect(world.dueIn("a")).toBe(80);
  await world.delete(RW, "a");
  await world.apply(primary("a"));
  await world.settled();
  expect(world.dueIn("a")).toBe(5);
});

test("a handler whose passes trigger passes is reported", async () => {
  const restless = handler(RW)
    .step(
      step(RW, {
        name: "restless",
        async do(req) {
          await req.client.create(Secret, { metadata: { generateName: "s-", namespace: "default" } });
          return req.wait("again", 0);
        },
      }),
    )
    .build();
  const world = fakeWorld(restless, { objects: [primary("a")] });
  await expect(world.settled()).rejects.toThrow(/default\/a does not settle: 1000 passes.*"wait".*another pass/);
});

test("a thousand idle objects are not taken for a loop", async () => {
  const world = fakeWorld(
    handler(RW)
      .step(step(RW, { name: "idle", do() {} }))
      .build(),
    {
      objects: Array.from({ length: 1_001 }, (_, i) => primary(`a${i}`)),
    },
  );
  await world.settled();
  expect(world.passes).toHaveLength(1_001);
});

test("a foreign object is not modified", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "17" }), secret("a-out", { result: "theirs" })] });
  await world.settled();
  expect(await world.get(RW, "a")).toHaveCondition("OutputReady", { status: "False", reason: "Foreign" });
  expect(secretText(await world.get(Secret, "a-out"))).toEqual({ result: "theirs" });
  expect(world.dueIn("a")).toBe(60_000);
});

test("update, updateStatus and apply act as a user", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "17" })] });
  await world.settled();
  await world.update(RW, "a", (object) => {
    object.spec.factor = 2;
  });
  await world.settled();
  expect(secretText(await world.get(Secret, "a-out"))).toEqual({ result: "34" });
  await world.updateStatus(RW, "a", (object) => {
    (object.status as { outputSecret: string }).outputSecret = "meddled";
  });
  expect((await world.get(RW, "a"))?.status?.outputSecret).toBe("meddled");
  await world.settled();
  expect((await world.get(RW, "a"))?.status?.outputSecret).toBe("a-out");
  await world.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "in" }, data: { value: Buffer.from("5").toString("base64") } });
  await world.settled();
  expect(secretText(await world.get(Secret, "a-out"))).toEqual({ result: "10" });
  await expect(world.update(RW, "nobody", () => undefined)).rejects.toThrow(/there is no RWExternal default\/nobody/);
});

test("an update that changes only the status names updateStatus", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "17" })] });
  const meddle = (object: { status?: unknown }): void => {
    object.status = { outputSecret: "meddled" };
  };
  await expect(world.update(RW, "a", meddle)).rejects.toThrow(
    /fakeWorld\.update: of RWExternal a only the status .* use fakeWorld\.updateStatus/,
  );
  const both = await world.update(RW, "a", (object) => {
    meddle(object);
    object.spec.factor = 2;
  });
  expect(both).toMatchObject({ spec: { factor: 2 } });
  expect(both.status).toBeUndefined();
  await expect(world.update(RW, "a", () => undefined)).resolves.toBeDefined();
  await expect(world.updateStatus(RW, "a", meddle)).resolves.toMatchObject({ status: { outputSecret: "meddled" } });
});

test("a pass whose save was refused has failed, whatever its steps returned", async () => {
  const halving = handler(RW)
    .step(
      step(RW, {
        name: "halving",
        do(req) {
          (req.status as { outputSecret: unknown }).outputSecret = 0.5; // no string
        },
      }),
    )
    .build();
  const world = fakeWorld(halving, { objects: [primary("a")] });
  expect(await world.pass("a")).toMatchObject({
    type: "failed",
    step: "(save)",
    error: { message: expect.stringContaining("outputSecret") },
  });
  expect(world.passes[0]?.outcome).toMatchObject({ type: "failed", step: "(save)" });
  expect(await world.pass("a")).not.toContinue();
});

test("a pass whose post failed has failed at that step", async () => {
  const boom = new Error("boom");
  const posting = handler(RW)
    .step(
      step(RW, {
        name: "posting",
        post() {
          throw boom;
        },
      }),
    )
    .build();
  const world = fakeWorld(posting, { objects: [primary("a")] });
  expect(await world.pass("a")).toEqual({ type: "failed", step: "posting", error: boom });
});

test("get() returns the frozen object of the server from the start", async () => {
  const world = fakeWorld(rw, { objects: [primary("a")] });
  const object = await world.get(RW, "a");
  expect(object?.metadata.uid).toBeDefined();
  expect(Object.isFrozen(object?.spec)).toBe(true);
  expect(ownerRef(object as RW)).toMatchObject({ kind: "RWExternal", name: "a", controller: true });
});

test("two worlds with the same input behave in the same way", async () => {
  const run = async (): Promise<string> => {
    const world = fakeWorld(rw, { objects: [primary("a"), primary("b"), secret("in", { value: "17" })] });
    await world.settled();
    return JSON.stringify([await world.list(RW), await world.list(Secret), world.passes.map(({ key, outcome }) => [key, outcome])]);
  };
  expect(await run()).toBe(await run());
});

test("a refused write and a broken connection are reported and retried", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "17" })] });
  const forbidden = new ApiError({ message: "secrets is forbidden", status: 403, reason: "Forbidden" });
  let faults: unknown[] = [forbidden, new Error("ECONNRESET")];
  const heal = world.onRequest(({ verb, resource }) => {
    const fault = verb === "create" && resource === "secrets" ? faults.shift() : undefined;
    if (fault !== undefined) throw fault;
  });
  await world.settled();
  expect(await world.get(RW, "a")).toHaveCondition("OutputReady", { status: "False", reason: "Forbidden" });
  expect(world.requests.filter({ verb: "create" })).toMatchObject([{ status: 403 }]);
  await world.advance(5);
  await world.settled();
  expect(await world.get(RW, "a")).toHaveCondition("OutputReady", "False");
  await world.advance(10);
  await world.settled();
  expect(await world.get(RW, "a")).toBeReady();
  heal();
  faults = [forbidden];
  await world.delete(Secret, "a-out");
  await world.settled();
  expect(await world.get(RW, "a")).toBeReady();
});

test("an overloaded server fails the pass at once, because time does not move for a retry", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "17" })] });
  const heal = world.onRequest(({ verb }) => {
    if (verb === "patch")
      throw new ApiError({ message: "busy", status: 503, reason: "ServiceUnavailable", details: { retryAfterSeconds: 3 } });
  });
  await world.settled();
  expect(await world.get(RW, "a")).not.toBeReady();
  heal();
  await world.advance(3_000);
  await world.settled();
  expect(await world.get(RW, "a")).toBeReady();
});

test.for([{ garbageCollection: true }, { garbageCollection: false }])(
  "owned objects go with their owner: $garbageCollection",
  async (options) => {
    const owned = { ...secret("owned"), metadata: { name: "owned", namespace: "default", ownerReferences: [] as object[] } };
    const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "3" })], ...options });
    await world.settled();
    const owner = await world.get(RW, "a");
    if (owner === undefined) throw new Error("a is not there");
    owned.metadata.ownerReferences.push(ownerRef(owner));
    await world.apply(owned);
    await world.delete(RW, "a");
    await world.settled();
    expect((await world.get(Secret, "owned")) === undefined).toBe(options.garbageCollection);
  },
);

test("a requested pass resets the failures of its object, as in the controller", async () => {
  const failing = handler(RW)
    .step(step(RW, { name: "failing", do: () => Promise.reject(new Error("boom")) }))
    .build();
  const world = fakeWorld(failing, { objects: [primary("a")] });
  for (let i = 0; i < 10; i++) await world.pass("a");
  expect(world.dueIn("a")).toBe(2_560);
  await world.update(RW, "a", ({ metadata }) => {
    metadata.annotations = { [RECONCILE_REQUESTED_ANNOTATION]: "now" };
  });
  expect(world.dueIn("a")).toBe(0);
  await world.settled();
  expect(world.dueIn("a")).toBe(5);
});

test("a user may change the object while a write of the operator waits for its answer", async () => {
  const world = fakeWorld(rw, { objects: [primary("a"), secret("in", { value: "17" })] });
  let change: Promise<unknown> | undefined;
  world.onRequest(({ verb, resource }) => {
    if (change !== undefined || verb !== "patch" || resource !== RW.plural) return undefined;
    change = world.update(RW, "a", (object) => {
      object.spec.factor = 2;
    });
    return change;
  });
  await world.settled();
  await expect(change).resolves.toBeDefined(); // It gave up after 5 s: the informer holds back events during the write.
  expect(secretText(await world.get(Secret, "a-out"))).toEqual({ result: "34" });
});

test("a predicate and a backoff decide as those of manager.add do", async () => {
  const failing = handler(RW)
    .step(step(RW, { name: "failing", do: () => Promise.reject(new Error("boom")) }))
    .build();
  const world = fakeWorld(failing, { objects: [primary("a")], controller: { predicate: generationChanged, backoff: "external" } });
  await world.settled();
  expect(world.dueIn("a")).toBe(1_000);
  await world.update(RW, "a", ({ metadata }) => {
    metadata.labels = { any: "label" };
  });
  expect(world.dueIn("a")).toBe(1_000);
});

test("settled() names the object whose pass is due while a step of its last pass still runs", async () => {
  const returns = Promise.withResolvers<void>();
  let isStuck = true;
  const stuck = step(RW, { name: "stuck", timeoutMs: 1_000, do: () => (isStuck ? returns.promise : undefined) });
  const world = fakeWorld(handler(RW).step(stuck).build(), { objects: [primary("a")] });
  const first = world.settled();
  await world.advance(1_000);
  await first;
  await world.update(RW, "a", (object) => void (object.metadata.labels = { changed: "yes" }));
  expect(world.dueIn("a")).toBe(0);
  await expect(world.settled()).rejects.toThrow(
    /fakeWorld\.settled: cannot start a pass for default\/a: a step of the last pass still runs/,
  );
  await expect(world.pass("a")).rejects.toThrow("fakeWorld.pass: cannot start a pass for default/a");
  isStuck = false;
  returns.resolve();
  await world.settled();
  expect(world.passes).toHaveLength(2);
});
