/** Kinds whose CRDs are installed after the operator, removed, and installed again. */
import { ApiError, crdOf, type Transport } from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { Gadget, startWorld, Widget, widget, type World } from "./world.ts";

const ofWidgets = handler(Widget)
  .step(step(Widget, { name: "size", do: (req) => void (req.status.seen = req.object.spec.size) }))
  .build();
const ofGadgets = handler(Gadget)
  .step(conditions())
  .step(
    step(Gadget, {
      name: "look",
      reads: { widget: one(Widget, ({ spec }) => spec.widget) },
      do: (req) => void (req.status.seen = req.reads.widget?.spec.size),
    }),
  )
  .build();

const gadget = (name: string, of: string): object => ({ metadata: { name, namespace: "default" }, spec: { widget: of } });

/** Nobody may watch CRDs. */
const withoutDefinitions = (transport: Transport): Transport => ({
  ...transport,
  async request(request) {
    if (!request.path.includes("/customresourcedefinitions")) return await transport.request(request);
    return {
      status: 403,
      headers: {},
      body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message: "no" }),
    };
  },
});

async function probe(world: World, path: string): Promise<string> {
  const response = await fetch(`${world.manager.addresses.probes?.url}${path}`);
  return `${response.status} ${(await response.text()).trim()}`;
}

describe("the kind of a handler", () => {
  test("that is missing makes its controller wait, not ready but alive; it is logged once, and other controllers start", async () => {
    const world = await startWorld({ handlers: [ofWidgets, ofGadgets], resources: [Gadget], host: "127.0.0.1", probes: { port: 0 } });
    expect(world.manager.status().state).toBe("running");
    expect(await probe(world, "/healthz")).toBe("200 ok");
    expect(await probe(world, "/readyz")).toContain(
      'Widget (test.treadle.dev/v1) is not installed: "widgets.test.treadle.dev" waits for it',
    );
    await world.clock.advance(3_600_000);
    expect(await probe(world, "/healthz")).toBe("200 ok");
    expect(world.logs.filter(({ level }) => level === "warn").map(({ text }) => text)).toEqual([
      expect.stringContaining("install the CRD widgets.test.treadle.dev"),
    ]);
    world.server.install(Widget);
    await world.user.create(Widget, widget("a", { size: 7 }));
    await world.clock.advance(0);
    await world.settled();
    expect(await probe(world, "/readyz")).toBe("200 ok");
    expect(await world.user.get(Widget, { name: "a", namespace: "default" })).toMatchObject({ status: { seen: 7 } });
  });

  test("that only a read needs does not affect readiness while it is missing", async () => {
    const world = await startWorld({ handlers: [ofGadgets], resources: [Gadget], host: "127.0.0.1", probes: { port: 0 } });
    expect(await probe(world, "/readyz")).toBe("200 ok");
  });

  test("is listed again within kindRetryMs where CRDs may not be watched, and CRDs only once", async () => {
    const world = await startWorld({ handlers: [ofWidgets], resources: [Gadget], intercept: withoutDefinitions, kindRetryMs: 3000 });
    await world.clock.advance(30_000);
    const attempts = world.lists.filter((request) => request.endsWith("/widgets")).length;
    expect(attempts).toBeGreaterThanOrEqual(11);
    expect(attempts).toBeLessThanOrEqual(15);
    world.server.install(Widget);
    await world.user.create(Widget, widget("a"));
    await world.clock.advance(3000);
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    expect(world.logs.filter(({ level }) => level !== "info" && level !== "debug")).toHaveLength(1);
  });

  test("is found immediately where CRDs may be watched; then the watch of CRDs ends", async () => {
    const world = await startWorld({ handlers: [ofWidgets], resources: [Gadget] });
    const before = world.server.watchCount;
    await world.user.create(CustomResourceDefinition, crdOf(Widget));
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    expect(world.server.watchCount).toBe(before); // that of CRDs went, that of Widgets came
  });

  test("that is removed makes its controller wait again; objects of the reinstalled kind are reconciled", async () => {
    const world = await startWorld({ handlers: [ofWidgets] });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    await world.user.delete(CustomResourceDefinition, { name: "widgets.test.treadle.dev" });
    await world.clock.advance(60_000);
    await world.settled();
    world.passesSince();
    expect(world.manager.informers?.get(Widget)?.list()).toEqual([]);
    await world.user.create(CustomResourceDefinition, crdOf(Widget));
    await world.user.create(Widget, widget("a", { size: 2 }));
    await world.clock.advance(10_000);
    await world.settled();
    expect(await world.user.get(Widget, { name: "a", namespace: "default" })).toMatchObject({ status: { seen: 2 } });
    expect(world.logs.filter(({ level }) => level === "error")).toEqual([]);
  });
});

test("a stop while a kind is missing leaves nothing open", async () => {
  const world = await startWorld({ handlers: [ofWidgets], resources: [Gadget] });
  await world.manager.stop();
  expect(world.server.watchCount).toBe(0);
});

test("a kind that cannot be listed for another reason is not missing: the start waits for it and reports it", async () => {
  const world = await startWorld({
    handlers: [ofGadgets],
    start: false,
    cacheSyncTimeoutMs: 5000,
    intercept: (transport) => ({
      ...transport,
      request: async (request) =>
        request.path.includes("/widgets")
          ? {
              status: 500,
              headers: {},
              body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: 500, message: "etcd" }),
            }
          : await transport.request(request),
    }),
  });
  const started = world.manager.start().catch((error: unknown) => error);
  await world.clock.advance(5000);
  expect(await started).toMatchObject({ code: "ERR_CACHE_SYNC", cause: expect.any(ApiError) });
});

test("references to a missing kind trigger passes when its first objects appear", async () => {
  const world = await startWorld({ handlers: [ofGadgets], resources: [Gadget] });
  await world.user.create(Gadget, gadget("g", "a") as never);
  await world.settled();
  world.server.install(Widget);
  await world.user.create(Widget, widget("a", { size: 4 }));
  await world.clock.advance(10_000);
  await world.settled();
  expect(await world.user.get(Gadget, { name: "g", namespace: "default" })).toMatchObject({ status: { seen: 4 } });
});
