/**
 * Writer: the only place where the engine writes the primary. Every write is a merge patch with the resourceVersion of the
 * newest state it knows; a conflict re-reads live, asks again what must change, and tries again, five times at most.
 * So whatever others wrote in between is seen, not overwritten.
 */
import { type ApiError, isConflict, type Kind, type KubernetesObject, keyOf, type Ref } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { ReconcileError } from "../errors.ts";
import type { Basis } from "./material.ts";

/** After so many re-reads somebody writes faster than we do: a quiet requeue. */
const MAX_REBASES = 5;

/** Ends a pass without an error: the object changed so that its result no longer counts. */
export class QuietRequeue extends Error {
  override readonly name = "QuietRequeue";
}

/** The primary does not exist any more: the pass is done. */
export class PrimaryGone extends Error {
  override readonly name = "PrimaryGone";
}

export interface WriterOptions {
  readonly client: Pick<Client, "get" | "patch">;
  readonly kind: Kind;
  readonly fieldManager: string;
  readonly observeWrite: (stored: KubernetesObject, before: KubernetesObject) => void;
  /** Whether a change by somebody else gives the pass no reason to decide otherwise. */
  readonly isImmaterial: (before: KubernetesObject, after: KubernetesObject, basis: Basis) => boolean;
  /** Told when a write ends the pass, at the moment of it. */
  readonly onOver: (reason: QuietRequeue | PrimaryGone) => void;
  /** Announces a write; what it returns is called when the answer is there, whatever it says. */
  readonly expectWrite: (ref: Ref) => () => void;
}

export interface WriteOptions {
  /** What ends a write that takes too long. */
  readonly limit: Limit;
  /** What the pass decided on before this write; absent where a change of it does not matter. */
  readonly guarded?: Basis;
  /** Rings around the sending of each patch. @defaultValue none */
  readonly send?: (patch: object, send: Send) => Promise<Sent>;
}

/** Sends one patch. */
export type Send = () => Promise<Sent>;

/** What became of a patch: it was stored, or held back because it would change nothing, or because it was sent too often. */
export type Sent = "sent" | "futile" | "too fast";

/** What became of a write: nothing was to be written, or what became of the last patch. */
export interface Written {
  readonly type: "nothing" | Sent;
  readonly patch: object | undefined;
}

/** Something with a signal, which is made only when it is asked for. */
export interface Limit {
  readonly signal: AbortSignal;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #uid: string | undefined;
  readonly #ref: Ref;
  #newest: KubernetesObject;
  /** Ends with the write that was asked for last. */
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

  /** The newest state that we know: as loaded, later as answered by the server. */
  get newest(): KubernetesObject {
    return this.#newest;
  }

  /** Somebody else wrote during the pass: what it decided was decided on an older state. */
  get isRebased(): boolean {
    return this.#rebases > 0;
  }

  /** The newest state was read, not written: the cache may not show it yet. */
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
   * Makes the object as `change` wants it: `change` is asked for a merge patch of the newest state, again after every
   * conflict; undefined means that there is nothing to write, and no request is made.
   *
   * A guarded write precedes or follows what cannot be taken back (a side effect, a cleanup): where the write of somebody
   * else makes a difference to what the pass decided, the pass is over.
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
      // Whoever catches it next: nothing more may be decided on what this pass knows.
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
    { limit, guarded, send }: WriteOptions,
  ): Promise<Written> {
    for (let attempt = 0; ; attempt++) {
      const patch = change(this.#newest);
      if (patch === undefined) return { type: "nothing", patch };
      try {
        const sending = (): Promise<Sent> => this.#send(target, patch, limit.signal);
        return { type: await (send === undefined ? sending() : send(patch, sending)), patch };
      } catch (error) {
        if (target === "status" && isNotThere(error)) await this.#explain(error as Error, limit.signal);
        if (isGone(error, this.#ref)) throw new PrimaryGone(`${keyOf(this.#ref)} does not exist any more`);
        if (!isConflict(error)) throw error;
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

  /** A status that is not there although the object is: the server answers as if the object were gone. */
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
    if (live === undefined) throw new PrimaryGone(`${keyOf(this.#ref)} does not exist any more`);
    if (live.metadata.uid !== this.#uid) throw new QuietRequeue(`${keyOf(this.#ref)} was deleted and made again`);
    this.#newest = live;
    this.#isAhead = true;
    this.#rebases++;
  }
}

/** 404, of whatever. */
function isNotThere(error: unknown): boolean {
  const { code } = error as Partial<ApiError>;
  return code === "ERR_NOT_FOUND" || code === "ERR_KIND_NOT_SERVED";
}

/** 404 of this very object; a missing subresource or kind is another matter. */
function isGone(error: unknown, ref: Ref): boolean {
  const { code, details } = error as Partial<ApiError>;
  return code === "ERR_NOT_FOUND" && details?.name === ref.name;
}
