/** The trace of a pass: a root span from the event that caused it, with the queue, the pass and its steps below it. */
import { groupKindOf, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import type { AnyHandler, PassResult, PhaseReport } from "@treadle/reconcile";
import type { PhaseWatch, RunningPhase } from "@treadle/reconcile/unstable/engine";
import { LruMap } from "../internal/lru-map.ts";
import type { Tracing } from "./tracing.ts";

interface Cause {
  /** One of few values, because it names spans. */
  readonly name: string;
  readonly text: string;
}

export class PassTracing {
  readonly #handler: AnyHandler;
  readonly #tracing: Tracing;
  /** The first event that queued each waiting key. */
  readonly #causes = new LruMap<string, Cause>();
  readonly #waitedMs = new LruMap<string, number>();

  constructor(handler: AnyHandler, tracing: Tracing) {
    this.#handler = handler;
    this.#tracing = tracing;
  }

  /** Notes that an event queues the key. */
  caused(key: string, kind: Kind, { type, object }: InformerEvent<KubernetesObject>): void {
    if (this.#causes.get(key) === undefined)
      this.#causes.set(key, { name: `${type} ${kind.kind}`, text: `${type} ${groupKindOf(kind)} ${keyOf(object.metadata)}` });
  }

  /** Notes that the key was handed out. */
  started(key: string, waitedMs: number): void {
    this.#waitedMs.set(key, waitedMs);
  }

  /** Runs the pass within its spans. */
  async pass(ref: Ref, reconcileID: string, run: () => Promise<PassResult>): Promise<PassResult> {
    const tracing = this.#tracing;
    const key = keyOf(ref);
    const now = tracing.clock.now();
    const queuedAt = now - (this.#waitedMs.get(key) ?? 0);
    this.#waitedMs.delete(key);
    const { name, kind } = this.#handler;
    const cause = this.#causes.get(key) ?? { name: `requeue ${kind.kind}`, text: "requeue" };
    this.#causes.delete(key);
    const root = tracing.start({
      name: cause.name,
      atMs: queuedAt,
      parent: tracing.root(),
      type: "consumer",
      attributes: {
        "treadle.controller": name,
        "treadle.cause": cause.text,
        "treadle.kind": groupKindOf(kind),
        "k8s.namespace.name": ref.namespace,
        "treadle.object": key,
        "treadle.reconcile_id": reconcileID,
      },
    });
    tracing.start({ name: "queue", atMs: queuedAt, parent: root.context }).end(now);
    const pass = tracing.start({ name: `pass ${name}`, atMs: now, parent: root.context });
    try {
      const result = await tracing.run(pass.context, run);
      pass.set("treadle.outcome", result.outcome.type);
      pass.set("treadle.requeue", result.requeue.type);
      if (result.error !== undefined) for (const span of [pass, root]) span.failed(result.error);
      return result;
    } finally {
      pass.end();
      root.end();
    }
  }

  /** Starts the span of a phase; undefined outside of a pass. */
  readonly phaseBegan = ({ step, phase }: RunningPhase): PhaseWatch | undefined => {
    const tracing = this.#tracing;
    const parent = tracing.active();
    if (!tracing.isTraced(parent)) return undefined;
    const span = tracing.start({
      name: `${phase} ${step}`,
      atMs: tracing.clock.now(),
      parent,
      attributes: { "treadle.step": step, "treadle.phase": phase },
    });
    return {
      run: (work) => tracing.run(span.context, work),
      returned() {},
      ended({ result, reason }: Pick<PhaseReport, "result" | "reason">) {
        span.set("treadle.result", result);
        if (result === "failed") span.failed(reason);
        else if (reason !== undefined) span.set("treadle.reason", reason);
        span.end();
      },
    };
  };
}
