/**
 * runSet: converges one set without an operator, until its caller has seen enough. It is the engine of sets, with a store in place of a
 * custom resource: order, ownership, pruning, readiness and memory are those of `dependentSet()`.
 *
 * Guarantees
 * - What the owner has to remember is stored before the objects that need it. A run that was killed at any point is finished by the next one.
 * - One pass at a time, and no request after the end.
 *
 * Not for operators: a controller has queues, leader election and metrics.
 */
import { type Kind, keyOf, type KubernetesObject, type Ref, refOf } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { conditions, handler, type Logger } from "@treadle/reconcile";
import {
  createReconciler,
  deepFreeze,
  defineStep,
  delayAfter,
  type PassResult,
  type ReconcilerEnv,
} from "@treadle/reconcile/unstable/engine";
import type { AnySetOptions } from "../set/definition.ts";
import { hookedParts } from "../set/dependent-set.ts";
import type { RunCluster } from "./cluster.ts";
import { progressOf, type RunProgress } from "./progress.ts";
import { ownerClient, type StoredOwner } from "./stored-owner.ts";

/** The options of {@link runSet}. */
export interface RunSetOptions {
  /** The kind of the owner, with `dependents: true` and `stepState: true`. No server has to know it. */
  readonly kind: Kind;
  /** The name in the labels of the objects, as that of a handler. */
  readonly handlerName: string;
  /** The set. Its kinds are any, and its cluster is {@link RunSetOptions.cluster}. */
  readonly set: Omit<AnySetOptions, "kinds" | "target">;
  /** Where the owner is stored. */
  readonly owner: StoredOwner;
  /** The cluster of the objects. */
  readonly cluster: RunCluster;
  /** Replaces the client of the writes, such as by one that records them. @defaultValue that of the cluster */
  readonly through?: (client: Client) => Client;
  /** Whether each write is a dry run of the server, and nothing is stored. All objects are looked at, without waiting for others. @defaultValue false */
  readonly isDryRun?: boolean;
  /** The log of the passes. @defaultValue nothing is logged */
  readonly log?: Logger;
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** Waits. The signal ends the wait, and rejects or resolves. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Called after each pass; `"end"` ends the run. The longest wait until the next pass, in milliseconds, is in the answer. */
  onPass(report: RunReport): RunDecision | Promise<RunDecision>;
}

/** How a run goes on. */
export type RunDecision = "end" | { readonly atMostMs: number };

/** What is known after a pass. */
export interface RunReport {
  /** What the pass found; `undefined`: it did not look at objects, because something else failed or is awaited. */
  readonly progress: RunProgress | undefined;
  /** The condition of the set as it is stored; `undefined`: none yet. */
  readonly condition: { readonly status: string; readonly reason: string; readonly message: string } | undefined;
  /** The owner after the pass; `undefined`: it was deleted, and all its objects were removed or released. */
  readonly owner: KubernetesObject | undefined;
  /** The end of the pass. */
  readonly result: PassResult;
}

/** Runs passes until the caller ends the run, or the owner no longer exists. @throws the reason of the signal, and what `onPass` throws */
export async function runSet(options: RunSetOptions): Promise<void> {
  const { owner, signal } = options;
  const present = owner.current;
  if (present === undefined) throw new TypeError("runSet: the owner does not exist");
  const ref: Ref = refOf(keyOf(present.metadata));
  let progress: RunProgress | undefined;
  let wake = Promise.withResolvers<void>();
  const reconciler = createReconciler(
    handlerOf(options, (found) => void (progress = found)),
    envOf(options, () => wake.resolve()),
  );
  try {
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      progress = undefined;
      wake = Promise.withResolvers();
      const result = await reconciler.pass(ref, { signal });
      await result.strays?.freed;
      signal.throwIfAborted();
      failures = result.requeue.type === "failure" ? failures + 1 : 0;
      const { current } = owner;
      const decision = await options.onPass({ progress, condition: conditionOf(current, options.set.condition), owner: current, result });
      if (decision === "end" || current === undefined) return;
      await pause(options, Math.min(decision.atMostMs, delayOf(result, failures)), wake.promise);
    }
  } finally {
    reconciler.forget(ref);
  }

  function conditionOf(object: KubernetesObject | undefined, type: string): RunReport["condition"] {
    const { conditions: all = [] } =
      (object as { readonly status?: { readonly conditions?: readonly Condition[] } } | undefined)?.status ?? {};
    return all.find((each) => each.type === type);
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function handlerOf({ kind, handlerName, set, cluster, through }: RunSetOptions, onFound: (progress: RunProgress) => void) {
  const options: AnySetOptions = { ...set, kinds: "any", target: cluster.target(through) };
  const step = defineStep(kind, hookedParts(kind, options, { onFound: (found) => onFound(progressOf(found)) }));
  return handler(kind as Kind, { name: handlerName })
    .step(conditions())
    .step(step as never) // What defineStep() returns is opaque.
    .build();
}

function envOf({ kind, owner, cluster, isDryRun = false, log = SILENT }: RunSetOptions, wake: () => void): ReconcilerEnv {
  const isOwner = (asked: Kind): boolean => asked.group === kind.group && asked.kind === kind.kind;
  return {
    client: ownerClient(owner, { isDryRun }),
    cache: {
      get: (asked) => (isOwner(asked) && owner.current !== undefined ? deepFreeze(owner.current) : undefined) as never, // It has one object.
      list: () => [],
    },
    clock: cluster.clock,
    log,
    isDryRun,
    wake,
  };
}

/** The time until the next pass, in milliseconds. A watch may end it. */
function delayOf({ requeue }: PassResult, failures: number): number {
  if (requeue.type === "after") return requeue.afterMs;
  if (requeue.type === "failure")
    return requeue.afterMs ?? Math.min(requeue.atMostMs ?? Number.POSITIVE_INFINITY, delayAfter(failures - 1));
  return LONGEST_MS;
}

/** Time after which a pass looks again although nothing has happened, in milliseconds. */
const LONGEST_MS = 10_000;

async function pause({ sleep, signal }: RunSetOptions, ms: number, woken: Promise<void>): Promise<void> {
  const over = new AbortController();
  const slept = sleep(ms, AbortSignal.any([signal, over.signal])).catch(() => undefined);
  await Promise.race([slept, woken]);
  over.abort();
  await slept;
}

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
