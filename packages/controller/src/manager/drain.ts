/**
 * Waits for the end of a drain: finds the objects that still hold a finalizer of the handlers, and why. The passes remove
 * the finalizers; this file only looks, first into the caches and last on the server, because a cache may lag.
 */
import { groupKindOf, isKindNotServed, keyOf, type KubernetesObject, metadataOnly, type Ref, sleep } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Informers } from "@treadle/informer";
import type { AnyHandler } from "@treadle/reconcile";
import { pipelineOf } from "@treadle/reconcile/unstable/engine";
import type { PassReport } from "../pass-report.ts";
import { ManagerError } from "../manager-error.ts";
import type { Services } from "./services.ts";

/** An object that still holds a finalizer of a drained handler. */
export interface HeldObject {
  /** The name of the handler. */
  readonly handler: string;
  /** `Kind.group` */
  readonly kind: string;
  /** The name and namespace of the object. */
  readonly ref: Ref;
  /** Why its last pass did not remove the finalizer; absent before its first pass. */
  readonly reason?: string;
}

/** Options of `manager.drained()`. */
export interface DrainedOptions {
  /** Called each time that the set of objects changes; with more than ten objects at most once a second. */
  readonly onProgress?: (held: readonly HeldObject[]) => void;
  /** Ends the wait, which then rejects with ERR_DRAIN and names the objects. */
  readonly signal?: AbortSignal;
}

/** Where a drain looks, and what tells it to look again. */
export interface DrainOptions extends DrainedOptions {
  readonly services: Pick<Services, "client" | "clock" | "log" | "election">;
  readonly informers: Informers;
  readonly handlers: readonly AnyHandler[];
  readonly namespaces: readonly string[] | undefined;
  /** Calls `listener` when something has happened that may change the result. */
  readonly onChange: (listener: () => void) => () => void;
  readonly reasons: DrainReasons;
}

/**
 * Resolves when no object holds a finalizer of these handlers, and no other replica could add one.
 * @throws ManagerError ERR_DRAIN when the signal ends the wait
 */
export async function drained(options: DrainOptions): Promise<void> {
  const { signal, onProgress } = options;
  const { clock, log, election } = options.services;
  let told: string | undefined;
  for (;;) {
    const changed = nextChange(options);
    // Asked before the objects are read: writes of another leader until now are then seen.
    const isAlone = election?.isLeading !== false;
    const held = await heldObjects(options);
    const text = JSON.stringify([held, isAlone]);
    if (text !== told) {
      told = text;
      const others = isAlone ? "" : "; waiting for the replica that leads";
      log.info({ left: held.length, first: held.slice(0, MAX_TOLD) }, `drain: ${countOf(held)} still held${others}`);
      onProgress?.(held);
    }
    if (held.length === 0 && isAlone) return;
    await changed;
    // Each look reads all objects, and each removed finalizer is a change.
    if (held.length > MAX_TOLD) await sleep(clock, PAUSE_MS, signal).catch(() => undefined); // Of the signal, which is asked next.
    if (signal?.aborted === true) throw givenUp(held, signal.reason);
  }
}

/** Why the last pass of each object did not remove its finalizer. */
export class DrainReasons {
  readonly #reasons = new Map<string, string>();

  note({ handler, ref, result }: Pick<PassReport, "handler" | "ref" | "result">): void {
    const { outcome, error } = result;
    const isHeld = outcome.type === "wait" || outcome.type === "stop";
    const reason = isHeld ? `step "${outcome.step}": ${outcome.reason}` : error instanceof Error ? error.message : undefined;
    const key = `${handler.name} ${keyOf(ref)}`;
    if (reason === undefined) this.#reasons.delete(key);
    else this.#reasons.set(key, reason);
  }

  of(handler: string, key: string): string | undefined {
    return this.#reasons.get(`${handler} ${key}`);
  }
}

/** Reads the caches as long as they show such objects, then the server, because a cache may lag. */
async function heldObjects(options: DrainOptions): Promise<readonly HeldObject[]> {
  const { handlers, informers } = options;
  const cached = handlers.flatMap((handler) =>
    heldBy(options, handler, (informers.get(handler.kind)?.list() ?? []) as readonly KubernetesObject[]),
  );
  if (cached.length > 0) return cached;
  const live: HeldObject[] = [];
  for (const handler of handlers)
    for (const namespace of options.namespaces ?? [undefined])
      for await (const page of pages(options.services.client, handler, namespace)) live.push(...heldBy(options, handler, page));
  return live;
}

function heldBy({ reasons }: DrainOptions, handler: AnyHandler, objects: readonly KubernetesObject[]): HeldObject[] {
  const { name, kind } = handler;
  const pipeline = pipelineOf(handler);
  const isOurs = (finalizer: string): boolean => finalizer === pipeline.finalizer || pipeline.before.finalizers.has(finalizer);
  return objects
    .filter(({ metadata }) => metadata.finalizers?.some(isOurs) === true)
    .map(({ metadata: { name: objectName, namespace, ...metadata } }) => {
      const ref = namespace === undefined ? { name: objectName } : { name: objectName, namespace };
      const others = metadata.deletionTimestamp === undefined ? undefined : "it is being deleted";
      const reason = reasons.of(name, keyOf(ref)) ?? others;
      return { handler: name, kind: groupKindOf(kind), ref, ...(reason === undefined ? {} : { reason }) };
    });
}

async function* pages(client: Client, { kind }: AnyHandler, namespace: string | undefined): AsyncIterable<readonly KubernetesObject[]> {
  let next: string | undefined;
  do {
    const within = { ...(namespace === undefined ? {} : { namespace }), ...(next === undefined ? {} : { continue: next }) };
    try {
      const { items, metadata } = await client.list(metadataOnly(kind), { limit: PAGE, ...within });
      yield items as readonly KubernetesObject[];
      next = metadata.continue === "" ? undefined : metadata.continue;
    } catch (error) {
      if (isKindNotServed(error)) return; // Without the CRD there are no objects.
      throw error;
    }
  } while (next !== undefined);
}

function nextChange({ onChange, signal }: DrainOptions): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      unsubscribe();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const unsubscribe = onChange(end);
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end);
  });
}

function countOf({ length }: readonly HeldObject[]): string {
  return length === 0 ? "no object is" : length === 1 ? "1 object is" : `${length} objects are`;
}

function givenUp(held: readonly HeldObject[], cause: unknown): ManagerError {
  const named = held
    .slice(0, MAX_TOLD)
    .map(({ kind, ref, reason }) => `${kind} ${keyOf(ref)}${reason === undefined ? "" : ` (${reason})`}`);
  if (held.length === 0)
    return new ManagerError(
      "ERR_DRAIN",
      "the drain was aborted while another replica leads, which may add finalizers: stop it, and drain again",
      {
        cause,
      },
    );
  const more = held.length > MAX_TOLD ? ` and ${held.length - MAX_TOLD} more` : "";
  const message = `the drain was aborted while ${held.length} objects still hold a finalizer: ${named.join(", ")}${more}; drain again, or set the annotation treadle.dev/skip-cleanup on them and delete them`;
  return new ManagerError("ERR_DRAIN", message, { cause });
}

const MAX_TOLD = 10;
const PAGE = 500;
const PAUSE_MS = 1_000;
