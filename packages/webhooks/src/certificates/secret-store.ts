/** The Secret: one watch, consistent reads, and writes that fail when another writer was first. */
import { type Clock, compareResourceVersions, isAlreadyExists, isConflict, isForbidden, type Random } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { type Client, follow } from "@treadle/client";
import { Backoff } from "./backoff.ts";
import { type SecretContent, contentOf } from "./secret-content.ts";
import { textOf } from "./error-text.ts";

export interface SecretStoreOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly namespace: string;
  readonly name: string;
  /** Whether a Secret that does not exist is created. */
  readonly mayCreate: boolean;
  /** The operator, which owns the contents. */
  readonly owner: string;
  readonly onChange: () => void;
}

/** Names the operator whose certificates a Secret contains. Two operators in one Secret would break each other's order. */
const OWNER_ANNOTATION = "treadle.dev/certificates-of";

/** Returns the operator whose certificates a Secret contains; `undefined` when it has none. */
export function certificatesOwner({ metadata }: Secret): string | undefined {
  return metadata.annotations?.[OWNER_ANNOTATION];
}

type Known = { readonly type: "unread" } | { readonly type: "absent" } | { readonly type: "present"; readonly secret: Secret };

export class SecretStore {
  readonly #options: SecretStoreOptions;
  readonly #writes: Backoff;
  #known: Known = { type: "unread" };
  #content: SecretContent = contentOf(undefined);
  #isStale = false;
  #watchError: string | undefined;
  #writeError: string | undefined;

  constructor(options: SecretStoreOptions) {
    this.#options = options;
    this.#writes = new Backoff(options.clock);
  }

  /** Watches until the signal is aborted. @throws the reason of the signal */
  async watch(): Promise<void> {
    const { client, clock, random, signal, namespace, name, onChange } = this.#options;
    const onRefusal = (error: unknown): void => {
      this.#isStale = true;
      this.#watchError = textOf(error);
      onChange();
    };
    const one = { namespace, fieldSelector: `metadata.name=${name}` };
    for await (const event of follow(client, Secret, { ...one, clock, random, signal, onRefusal })) {
      if (event.type === "RESTARTED") {
        this.#isStale = true;
        continue;
      }
      this.#watchError = undefined;
      if (event.type === "ADDED" || event.type === "MODIFIED") this.#note(event.object);
      // An event may be older than our last write, so a deletion is confirmed by a read.
      else if (event.type === "DELETED" || this.#known.type === "unread") this.#isStale = true;
      onChange();
    }
  }

  /** Whether the contents are known. */
  get isKnown(): boolean {
    return this.#known.type !== "unread";
  }

  /** Whether the contents must be read before a decision. */
  get isStale(): boolean {
    return this.#isStale;
  }

  get content(): SecretContent {
    return this.#content;
  }

  /** Version of the Secret that {@link content} is from; empty where it does not exist. */
  get version(): string {
    return this.#known.type === "present" ? (this.#known.secret.metadata.resourceVersion ?? "") : "";
  }

  /** Earliest time of the next write. */
  get nextWriteAtMs(): number {
    return this.#writes.nextAtMs;
  }

  /** The other operator whose certificates the Secret contains. */
  get otherOwner(): string | undefined {
    const owner = this.#known.type === "present" ? certificatesOwner(this.#known.secret) : undefined;
    return owner === undefined || owner === this.#options.owner ? undefined : owner;
  }

  /** Reads the newest Secret. @throws what the client throws */
  async read(): Promise<void> {
    const { client, namespace, name, signal } = this.#options;
    this.#isStale = false;
    try {
      const secret = await client.get(Secret, { name, namespace }, { signal });
      if (secret === undefined) {
        this.#known = { type: "absent" };
        this.#content = contentOf(undefined);
      } else this.#note(secret);
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  /**
   * Replaces the data of the Secret in the version that a decision was made for. False: another writer was first.
   * @throws what the client throws for any other failure
   */
  async write(data: Readonly<Record<string, string>>, version: string): Promise<boolean> {
    // The watch may have reported another version while keys were made.
    if (this.version !== version) return false;
    const { client, namespace, name, owner, mayCreate, signal } = this.#options;
    const known = this.#known;
    const fieldManager = `${owner}/certificates`;
    const mark = { [OWNER_ANNOTATION]: owner };
    if (known.type === "absent" && !mayCreate) {
      this.#writes.failed();
      this.#writeError = this.#absence();
      throw new Error(this.#writeError);
    }
    try {
      if (known.type === "present") {
        const { metadata, data: old, ...rest } = known.secret;
        // Keys of others stay. Ours that are no longer needed, such as the key of the previous authority, do not.
        const kept = Object.fromEntries(Object.entries(old ?? {}).filter(([key]) => !OWN_KEYS.has(key)));
        const annotations = { ...metadata.annotations, ...mark };
        const next = { ...rest, metadata: { ...metadata, annotations }, data: { ...kept, ...data } };
        this.#note(await client.update(Secret, next, { fieldManager, signal }));
      } else {
        const metadata = { name, namespace, annotations: mark };
        const made = { apiVersion: "v1" as const, kind: "Secret" as const, metadata, type: "Opaque", data };
        this.#note(await client.create(Secret, made, { fieldManager, signal }));
      }
      this.#writeError = undefined;
      this.#writes.repeated();
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.#isStale = true;
      if (isRace(error)) {
        this.#writes.repeated();
        return false;
      }
      this.#writes.failed();
      this.#writeError = known.type === "absent" && isForbidden(error) ? this.#absence() : textOf(error);
      throw error;
    }
  }

  /** What keeps the certificates from being read or written. */
  get problem(): string | undefined {
    const { namespace, name } = this.#options;
    if (this.otherOwner !== undefined)
      return `Secret ${namespace}/${name} contains the certificates of the operator ${JSON.stringify(this.otherOwner)}: give this operator another secretName, or delete the Secret to take the name over`;
    return this.#watchError ?? this.#writeError;
  }

  #absence(): string {
    const { namespace, name } = this.#options;
    return `Secret ${namespace}/${name} does not exist, and the operator may not create it: apply the manifests of webhookManifests, which contain the Secret, or set createSecret: true in them and in webhookServer`;
  }

  #note(secret: Secret): void {
    if (this.#known.type === "present") {
      const order = compareResourceVersions(secret.metadata.resourceVersion, this.#known.secret.metadata.resourceVersion);
      // A deleted and created Secret has a newer version, too.
      if (order !== undefined && order <= 0) return;
    }
    // A deployer has applied the Secret for which the writes waited.
    if (this.#known.type === "absent") this.#writes.reset();
    this.#known = { type: "present", secret };
    this.#content = contentOf(secret);
  }
}

const OWN_KEYS: ReadonlySet<string> = new Set([
  "ca.crt",
  "ca.key",
  "tls.crt",
  "tls.key",
  "ca-previous.crt",
  "ca-previous.key",
  "ca-previous.until",
]);

/** Whether another writer was first. */
function isRace(error: unknown): boolean {
  return isConflict(error) || isAlreadyExists(error);
}
