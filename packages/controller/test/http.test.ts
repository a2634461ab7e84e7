/** The same over real sockets and in real time: what a socket reorders must not change what an operator does. */
import { createApiServer, serveHttp } from "@treadle/apiserver";
import { connect } from "@treadle/client";
import { conditions, handler, step } from "@treadle/reconcile";
import { expect, onTestFinished, test } from "vitest";
import { createManager, type PassReport } from "../src/index.ts";
import { Widget, widget } from "./widget.ts";

test("over HTTP, each change leads to one pass and one write, whichever of watch event and answer comes first", async () => {
  const server = createApiServer({ resources: [Widget] });
  const front = await serveHttp(server);
  const config = { source: "test", server: front.url, credentials: async () => ({}) };
  const user = await connect({ config, fieldManager: "user" });
  const writes: string[] = [];
  server.onRequest(({ method, path }) => {
    if (path.endsWith("/status?fieldManager=widgets.test.treadle.dev")) writes.push(`${method} ${path}`);
  });
  const mirror = step(Widget, {
    name: "mirror",
    conditions: ["Seen"],
    do(req) {
      req.status.seen = req.object.spec.size;
      req.conditions.true("Seen");
    },
  });
  const passes: PassReport[] = [];
  const passed = new Map<string, PromiseWithResolvers<void>>();
  const manager = createManager({
    config,
    probes: false,
    metrics: false,
    signals: false,
    logLevel: "silent",
    onPass: (report) => {
      passes.push(report);
      passed.get(report.ref.name)?.resolve();
    },
  });
  onTestFinished(async () => {
    await manager.stop();
    await user.close();
    await front.close();
    await server.close();
  });
  await manager.add(handler(Widget).step(conditions()).step(mirror).build()).start();
  const create = async (name: string, size: number): Promise<void> => {
    const first = Promise.withResolvers<void>();
    passed.set(name, first);
    await user.create(Widget, widget(name, { size }));
    await first.promise;
  };

  const names = Array.from({ length: 60 }, (_, i) => `w${i}`);
  await Promise.all(names.map(create));
  // A watch keeps its order: when this one is seen, every echo before it was, too.
  await create("marker", 1);
  await manager.settled();
  expect(passes.map(({ ref }) => ref.name).toSorted()).toEqual([...names, "marker"].toSorted());
  expect(writes).toHaveLength(61);
  const { items } = await user.list(Widget);
  expect(items.every(({ spec, status }) => status?.seen === spec.size)).toBe(true);
});
