/** What users do: they make objects, change them and delete them all. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@treadle/client";
import { Blob, Stack, Widget } from "./operators/kinds.ts";

const AT_ONCE = 16;
const namespace = "default";

/** Makes Widgets; `first` is the number in the name of the first. */
export async function createWidgets(client: Client, count: number, first = 0): Promise<void> {
  await each(count, (i) => {
    const number = first + i;
    const metadata = { name: `w${number}`, namespace };
    return client.create(Widget, { metadata, spec: { size: number, text: `text of ${number} `.repeat(40) } });
  });
}

export async function createBlobs(client: Client, count: number): Promise<void> {
  await each(count, (i) => {
    const entries = Array.from({ length: 24 }, (_, n) => ({
      name: `VARIABLE_${n}`,
      value: `value ${i}.${n} ${"x".repeat(40)}`,
      weight: n,
    }));
    const labels = { app: `app-${i % 100}`, tier: "backend" };
    const annotations = { "bench.treadle.dev/note": `note of ${i} `.repeat(15) };
    return client.create(Blob, { metadata: { name: `b${i}`, namespace, labels, annotations }, spec: { entries } });
  });
}

export async function createStacks(client: Client, count: number): Promise<void> {
  await each(count, (i) => client.create(Stack, { metadata: { name: `s${i}`, namespace }, spec: { text: `text of ${i} `.repeat(10) } }));
}

/** Deletes all Stacks. Each exists until the operator removes its finalizer. */
export async function deleteStacks(client: Client): Promise<void> {
  await deleteAll(client, `/apis/bench.treadle.dev/v1/namespaces/${namespace}/stacks`);
}

/** Deletes what an operator that failed has left of Stacks and their objects. */
export async function sweepStacks(client: Client): Promise<void> {
  await deleteStacks(client);
  const { items } = await client.list(Stack, { namespace });
  const body = { metadata: { finalizers: null } };
  await each(items.length, async (i) => client.patch(Stack, { name: items[i]?.metadata.name ?? "", namespace }, { type: "merge", body }));
  for (const resource of ["configmaps", "services", "serviceaccounts"])
    await deleteAll(client, `/api/v1/namespaces/${namespace}/${resource}`);
}

/** Changes of Widgets. */
export interface Changes {
  /** The number of Widgets that take turns. */
  readonly widgets: number;
  readonly changes: number;
  /** The number of the first change. No two changes of a run have one, so each of them changes its Widget. */
  readonly first: number;
}

/** Changes one Widget after the other, so many a second, and resolves when all changes are stored. */
export async function changeSteadily(client: Client, { perSecond, ...load }: Changes & { readonly perSecond: number }): Promise<void> {
  const startedAt = performance.now();
  const stored: Promise<unknown>[] = [];
  for (let i = 0; i < load.changes; i++) {
    const waitMs = startedAt + (i * 1000) / perSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    const one = change(client, load, i);
    one.catch(() => undefined); // It is awaited below. Until then a failure must not end the process.
    stored.push(one);
  }
  await Promise.all(stored);
}

/** Makes the changes as fast as the server takes them from a few writers. */
export async function changeAtOnce(client: Client, load: Changes): Promise<void> {
  await each(load.changes, (i) => change(client, load, i));
}

function change(client: Client, { widgets, first }: Changes, i: number): Promise<unknown> {
  const body = { spec: { text: `change ${first + i}` } };
  return client.patch(Widget, { name: `w${i % widgets}`, namespace }, { type: "merge", body });
}

/** Deletes all Widgets. The server removes each when the operator has removed its finalizer. */
export async function deleteWidgets(client: Client): Promise<void> {
  await deleteAll(client, `/apis/bench.treadle.dev/v1/namespaces/${namespace}/widgets`);
}

/**
 * The requests that an operator needs for a Widget and nothing else: finalizer, ConfigMap, status. No watch, no cache, no
 * queue: as fast as the server is for so many at once. In the end the Widgets lose their finalizer, so that they can be deleted. The
 * ConfigMaps are deleted, because an operator does not modify those of other owners.
 * @returns milliseconds
 */
export async function dumbLoop(client: Client, count: number, atOnce: number): Promise<number> {
  const startedAt = performance.now();
  const { items } = await client.list(Widget, { namespace });
  await each(
    count,
    async (i) => {
      const widget = items[i];
      if (widget === undefined) throw new Error(`there are ${items.length} Widgets instead of ${count}`);
      const { name, uid, generation = 0 } = widget.metadata;
      const ref = { name, namespace };
      const owner = { apiVersion: "bench.treadle.dev/v1", kind: "Widget", name, uid, controller: true };
      await client.patch(Widget, ref, { type: "merge", body: { metadata: { finalizers: ["bench.treadle.dev/loop"] } } });
      const metadata = { name, namespace, ownerReferences: [owner] };
      const path = `/api/v1/namespaces/${namespace}/configmaps/${name}?fieldManager=loop&force=true`;
      const headers = { "content-type": "application/apply-patch+yaml" };
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { text: widget.spec.text } });
      await sent(client, { method: "PATCH", path, headers, body });
      const ready = { type: "Ready", status: "True", reason: "AsDesired", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
      const status = { observedGeneration: generation, conditions: [ready, { ...ready, type: "ConfigReady" }] };
      await client.patch(Widget, ref, { type: "merge", body: { status } }, { subresource: "status" });
    },
    atOnce,
  );
  const ms = performance.now() - startedAt;
  await each(count, (i) => client.patch(Widget, { name: `w${i}`, namespace }, { type: "merge", body: { metadata: { finalizers: null } } }));
  await deleteAll(client, `/api/v1/namespaces/${namespace}/configmaps`);
  return ms;
}

/** Removes what an operator that failed has left. */
export async function sweep(client: Client): Promise<void> {
  const { items } = await client.list(Widget, { namespace });
  const isKept = items.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
  const body = { metadata: { finalizers: null } };
  await each(isKept.length, async (i) =>
    client.patch(Widget, { name: isKept[i]?.metadata.name ?? "", namespace }, { type: "merge", body }),
  );
  await deleteWidgets(client);
  await deleteAll(client, `/api/v1/namespaces/${namespace}/configmaps`);
}

async function deleteAll(client: Client, path: string): Promise<void> {
  await sent(client, { method: "DELETE", headers: {}, path });
}

/** Sends a request as it is. @throws for an answer that is not a success */
async function sent(client: Client, request: Parameters<Client["raw"]>[0]): Promise<void> {
  const { status, body = "" } = await client.raw(request);
  if (status >= 300) throw new Error(`${request.method} ${request.path} was answered with ${status}: ${body.slice(0, 300)}`);
}

/** So many at once, and all of them. */
async function each(count: number, act: (i: number) => Promise<unknown>, atOnce = AT_ONCE): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
