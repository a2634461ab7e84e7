/** What an operator at rest asks of the server: nothing but to go on watching, and to keep its lease. */
import { defineResource, type Transport } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const HOUR = 3_600_000;

const App = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  spec: z.object({ secret: z.string() }),
  status: z.object({ found: z.string().optional() }),
});

/** What most operators do: a read, an owned object, conditions, a finalizer, a status. */
const worker = handler(App)
  .step(conditions())
  .step(
    step(App, {
      name: "read",
      conditions: ["Read"],
      reads: { secret: one(Secret, (app) => app.spec.secret) },
      do(req) {
        req.status.found = req.reads.secret?.data?.["key"] ?? "";
        req.conditions.true("Read");
      },
      cleanup() {},
    }),
  )
  .step(
    step(App, {
      name: "config",
      owns: [ConfigMap],
      async do(req) {
        const { name } = req.object.metadata;
        const existing = req.cache.get(ConfigMap, { name });
        const data = { secret: req.object.spec.secret };
        if (existing?.data?.["secret"] !== data.secret) await req.client.apply(ConfigMap, { metadata: { name }, data }, { existing });
      },
    }),
  )
  .build();

interface Counted {
  readonly world: World;
  /** `METHOD path` of everything but watches. */
  readonly calls: string[];
  readonly watches: string[];
}

async function started(options: Partial<WorldOptions> = {}): Promise<Counted> {
  const [calls, watches]: [string[], string[]] = [[], []];
  const intercept = (transport: Transport): Transport => ({
    ...transport,
    request(request) {
      const path = request.path.split("?")[0] ?? "";
      (/[?&]watch=(?:true|1)/.test(request.path) ? watches : calls).push(`${request.method} ${path}`);
      return transport.request(request);
    },
  });
  const world = await startWorld({ handlers: [worker], resources: [App as never], intercept, ...options });
  await world.user.create(Secret, { metadata: { name: "s", namespace: "default" }, data: { key: "dmFsdWU=" } });
  for (let at = 0; at < 20; at++) {
    await world.user.create(App, { metadata: { name: `app-${at}`, namespace: "default" }, spec: { secret: "s" } });
  }
  await world.settled(60_000);
  calls.length = 0;
  watches.length = 0;
  world.passesSince();
  return { world, calls, watches };
}

const everyApp = Array.from({ length: 20 }, (_, at) => `default/app-${at}`).toSorted();

test("a resync runs one pass for every object and sends no request", async () => {
  const { world, calls, watches } = await started();
  await world.clock.advance(8.9 * HOUR);
  await world.settled();
  expect(world.passesSince(), "not before nine hours").toEqual([]);
  await world.clock.advance(2.2 * HOUR);
  await world.settled();
  expect(world.passesSince().toSorted(), "once in eleven").toEqual(everyApp);
  expect(calls).toEqual([]);
  expect(watches.length, "the server ends a watch every 5 to 10 minutes; of Apps, Secrets and ConfigMaps").toBeGreaterThan(3 * 60);
  expect(new Set(watches)).toEqual(new Set(["GET /apis/test.treadle.dev/v1/apps", "GET /api/v1/secrets", "GET /api/v1/configmaps"]));
});

test("an idle operator with leader election requests only its lease", async () => {
  const { world, calls, watches } = await started({ leaderElection: { name: "lease", namespace: "default" }, resyncMs: HOUR / 2 });
  expect(world.manager.status().leadership).toEqual({ type: "leading" });
  await world.clock.advance(0.58 * HOUR);
  await world.settled();
  expect(world.passesSince().toSorted()).toEqual(everyApp);
  expect(new Set(calls.map((call) => call.replace(/^(?:PUT|PATCH) /, "write ")))).toEqual(
    new Set(["write /apis/coordination.k8s.io/v1/namespaces/default/leases/lease"]),
  );
  expect(calls.length, "a renewal every two seconds").toBeLessThanOrEqual((0.58 * HOUR) / 2000 + 1);
  expect([...new Set(watches)].filter((watch) => !/(?:apps|secrets|configmaps|leases)$/.test(watch))).toEqual([]);
});

describe("resyncMs", () => {
  const idle = handler(Widget)
    .step(step(Widget, { name: "idle", do() {} }))
    .build();

  test.for([
    { name: "of the manager", manager: HOUR, add: undefined, want: 3 },
    { name: "of add, which is stronger", manager: HOUR, add: 3 * HOUR, want: 1 },
    { name: "none", manager: false, add: undefined, want: 0 },
    { name: "none of this one", manager: HOUR, add: false, want: 0 },
  ] as const)("$name", async ({ manager: resyncMs, add, want }) => {
    const world = await startWorld({ handlers: [], start: false, resyncMs });
    world.manager.add(idle, add === undefined ? {} : { resyncMs: add });
    await world.user.create(Widget, widget("a"));
    await world.manager.start();
    await world.settled();
    world.passesSince();
    await world.clock.advance(3.4 * HOUR);
    await world.settled();
    expect(world.passesSince()).toHaveLength(want);
  });

  test("yields to events, and ends with the manager", async () => {
    const seen: string[] = [];
    let happens = (): void => {};
    const worker = handler(Widget)
      .step(
        step(Widget, {
          name: "see",
          do(req) {
            seen.push(req.object.metadata.name);
            happens();
            happens = () => {};
          },
        }),
      )
      .build();
    const world = await startWorld({ handlers: [], start: false, resyncMs: HOUR });
    world.manager.add(worker, { concurrency: 1 });
    for (const name of ["a", "b", "c"]) await world.user.create(Widget, widget(name));
    await world.manager.start();
    await world.settled();
    seen.length = 0;
    happens = () => world.manager.controllers[0]?.enqueue({ name: "c", namespace: "default" });
    await world.clock.advance(1.1 * HOUR);
    await world.settled();
    expect(seen).toEqual(["a", "c", "b"]);
    await world.manager.stop();
    await world.clock.advance(3 * HOUR);
    expect(seen).toHaveLength(3);
  });
});
