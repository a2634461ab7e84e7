/**
 * A provider outside the cluster, with what makes real ones hard: `create` is not idempotent, answers get lost, deletion
 * takes its time, calls take theirs, and anybody may change things behind our back.
 */
import { type Clock, sleep } from "@treadle/apimachinery";

export interface Disk {
  readonly id: string;
  /** The tag with which it was created. */
  readonly tag: string;
  readonly sizeGb: number;
  readonly isDeleting: boolean;
}

/** What the provider answers when it refuses; a lost connection is any other error. */
export class CloudError extends Error {
  readonly type: "invalid" | "throttled" | "unavailable";

  readonly retryAfterMs: number;

  constructor(type: CloudError["type"], message: string, retryAfterMs: number = 0) {
    super(message);
    this.type = type;
    this.retryAfterMs = retryAfterMs;
  }
}

export type Verb = "create" | "observe" | "find" | "update" | "delete";

/** Asked on both sides of each call: before anything happened, and when it has happened but nobody knows. Throws for a failure. */
export type Hook = (verb: Verb, when: "before" | "after", tag: string) => void | Promise<void>;

export class Cloud {
  readonly #clock: Clock;
  readonly #disks: Map<string, { tag: string; sizeGb: number; pollsUntilGone: number | undefined }> = new Map();
  #made = 0;
  hook: Hook = () => undefined;
  latencyMs = 0;
  /** How often a deleted disk is still seen. */
  pollsUntilGone = 2;
  readonly calls: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Everything that costs money. */
  get disks(): readonly Disk[] {
    return [...this.#disks].map(([id, { tag, sizeGb, pollsUntilGone }]) => ({ id, tag, sizeGb, isDeleting: pollsUntilGone !== undefined }));
  }

  /** Makes another one each time. */
  async create(disk: { readonly tag: string; readonly sizeGb: number }, signal: AbortSignal): Promise<string> {
    return await this.#call("create", disk.tag, signal, () => {
      const id = `disk-${++this.#made}`;
      this.#disks.set(id, { ...disk, pollsUntilGone: undefined });
      return id;
    });
  }

  async observe(id: string, signal: AbortSignal): Promise<Disk | undefined> {
    return await this.#call("observe", id, signal, () => {
      const disk = this.#disks.get(id);
      if (disk?.pollsUntilGone !== undefined && disk.pollsUntilGone-- <= 0) this.#disks.delete(id);
      return this.disks.find((disk) => disk.id === id);
    });
  }

  /** The disk that was created with this tag. */
  async find(tag: string, signal: AbortSignal): Promise<string | undefined> {
    return await this.#call("find", tag, signal, () => this.disks.find((disk) => disk.tag === tag)?.id);
  }

  async update(id: string, sizeGb: number, signal: AbortSignal): Promise<void> {
    await this.#call("update", id, signal, () => {
      const disk = this.#disks.get(id);
      if (disk !== undefined) disk.sizeGb = sizeGb;
    });
  }

  /** Begins; `observe` tells when it is gone. */
  async delete(id: string, signal: AbortSignal): Promise<void> {
    await this.#call("delete", id, signal, () => {
      const disk = this.#disks.get(id);
      if (disk !== undefined) disk.pollsUntilGone ??= this.pollsUntilGone;
    });
  }

  /** Somebody takes it away at once. */
  vanish(id: string): void {
    this.#disks.delete(id);
  }

  /** Half of the latency before it happens, half until the answer is there. Giving up ends the waiting, not the call. */
  async #call<T>(verb: Verb, subject: string, signal: AbortSignal, happen: () => T): Promise<T> {
    this.calls.push(`${verb} ${subject}`);
    await this.hook(verb, "before", subject);
    const answer = this.latencyMs === 0 ? happen() : await unlessAborted(this.#slowly(happen), signal);
    await this.hook(verb, "after", subject);
    return answer;
  }

  async #slowly<T>(happen: () => T): Promise<T> {
    await sleep(this.#clock, this.latencyMs / 2);
    const answer = happen();
    await sleep(this.#clock, this.latencyMs / 2);
    return answer;
  }
}

async function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([pending, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
