/**
 * A resource outside the cluster, as small as it can be: one step that observes, creates, updates and deletes a disk.
 * Guarantees: at most one disk for one object, none left when the object is gone, whatever is interrupted when.
 * They rest on three things, in this order: the finalizer, the stored record of the attempt, the create.
 */
import { type Condition, defineResource, type ObjectOf } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import {
  type AnyHandler,
  conditions,
  handler,
  isRetryAfterError,
  isTerminalError,
  one,
  pause,
  RetryAfterError,
  type Step,
  step,
  TerminalError,
} from "@treadle/reconcile";
import { z } from "zod";
import { type Cloud, CloudError, type Disk } from "./cloud.ts";

export const Volume = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Volume",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ sizeGb: z.int32(), credentials: z.string() }),
  status: z.object({ sizeGb: z.int32().optional() }),
});
export interface Volume extends ObjectOf<typeof Volume> {}

/** Which disk is the object's: written by us after a create, or by a person, to import or to mend. */
export const EXTERNAL_NAME = "test.treadle.dev/external-name";
/** A person's word that the attempt of this id made nothing. */
export const FAILED_ATTEMPT = "test.treadle.dev/failed-attempt";
export const POLL_MS = 60_000;
/** After so long a create that was interrupted has happened, or never will: the step's deadline and as much again. */
export const SETTLE_MS = 60_000;

export interface ExternalOptions {
  readonly cloud: Cloud;
  readonly newId: () => string;
  /** Whether the provider can find a disk by the id of the attempt. Without it a person must say what became of it. */
  readonly canRecover?: boolean;
}

export function external(options: ExternalOptions): AnyHandler {
  return handler(Volume).step(conditions()).step(pause()).step(disk(options)).build();
}

const ATTEMPT = z.object({ id: z.string(), startedMs: z.number() });
type Attempt = z.output<typeof ATTEMPT>;

function disk({ cloud, newId, canRecover = true }: ExternalOptions): Step<Volume> {
  return step(Volume, {
    name: "disk",
    conditions: ["Ready", { type: "Synced", ready: "ignored" }],
    reads: { credentials: one(Secret, (volume) => volume.spec.credentials) },
    state: z.object({ attempt: ATTEMPT.optional() }),
    writes: ["annotations"],
    finalizer: "on-demand",

    async do(req) {
      const { sizeGb, credentials } = req.object.spec;
      if (isStale(req.conditions.previous("Synced"), req.now())) req.conditions.unknown("Ready", "NotObserved", "not observed for long");
      else req.conditions.keep("Ready");

      if (req.reads.credentials === undefined) return req.conditions.false("Synced", "NoCredentials", `no Secret ${credentials}`).wait();
      const session = connect(cloud, req.signal);
      const whose = await identify(session, req.annotations, req.state.attempt, req.now());
      if (whose.type === "open") {
        const exit = req.conditions.unknown("Synced", "CreateInterrupted", whose.message);
        return whose.afterMs === undefined ? exit.stop() : exit.wait(whose.afterMs);
      }
      const seen = whose.type === "known" ? await session.observe(whose.id) : undefined;
      // It can be observed, so it can be cleaned up.
      await req.holdFinalizer();

      if (seen === undefined) {
        delete req.annotations[EXTERNAL_NAME];
        const attempt = { id: newId(), startedMs: req.now().getTime() };
        req.state.attempt = attempt;
        await req.checkpoint();
        try {
          req.annotations[EXTERNAL_NAME] = await session.create({ tag: attempt.id, sizeGb });
          delete req.state.attempt;
        } catch (error) {
          if (isRefusal(error)) delete req.state.attempt;
          throw error;
        }
        req.conditions.true("Synced", "Created");
        return req.conditions.false("Ready", "Creating", "the disk is being made").wait();
      }

      req.annotations[EXTERNAL_NAME] = seen.id;
      delete req.state.attempt;
      req.status.sizeGb = seen.sizeGb;
      if (seen.isDeleting) return req.conditions.false("Ready", "Deleting", `somebody deletes ${seen.id}`).wait(POLL_MS);
      req.conditions.true("Ready", "Available");
      if (seen.sizeGb !== sizeGb) {
        await session.update(seen.id, sizeGb);
        req.status.sizeGb = sizeGb;
      }
      req.conditions.true("Synced", "InSync");
      req.revisit(POLL_MS, "observe again");
    },

    async cleanup(req) {
      if (req.reads.credentials === undefined)
        return req.conditions.false("Synced", "NoCredentials", `no Secret ${req.object.spec.credentials}`).wait();
      const session = connect(cloud, req.signal);
      const whose = await identify(session, req.object.metadata.annotations ?? {}, req.state.attempt, req.now());
      if (whose.type === "open") return req.conditions.unknown("Synced", "CreateInterrupted", whose.message).wait(whose.afterMs);
      if (whose.type === "none") return;
      const seen = await session.observe(whose.id);
      if (seen === undefined) return;
      if (!seen.isDeleting) await session.delete(seen.id);
      req.conditions.true("Synced", "Deleting");
      return req.conditions.false("Ready", "Deleting", `${seen.id} is being deleted`).wait(POLL_MS);
    },
  });

  /** Which disk is the object's, as far as that can be known. */
  async function identify(
    session: Session,
    annotations: Readonly<Record<string, string>>,
    attempt: Attempt | undefined,
    now: Date,
  ): Promise<Identity> {
    const id = annotations[EXTERNAL_NAME];
    if (id !== undefined) return { type: "known", id };
    if (attempt === undefined || annotations[FAILED_ATTEMPT] === attempt.id) return { type: "none" };
    if (!canRecover) {
      const message =
        `create ${attempt.id} was interrupted: set the annotation ${EXTERNAL_NAME} to the disk that it made, ` +
        `or ${FAILED_ATTEMPT}: ${attempt.id} if it made none`;
      return { type: "open", message };
    }
    const found = await session.find(attempt.id);
    if (found !== undefined) return { type: "known", id: found };
    const afterMs = attempt.startedMs + SETTLE_MS - now.getTime();
    return afterMs > 0 ? { type: "open", afterMs, message: `create ${attempt.id} was interrupted and may still happen` } : { type: "none" };
  }
}

type Identity =
  | { readonly type: "known"; readonly id: string }
  /** There is none, for certain. */
  | { readonly type: "none" }
  /** An attempt of which nobody knows what became; without a time a person must say. */
  | { readonly type: "open"; readonly message: string; readonly afterMs?: number };

/** A condition that was not True for several polls: what an older observation said may have long been wrong. */
function isStale(synced: Condition | undefined, now: Date): boolean {
  return synced !== undefined && synced.status !== "True" && now.getTime() - Date.parse(synced.lastTransitionTime) > 5 * POLL_MS;
}

type Session = ReturnType<typeof connect>;

/** The provider as one phase uses it: its calls end with the phase, its errors say what they ask of the engine. */
function connect(cloud: Cloud, signal: AbortSignal) {
  return {
    observe: (id: string): Promise<Disk | undefined> => told(cloud.observe(id, signal)),
    find: (tag: string): Promise<string | undefined> => told(cloud.find(tag, signal)),
    create: (disk: { readonly tag: string; readonly sizeGb: number }): Promise<string> => told(cloud.create(disk, signal)),
    update: (id: string, sizeGb: number): Promise<void> => told(cloud.update(id, sizeGb, signal)),
    delete: (id: string): Promise<void> => told(cloud.delete(id, signal)),
  };
}

async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    if (error.type === "invalid") throw new TerminalError(error.message, { code: "Invalid", cause: error });
    if (error.type === "throttled") throw new RetryAfterError(error.message, error.retryAfterMs, { code: "Throttled", cause: error });
    throw error;
  }
}

/** The provider answered, and made nothing. */
function isRefusal(error: unknown): boolean {
  return isTerminalError(error) || isRetryAfterError(error);
}
