import { ConfigMap, Deployment, Secret } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { createLogger, type DryWrite } from "../src/index.ts";
import { startWorld, Widget, widget, type World } from "./world.ts";

const REF = { name: "a", namespace: "default" };

/** Does everything that a handler can do inside the cluster. */
const busy = handler(Widget)
  .step(conditions())
  .step(
    step(Widget, {
      name: "work",
      dryRun: true,
      writes: ["labels"],
      events: ["Worked"],
      async do(req) {
        req.labels["worked"] = "yes";
        req.event("Normal", "Worked", "it did");
        const data = { size: String(req.object.spec.size) };
        await req.client.apply(ConfigMap, { metadata: { name: "a" }, data }, { existing: undefined });
        await req.client.apply(Secret, { metadata: { name: "s" }, data: { password: "aHVudGVyMg==" } }, { existing: undefined });
        req.status.seen = req.object.spec.size;
      },
      cleanup: async (req) => void (await req.client.delete(ConfigMap, "a")),
    }),
  )
  .build();

async function dryWorld(handlers: readonly AnyHandler[], writes: DryWrite[]): Promise<World> {
  const world = await startWorld({
    handlers,
    start: false,
    leaderElection: true,
    dryRun: { onWrite: (write) => void writes.push(write) },
  });
  await world.user.create(Widget, widget("a", { size: 3 }));
  await world.manager.start();
  await world.settled();
  return world;
}

describe("a dry run", () => {
  test("sends nothing, and reports each write once, with values of Secrets hidden", async () => {
    const writes: DryWrite[] = [];
    const world = await dryWorld([busy], writes);
    expect(world.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
    const finalizer = "test.treadle.dev/widgets.test.treadle.dev";
    expect(writes.map(({ verb, kind, subresource }) => [verb, kind, subresource].join(" "))).toEqual([
      "patch Widget ",
      "apply ConfigMap ",
      "apply Secret ",
      "patch Widget ",
      "patch Widget status",
    ]);
    expect(writes[0]?.change).toEqual({ metadata: { finalizers: [finalizer] } });
    expect(writes[2]?.change).toMatchObject({ data: { password: "[hidden]" } });
    expect(JSON.stringify([writes, world.logs])).not.toContain("aHVudGVyMg");
    expect(writes[4]?.change).toMatchObject({ status: { seen: 3 } });
    const lines = (): readonly string[] => world.logs.map(({ text }) => text).filter((text) => text.startsWith("dry run"));
    expect(lines()).toContain("dry run: would apply ConfigMap default/a");

    const before = lines().length;
    await world.user.patch(Widget, REF, { type: "merge", body: { metadata: { annotations: { some: "thing" } } } });
    await world.settled(3_600_000);
    expect(lines().length).toBe(before);
    expect((await world.user.get(Widget, REF))?.metadata.finalizers).toBeUndefined();
    expect(await world.user.get(ConfigMap, REF)).toBeUndefined();
  });

  test("reports the whole merge patch, without the uid and the generated name that only the server can give", async () => {
    const lines: { readonly dryRun?: DryWrite }[] = [];
    const podSpec = { containers: [{ name: "c", env: [{ name: "E", valueFrom: { configMapKeyRef: { name: "m", key: "k" } } }] }] };
    const spec = { selector: {}, template: { metadata: {}, spec: podSpec } };
    const deploying = handler(Widget)
      .step(
        step(Widget, {
          name: "deploy",
          dryRun: true,
          async do({ client }) {
            await client.create(Deployment, { metadata: { name: "d" }, spec });
            await client.create(ConfigMap, { metadata: { generateName: "m-" }, data: {} });
          },
        }),
      )
      .build();
    const log = createLogger({ env: {}, destination: { write: (line) => void lines.push(JSON.parse(line)) } });
    const world = await startWorld({ handlers: [deploying], start: false, dryRun: true, log });
    await world.user.create(Widget, widget("a"));
    await world.manager.start();
    await world.settled();
    expect(lines.flatMap(({ dryRun }) => (dryRun === undefined ? [] : [dryRun.change]))).toEqual([
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d", namespace: "default" }, spec },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "m-", namespace: "default" }, data: {} },
    ]);
  });

  test("becomes idle, although nothing that it waits for happens", async () => {
    const passes = 30;
    const eager = handler(Widget)
      .step(step(Widget, { name: "work", writes: ["labels"], do: (req) => (Object.assign(req.labels, { a: "b" }), req.wait("again", 0)) }))
      .build();
    const world = await dryWorld([eager], []);
    await world.settled(60_000);
    expect(world.passes.length).toBeLessThan(passes);
  });

  test("ends a step before its external effects: at its checkpoint, or before it begins", async () => {
    const done: string[] = [];
    const outside = handler(Widget)
      .step(conditions())
      .step(
        step(Widget, {
          name: "recorded",
          async do(req) {
            done.push(`observed, dry run ${req.isDryRun}`);
            await req.checkpoint();
            done.push("created");
          },
        }),
      )
      .build();
    const undeclared = handler(Widget, { name: "undeclared" })
      .step(step(Widget, { name: "bucket", do: () => void done.push("bucket"), cleanup: () => void done.push("gone") }))
      .build();
    const writes: DryWrite[] = [];
    const world = await dryWorld([outside, undeclared], writes);
    expect(done).toEqual(["observed, dry run true"]);
    expect(Object.fromEntries(world.reports.map(({ handler: { name }, result }) => [name, result.outcome]))).toMatchObject({
      [outside.name]: { type: "stop", step: "recorded" },
      undeclared: { type: "stop", step: "bucket" },
    });
  });

  test("an error of onWrite is logged, and does not fail the pass", async () => {
    const onWrite = (): never => {
      throw new Error("no room");
    };
    const world = await startWorld({ handlers: [busy], start: false, dryRun: { onWrite } });
    await world.user.create(Widget, widget("a"));
    await world.manager.start();
    await world.settled();
    expect(world.reports.map(({ result }) => result.error)).toEqual([undefined]);
    const errors = world.logs.filter(({ level }) => level === "error").map(({ text, data }) => `${text}: ${String(data["error"])}`);
    expect(new Set(errors)).toEqual(new Set(["onWrite of the dry run threw: no room"]));
  });

  test("reports a deletion without deleting", async () => {
    const writes: DryWrite[] = [];
    const world = await startWorld({ handlers: [busy], start: false, dryRun: { onWrite: (write) => void writes.push(write) } });
    const finalizers = ["test.treadle.dev/widgets.test.treadle.dev"];
    await world.user.create(Widget, { ...widget("a"), metadata: { ...REF, finalizers } });
    await world.user.create(ConfigMap, { metadata: REF });
    await world.user.delete(Widget, REF);
    await world.manager.start();
    await world.settled();
    expect(writes.map(({ verb, kind }) => `${verb} ${kind}`)).toEqual(["delete ConfigMap", "patch Widget"]);
    expect((await world.user.get(Widget, REF))?.metadata.finalizers).toEqual(finalizers);
    expect(await world.user.get(ConfigMap, REF)).toBeDefined();
  });

  test("reports the fields that an update removes, and no fields of the server", async () => {
    const writes: DryWrite[] = [];
    const replacing = handler(Widget)
      .step(
        step(Widget, {
          name: "replace",
          permissions: [{ kind: ConfigMap, verbs: ["update"] }],
          do: async ({ client }) => void (await client.update(ConfigMap, { metadata: { name: "a" }, data: { kept: "1" } })),
        }),
      )
      .build();
    const world = await startWorld({ handlers: [replacing], start: false, dryRun: { onWrite: (write) => void writes.push(write) } });
    const finalizers = ["example.com/theirs"];
    await world.user.create(ConfigMap, { metadata: { ...REF, finalizers }, data: { kept: "1", gone: "2" }, binaryData: { b: "AA==" } });
    await world.user.create(Widget, widget("a"));
    await world.manager.start();
    await world.settled();
    expect(writes).toMatchObject([{ verb: "update", kind: "ConfigMap" }]);
    expect(writes[0]?.change).toEqual({ metadata: { finalizers: null }, data: { gone: null }, binaryData: null });
  });
});
