/**
 * The writer is the only place where the engine writes the primary. Every write is a merge patch with the resourceVersion of the
 * newest known state. After a conflict it reads the object live, computes the patch again, and sends it, at most five times. So a
 * change of another writer is never overwritten.
 */
import { type ApiError, isConflict, type Kind, type KubernetesObject, keyOf, type Ref } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { ReconcileError } from "../errors.ts";
import type { Basis } from "./material.ts";

/** The maximum number of live reads after conflicts. Then another writer is faster than we are: a quiet requeue. */
const MAX_REBASES = 5;

/** Ends a pass without an error: the object changed so that its result no longer counts. */
export class QuietRequeue extends Error {
  override readonly name = "QuietRequeue";
}

/** The primary no longer exists: the pass is done. */
export class PrimaryGone extends Error {
  override readonly name = "PrimaryGone";
}

export interface WriterOptions {
  readonly client: Pick<Client, "get" | "patch">;
  readonly kind: Kind;
  readonly fieldManager: string;
  readonly observeWrite: (stored: KubernetesObject, before: KubernetesObject) => void;
  /** Whether a change by another writer does not matter for the pass. */
  readonly isImmaterial: (before: KubernetesObject, after: KubernetesObject, basis: Basis) => boolean;
  /** Called when a write ends the pass. */
  readonly onOver: (reason: QuietRequeue | PrimaryGone) => void;
  /** Announces a write; the returned function is called after the answer, also after an error. */
  readonly expectWrite: (ref: Ref) => () => void;
}

export interface WriteOptions {
  /** The limit of a write that takes too long. */
  readonly limit: Limit;
  /** The basis of the decision for this write; absent if a change of it does not matter. */
  readonly guarded?: Basis;
  /** A conflict is an error at once: the object is not read again. @defaultValue false */
  readonly isTriedOnce?: boolean;
  /** Rings around the sending of each patch. @defaultValue none */
  readonly send?: (patch: object, send: Send) => Promise<Sent>;
}

/** Sends one patch. */
export type Send = () => Promise<Sent>;

/** The result of sending a patch: stored, held back because it would change nothing, or because it was sent too often. */
export type Sent = "sent" | "futile" | "too fast";

/** The result of a write: there was nothing to write, or the result of the last patch. */
export interface Written {
  readonly type: "nothing" | Sent;
  readonly patch: object | undefined;
}

/** A limit has a signal, which is made at its first use. */
export interface Limit {
  readonly signal: AbortSignal;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #uid: string | undefined;
  readonly #ref: Ref;
  #newest: KubernetesObject;
  /** Ends with the last requested write. */
  #turn: Promise<void> | undefined;
  #rebases = 0;
  #isAhead = false;
  #writes = 0;
  #writesBesidesStatus = 0;

  constructor(object: KubernetesObject, options: WriterOptions) {
    this.#newest = object;
    this.#uid = object.metadata.uid;
    const { name, namespace } = object.metadata;
    this.#ref = namespace === undefined ? { name } : { name, namespace };
    this.#options = options;
  }

  /** The newest known state: as loaded, later as answered by the server. */
  get newest(): KubernetesObject {
    return this.#newest;
  }

  /** Whether another writer wrote during the pass, so that the pass decided on an older state. */
  get isRebased(): boolean {
    return this.#rebases > 0;
  }

  /** Whether the newest state was read live, so that the cache may not show it yet. */
  get isAhead(): boolean {
    return this.#isAhead;
  }

  get writes(): number {
    return this.#writes;
  }

  /** Writes of metadata, spec or finalizers. */
  get writesBesidesStatus(): number {
    return this.#writesBesidesStatus;
  }

  /**
   * Writes the patch that `change` computes from the newest state, again after every conflict. If `change` returns undefined,
   * there is nothing to write, and no request is made.
   *
   * A guarded write precedes or follows something that cannot be undone (a side effect, a cleanup). If the write of another
   * writer matters for the decisions of the pass, the pass is over.
   *
   * @throws QuietRequeue, PrimaryGone, or the API's error.
   */
  async write(
    target: "object" | "status",
    change: (newest: KubernetesObject) => object | undefined,
    options: WriteOptions,
  ): Promise<Written> {
    const before = this.#turn;
    const turn = Promise.withResolvers<void>();
    this.#turn = turn.promise;
    // One write at a time: each starts from what the one before it stored.
    if (before !== undefined) await before;
    try {
      return await this.#write(target, change, options);
    } catch (error) {
      // Also if the caller catches the error: the knowledge of this pass is outdated.
      if (error instanceof QuietRequeue || error instanceof PrimaryGone) this.#options.onOver(error);
      throw error;
    } finally {
      if (this.#turn === turn.promise) this.#turn = undefined;
      turn.resolve();
    }
  }

  async #write(
    target: "object" | "status",
    change: (newest: KubernetesObject) => object | undefined,
    { limit, guarded, send, isTriedOnce = false }: WriteOptions,
  ): Promise<Written> {
    for (let attempt = 0; ; attempt++) {
      const patch = change(this.#newest);
      if (patch === undefined) return { type: "nothing", patch };
      try {
        const sending = (): Promise<Sent> => this.#send(target, patch, limit.signal);
        return { type: await (send === undefined ? sending() : send(patch, sending)), patch };
      } catch (error) {
        if (target === "status" && isNotThere(error)) await this.#explain(error as Error, limit.signal);
        if (isGone(error, this.#ref)) throw new PrimaryGone(`${keyOf(this.#ref)} no longer exists`);
        if (!isConflict(error) || isTriedOnce) throw error;
        if (attempt === MAX_REBASES) throw new QuietRequeue(`conflict: others write ${keyOf(this.#ref)} all the time`);
        const before = this.#newest;
        await this.#reread(limit.signal);
        if (guarded !== undefined && !this.#options.isImmaterial(before, this.#newest, guarded))
          throw new QuietRequeue(`${keyOf(this.#ref)} was changed while a pass decided on it`);
      }
    }
  }

  async #send(target: "object" | "status", patch: object, signal: AbortSignal): Promise<Sent> {
    const { client, kind, fieldManager, observeWrite, expectWrite } = this.#options;
    const { resourceVersion } = this.#newest.metadata;
    const metadata = { ...(patch as { metadata?: object }).metadata, resourceVersion };
    const answered = expectWrite(this.#ref);
    try {
      const stored: KubernetesObject = await client.patch(
        kind,
        this.#ref,
        { type: "merge", body: { ...patch, metadata } },
        { fieldManager, signal, ...(target === "status" ? { subresource: "status" as const } : {}) },
      );
      const before = this.#newest;
      this.#newest = stored;
      this.#isAhead = false;
      this.#writes++;
      if (target === "object") this.#writesBesidesStatus++;
      observeWrite(stored, before);
      return "sent";
    } finally {
      answered();
    }
  }

  /** Explains a 404 for the status of an object that exists: the kind has no status subresource. */
  async #explain(cause: Error, signal: AbortSignal): Promise<void> {
    const { client, kind } = this.#options;
    const live: KubernetesObject | undefined = await client.get(kind, this.#ref, { signal }).catch(() => undefined);
    if (live?.metadata.uid !== this.#uid) return;
    throw new ReconcileError(
      "ERR_NOT_STORED",
      `kind ${kind.kind} has no status subresource on this server, so no status, condition or step state can be stored: ` +
        `add "subresources: { status: {} }" to its CRD, or leave them out of the handler`,
      { cause },
    );
  }

  async #reread(signal: AbortSignal): Promise<void> {
    const { client, kind } = this.#options;
    const live: KubernetesObject | undefined = await client.get(kind, this.#ref, { signal });
    if (live === undefined) throw new PrimaryGone(`${keyOf(this.#ref)} no longer exists`);
    if (live.metadata.uid !== this.#uid) throw new QuietRequeue(`${keyOf(this.#ref)} was deleted and made again`);
    this.#newest = live;
    this.#isAhead = true;
    this.#rebases++;
  }
}

/** Whether the error is a 404 of any kind. */
function isNotThere(error: unknown): boolean {
  const { code } = error as Partial<ApiError>;
  return code === "ERR_NOT_FOUND" || code === "ERR_KIND_NOT_SERVED";
}

/** Whether the error is a 404 of this object, and not of a subresource or kind. */
function isGone(error: unknown, ref: Ref): boolean {
  const { code, details } = error as Partial<ApiError>;
  return code === "ERR_NOT_FOUND" && details?.name === ref.name;
}
