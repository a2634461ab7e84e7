/**
 * A reconciler runs passes of one handler. It loads the object, runs the pipeline, keeps the memory of each object, and reports
 * when the next pass is due. It opens no connection: the caller gives it client and cache.
 */
import { keyOf, type KubernetesObject, type Ref, refOf } from "@treadle/apimachinery";
import type { ReconcilerEnv } from "./env.ts";
import { Fetches } from "./fetches.ts";
import { type AnyHandler, pipelineOf } from "./handler.ts";
import { noteClaims } from "./save/claims.ts";
import { hasOurFinalizer } from "./record/finalizer-names.ts";
import { dropSlots, Memories, NOTHING_WRITTEN } from "./record/memory.ts";
import { runPass } from "./pass/pass.ts";
import { settleWatches } from "./pass/pass-watches.ts";
import { waitReasonOf } from "./pass/wait-reason.ts";
import { Pass } from "./record/pass-state.ts";
import { References } from "./record/references.ts";
import { describe, errorFields } from "./internal/redact.ts";
import { decideRequeue, isTerminal, nextWait, paced } from "./pass/requeue.ts";
import { withContext } from "./pass/loggers.ts";
import { logDeletion } from "./record/change-log.ts";
import type { PassResult, PhaseReport } from "./pass-result.ts";
import type { OneRead } from "./reads.ts";
import type { Logger } from "./req.ts";
import { Shared } from "./shared.ts";

/** The options of {@link Reconciler.pass}. */
export interface PassOptions {
  /** The signal of a shutdown. It ends the chain; posts and save still run, within their own time. */
  readonly signal?: AbortSignal;
  /** The id of the pass in log lines. */
  readonly reconcileID?: string;
  /** The cause of the pass for the log, such as `Secret ns/in was updated`. */
  readonly cause?: string;
}

/** A reconciler runs passes of one handler. */
export interface Reconciler {
  /**
   * Runs one pass of the object `ref`. It resolves when everything is stored, and never rejects. The caller runs at most one
   * pass of an object at a time. After a pass with `strays`, the next pass must not start before `strays.freed`.
   */
  pass(ref: Ref, options?: PassOptions): Promise<PassResult>;
  /** Drops the memory of an object that is no longer reconciled. Must not be called during a pass of the object. Writes nothing. */
  forget(ref: Ref): void;
  /** Returns the primaries whose last pass named the object `ref` by a read with `through()`. */
  readersOf(read: OneRead, ref: Ref): Iterable<Ref>;
}

/** Makes a reconciler for `handler`. */
export function createReconciler(handler: AnyHandler, env: ReconcilerEnv): Reconciler {
  const pipeline = pipelineOf(handler);
  const fetches = env.fetches ?? new Fetches();
  const shared = env.shared ?? new Shared();
  const references = new References();
  const memories = new Memories(pipeline, { fetches, references, clock: env.clock, watches: env.watches, metrics: env });
  const context = { controller: handler.name, kind: handler.kind.kind };

  return {
    forget: (ref) => memories.forget(keyOf(ref)),
    readersOf: (read, ref) => references.primariesOf(read, ref).map(refOf),
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
      const signal = options.signal ?? NEVER;
      const pass = new Pass({ pipeline, env, object, memory, signal, log, fetches, references, shared, cause: options.cause });
      await runPass(pass);
      pass.drafts.close();
      if (pass.watches !== undefined || memory.watches !== undefined) settleWatches(pass);
      if (pass.claimed !== undefined) noteClaims(pass);
      if (pass.isGone && memories.forget(key)) logDeletion(log, handler.kind, ref);
      // The server stored nothing of a dry run, so the next pass must not rely on its memory.
      if (env.isDryRun) dropSlots(memory);
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
      log.error({ ...summary, phases: result.phases.map(withoutReason), ...stepOf(result), ...errorFields(result.error) }, "pass failed");
    return result;
  }
}

/** The step that failed; absent if a save or several steps failed. */
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
  // A pass that stored nothing after the live read would meet the same conflict again. The cache must catch up first, and the
  // waiting backoff gives it time.
  const all = isRebased && writer.isAhead ? [...pass.asked, { reason: ANOTHER_WROTE }] : pass.asked;
  const atOnce =
    isRebased && !writer.isAhead ? ANOTHER_WROTE : generationMoved && !writer.isAhead ? "the pass changed the spec" : undefined;
  // A dry run would write the same in each pass.
  const progressed =
    !pass.env.isDryRun && (writer.writesBesidesStatus > 0 || [...pass.written].some((write) => !memory.written.has(write)));
  memory.written = pass.written.size === 0 ? NOTHING_WRITTEN : pass.written;
  const asked = paced(memory.waiting, all, progressed);
  const waitMs = nextWait(memory.waiting, asked, progressed);
  const errors = failures.map(({ error }) => error);
  const error =
    errors.length > 1 ? new AggregateError(errors, `${errors.length} failures in one pass: ${errors.map(describe).join("; ")}`) : errors[0];
  // Most passes end without a wait.
  const waitReason = pass.over === undefined && pass.outcome?.type !== "wait" ? undefined : waitReasonOf(pass);
  return {
    outcome,
    requeue: pass.isAborted ? { type: "none" } : decideRequeue({ failures, asked, atOnce, waitMs, dueMs: pass.dueMs }),
    ...(error === undefined ? {} : { error }),
    isTerminal: errors.length > 0 && errors.every(isTerminal),
    phases,
    writes: writer.writes,
    ...(waitReason === undefined ? {} : { waitReason }),
    ...(pass.ending.type === "paused" ? { isPaused: true as const } : {}),
  };
}

const ANOTHER_WROTE = "another writer changed the object during the pass";

/** A phase as the line of a failed pass shows it: the reason of a failure is the error of the line. */
function withoutReason(report: PhaseReport): PhaseReport {
  const { reason: _reason, ...rest } = report;
  return report.result === "failed" ? rest : report;
}
