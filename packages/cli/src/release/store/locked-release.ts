/**
 * A release while one run changes it: its state is stored by this run only.
 *
 * Guarantees
 * - Each write carries the version of the Secret that the run has stored last. After another run took the lock, no write succeeds.
 * - No request that changes the cluster is sent when the lock was not renewed for more than {@link RENEW_MS}.
 */
import { randomUUID } from "node:crypto";
import { isConflict, type KubernetesObject } from "@treadle/apimachinery";
import { type Client, intercept } from "@treadle/client";
import type { StoredOwner } from "@treadle/dependents/unstable/run";
import { CliError } from "../../cli-error.ts";
import { deleteHead, type Head, readHead, writeHead } from "./head.ts";
import { type Lock, RENEW_MS } from "./lock.ts";
import type { ReleaseObject, ReleaseRecord } from "./record.ts";

/** What a locked release needs. */
export interface LockedOptions {
  /** Sends the requests of the lock, also after Ctrl-C. */
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
}

/** The finalizer by which the engine leaves all objects when the release is deleted. */
export const ORPHAN = "orphan";

/** A release that this run may change. */
export class LockedRelease implements StoredOwner {
  readonly #options: LockedOptions;
  readonly #lost = new AbortController();
  #head: Head;
  #renewedMs: number;
  #isGone = false;
  /** Ends with the last write: there is one at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(head: Head, options: LockedOptions) {
    this.#head = head;
    this.#options = options;
    this.#renewedMs = options.nowMs();
  }

  get record(): ReleaseRecord {
    return this.#head.record;
  }

  get current(): KubernetesObject | undefined {
    return this.#isGone ? undefined : this.#head.record.object;
  }

  /** Is aborted when another run has taken the release. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Stores the owner. One that is being deleted ends with its last finalizer; {@link LockedRelease.end} removes its Secret. */
  async store(next: KubernetesObject): Promise<KubernetesObject> {
    const { finalizers = [], deletionTimestamp } = next.metadata;
    if (deletionTimestamp !== undefined && finalizers.every((each) => each === ORPHAN)) {
      this.#isGone = true;
      return next;
    }
    await this.update((record) => ({ ...record, object: next as ReleaseObject })); // It has the same kind.
    return this.#head.record.object;
  }

  /** Changes the state. @throws CliError if another run has taken the release, and errors of the client */
  async update(change: (record: ReleaseRecord) => ReleaseRecord): Promise<void> {
    await this.#inTurn(async () => await this.#write(change(this.#head.record), this.#renewed()));
  }

  /** Renews the lock if it is time. @throws as {@link LockedRelease.update} */
  async renew(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#isDue()) await this.#write(this.#head.record, this.#renewed());
    });
  }

  /** Returns a client whose writes are sent only while this run has the lock. */
  fenced(client: Client): Client {
    return intercept(client, (next) => ({
      raw: async (request, about) => {
        if (request.method !== "GET" && this.#isDue()) await this.renew();
        return await next.raw(request, about);
      },
    }));
  }

  /** Gives the lock back. A release that another run has taken is left to it. */
  async unlock(): Promise<void> {
    if (this.#lost.signal.aborted) return;
    await this.#inTurn(async () => await this.#write(this.#head.record, undefined));
  }

  /** Removes the state of a release whose objects are gone. */
  async end(): Promise<void> {
    await this.#inTurn(async () => await deleteHead(this.#options.client, this.#head, { signal: this.#options.signal }));
  }

  /** Asks the server by a dry run whether {@link LockedRelease.end} is allowed. @throws errors of the client */
  async requireEnd(): Promise<void> {
    const { client, signal } = this.#options;
    await this.#inTurn(async () => await deleteHead(client, this.#head, { signal, dryRun: true }));
  }

  /** A clock that was set back says nothing about the age of the lock. */
  #isDue(): boolean {
    const ageMs = this.#options.nowMs() - this.#renewedMs;
    return ageMs >= RENEW_MS || ageMs < 0;
  }

  #renewed(): Lock | undefined {
    const { lock } = this.#head;
    return lock === undefined ? undefined : { ...lock, renewed: timeOf(this.#options.nowMs()) };
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return await turn;
  }

  async #write(record: ReleaseRecord, lock: Lock | undefined): Promise<void> {
    const { client, signal, nowMs } = this.#options;
    const startedMs = nowMs();
    try {
      this.#head = await writeHead(client, { record, lock, resourceVersion: this.#head.resourceVersion }, { signal });
      this.#renewedMs = startedMs;
    } catch (error) {
      if (!isConflict(error) || !(await this.#isLost(record))) throw error;
      await this.#write(record, lock);
    }
  }

  /** Whether the write may be repeated: an answer was lost, or a user has labelled the Secret. @throws CliError if another run has it */
  async #isLost({ object: { metadata } }: ReleaseRecord): Promise<boolean> {
    const { client, signal } = this.#options;
    const { namespace = "", name } = metadata;
    const live = await readHead(client, { namespace, name }, signal);
    if (live !== undefined && live.lock?.id === this.#head.lock?.id && this.#head.lock !== undefined) {
      this.#head = { ...this.#head, resourceVersion: live.resourceVersion };
      return true;
    }
    const who = live?.lock === undefined ? "another run" : live.lock.holder;
    const error = new CliError(
      `release ${namespace}/${name} was taken by ${who}, because this run did not renew its lock in time; nothing more is changed. ` +
        `\`treadle status ${name} -n ${namespace}\` shows the release`,
    );
    this.#lost.abort(error);
    throw error;
  }
}

/** Makes a lock. */
export function newLock(given: { readonly holder: string; readonly command: string; readonly nowMs: number }): Lock {
  const { holder, command, nowMs } = given;
  return { id: randomUUID(), holder, command, since: timeOf(nowMs), renewed: timeOf(nowMs) };
}

/** Returns a time as RFC 3339. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
