/** A dependent of a kind of which the operator caches only the objects with certain labels. */
import { defineResource, fakeClock, seededRandom, type Transport } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { cached, createManager } from "@treadle/controller";
import { conditions, handler } from "@treadle/reconcile";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { dependentApply } from "../src/index.ts";

const Owner = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Owner",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ size: z.int32().default(1) }),
  status: z.object({}),
});
const LABELS = { app: "web" };
const owner = { metadata: { name: "a", namespace: "default" }, spec: {} };

interface World {
  readonly user: Client;
  /** What the operator asked of the server but lists and watches. */
  readonly requests: string[];
  readonly logs: { readonly level: string; readonly text: string }[];
  settled(horizonMs?: number): Promise<void>;
}

/** An operator whose cache holds ConfigMaps with the label `app=web`; `metadata` is that of the desired ConfigMap. */
async function startWorld(metadata: object): Promise<World> {
  const clock = fakeClock();
  const server = createApiServer({ clock, random: seededRandom(1), resources: [Owner] });
  const direct = server.transport();
  const [requests, logs]: [string[], { level: string; text: string }[]] = [[], []];
  const counted: Transport = {
    request(request) {
      const isRead = request.method === "GET" && !request.path.includes("/configmaps/a");
      if (!isRead) requests.push(`${request.method} ${request.path}`);
      return direct.request(request);
    },
    close: () => direct.close(),
  };
  const log = (level: string) => (_data: object, text: string) => void logs.push({ level, text });
  const manager = createManager({
    client: (given) => createClient({ ...given, transport: counted, clock, random: seededRandom(2) }),
    clock,
    random: seededRandom(3),
    probes: false,
    metrics: false,
    signals: false,
    log: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
    cache: [cached(ConfigMap, { labelSelector: LABELS })],
  });
  const page = dependentApply(Owner, { name: "config", kind: ConfigMap, desired: { metadata, data: { key: "v" } } });
  manager.add(handler(Owner).step(conditions()).step(page).build());
  onTestFinished(async () => {
    const stopped = manager.stop();
    await clock.advance(60_000);
    await stopped;
    await server.close();
  });
  await manager.start();
  return {
    user: createClient({ transport: server.transport(), clock, fieldManager: "user" }),
    requests,
    logs,
    settled: (horizonMs = 0) => manager.settled({ horizonMs }),
  };
}

describe("a dependent of a kind that is cached by a selector", () => {
  const labels = LABELS;
  const ref = { name: "a", namespace: "default" };

  test("gets its labels back when a user removes them, and is not created again", async () => {
    const w = await startWorld({ labels });
    await w.user.create(Owner, owner);
    await w.settled();
    const made = await w.user.get(ConfigMap, ref);
    expect(made?.metadata.labels).toMatchObject(labels);
    await w.user.update(ConfigMap, { ...made, metadata: { ...made?.metadata, labels: {} } } as never);
    await w.settled(60_000);
    const now = await w.user.get(ConfigMap, ref);
    expect([now?.metadata.labels, now?.metadata.uid]).toEqual([made?.metadata.labels, made?.metadata.uid]);
    w.requests.length = 0;
    await w.settled(3_600_000);
    expect(w.requests).toEqual([]);
  });

  test("that is desired without the labels is created once, is Ready, and the log says that it is never seen", async () => {
    const w = await startWorld({});
    await w.user.create(Owner, owner);
    await w.settled(60_000);
    const made = await w.user.get(ConfigMap, ref);
    expect(w.logs.filter(({ level }) => level === "warn").map(({ text }) => text)).toEqual([
      expect.stringContaining('was written without the labels "app=web"'),
    ]);
    expect(w.logs.filter(({ level }) => level === "error")).toEqual([]);
    await w.user.update(Owner, { ...(await w.user.get(Owner, ref)), spec: { size: 3 } } as never);
    await w.settled(60_000);
    expect((await w.user.get(ConfigMap, ref))?.metadata).toMatchObject({
      uid: made?.metadata.uid,
      resourceVersion: made?.metadata.resourceVersion,
    });
    expect((await w.user.get(Owner, ref))?.status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
    w.requests.length = 0;
    await w.settled(3_600_000);
    expect(w.requests).toEqual([]);
  });
});
