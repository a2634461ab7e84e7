/** A set in a dry run of the manager. */
import { fakeClock } from "@treadle/apimachinery";
import { createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import type { DryWrite } from "@treadle/controller";
import { conditions, createManager, defineResource, dependentSet, handler, object } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { expect, test } from "vitest";
import { z } from "zod";

const Shop = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Shop",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({}),
});

test("a dry run shows what each object of a set would get", async () => {
  const clock = fakeClock();
  const server = createApiServer({ clock, resources: [Shop] });
  await createClient({ transport: server.transport(), clock }).create(Shop, { metadata: { name: "a", namespace: "default" }, spec: {} });
  const stack = dependentSet(Shop, {
    name: "stack",
    condition: "StackReady",
    kinds: [ConfigMap],
    objects: () => [
      object(ConfigMap, { metadata: { name: "early" } }, { purge: 0 }),
      object(ConfigMap, { metadata: { name: "late" } }, { apply: 1 }),
    ],
  });
  const writes: DryWrite[] = [];
  const manager = createManager({
    client: (options) => createClient({ ...options, transport: server.transport(), clock }),
    clock,
    dryRun: { onWrite: (write) => void writes.push(write) },
    probes: false,
    metrics: false,
    signals: false,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  manager.add(handler(Shop).step(conditions()).step(stack).build());
  await manager.start();
  await manager.settled();
  await manager.stop();
  expect(writes.map(({ verb, kind, ref }) => `${verb} ${kind} ${ref.name}`)).toEqual([
    "patch Shop a", // the finalizer
    "apply ConfigMap early",
    "apply ConfigMap late",
    "patch Shop a",
  ]);
});
