/** A set without an operator, over an owner that the test stores. */
import { ApiError, defineResource, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { expect, test } from "vitest";
import { z } from "zod";
import { RunCluster, type RunReport, runSet, type RunSetOptions, type StoredOwner } from "../../src/unstable/run.ts";

const Bundle = defineResource({
  group: "bundles.example.dev",
  version: "v1",
  kind: "Bundle",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({}),
  status: z.object({}),
});

/** An owner in memory, which may refuse to be stored. */
class Owner implements StoredOwner {
  current: KubernetesObject | undefined = {
    apiVersion: "bundles.example.dev/v1",
    kind: "Bundle",
    metadata: { name: "a", namespace: "default", uid: "u", resourceVersion: "1", generation: 1 },
    spec: {},
  } as KubernetesObject;
  refuses = 0;

  async store(next: KubernetesObject): Promise<KubernetesObject> {
    if (this.refuses-- > 0) throw new ApiError({ message: "another writer", status: 409, reason: "Conflict" });
    const version = String(Number(this.current?.metadata.resourceVersion) + 1);
    const stored = { ...next, metadata: { ...next.metadata, resourceVersion: version } };
    const isGone = stored.metadata.deletionTimestamp !== undefined && (stored.metadata.finalizers ?? []).length === 0;
    this.current = isGone ? undefined : stored;
    return stored;
  }
}

function map(name: string, wave = 0): object {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, annotations: { "treadle.dev/apply-order": String(wave) } },
    data: { a: "1" },
  };
}

/** Runs until the set is ready, or the owner no longer exists. Returns the last report. */
async function run(client: Client, owner: Owner, objects: readonly object[], more: Partial<RunSetOptions> = {}): Promise<RunReport> {
  await using cluster = new RunCluster(client, { namespaces: () => ["default"] });
  let last: RunReport | undefined;
  await runSet({
    kind: Bundle,
    handlerName: "bundles.example.dev",
    owner,
    cluster,
    set: { name: "objects", condition: "ObjectsReady", objects: () => objects as never },
    signal: new AbortController().signal,
    // The watches end each wait.
    sleep: (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
    ...more,
    onPass(report) {
      last = report;
      if (more.onPass !== undefined) return more.onPass(report);
      return report.owner === undefined || report.progress?.reason === "Ready" ? "end" : { atMostMs: 1_000 };
    },
  });
  if (last === undefined) throw new Error("no pass");
  return last;
}

const server = (): Client => createClient({ transport: createApiServer().transport() });
const names = async (client: Client): Promise<readonly string[]> =>
  (await client.list(ConfigMap, { namespace: "default" })).items.map(({ metadata }) => metadata.name);

test("a run applies all waves, removes what is no longer desired, and stores what it needs in its owner", async () => {
  const client = server();
  const owner = new Owner();
  const { progress } = await run(client, owner, [map("a"), map("b", 1)]);
  expect(progress?.objects.map(({ name, wave, phase, operation }) => [name, wave, phase, operation.type])).toEqual([
    ["a", 0, "Ready", "created"],
    ["b", 1, "Ready", "created"],
  ]);
  expect(owner.current?.metadata.finalizers).toHaveLength(1);
  await run(client, owner, [map("b", 1)]);
  expect(await names(client)).toEqual(["b"]);
});

test("a run of an owner that is being deleted removes all objects, and ends when the owner ends", async () => {
  const client = server();
  const owner = new Owner();
  await run(client, owner, [map("a")]);
  const { current } = owner;
  if (current === undefined) throw new Error("no owner");
  owner.current = { ...current, metadata: { ...current.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  expect((await run(client, owner, [])).owner).toBeUndefined();
  expect(await names(client)).toEqual([]);
});

test("a dry run changes neither the cluster nor the owner, and looks at the objects of all waves", async () => {
  const client = server();
  const owner = new Owner();
  const before = owner.current;
  const { progress } = await run(client, owner, [map("a"), map("b", 1)], {
    isDryRun: true,
    onPass: ({ progress: found }) => (found === undefined ? { atMostMs: 1_000 } : "end"),
  });
  expect(progress?.objects.map(({ name, operation }) => [name, operation.type])).toEqual([
    ["a", "created"],
    ["b", "created"],
  ]);
  expect([await names(client), owner.current]).toEqual([[], before]);
});

test("nothing is written before the owner could be stored", async () => {
  const client = server();
  const owner = new Owner();
  owner.refuses = Number.POSITIVE_INFINITY;
  let passes = 0;
  await run(client, owner, [map("a")], { sleep: async () => undefined, onPass: () => (++passes > 3 ? "end" : { atMostMs: 0 }) });
  expect(await names(client)).toEqual([]);
});
