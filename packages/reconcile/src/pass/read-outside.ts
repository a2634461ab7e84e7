/** Resolves declared reads outside of a pass, by the code that resolves those of a step. */
import { type KubernetesObject, orAborted } from "@treadle/apimachinery";
import type { ReconcilerEnv } from "../env.ts";
import { Fetches } from "../fetches.ts";
import { Scope } from "../internal/deadline.ts";
import type { AnyRead, Reads, ReadsOf } from "../reads.ts";
import type { Logger } from "../req.ts";
import { type Reading, resolveStepReads } from "./resolve.ts";
import { KindNotInstalled } from "./served.ts";

/** The place that reads outside of a pass come from. */
export interface ReadSources extends Pick<ReconcilerEnv, "client" | "cache" | "isServed" | "refusalOf"> {
  /** What reads, for errors, such as `the webhook of Website`. */
  readonly where: string;
  /** The log. */
  readonly log: Pick<Logger, "warn">;
  /** Ends the requests. */
  readonly signal: AbortSignal;
}

/**
 * Resolves reads for one object outside of a pass. The object need not be stored: it may have no uid. Whole objects of a kind that
 * is cached as metadata, such as a Secret, are requested each time. Of {@link owned} objects only those are found whose controller is
 * the object.
 *
 * @throws the error of a read: of its function, the cache, or the server; {@link KindNotInstalled}; Error for a kind whose watch the
 * server refuses; the signal's reason
 */
export async function resolveReads<T extends KubernetesObject, const R extends Reads<T>>(
  reads: R,
  object: T,
  given: ReadSources,
): Promise<ReadsOf<R>> {
  const { where, log, signal, client, cache } = given;
  signal.throwIfAborted();
  const reading: Reading = {
    env: {
      client,
      cache,
      ...(given.isServed && { isServed: (kind) => given.isServed?.(kind) ?? true }),
      ...(given.refusalOf && { refusalOf: (kind) => given.refusalOf?.(kind) }),
    },
    object,
    log,
    pipeline: { before: { names: [] } },
    fetches: new Fetches(),
    reads: new Map(),
    notServed: undefined,
    noteSecrets() {},
    noteReference() {},
  };
  const step = {
    ...OWNS_NOTHING,
    name: where,
    where,
    reads: reads as Readonly<Record<string, unknown>> as Readonly<Record<string, AnyRead>>,
  };
  const scope = new Scope();
  const end = (): void => scope.revoke(signal.reason as Error); // The reason of an abort is an error.
  signal.addEventListener("abort", end, { once: true });
  try {
    const { values, missing, refusal } = await orAborted(Promise.resolve(resolveStepReads(reading, step, "do", scope)), signal);
    if (missing !== undefined) throw new KindNotInstalled(step, missing);
    if (refusal !== undefined) throw new Error(`${where} cannot read: ${refusal}`);
    return values as ReadsOf<R>; // By the declarations.
  } finally {
    signal.removeEventListener("abort", end);
  }
}

const OWNS_NOTHING = { cleanupReads: {}, owns: [], optionalOwns: [], cleanupChecksKinds: false } as const;
