/** The watched namespaces change while the operator runs. */
import { ApiError } from "@treadle/apimachinery";
import { Namespace, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, PAUSED_ANNOTATION, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { Gadget, startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const secret = (namespace: string) => ({ metadata: { name: "s", namespace }, data: { key: "dg==" } }) as never;

/** Widgets with a finalizer, which read a Secret. */
function ofWidgets(seen: string[] = [], gate: { open: Promise<void> } = { open: Promise.resolve() }) {
  return handler(Widget)
    .step(conditions())
    .step(
      step(Widget, {
        name: "look",
        conditions: ["Found"],
        reads: { secret: one(Secret, () => "s", { metadata: true }) },
        async do(req) {
          const { namespace } = req.object.metadata;
          await gate.open;
          seen.push(`${namespace} ${req.reads.secret === undefined ? "without" : "with"}`);
          if (req.reads.secret === undefined) return req.conditions.false("Found", "Absent", "no secret").stop();
          req.conditions.true("Found");
          return undefined;
        },
        cleanup: (req) => void seen.push(`${req.object.metadata.namespace} cleanup`),
      }),
    )
    .build();
}

async function world(options: Partial<WorldOptions> & Pick<WorldOptions, "handlers">): Promise<World> {
  const made = await startWorld({ ...options, start: false });
  for (const name of ["a", "b", "c"]) {
    await made.user.create(Namespace, { metadata: { name } });
    await made.user.create(Secret, secret(name));
    await made.user.create(Widget, widget("w", {}, name));
  }
  await made.manager.start();
  await made.settled();
  return made;
}

const stored = async ({ user }: World, namespace: string) => await user.get(Widget, { name: "w", namespace });

test("a removed namespace gets no cleanup, no pass and no write, and finalizers stay; the objects of an added one are reconciled", async () => {
  const seen: string[] = [];
  const w = await world({ handlers: [ofWidgets(seen)], namespaces: ["a", "b"] });
  expect(seen.sort()).toEqual(["a with", "b with"]);
  const before = await stored(w, "b");
  w.passesSince();
  await w.manager.setNamespaces(["a", "c"]);
  await w.settled();
  expect([...new Set(seen)]).toEqual(["a with", "b with", "c with"]);
  expect(new Set(w.passesSince())).toEqual(new Set(["c/w"]));
  expect(await stored(w, "b")).toEqual(before);
  expect((await stored(w, "c"))?.status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
  await w.user.update(Widget, { ...before, spec: { size: 9 } } as never);
  await w.user.delete(Secret, { name: "s", namespace: "b" });
  await w.user.delete(Widget, { name: "w", namespace: "b" });
  await w.settled(3_600_000);
  expect(w.passesSince().filter((key) => key.startsWith("b/"))).toEqual([]);
  expect(seen).not.toContain("b cleanup");
  expect((await stored(w, "b"))?.metadata.finalizers).toHaveLength(1);
  // And back: the deletion is still to be done.
  await w.manager.setNamespaces(undefined);
  await w.settled();
  expect(seen).toContain("b cleanup");
  expect(await stored(w, "b")).toBeUndefined();
});

test("a pass in progress in a removed namespace ends before its objects leave the caches; no other pass begins there", async () => {
  const seen: string[] = [];
  const gate = { open: Promise.resolve() };
  const w = await world({ handlers: [ofWidgets(seen, gate)], namespaces: ["a", "b"] });
  const { promise, resolve } = Promise.withResolvers<void>();
  gate.open = promise;
  const touch = async (size: number): Promise<void> => {
    await w.user.update(Widget, { ...(await stored(w, "b")), spec: { size } } as never);
    for (let i = 0; i < 10; i++) await w.clock.advance(0);
  };
  await touch(2);
  const done: string[] = [];
  const changed = w.manager.setNamespaces(["a"]).then(() => done.push("changed"));
  await touch(3);
  expect([done, w.manager.informers?.cache.get(Widget, { name: "w", namespace: "b" })?.spec.size]).toEqual([[], 3]);
  w.passesSince();
  resolve();
  await changed;
  await w.settled();
  expect(w.passesSince()).toEqual(["b/w"]);
  expect((await stored(w, "b"))?.status).toMatchObject({ observedGeneration: 2 });
  expect(w.logs.filter(({ level }) => level === "error")).toEqual([]);
});

test("passes in an added namespace wait until every kind is listed there; other namespaces are not affected", async () => {
  let isAllowed = false;
  const passes: string[] = [];
  const w = await world({
    handlers: [ofWidgets(passes)],
    namespaces: ["a"],
    intercept: (transport) => ({
      ...transport,
      async request(request) {
        if (!isAllowed && request.path.includes("/namespaces/b/secrets"))
          throw new ApiError({ message: "secrets is forbidden", status: 403, reason: "Forbidden" });
        return await transport.request(request);
      },
    }),
  });
  const changed = w.manager.setNamespaces(["a", "b", "c"]);
  await w.settled();
  // The Secret that was found there may have started one more.
  const seen = (): string[] => [...new Set(passes.splice(0))];
  expect(seen()).toEqual(["a with", "c with"]);
  await w.user.update(Widget, { ...(await stored(w, "b")), spec: { size: 2 } } as never);
  await w.user.update(Widget, { ...(await stored(w, "a")), spec: { size: 2 } } as never);
  await w.settled();
  expect(seen()).toEqual(["a with"]);
  isAllowed = true;
  await w.clock.advance(30_000);
  await changed;
  await w.settled();
  expect(seen()).toEqual(["b with"]);
  expect(w.logs.filter(({ level }) => level === "error")).toEqual([]);
});

describe("the calls", () => {
  test("the last of several calls counts, and every call resolves", async () => {
    const w = await world({ handlers: [ofWidgets()], namespaces: ["a"] });
    await Promise.all([w.manager.setNamespaces(["b"]), w.manager.setNamespaces(["a", "c"]), w.manager.setNamespaces(["a", "b"])]);
    await w.settled();
    expect(new Set(w.passesSince())).toEqual(new Set(["a/w", "b/w"]));
    expect(["a", "b", "c"].map((name) => w.manager.informers?.get(Widget)?.covers(name))).toEqual([true, true, false]);
  });

  test("a call before the start replaces the option; an invalid list of names is refused", async () => {
    const w = await startWorld({ handlers: [ofWidgets()], namespaces: ["a"], start: false });
    await w.manager.setNamespaces(["b"]);
    for (const wrong of [[], ["A b"]]) await expect(w.manager.setNamespaces(wrong)).rejects.toThrow(RangeError);
    await w.manager.start();
    expect(w.manager.informers?.get(Widget)?.covers("b")).toBe(true);
    expect(w.lists.some((path) => path.includes("/namespaces/a/"))).toBe(false);
  });

  test("a paused object of a removed namespace is not counted any more", async () => {
    const w = await startWorld({ handlers: [ofWidgets()], namespaces: ["a", "b"], start: false });
    for (const name of ["a", "b"]) {
      await w.user.create(Namespace, { metadata: { name } });
      await w.user.create(Widget, {
        ...widget("w"),
        metadata: { name: "w", namespace: name, annotations: { [PAUSED_ANNOTATION]: "true" } },
      });
    }
    const registry = await w.manager.metrics();
    await w.manager.start();
    await w.settled();
    const paused = async (): Promise<unknown> => (await registry.getSingleMetric("treadle_paused_objects")?.get())?.values[0]?.value;
    expect(await paused()).toBe(2);
    await w.manager.setNamespaces(["a"]);
    await w.settled();
    expect(await paused()).toBe(1);
  });

  test("a caller that aborts the wait does not undo the change", async () => {
    const seen: string[] = [];
    const w = await world({ handlers: [ofWidgets(seen)], namespaces: ["a"] });
    const ended = new AbortController();
    const changed = w.manager.setNamespaces(["b"], ended.signal);
    ended.abort(new Error("no time"));
    await expect(changed).rejects.toThrow("no time");
    await w.settled();
    expect(w.logs.map(({ text }) => text)).toContain("the watched namespaces have changed");
    expect(seen).toContain("b with");
    // A pass for an object that was told of after that begins.
    w.passesSince();
    await w.user.update(Widget, { ...(await stored(w, "b")), spec: { size: 2 } } as never);
    await w.settled();
    expect(w.passesSince()).toEqual(["b/w"]);
    const never = AbortSignal.abort(new Error("late"));
    await expect(w.manager.setNamespaces(["c"], never)).rejects.toThrow("late");
  });

  test("a stop during a change ends it; a kind that is not installed does not hold it up", async () => {
    const ofGadgets = handler(Gadget)
      .step(step(Gadget, { name: "nothing", do: () => undefined }))
      .build();
    const w = await world({ handlers: [ofWidgets(), ofGadgets], resources: [Widget], namespaces: ["a"] });
    await w.manager.setNamespaces(["a", "b"]);
    await w.settled();
    expect(new Set(w.passesSince())).toEqual(new Set(["a/w", "b/w"]));
    const changing = w.manager.setNamespaces(["c"]).catch((error: Error) => error.message);
    const stopped = w.manager.stop();
    expect(await changing).toContain("stopped");
    await stopped;
    expect(w.server.watchCount).toBe(0);
  });
});
