/**
 * A reconciler runs passes of one handler: it loads the object, runs the pipeline, remembers per key what must not be
 * forgotten between passes, and reports what the queue needs to know. It opens no connection: client and cache are given.
 */
import { keyOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { ReconcilerEnv } from "./env.ts";
import { Fetches } from "./fetches.ts";
import type { AnyHandler } from "./handler.ts";
import { noteClaims } from "./save/claims.ts";
import { hasOurFinalizer } from "./record/finalizer-names.ts";
import { Memories, NOTHING_WRITTEN } from "./record/memory.ts";
import { PAUSED_OUTCOME, runPass } from "./pass/pass.ts";
import { Pass } from "./record/pass-state.ts";
import { describe, withoutSecrets } from "./internal/redact.ts";
import { decideRequeue, isTerminal, nextWait, paced } from "./pass/requeue.ts";
import { withContext } from "./pass/loggers.ts";
import { logDeletion } from "./record/change-log.ts";
import type { PassResult } from "./pass-result.ts";
import type { Logger } from "./req.ts";

/** Options of {@link Reconciler.pass}. */
export interface PassOptions {
  /** Ends the chain of the pass at shutdown; posts and save still run, within their own budget. */
  readonly signal?: AbortSignal;
  /** Names the pass in logs. */
  readonly reconcileID?: string;
  /** What started the pass, such as `Secret ns/in was updated`: for the log. */
  readonly cause?: string;
}

/** Runs passes of one handler. */
export interface Reconciler {
  /**
   * Runs one pass for the object named `ref`. Never rejects. Resolves when everything is stored. The caller runs at most
   * one at a time for a key, and where a step outlived its deadline the next one not before `strays.freed`.
   */
  pass(ref: Ref, options?: PassOptions): Promise<PassResult>;
  /** Drops what is remembered of the object, which is not looked after any more; not during a pass for it. Writes nothing. */
  forget(ref: Ref): void;
}

/** Makes a reconciler for `handler`. */
export function createReconciler(handler: AnyHandler, env: ReconcilerEnv): Reconciler {
  const { pipeline } = handler;
  const fetches = env.fetches ?? new Fetches();
  const memories = new Memories(pipeline, fetches, env.clock);
  const context = { controller: handler.name, kind: handler.kind.kind };

  return {
    forget: (ref) => memories.forget(keyOf(ref)),
    async pass(ref, options = {}) {
      const startedMs = env.clock.now();
      const key = keyOf(ref);
      const log = withContext(env.log, {
        ...context,
        object: key,
        ...(options.reconcileID === undefined ? {} : { reconcileID: options.reconcileID }),
      });

      let object: KubernetesObject | undefined;
      try {
        object = env.cache.get(handler.kind, ref);
      } catch (error) {
        return finished(loadFailed(error), log, startedMs);
      }
      if (object === undefined) {
        if (memories.forget(key)) logDeletion(log, handler.kind, ref);
        return GONE;
      }
      const mayBeLeft = object.metadata.deletionTimestamp !== undefined || env.drain !== undefined;
      if (mayBeLeft && !hasOurFinalizer(pipeline, object)) return LEFT;

      const memory = memories.of(key, object);
      const pass = new Pass({ pipeline, env, object, memory, signal: options.signal ?? NEVER, log, fetches, cause: options.cause });
      await runPass(pass);
      pass.drafts.close();
      if (pass.claimed !== undefined) noteClaims(pass);
      if (pass.isGone && memories.forget(key)) logDeletion(log, handler.kind, ref);
      // What a dry run applied was not stored: the next pass must not count on it.
      if (env.isDryRun) delete memory.slots;
      const { uid } = object.metadata;
      return finished({ ...resultOf(pass), ...(uid === undefined ? {} : { uid }), ...straysOf(pass) }, log, startedMs);
    },
  };

  /** Logs a failed pass, once, and every other pass at debug level. */
  function finished(result: PassResult, log: Logger, startedMs: number): PassResult {
    const summary = {
      outcome: result.outcome.type,
      requeue: result.requeue,
      durationMs: env.clock.now() - startedMs,
      phases: result.phases,
    };
    if (result.error === undefined) log.debug(summary, "pass finished");
    else
      log.error({ ...summary, ...stepOf(result), ...errorFields(result.error) }, `pass failed: ${withoutSecrets(describe(result.error))}`);
    return result;
  }
}

/** The step that failed; none where a save or several steps did. */
function stepOf({ outcome, phases }: PassResult): { readonly step?: string } {
  if (outcome.type === "failed") return { step: outcome.step };
  const failed = phases.find(({ result }) => result === "failed");
  return failed === undefined ? {} : { step: failed.step };
}

const NOTHING: Omit<PassResult, "outcome"> = { requeue: { type: "none" }, isTerminal: false, phases: [], writes: 0 };
const GONE: PassResult = { outcome: { type: "gone" }, ...NOTHING };
const LEFT: PassResult = { outcome: { type: "left" }, ...NOTHING };
const DONE = { type: "done" } as const;
const NEVER: AbortSignal = new AbortController().signal;

function loadFailed(error: unknown): PassResult {
  return {
    outcome: { type: "failed", step: "(load)", error },
    requeue: { type: "failure" },
    error,
    isTerminal: false,
    phases: [],
    writes: 0,
  };
}

function straysOf(pass: Pass): Pick<PassResult, "strays"> {
  if (pass.strays.length === 0) return {};
  const returned = Promise.all(pass.strays).then(() => undefined);
  const freed = new Promise<void>((resolve) => {
    const timer = pass.clock.after(pass.endsAtMs - pass.clock.now(), resolve);
    void returned.then(() => {
      timer.cancel();
      resolve();
    });
  });
  return { strays: { freed, returned } };
}

function resultOf(pass: Pass): PassResult {
  const { outcome = DONE, failures, phases, writer, memory } = pass;
  if (pass.isGone) return { ...GONE, phases, writes: writer.writes };
  const generationMoved = pass.over === undefined && writer.newest.metadata.generation !== pass.object.metadata.generation;
  const isRebased = writer.isRebased && pass.over === undefined;
  // A pass that stored nothing after the live read, superseded or because there was nothing left to store, would meet the
  // same conflict again: the cache must catch up first, and the waiting curve gives it time.
  const all = isRebased && writer.isAhead ? [...pass.asked, { reason: ANOTHER_WROTE }] : pass.asked;
  const atOnce =
    isRebased && !writer.isAhead ? ANOTHER_WROTE : generationMoved && !writer.isAhead ? "the pass changed the spec" : undefined;
  // What a dry run did not write it would write again in each pass.
  const progressed =
    !pass.env.isDryRun && (writer.writesBesidesStatus > 0 || [...pass.written].some((write) => !memory.written.has(write)));
  memory.written = pass.written.size === 0 ? NOTHING_WRITTEN : pass.written;
  const asked = paced(memory.waiting, all, progressed);
  const waitMs = nextWait(memory.waiting, asked, progressed);
  const errors = failures.map(({ error }) => error);
  const error =
    errors.length > 1 ? new AggregateError(errors, `${errors.length} failures in one pass: ${errors.map(describe).join("; ")}`) : errors[0];
  return {
    outcome,
    requeue: pass.isAborted ? { type: "none" } : decideRequeue({ failures, asked, atOnce, waitMs }),
    ...(error === undefined ? {} : { error }),
    isTerminal: errors.length > 0 && errors.every(isTerminal),
    phases,
    writes: writer.writes,
    ...(outcome === PAUSED_OUTCOME ? { isPaused: true as const } : {}),
  };
}

const ANOTHER_WROTE = "another writer changed the object during the pass";

function errorFields(error: unknown): object {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { error: withoutSecrets(describe(error)), stack: withoutSecrets(stack) };
}
