/**
 * The API server behind a test: in memory and in this process, or a real one, with the kinds that the test uses, a client
 * that acts as the user, one that is recorded as the operator's, and a picture of all objects that can be read at once.
 */
import { setTimeout as delay } from "node:timers/promises";
import {
  type Clock,
  type FakeClock,
  groupKindOf,
  isAlreadyExists,
  isKindNotServed,
  type Kind,
  keyOf,
  type KubernetesObject,
  type ObjectOf,
  type Random,
  type Ref,
  seededRandom,
  type Transport,
} from "@treadle/apimachinery";
import { CustomResourceDefinition, Namespace } from "@treadle/apimachinery/kinds";
import { type ApiServer, type ApiServerOptions, createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import type { RbacManifest } from "@treadle/controller";
import { FaultSet } from "../faults/faults.ts";
import { Recorder } from "../requests.ts";
import { isAtRest, type Seen } from "./at-rest.ts";
import { isBuiltIn, KnownKinds } from "./known-kinds.ts";
import type { Manifest } from "./manifests.ts";
import { RealRights } from "./real-rights.ts";
import type { RealServer } from "./real-server.ts";
import { settlingClock } from "./settling-clock.ts";
import { WORKLOADS, workloadsInProgress } from "./workloads-at-rest.ts";

/** Who the user of a test is in managedFields. */
const USER = "kubectl";

export interface BackendOptions {
  readonly clock: Clock;
  readonly kinds: Iterable<Kind>;
  /** Those that are to be there from the start; of these the CRDs are, the rest comes with {@link Backend.put}. */
  readonly manifests?: readonly Manifest[];
  readonly random?: Random;
  /** With `workloads`, virtual time waits for what is simulated. */
  readonly server?: Omit<ApiServerOptions, "clock" | "random" | "uid">;
  /** In place of a server in memory; then {@link Backend.begin} must be called before anything else. */
  readonly real?: RealServer | undefined;
}

export class Backend {
  readonly #memory: ApiServer | undefined;
  readonly #real: RealServer | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly kinds: KnownKinds;
  /** Requests of the operator. */
  readonly requests: Recorder = new Recorder();
  /** What goes wrong on the way of the operators' requests. */
  readonly faults: FaultSet;
  /** The operator's, where there is only one. */
  readonly client: Client;
  /** The user's: not recorded as the operator's. */
  readonly user: Client;
  readonly #used = new Map<string, Kind>();
  /** Those of which the test gave the CRD: it is not replaced. */
  readonly #defined = new Set<string>();
  readonly #hasWorkloads: boolean;
  #nextUid: string | undefined;
  #uids = 0;
  #picture: ReadonlyMap<string, ReadonlyMap<string, KubernetesObject>> = new Map();
  #pictureOf: string | undefined;
  /** Kinds in use that the server did not serve when the picture was taken. */
  #unserved: ReadonlySet<string> = new Set();

  constructor(options: BackendOptions) {
    const { clock: time, random = seededRandom(1) } = options;
    this.#hasWorkloads = (options.server?.workloads ?? false) !== false;
    const isSettling = this.#hasWorkloads && options.real === undefined && isFake(time);
    const clock = isSettling ? settlingClock(time, () => this.server.settled()) : time;
    this.clock = clock;
    this.random = random;
    this.faults = new FaultSet(clock);
    const kinds = unique(options.kinds);
    this.kinds = new KnownKinds(kinds);
    for (const kind of [...kinds, Namespace, ...(this.#hasWorkloads ? WORKLOADS : [])]) this.#used.set(idOf(kind), kind);
    const uid = (): string => this.#makeUid();
    // A manifest knows more of its kind than an untyped kind does.
    const definitions = (options.manifests ?? []).filter(isDefinition).map(({ object }) => object as CustomResourceDefinition);
    const defined = definitions.flatMap((definition) => this.kinds.define(definition));
    for (const kind of defined) this.#adopt(kind);
    const isDefined = (kind: Kind): boolean => isBuiltIn(kind) || defined.some((other) => groupKindOf(other) === groupKindOf(kind));
    const resources = [...(options.server?.resources ?? []), ...definitions, ...kinds.filter((kind) => !isDefined(kind))];
    this.#real = options.real;
    this.#memory = options.real === undefined ? createApiServer({ ...options.server, resources, clock: time, random, uid }) : undefined;
    // Answers stand as they are: a test wants to see an error, not a retry; and a pass that waits for one waits for virtual time.
    this.client = createClient({ transport: this.requests.through(this.transport()), clock, random, retry: false });
    this.user = createClient({ transport: this.transport(), clock, random, fieldManager: USER, retry: false });
  }

  /** The one in memory. @throws Error where there is none */
  get server(): ApiServer {
    if (this.#memory !== undefined) return this.#memory;
    throw onlyInMemory("cluster.server");
  }

  get isReal(): boolean {
    return this.#real !== undefined;
  }

  /** A connection as the administrator, or as `user`. */
  transport(user?: string): Transport {
    if (this.#real !== undefined) return this.#real.transport(user);
    return this.server.transport(user === undefined ? {} : { as: { user } });
  }

  /** The server asks for rights. */
  get isRestricted(): boolean {
    return this.#memory?.isRestricted ?? true;
  }

  /** Waits until the server has what it begins with; on a real one the kinds in use are served then. */
  async begin(): Promise<void> {
    if (this.#real === undefined) return await this.#memory?.settled();
    for (const kind of this.#used.values()) {
      if (isBuiltIn(kind)) await this.#real.remember(kind);
      else if (!this.#defined.has(idOf(kind))) await this.#real.install(kind);
    }
  }

  /** Those of which the picture is. */
  get usedKinds(): readonly Kind[] {
    return [...this.#used.values()];
  }

  /** Waits until objects of the kind may own others in every way; in memory they may at once. */
  async ownable(kind: Kind): Promise<void> {
    await this.#real?.rights.ownable(kind);
  }

  /** Gives an operator its rights; resolves to its user. */
  async grant(manifests: readonly RbacManifest[]): Promise<string> {
    const rights = this.#real?.rights ?? new RealRights(this.user, "the server in memory", (user) => this.transport(user));
    return await rights.grant(manifests);
  }

  async close(): Promise<void> {
    await this.#memory?.close();
    await Promise.all([this.client.close(), this.user.close()]);
    await this.#real?.empty();
    await this.#real?.close();
  }

  /**
   * Serves a kind and includes it in the picture. One that knows its CRD takes the place of what a manifest let guess.
   * @throws TypeError when the guess was wrong, so that its objects lie elsewhere
   */
  async use(kind: Kind): Promise<void> {
    const id = idOf(kind);
    const known = this.#used.get(id);
    if (known !== undefined && (known.resource !== undefined || kind.resource === undefined || this.#defined.has(id))) return;
    if (known !== undefined && (known.scope !== kind.scope || known.plural !== kind.plural)) throw new TypeError(misjudged(known, kind));
    this.#used.set(id, kind);
    this.#pictureOf = undefined;
    this.kinds.add(kind);
    if (isBuiltIn(kind)) await this.#real?.remember(kind);
    else if (this.#real === undefined) this.server.install(kind);
    else await this.#real.install(kind);
  }

  /** Makes objects as a user would, namespaces included. @throws ApiError naming the object that the server refuses. */
  async put(manifests: readonly Manifest[]): Promise<void> {
    for (const { object } of manifests.filter(isDefinition)) await this.#define(object as CustomResourceDefinition);
    const rest = manifests.filter((manifest) => !isDefinition(manifest));
    for (const { kind } of rest) await this.use(kind);
    for (const { object } of rest.filter(({ kind }) => kind.kind === Namespace.kind)) await this.#putNamespace(object);
    for (const { kind, object, status, uid, isDeleting } of rest) {
      const ref = object.metadata;
      if (kind.kind === Namespace.kind) continue;
      await this.ensureNamespace(ref.namespace);
      if (uid !== undefined && this.isReal) throw onlyInMemory(`the uid ${uid} of ${kind.kind} ${ref.name}`);
      this.#nextUid = uid;
      await this.user.create(kind, object);
      this.#nextUid = undefined;
      if (status !== undefined) await this.user.patch(kind, ref, { type: "merge", body: { status } }, { subresource: "status" });
      if (isDeleting) await this.user.delete(kind, ref);
    }
  }

  async #define(definition: CustomResourceDefinition): Promise<void> {
    for (const kind of this.kinds.define(definition)) this.#adopt(kind);
    this.#pictureOf = undefined;
    if (this.#real !== undefined) await this.#real.define(definition);
    else if ((await this.user.get(CustomResourceDefinition, definition.metadata)) === undefined)
      await this.user.create(CustomResourceDefinition, definition);
  }

  #adopt(kind: Kind): void {
    this.#used.set(idOf(kind), kind);
    this.#defined.add(idOf(kind));
  }

  async ensureNamespace(name: string | undefined): Promise<void> {
    if (name === undefined || (await this.user.get(Namespace, { name })) !== undefined) return;
    try {
      await this.user.create(Namespace, { metadata: { name } });
    } catch (error) {
      // Two may be at it at once.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #putNamespace(namespace: Pick<KubernetesObject, "metadata">): Promise<void> {
    const exists = (await this.user.get(Namespace, namespace.metadata)) !== undefined;
    if (exists) await this.user.patch(Namespace, namespace.metadata, { type: "merge", body: namespace });
    else await this.user.create(Namespace, namespace);
  }

  /** Whether everything that the server does by itself (garbage, namespaces) is done; takes a new picture. */
  async rests(): Promise<boolean> {
    await this.#memory?.settled();
    await this.refresh();
    if (this.#memory !== undefined) return true;
    return isAtRest(this.#seen()) && this.workloadsInProgress().length === 0;
  }

  /** Which workloads the controllers of a real cluster are not done with, by what was seen last. */
  workloadsInProgress(): readonly string[] {
    return this.isReal && this.#hasWorkloads ? workloadsInProgress(this.#seen()) : [];
  }

  /**
   * When time alone lets the simulated workloads act: within the horizon, or soon, as long as a pod starts, runs or ends.
   * Undefined: later, or never.
   */
  workloadsDue(horizon: number): number | undefined {
    if (this.#memory === undefined || !this.#hasWorkloads) return undefined;
    const { workloads } = this.#memory;
    const due = workloads.nextDue();
    return due !== undefined && due <= Math.max(horizon, this.clock.now() + workloads.stepMs) ? due : undefined;
  }

  /** Changes with each write in memory; undefined of a real server. */
  get version(): string | undefined {
    return this.#memory?.resourceVersion;
  }

  /** Lets everything happen that the server does by itself: virtual time moves as far as that takes, real time is waited for. */
  async letHappen(horizon: number, signal: AbortSignal): Promise<void> {
    while (!(await this.rests())) {
      signal.throwIfAborted();
      await delay(POLL_MS);
    }
    for (let due = this.workloadsDue(horizon); due !== undefined; due = this.workloadsDue(horizon)) {
      signal.throwIfAborted();
      await this.pass(due);
      await this.rests();
    }
  }

  /** Lets the time come. */
  async pass(due: number): Promise<void> {
    const ms = Math.max(0, due - this.clock.now());
    if (isFake(this.clock)) await this.clock.advance(ms);
    else await delay(ms);
  }

  #seen(): readonly Seen[] {
    return [...this.#used].map(([id, kind]) => ({ kind, objects: [...(this.#picture.get(id)?.values() ?? [])] }));
  }

  /** Takes a picture of all objects of the kinds in use; in memory it costs nothing when nothing was written since the last one. */
  async refresh(): Promise<void> {
    const version = this.#memory?.resourceVersion;
    if (version !== undefined && this.#pictureOf === version) return;
    const picture = new Map<string, ReadonlyMap<string, KubernetesObject>>();
    const unserved = new Set<string>();
    for (const [id, kind] of this.#used) {
      const items = await this.#listed(kind);
      if (items === undefined) unserved.add(id);
      const objects = (items ?? []).map((object) => freeze(object));
      picture.set(id, new Map(objects.map((object) => [keyOf(object.metadata), object])));
    }
    this.#unserved = unserved;
    this.#picture = picture;
    this.#pictureOf = version;
  }

  /** Undefined for a kind that is not served. */
  async #listed(kind: Kind): Promise<readonly KubernetesObject[] | undefined> {
    try {
      return (await this.user.list(kind)).items;
    } catch (error) {
      if (isKindNotServed(error)) return undefined;
      throw error;
    }
  }

  /** Whether the kind was served when the picture was taken. */
  serves(kind: Kind): boolean {
    return this.#used.has(idOf(kind)) && !this.#unserved.has(idOf(kind));
  }

  /** Removes the CRD of a kind. */
  async remove(kind: Kind): Promise<void> {
    const name = `${kind.plural}.${kind.group}`;
    if (this.#real === undefined) await this.user.delete(CustomResourceDefinition, { name });
    else await this.#real.remove(name);
    this.#used.delete(idOf(kind));
    this.#defined.delete(idOf(kind));
    this.#pictureOf = undefined;
  }

  /** An object as it was when the picture was taken; frozen. */
  get<K extends Kind>(kind: K, ref: Ref): ObjectOf<K> | undefined {
    // What is filed under the kind was listed as that kind.
    return this.#picture.get(idOf(kind))?.get(keyOf(ref)) as ObjectOf<K> | undefined;
  }

  list<K extends Kind>(
    kind: K,
    select: { readonly namespace?: string; readonly matchLabels?: Readonly<Record<string, string>> } = {},
  ): readonly ObjectOf<K>[] {
    const { namespace, matchLabels = {} } = select;
    const objects = [...(this.#picture.get(idOf(kind))?.values() ?? [])].filter(
      ({ metadata }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        Object.entries(matchLabels).every(([label, value]) => metadata.labels?.[label] === value),
    );
    return objects as unknown as readonly ObjectOf<K>[];
  }

  /** Readable and in order, so that the uids of a test do not differ from run to run. */
  #makeUid(): string {
    const wanted = this.#nextUid;
    this.#nextUid = undefined;
    return wanted ?? `00000000-0000-4000-8000-${String(++this.#uids).padStart(12, "0")}`;
  }
}

/** Of a real server: each look lists every kind in use. */
const POLL_MS = 20;

function isFake(clock: Clock): clock is FakeClock {
  return "advance" in clock;
}

/** What a test asks for in vain on a real server. */
export function onlyInMemory(what: string): Error {
  return new Error(
    `${what}: there is none on a real server (TREADLE_TEST_KUBECONFIG): give the test the tag "memory", so that it runs in memory only`,
  );
}

function isDefinition({ kind }: Manifest): boolean {
  return kind.kind === CustomResourceDefinition.kind && kind.group === CustomResourceDefinition.group;
}

function misjudged(guess: Kind, kind: Kind): string {
  const are = ({ scope, plural }: Kind): string => `${scope === "Cluster" ? "cluster-scoped" : "namespaced"} "${plural}"`;
  return `objects of ${kind.kind} were made before its kind was known, as ${are(guess)}; they are ${are(kind)}: name the kind from the start, with kinds: [${kind.kind}] or its CRD among the objects`;
}

function unique(kinds: Iterable<Kind>): readonly Kind[] {
  const byId = new Map<string, Kind>();
  for (const kind of kinds) if (byId.get(idOf(kind))?.resource === undefined) byId.set(idOf(kind), kind);
  return [...byId.values()];
}

function idOf(kind: Kind): string {
  return `${kind.group}/${kind.version}/${kind.kind}`;
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
