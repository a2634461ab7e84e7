/** Whatever a step, an object or a server does: one clear error that names what and where, nothing lost, nothing half-written. */
import { anyKind, conditions, handler, many, one, step } from "@treadle/reconcile";
import { apiVersionOf, CustomResourceDefinition, kind } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { beforeEach, describe, expect, test } from "vitest";
import { Foreign, Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness([Widget, Foreign]);
  await harness.user.create(Widget, widget());
});
const live = async (): Promise<Widget> => (await harness.user.get(Widget, REF)) as Widget;
const run = async (body: (req: never) => unknown) =>
  await harness
    .operator(
      handler(Widget)
        .step(conditions())
        .step(step(Widget, { name: "bad", conditions: ["Good"], do: body as () => void }))
        .build(),
    )
    .pass(KEY);

describe("a step that misbehaves", () => {
  const cases: readonly {
    readonly name: string;
    readonly body: (req: never) => unknown;
    readonly message: RegExp;
    readonly reason: string;
  }[] = [
    {
      name: "throws a string",
      body: () => {
        throw "no luck";
      },
      message: /step "bad" threw the text "no luck" instead of an Error/,
      reason: "StepFailed",
    },
    {
      name: "throws undefined",
      body: () => {
        throw undefined;
      },
      message: /step "bad" threw a value of type undefined/,
      reason: "StepFailed",
    },
    { name: "rejects with null", body: () => Promise.reject(null), message: /step "bad" threw a value of type null/, reason: "StepFailed" },
    {
      name: "throws an error that cannot be looked at",
      body: () => {
        const refuse = (): never => {
          throw new Error("trap");
        };
        throw new Proxy(new Error("x"), { has: refuse });
      },
      message: /step "bad" threw a value of type object .* instead of an Error/,
      reason: "StepFailed",
    },
    {
      name: "throws a revoked proxy",
      body: () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        throw proxy;
      },
      message: /instead of an Error/,
      reason: "StepFailed",
    },
    {
      name: "hands over null",
      body: (req: { next(vars: unknown): unknown }) => req.next(null),
      message: /next: give the vars as an object/,
      reason: "InvalidStep",
    },
    {
      name: "revisits for no reason",
      body: (req: { revisit(ms: number): void }) => req.revisit(5),
      message: /revisit: give the reason/,
      reason: "InvalidStep",
    },
    {
      name: "does not await a write",
      body: (req: { client: { create(kind: unknown, object: unknown): Promise<unknown> } }) => {
        void req.client.create(Secret, { metadata: { name: "NOT A NAME" } });
      },
      message: /do ended while create Secret was still running: await it/,
      reason: "NotAwaited",
    },
    { name: "returns a number", body: () => 42, message: /step "bad" returned a number from do/, reason: "NotAResult" },
    {
      name: "returns a forged result",
      body: () => ({ type: "wait", reason: "x" }),
      message: /returned an object that req did not make/,
      reason: "NotAResult",
    },
    {
      name: "changes the object",
      body: (req: { object: { spec: { size: number } } }) => {
        req.object.spec.size = 2;
      },
      message: /^step "bad" changed something that is read-only, such as req\.object .*read only property 'size'.*: change req\.status/,
      reason: "ReadOnly",
    },
    {
      name: "waits without a reason",
      body: (req: { wait(reason: string): unknown }) => req.wait(""),
      message: /give the reason/,
      reason: "InvalidStep",
    },
    {
      name: "waits NaN milliseconds",
      body: (req: { wait(reason: string, ms: number): unknown }) => req.wait("x", Number.NaN),
      message: /afterMs must be a number/,
      reason: "InvalidStep",
    },
    {
      name: "sets a condition that it did not declare",
      body: (req: { conditions: { true(type: string): void } }) => req.conditions.true("Other"),
      message: /step "bad" does not manage the condition "Other": add it/,
      reason: "NotDeclared",
    },
    {
      name: "gives a reason that Kubernetes refuses",
      body: (req: { conditions: { false(type: string, reason: string, message: string): unknown } }) =>
        req.conditions.false("Good", "not a reason", "x"),
      message: /the reason "not a reason" of condition "Good" is not a CamelCase word/,
      reason: "InvalidStep",
    },
    {
      name: "writes what it did not declare",
      body: (req: { labels: Record<string, string> }) => {
        req.labels["a"] = "b";
      },
      message: /step "bad" may not write labels: add writes: \["labels"\]/,
      reason: "NotDeclared",
    },
    {
      name: "writes conditions into the status",
      body: (req: { status: Record<string, unknown> }) => {
        req.status["conditions"] = [];
      },
      message: /^step "bad": req\.status\.conditions is kept by the engine: .*req\.conditions/,
      reason: "ReadOnly",
    },
    {
      name: "writes observedGeneration",
      body: (req: { status: Record<string, unknown> }) => {
        req.status["observedGeneration"] = 7;
      },
      message: /^step "bad": req\.status\.observedGeneration is kept by the engine/,
      reason: "ReadOnly",
    },
    {
      name: "writes the state of all steps",
      body: (req: { status: Record<string, unknown> }) => {
        req.status["steps"] = {};
      },
      message: /^step "bad": req\.status\.steps is kept by the engine: write req\.state/,
      reason: "ReadOnly",
    },
  ];
  test.for(cases)("$name", async ({ body, message, reason }) => {
    const result = await run(body as (req: never) => unknown);
    expect((result.error as Error).message).toMatch(message);
    expect(result.requeue).toEqual({ type: "failure" });
    expect((await live()).status?.conditions).toContainEqual(expect.objectContaining({ type: "Good", status: "False", reason }));
  });

  test("hangs: its deadline ends it, later uses of its req throw, and its key waits until it returned", async () => {
    let late: unknown;
    let release: () => void = () => undefined;
    const hanging = step(Widget, {
      name: "hanging",
      timeoutMs: 1_000,
      async do(req) {
        const { status, signal } = req;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        late = { aborted: signal.aborted };
        try {
          status.count = 99;
        } catch (error) {
          late = { ...(late as object), draft: (error as Error).name };
        }
        try {
          await req.client.get(Widget, "a");
        } catch (error) {
          late = { ...(late as object), client: (error as { code?: string }).code };
        }
      },
    });
    let finished = false;
    const running = harness
      .operator(handler(Widget).step(conditions()).step(hanging).build())
      .pass(KEY)
      .then((result) => {
        finished = true;
        return result;
      });
    await harness.clock.advance(5_000);
    expect((await live()).status?.conditions, "the status is stored while the step still hangs").toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "StepTimeout" }),
    );
    expect(finished, "its worker is free").toBe(true);
    const { error, strays } = await running;
    expect(error).toMatchObject({ code: "ERR_STEP_TIMEOUT", step: "hanging" });
    let freed = false;
    void strays?.freed.then(() => (freed = true));
    await harness.clock.advance(5_000);
    expect(freed, "its key is not started again before it returned").toBe(false);
    release();
    await strays?.returned;
    await harness.clock.advance(0);
    expect(freed).toBe(true);
    expect(late).toEqual({ aborted: true, draft: "TypeError", client: "ERR_REVOKED" });
    expect((await live()).status?.count).toBeUndefined();
  });

  test("fails while other work of it goes on: that can neither store nor write anything any more", async () => {
    const log: string[] = [];
    let goOn: () => void = () => undefined;
    const turned = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const branching = step(Widget, {
      name: "branching",
      conditions: ["Good"],
      async do(req) {
        const { status, signal } = req;
        const late = async (): Promise<void> => {
          await turned;
          const attempts = {
            signal: () => signal.throwIfAborted(),
            draft: () => void (status.count = 99),
            condition: () => req.conditions.true("Good"),
            checkpoint: () => req.checkpoint(),
          };
          for (const [name, attempt] of Object.entries(attempts)) {
            try {
              await attempt();
              log.push(`${name} worked`);
            } catch {
              log.push(name);
            }
          }
        };
        await Promise.all([Promise.reject(new Error("branch one")), late()]);
      },
    });
    const slow = step(Widget, {
      name: "slow",
      async post() {
        goOn();
        await new Promise((resolve) => setImmediate(resolve));
      },
    });
    const result = await harness.operator(handler(Widget).step(conditions()).step(branching).step(slow).build()).pass(KEY);
    expect(result.error).toMatchObject({ message: "branch one" });
    expect(log).toEqual(["signal", "draft", "condition", "checkpoint"]);
    expect((await live()).status).not.toHaveProperty("count");
  });

  test("hears of its deadline: it can write nothing any more in that moment", async () => {
    const listening = step(Widget, {
      name: "listening",
      timeoutMs: 1_000,
      do(req) {
        const { status } = req;
        req.signal.addEventListener("abort", () => {
          status.count = 99;
        });
        // An error in a listener of an abort ends the process; it is not what this test is about.
        return new Promise<void>(() => undefined);
      },
    });
    const unhandled: unknown[] = [];
    const onError = (error: unknown): void => void unhandled.push(error);
    process.on("uncaughtException", onError);
    const running = harness.operator(handler(Widget).step(listening).build()).pass(KEY);
    await harness.clock.advance(1_000);
    await running;
    process.off("uncaughtException", onError);
    expect((await live()).status).toBeUndefined();
  });

  test("hands over a part of its draft: later steps see what it was", async () => {
    const seen: unknown[] = [];
    const handing = step(Widget, {
      name: "handing",
      do(req) {
        req.status.parts = { a: "1" };
        return req.next({ parts: req.status.parts });
      },
    });
    const failing = step(Widget, {
      name: "failing",
      needs: [handing],
      do(req) {
        req.status.parts = { a: "2" };
        seen.push({ ...req.vars.parts });
        throw new Error("boom");
      },
      post: (req) => void seen.push({ ...req.vars.parts }),
    });
    const result = await harness.operator(handler(Widget).step(handing).step(failing).build()).pass(KEY);
    expect(result.error).toMatchObject({ message: "boom" });
    expect(seen).toEqual([{ a: "1" }, { a: "1" }]);
  });

  test("goes on after the pass is over: its req throws instead of losing what it writes", async () => {
    let late: unknown;
    let goOn: () => void = () => undefined;
    const floating = step(Widget, {
      name: "floating",
      do(req) {
        const held = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        late = held.then(() => {
          req.status.count = 1;
        });
      },
    });
    await harness.operator(handler(Widget).step(floating).build()).pass(KEY);
    goOn();
    await expect(late).rejects.toMatchObject({ code: "ERR_REVOKED", step: "floating" });
  });

  test("puts into the status what is not JSON", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const result = await run((req: { status: Record<string, unknown> }) => {
      req.status["other"] = cycle;
    });
    expect((result.error as Error).message).toMatch(/not JSON: it contains itself/);
    expect((await live()).status?.conditions, "the rest is stored").toContainEqual(
      expect.objectContaining({ type: "Good", status: "False" }),
    );
    expect((await live()).status?.other).toBeUndefined();
  });
});

describe("secrets", () => {
  test("in an error reach neither log nor status", async () => {
    const result = await run(() => {
      throw new Error("login failed for https://bob:hunter2@db.example.com with password=hunter3 and Authorization: Bearer abcdef123456");
    });
    expect(result.requeue.type).toBe("failure");
    const shown = JSON.stringify([harness.logs, await live()]);
    expect(shown).not.toMatch(/hunter2|hunter3|abcdef123456/);
  });
});

describe("an object that breaks its schema", () => {
  const strict = (): Promise<void> =>
    harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: "seven" } } }).then(
      () => undefined,
      () => undefined,
    );

  test("stored under an older schema: a stop with Ready=False/InvalidObject and the path; its deletion still works", async () => {
    await strict();
    // An older CRD let a text through: the object is written under it, then the CRD of today is installed.
    const loose = structuredClone(Widget.resource?.crd()) as unknown as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: Record<string, unknown> } } } } }[] };
    };
    (
      loose.spec.versions[0] as { schema: { openAPIV3Schema: { properties: { spec: { properties: Record<string, unknown> } } } } }
    ).schema.openAPIV3Schema.properties.spec.properties["size"] = { type: "string" };
    const older = await startHarness([loose as never]);
    await older.user.create(Widget, {
      metadata: { ...REF, finalizers: ["test.treadle.dev/widgets.test.treadle.dev"] },
      spec: { size: "seven" },
    } as never);
    older.server.install(Widget);
    const cleaned: string[] = [];
    let runs = 0;
    const operator = older.operator(
      handler(Widget)
        .step(conditions())
        .step(step(Widget, { name: "work", do: () => void runs++, cleanup: () => void cleaned.push("x") }))
        .build(),
    );
    const result = await operator.pass(KEY);
    expect(result).toMatchObject({ outcome: { type: "stop" }, requeue: { type: "none" } });
    expect(runs).toBe(0);
    const { status } = (await older.user.get(Widget, REF)) as Widget;
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready).toMatchObject({ status: "False", reason: "InvalidObject" });
    expect(ready?.message).toContain("spec.size");
    await older.user.delete(Widget, REF);
    await operator.pass(KEY);
    expect(cleaned).toEqual(["x"]);
    expect(await older.user.get(Widget, REF)).toBeUndefined();
  });
});

describe("a foreign CRD that prunes what we keep", () => {
  const crdWith = (statusFields: object): object => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foreigns.foreign.example.com" },
    spec: {
      group: "foreign.example.com",
      scope: "Namespaced",
      names: { kind: "Foreign", listKind: "ForeignList", plural: "foreigns", singular: "foreign" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object" }, status: { type: "object", properties: statusFields } },
            },
          },
        },
      ],
    },
  });
  const anything = { type: "array", items: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const startForeign = async (statusFields: object) => {
    const world = await startHarness([crdWith(statusFields) as never]);
    await world.user.create(Foreign, { apiVersion: "foreign.example.com/v1", kind: "Foreign", metadata: REF });
    const operator = world.operator(
      handler(Foreign)
        .step(conditions())
        .step(step(Foreign, { name: "work", conditions: ["Worked"], do: (req) => req.conditions.true("Worked") }))
        .build(),
    );
    return { world, operator, warnings: () => world.logs.filter(({ level }) => level === "warn") };
  };

  test("costs one write, not one a pass", async () => {
    const { world, operator } = await startForeign({ phase: { type: "string" } });
    for (let i = 0; i < 4; i++) {
      await operator.pass(KEY);
      await world.clock.advance(60_000);
    }
    expect(world.requests).toEqual(["PATCH foreigns/a/status"]);
  });

  test("is named once, and asked again after ten minutes: it may have been upgraded", async () => {
    const { world, operator, warnings } = await startForeign({ phase: { type: "string" } });
    expect((await operator.pass(KEY)).requeue).toMatchObject({ type: "after", afterMs: 600_000 });
    await world.clock.advance(200_000);
    expect((await operator.pass(KEY)).requeue).toMatchObject({ type: "after", afterMs: 400_000 });
    expect(warnings().map(({ data }) => data["fields"])).toEqual([["status.conditions"]]);
    await world.user.patch(
      CustomResourceDefinition,
      { name: "foreigns.foreign.example.com" },
      { type: "merge", body: { spec: (crdWith({ conditions: anything }) as { spec: object }).spec } },
    );
    await world.clock.advance(400_000);
    expect((await operator.pass(KEY)).requeue).toEqual({ type: "none" });
    expect(await world.user.get(Foreign, REF)).toMatchObject({ status: { conditions: [{ type: "Worked" }, { type: "Ready" }] } });
    expect(warnings()).toHaveLength(1);
  });

  test("is neither named nor asked again where all that is missing is observedGeneration", async () => {
    const { world, operator, warnings } = await startForeign({ conditions: anything });
    expect((await operator.pass(KEY)).requeue).toEqual({ type: "none" });
    expect(warnings()).toEqual([]);
    expect(world.requests).toHaveLength(1);
  });
});

describe("reads", () => {
  test.for(["do", "gate", "post"] as const)(
    "of which one throws while another is being fetched, before %s, fail their step and end nothing else",
    async (phase) => {
      const unhandled: unknown[] = [];
      const listener = (error: unknown): void => void unhandled.push(error);
      process.on("unhandledRejection", listener);
      try {
        await harness.user.create(Secret, { metadata: { name: "s", namespace: "default" } });
        harness.intercept = (request, send) => (request.path.includes("/secrets/") ? Promise.reject(new Error("connection lost")) : send());
        const both = step(Widget, {
          name: "both",
          reads: {
            secret: one(Secret, () => "s"),
            // As authors write it who forget that a field may be absent.
            config: one(ConfigMap, ({ spec }: Widget) => (spec.note as string).trim()),
          },
          [phase]: () => undefined,
        });
        const result = await harness.operator(handler(Widget).step(both).build()).pass(KEY);
        await new Promise((resolve) => setImmediate(resolve));
        expect(unhandled).toEqual([]);
        expect(result).toMatchObject({ requeue: { type: "failure" }, error: expect.any(TypeError) });
      } finally {
        process.off("unhandledRejection", listener);
      }
    },
  );

  test("whose function throws fail their step, and the others go on to their posts", async () => {
    const bad = step(Widget, {
      name: "bad",
      conditions: ["Read"],
      reads: {
        x: one(Secret, () => {
          throw new Error("no name");
        }),
      },
      do() {},
    });
    const result = await harness.operator(handler(Widget).step(conditions()).step(bad).build()).pass(KEY);
    expect(result.error).toMatchObject({ message: 'step "bad", read "x": no name' });
    expect((await live()).status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Read", status: "False", message: 'step "bad", read "x": no name' }),
    );
  });

  test("are typed, cached, frozen values, fixed for the pass", async () => {
    await harness.user.create(Secret, {
      metadata: { name: "s", namespace: "default", labels: { app: "x" } },
      stringData: { k: "v" },
    } as never);
    await harness.user.create(Secret, { metadata: { name: "t", namespace: "kube-system", labels: { app: "x" } } } as never);
    let seen: unknown;
    const reading = step(Widget, {
      name: "reading",
      reads: {
        s: one(Secret, () => "s"),
        none: one(Secret, () => undefined),
        far: one(Secret, () => ({ namespace: "kube-system", name: "t" })),
        xs: many(Secret, () => ({ matchLabels: { app: "x" } })),
      },
      async do(req) {
        const before = req.reads.s;
        await harness.user.delete(Secret, { namespace: "default", name: "s" });
        seen = {
          data: before?.data,
          same: req.reads.s === before,
          none: req.reads.none,
          far: req.reads.far?.metadata.name,
          xs: req.reads.xs.map(({ metadata }) => metadata.name),
          frozen: Object.isFrozen(before?.metadata),
        };
      },
    });
    await harness.operator(handler(Widget).step(reading).build()).pass(KEY);
    expect(seen).toEqual({ data: { k: "dg==" }, same: true, none: undefined, far: "t", xs: ["s"], frozen: true });
  });
});

describe("shutdown", () => {
  test.for([
    ["an Error", new Error("bye")],
    ["a text", "bye"],
    ["nothing", undefined],
  ] as const)("with %s as its reason is no error", async ([, reason]) => {
    const controller = new AbortController();
    const slow = step(Widget, { name: "slow", do: () => new Promise<void>(() => undefined) });
    const running = harness
      .operator(
        handler(Widget, { deadlines: { passMs: 5_000 } })
          .step(slow)
          .build(),
      )
      .pass(KEY, { signal: controller.signal });
    await harness.clock.advance(1_000);
    controller.abort(reason);
    await harness.clock.advance(5_000);
    expect(await running).toMatchObject({ outcome: { type: "stop" }, requeue: { type: "none" } });
    expect(harness.logs.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("a shutdown is not an error: the step's signal ends, the status is stored, Ready is kept, nothing is scheduled", async () => {
    const controller = new AbortController();
    const slow = step(Widget, {
      name: "slow",
      conditions: ["Slow"],
      async do(req) {
        req.status.count = 3;
        await new Promise((_, reject) => {
          req.signal.addEventListener("abort", () => reject(req.signal.reason as Error));
        });
      },
    });
    const operator = harness.operator(handler(Widget).step(conditions()).step(slow).build());
    const running = operator.pass(KEY, { signal: controller.signal });
    await harness.clock.advance(1_000);
    controller.abort();
    const result = await running;
    expect(result).toMatchObject({ outcome: { type: "stop", reason: "the operator is shutting down" }, requeue: { type: "none" } });
    expect(result.error).toBeUndefined();
    expect((await live()).status).toMatchObject({ count: 3 });
    expect((await live()).status?.observedGeneration).toBeUndefined();
  });
});

describe("a kind without a status subresource", () => {
  // What the real server answers here is a 404 that names the object (apiextensions-apiserver, customresource_handler.go).
  const Plain = kind({ group: "plain.example.com", version: "v1", kind: "Plain", plural: "plains" });
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "plains.plain.example.com" },
    spec: {
      group: "plain.example.com",
      scope: "Namespaced",
      names: { kind: "Plain", plural: "plains" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };

  const good = step(anyKind<object>(), { name: "good", conditions: ["Good"], do: (req) => req.conditions.true("Good") });

  test("a CRD without one is not taken for an object that was deleted", async () => {
    const world = await startHarness([crd as never]);
    await world.user.create(Plain, { apiVersion: apiVersionOf(Plain), kind: Plain.kind, metadata: REF } as never);
    const result = await world.operator(handler(Plain).step(conditions()).step(good).build()).pass(KEY);
    expect(result).toMatchObject({
      outcome: { type: "done" },
      requeue: { type: "failure" },
      error: { message: expect.stringContaining("kind Plain has no status subresource") as string },
    });
  });

  test("a built-in kind without one is refused when the handler is built, in untyped code", () => {
    const untyped = handler(ConfigMap as unknown as typeof Plain); // as in untyped code
    expect(() => untyped.step(conditions()).step(good).build()).toThrow(
      /ConfigMap has no status, so nothing can keep the condition "Good": leave out conditions\(\) and every condition/,
    );
  });
});
