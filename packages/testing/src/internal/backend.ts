/**
 * The API server behind a test, in memory or a real one: its kinds, a client of the user, a recorded client of the operator,
 * and a picture of all objects.
 */
import { setTimeout as delay } from "node:timers/promises";
import {
  type Clock,
  isFakeClock,
  type Kind,
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
import { isIdle } from "./cluster-activity.ts";
import { isBuiltIn, type KnownKinds } from "./known-kinds.ts";
import { isDefinition, ManifestWriter } from "./manifest-writer.ts";
import type { Manifest } from "./manifests.ts";
import { ObjectPicture, type Selection } from "./object-picture.ts";
import { RealRights } from "./real-rights.ts";
import { onlyInMemory, type RealServer } from "./real-server.ts";
import { Recorder } from "./request-recorder.ts";
import { settlingClock } from "./settling-clock.ts";
import { TestUids } from "./test-uids.ts";
import { UsedKinds } from "./used-kinds.ts";
import { WORKLOADS, workloadsInProgress } from "./workload-progress.ts";
import type { LogLine } from "../test-environment.ts";
import type { TestedWebhooks } from "../webhooks/tested-webhooks.ts";
import { TestWebhooks } from "../webhooks/test-webhooks.ts";
import type { HostEnv } from "../webhooks/webhook-host.ts";

/** Field manager of the user. */
const USER = "kubectl";

export interface BackendOptions {
  readonly clock: Clock;
  readonly kinds: Iterable<Kind>;
  /** Objects of the start: the server has their CRDs at once, the other objects after {@link Backend.put}. */
  readonly manifests?: readonly Manifest[];
  readonly random?: Random;
  /** With `workloads`, virtual time waits for the simulation. */
  readonly server?: Omit<ApiServerOptions, "clock" | "random" | "uid">;
  /** The real server, which needs {@link Backend.begin} before everything else. @defaultValue a server in memory */
  readonly real?: RealServer | undefined;
  /** Which of the clusters of a test this is. @defaultValue 1 */
  readonly nth?: number;
  /** Webhooks that {@link Backend.begin} registers. @defaultValue none */
  readonly webhooks?: readonly TestedWebhooks[];
  /** Gets what the webhooks log. */
  readonly webhookLogs?: LogLine[];
}

export class Backend {
  readonly #memory: ApiServer | undefined;
  readonly #real: RealServer | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** The operator's requests. */
  readonly requests: Recorder = new Recorder();
  /** The faults of the operator's requests. */
  readonly faults: FaultSet;
  /** A client of the operator, for tests with a single operator. */
  readonly client: Client;
  /** The user's client; its requests are not recorded. */
  readonly user: Client;
  readonly #used: UsedKinds;
  readonly #picture: ObjectPicture;
  readonly #writer: ManifestWriter;
  readonly #hasWorkloads: boolean;
  readonly #webhooks: TestWebhooks | undefined;

  constructor(options: BackendOptions) {
    const { clock, random = seededRandom(1), real, manifests = [], webhooks = [], webhookLogs = [] } = options;
    this.#hasWorkloads = (options.server?.workloads ?? false) !== false;
    this.#used = new UsedKinds(options.kinds, [Namespace, ...(this.#hasWorkloads ? WORKLOADS : [])]);
    const env = (): HostEnv => ({ clock: this.clock, reader: this.user, logs: webhookLogs });
    this.#webhooks = webhooks.length === 0 ? undefined : new TestWebhooks(webhooks, env);
    const given = manifests.filter(isDefinition).map(({ object }) => object as CustomResourceDefinition);
    // A CRD with conversion, or among the manifests, is more precise than a kind.
    const definitions = [...(this.#webhooks?.definitions() ?? []), ...given];
    for (const definition of definitions) this.#used.define(definition);
    const uids = new TestUids(options.nth);
    const resources = [...(options.server?.resources ?? []), ...definitions, ...this.#used.undefinedKinds()];
    const uid = (): string => uids.make();
    const { webhookServices } = options.server ?? {};
    const server =
      this.#webhooks === undefined ? options.server : { ...options.server, webhookServices: this.#webhooks.services(webhookServices) };
    this.#real = real;
    this.#memory = real === undefined ? createApiServer({ ...server, resources, clock, random, uid }) : undefined;
    const isSettling = this.#hasWorkloads && real === undefined && isFakeClock(clock);
    this.clock = isSettling ? settlingClock(clock, () => this.server.settled()) : clock;
    this.random = random;
    this.faults = new FaultSet(this.clock);
    // No retries: a test sees each error, and a pass that waits for a retry would wait for virtual time.
    this.client = createClient({ transport: this.requests.through(this.transport()), clock: this.clock, random, retry: false });
    this.user = createClient({ transport: this.transport(), clock: this.clock, random, fieldManager: USER, retry: false });
    this.#picture = new ObjectPicture(this.user, this.#used, () => this.version);
    this.#writer = new ManifestWriter(this, uids);
  }

  /** The server in memory. @throws Error for a real one */
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

  /** Whether the server checks rights. */
  get isRestricted(): boolean {
    return this.#memory?.isRestricted ?? true;
  }

  /** Waits until the server is ready and calls the webhooks; a real server then serves the kinds in use. */
  async begin(): Promise<void> {
    await this.#memory?.settled();
    for (const kind of this.#real === undefined ? [] : this.usedKinds) {
      if (isBuiltIn(kind)) await this.#real?.remember(kind);
      else if (!this.#used.isDefined(kind)) await this.#real?.install(kind);
    }
    await this.#webhooks?.register(this);
  }

  /** Number of calls of webhooks without an answer. */
  get webhookCalls(): number {
    return this.#webhooks?.host.calls ?? 0;
  }

  /** Kinds by apiVersion and name. */
  get kinds(): KnownKinds {
    return this.#used.known;
  }

  /** The kinds in use. */
  get usedKinds(): readonly Kind[] {
    return this.#used.all();
  }

  /** Waits until a real server lets objects of the kind be owners; a server in memory does at once. */
  async ownable(kind: Kind): Promise<void> {
    await this.#real?.rights.ownable(kind);
  }

  /** Grants an operator its rights. Returns the name of its user. */
  async grant(manifests: readonly RbacManifest[]): Promise<string> {
    const rights = this.#real?.rights ?? new RealRights(this.user, "the server in memory", (user) => this.transport(user));
    return await rights.grant(manifests);
  }

  async close(): Promise<void> {
    await this.#memory?.close();
    await Promise.all([this.client.close(), this.user.close()]);
    await this.#real?.empty();
    await this.#webhooks?.close();
    await this.#real?.close();
  }

  /** Serves a kind. @throws TypeError when objects of it were created under another plural or scope */
  async use(kind: Kind): Promise<void> {
    if (!this.#used.add(kind)) return;
    if (isBuiltIn(kind)) await this.#real?.remember(kind);
    else if (this.#real === undefined) this.server.install(kind);
    else await this.#real.install(kind);
  }

  /** Whether the server serves the kind: it is built in, or in use. */
  has(kind: Kind): boolean {
    return isServedAlways(kind) || this.#used.has(kind);
  }

  /** Shows the objects of the kinds that an operator watches, if the server serves them. A built-in kind counts as used. */
  async observe(kinds: Iterable<Kind>): Promise<void> {
    for (const kind of kinds) {
      const { metadataOnly: _, ...whole } = kind as Kind & { readonly metadataOnly?: true };
      if (isServedAlways(whole)) await this.use(whole);
      else this.#used.observe(whole);
    }
  }

  /** Serves the kinds of a CRD that the test gives. */
  async define(definition: CustomResourceDefinition): Promise<void> {
    this.#used.define(definition);
    if (this.#real !== undefined) await this.#real.define(definition);
    else if ((await this.user.get(CustomResourceDefinition, definition.metadata)) === undefined)
      await this.user.create(CustomResourceDefinition, definition);
  }

  /** Removes the CRD of a kind. */
  async remove(kind: Kind): Promise<void> {
    const name = `${kind.plural}.${kind.group}`;
    if (this.#real === undefined) await this.user.delete(CustomResourceDefinition, { name });
    else await this.#real.remove(name);
    this.#used.remove(kind);
  }

  /** Creates objects as a user would, with their namespaces. @throws ApiError that names the object that the server refuses */
  async put(manifests: readonly Manifest[]): Promise<void> {
    await this.#writer.write(manifests);
  }

  /** Creates a namespace if it does not exist. */
  async ensureNamespace(name: string | undefined): Promise<void> {
    await this.#writer.ensureNamespace(name);
  }

  /** Changes with each write in memory; undefined for a real server. */
  get version(): string | undefined {
    return this.#memory?.resourceVersion;
  }

  /** Takes a new picture of all objects of the kinds in use. */
  async refresh(): Promise<void> {
    await this.#picture.refresh();
  }

  /** Whether the server served the kind when the picture was taken. */
  serves(kind: Kind): boolean {
    return this.#picture.serves(kind);
  }

  /** An object of the picture, frozen. */
  get<K extends Kind>(kind: K, ref: Ref): ObjectOf<K> | undefined {
    return this.#picture.get(kind, ref);
  }

  /** Objects of the picture, frozen. */
  list<K extends Kind>(kind: K, select: Selection = {}): readonly ObjectOf<K>[] {
    return this.#picture.list(kind, select);
  }

  /** Takes a new picture. Returns whether the server's own controllers (garbage, namespaces, workloads) have nothing to do. */
  async isSettled(): Promise<boolean> {
    await this.#memory?.settled();
    await this.refresh();
    return this.#memory !== undefined || (isIdle(this.#picture.all()) && this.workloadsInProgress().length === 0);
  }

  /** The workloads of the picture that the controllers of a real cluster still work on. */
  workloadsInProgress(): readonly string[] {
    return this.isReal && this.#hasWorkloads ? workloadsInProgress(this.#picture.all()) : [];
  }

  /**
   * Time at which simulated workloads act next, if that is before the horizon, or soon while a pod starts, runs or ends.
   * Undefined: later or never.
   */
  workloadsDue(horizon: number): number | undefined {
    if (this.#memory === undefined || !this.#hasWorkloads) return undefined;
    const { workloads } = this.#memory;
    const due = workloads.nextDue();
    return due !== undefined && due <= Math.max(horizon, this.clock.now() + workloads.stepMs) ? due : undefined;
  }

  /** Waits until the server's own controllers have nothing to do before the horizon. Virtual time moves as far as that takes. */
  async settled(horizon: number, signal: AbortSignal): Promise<void> {
    while (!(await this.isSettled())) {
      signal.throwIfAborted();
      await delay(POLL_MS);
    }
    for (let due = this.workloadsDue(horizon); due !== undefined; due = this.workloadsDue(horizon)) {
      signal.throwIfAborted();
      await this.waitUntil(due);
      await this.isSettled();
    }
  }

  /** Waits until a time; virtual time moves there. */
  async waitUntil(time: number): Promise<void> {
    const ms = Math.max(0, time - this.clock.now());
    if (isFakeClock(this.clock)) await this.clock.advance(ms);
    else await delay(ms);
  }
}

/** A kind that a step names at run time may be unknown, also in the core group. */
function isServedAlways(kind: Kind): boolean {
  try {
    return isBuiltIn(kind);
  } catch {
    return false;
  }
}

/** Pause between two looks at a real server; each one lists every kind in use. */
const POLL_MS = 20;
