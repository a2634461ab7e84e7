/**
 * One target: a watch of its metadata, a read of the whole object after each change, and the write of its `caBundle`.
 * Only a read decides what the object contains, so a late event of the watch does no harm.
 */
import { type Clock, isConflict, isNotFound, type KubernetesObject, metadataOnly, type Random } from "@treadle/apimachinery";
import { type Client, follow } from "@treadle/client";
import { textOf } from "./error-text.ts";
import { Backoff } from "./backoff.ts";
import type { Certificate } from "./pem.ts";
import type { TargetView } from "./plan.ts";
import { contentOfTarget, kindOf, patchOf, type Target, type TargetContent, titleOf } from "./target.ts";

export interface StoreEnv {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** Called when something must be read or decided. */
  readonly onChange: () => void;
}

/** The authority that signs the next certificate. */
export interface NextAuthority {
  readonly id: string;
  /** When it signs, as a sentence. */
  readonly text: string;
}

type Known =
  | { readonly type: "unread" }
  | { readonly type: "absent" }
  | { readonly type: "present"; readonly resourceVersion: string; readonly content: TargetContent };

export class TargetStore {
  readonly target: Target;
  readonly #env: StoreEnv;
  readonly #reads: Backoff;
  readonly #writes: Backoff;
  #known: Known = { type: "unread" };
  /** What was read last, also where a later read failed. */
  #last: TargetContent | "absent" | undefined;
  #isStale = false;
  #readError: string | undefined;
  #writeError: string | undefined;
  #watchError: string | undefined;

  constructor(target: Target, env: StoreEnv) {
    this.target = target;
    this.#env = env;
    this.#reads = new Backoff(env.clock);
    this.#writes = new Backoff(env.clock);
  }

  /** Watches until the signal is aborted. @throws the reason of the signal */
  async watch(): Promise<void> {
    const { client, clock, random, signal, onChange } = this.#env;
    const onRefusal = (error: unknown): void => {
      this.#isStale = true;
      this.#watchError = textOf(error);
      onChange();
    };
    const kind = metadataOnly(kindOf(this.target));
    const fieldSelector = `metadata.name=${this.target.name}`;
    for await (const event of follow(client, kind, { fieldSelector, clock, random, signal, onRefusal })) {
      if (event.type === "RESTARTED") {
        // After a gap, an object that is not reported up to SYNCED was deleted.
        this.#isStale = true;
        continue;
      }
      this.#watchError = undefined;
      const isOld = event.type === "SYNCED" ? !this.#isStale && this.#known.type !== "unread" : this.#has(event);
      if (isOld) continue;
      this.#isStale = true;
      onChange();
    }
  }

  /** Reads the object where it may have changed. */
  async refresh(): Promise<void> {
    if ((this.#isStale || this.#known.type === "unread") && this.#env.clock.now() >= this.#reads.nextAtMs) await this.read();
  }

  /** Reads the object. A failure is kept for {@link problem}. */
  async read(): Promise<void> {
    const { client, signal } = this.#env;
    this.#isStale = false;
    try {
      this.#note(await client.get(kindOf(this.target), { name: this.target.name }, { signal }));
      this.#readError = undefined;
      this.#reads.reset();
    } catch (error) {
      signal.throwIfAborted();
      this.#isStale = true;
      this.#readError = textOf(error);
      this.#reads.failed();
      // What it contains now is not known.
      this.#known = { type: "unread" };
    }
  }

  /** Sets the bundle in all places. A failure is kept for {@link problem}; after a conflict the object is read again. */
  async inject(bundle: readonly Certificate[]): Promise<void> {
    const { client, fieldManager, signal } = this.#env;
    const known = this.#known;
    if (known.type !== "present") return;
    const { name } = this.target;
    try {
      const patch = patchOf(this.target, known.content.places, {
        bundle: bundle.map(({ pem }) => pem).join(""),
        resourceVersion: known.resourceVersion,
      });
      this.#note(await client.patch(kindOf(this.target), { name }, patch, { fieldManager, signal }));
      this.#writeError = undefined;
      this.#writes.repeated();
    } catch (error) {
      signal.throwIfAborted();
      this.#isStale = true;
      const isRace = isConflict(error) || isNotFound(error);
      if (isRace) return this.#writes.repeated();
      this.#writeError = textOf(error);
      this.#writes.failed();
    }
  }

  /** What a decision needs. */
  view(bundle: readonly Certificate[]): TargetView {
    const key = titleOf(this.target);
    const known = this.#known;
    if (known.type === "unread") return { type: "unread", key, retryAtMs: this.#reads.nextAtMs };
    if (known.type === "absent") return { type: "absent", key };
    const { places } = known.content;
    const wanted = bundle.map(({ id }) => id);
    const lists = places.map(({ trusted }) => trusted.map(({ id }) => id));
    return {
      type: "present",
      key,
      trusted: wanted.filter((id) => lists.every((list) => list.includes(id))),
      trustsOthers: lists.some((list) => list.some((id) => !wanted.includes(id))),
      isExact: lists.every((list) => wanted.length === list.length && wanted.every((id) => list.includes(id))),
      retryAtMs: this.#writes.nextAtMs,
    };
  }

  /** All authorities that an entry trusts. */
  get trusted(): readonly Certificate[] {
    return this.#known.type === "present" ? this.#known.content.places.flatMap(({ trusted }) => trusted) : [];
  }

  /** Why calls by this target fail; `issuer` is the authority of the certificate that is served, and `next` the one that signs the next. */
  problem(issuer: string | undefined, next?: NextAuthority): string | undefined {
    const title = titleOf(this.target);
    const known = this.#known;
    if (known.type === "unread") return this.#readError ?? this.#watchError ?? `${title} has not been read yet`;
    if (known.type === "absent") return `${title} does not exist: apply the manifests of the operator`;
    const { places, missing, elsewhere } = known.content;
    const fix = "start webhookServer and webhookManifests with the same service or url, and apply the manifests";
    if (elsewhere.length > 0) return `${title} ${elsewhere.join(" and ")}: ${fix}`;
    if (missing.length > 0) return `${title} ${missing.join(" and ")}: apply the manifests of this version of the operator`;
    if (issuer !== undefined && places.every(({ trusted }) => trusted.some(({ id }) => id === issuer))) return this.#watchError;
    if (next !== undefined && places.every(({ trusted }) => trusted.some(({ id }) => id === next.id)))
      return `${title} contains the operator's new CA: ${next.text}`;
    const isUndone = this.#writes.nextAtMs > this.#env.clock.now();
    const why = this.#writeError ?? (isUndone ? "another program, such as a second installation of the operator, replaces it" : undefined);
    return `${title} does not contain the operator's CA yet${why === undefined ? "" : `: ${why}`}`;
  }

  /**
   * Why calls by this target fail now. No call is made by an object or an entry that does not exist. A failed read or watch changes nothing
   * about what the API server uses.
   */
  failure(issuer: string | undefined, next?: NextAuthority): string | undefined {
    if (this.#last === undefined) return this.problem(issuer, next);
    if (this.#last === "absent") return undefined;
    const { places, elsewhere } = this.#last;
    if (elsewhere.length === 0 && places.every(({ trusted }) => trusted.some(({ id }) => id === issuer))) return undefined;
    return this.problem(issuer, next) ?? `${titleOf(this.target)} does not contain the operator's CA`;
  }

  /** Whether an event reports the object as it was read. */
  #has({ type, object }: { readonly type: string; readonly object: KubernetesObject }): boolean {
    const known = this.#known;
    return known.type === "present" && type !== "DELETED" && object.metadata.resourceVersion === known.resourceVersion;
  }

  #note(object: object | undefined): void {
    const { resourceVersion = "" } = (object as { metadata?: { resourceVersion?: string } } | undefined)?.metadata ?? {};
    this.#known =
      object === undefined ? { type: "absent" } : { type: "present", resourceVersion, content: contentOfTarget(this.target, object) };
    this.#last = this.#known.type === "present" ? this.#known.content : "absent";
  }
}
