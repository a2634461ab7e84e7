/**
 * The in-memory API server: answers requests as a kube-apiserver does, in this process. Requests are handled one after
 * the other in the order in which they come; nothing is read from the environment, and time, randomness and uids come
 * from outside. Fronts (see `http.ts`) and {@link ApiServer.transport} carry requests to it.
 */
import { randomUUID } from "node:crypto";
import {
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type CustomResourceDefinitionInput,
  isApiError,
  type Kind,
  type Random,
  type Status,
  systemClock,
  systemRandom,
  type Transport,
} from "@treadle/apimachinery";
import { Admission } from "./admission/admission.ts";
import { Conversions } from "./crd/conversion-webhooks.ts";
import { WebhookClient } from "./admission/webhook-client.ts";
import type { ResolveService } from "./admission/webhook-client.ts";
import { Access } from "./authorization/access.ts";
import { RoleAggregation } from "./authorization/aggregation.ts";
import { createBootstrapRoles } from "./authorization/bootstrap.ts";
import { ADMINISTRATOR, type Identity } from "./authorization/identity.ts";
import { builtInResources } from "./builtin/resources.ts";
import type { Parts } from "./request/context.ts";
import { DefinitionLife } from "./crd/life.ts";
import { definitionsResource, serveDefinitions } from "./crd/resource.ts";
import { installNow, manifestOf } from "./crd/install.ts";
import { dispatch, refusal } from "./verbs/dispatch.ts";
import { EventQueue } from "./storage/event-queue.ts";
import { GarbageCollector } from "./garbage-collection/collector.ts";
import { NamespaceLife } from "./objects/namespace-life.ts";
import { createNamespaces } from "./objects/namespaces.ts";
import { Registry } from "./storage/registry.ts";
import { failedResponse, internalError, shuttingDown, StatusError } from "./errors/status-errors.ts";
import { Store } from "./storage/store.ts";
import type { WorkloadOptions } from "./workloads/options.ts";
import { Simulation } from "./workloads/simulation.ts";
import { type Workloads, workloadsOf } from "./workloads/workloads.ts";

/** A kind of which the server is to serve objects: its CRD, or a kind. A kind without a CRD has a status and any fields. */
export type ServedResource = Kind | CustomResourceDefinitionInput;

export interface ApiServerOptions {
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** For generated names and the times at which watches end. @defaultValue the system's */
  readonly random?: Random;
  /** Makes the uid of each new object. @defaultValue random UUIDs */
  readonly uid?: () => string;
  /** Kinds served from the start, beside the built-in ones. */
  readonly resources?: readonly ServedResource[];
  /** Called for each request before it is handled. An ApiError that it throws is the answer: a way to inject faults. */
  readonly onRequest?: (request: ApiRequest) => void;
  /** How many changes per kind a watch can go back. @defaultValue 10000 */
  readonly historyLimit?: number;
  /** How many events may wait for a reader of a watch before the watch is ended. @defaultValue 10000 */
  readonly watchBuffer?: number;
  /** How often watches that allow bookmarks get one; 0: never. @defaultValue 60000, as the real server */
  readonly bookmarkIntervalMs?: number;
  /**
   * Runs the garbage collector of kube-controller-manager beside the server: what has lost its owners is deleted, and the
   * propagation policies `Foreground` and `Orphan` are carried out. @defaultValue false, as an API server alone has none
   */
  readonly garbageCollection?: boolean;
  /**
   * Simulates the controllers, the scheduler and the kubelets that a cluster has: Deployments, Jobs and so on reach the
   * status that the real ones would give them, by the server's clock; no container starts. @defaultValue false
   */
  readonly workloads?: boolean | WorkloadOptions;
  /**
   * `"RBAC"`: each request needs a right, as on a real cluster, and the roles that a cluster has from the start are there.
   * `"none"`: everybody may do everything. @defaultValue "none"
   */
  readonly authorization?: "RBAC" | "none";
  /** Bearer tokens that the HTTP fronts know, and whose they are; those of service accounts are known without. */
  readonly tokens?: Readonly<Record<string, Identity>>;
  /** Admission plugins beside those that always act. @defaultValue none */
  readonly admissionPlugins?: readonly "OwnerReferencesPermissionEnforcement"[];
  /** Where a service listens that a webhook names, as `https://127.0.0.1:9443`. @defaultValue nowhere: calls of such webhooks fail */
  readonly webhookServices?: ResolveService;
}

export interface TransportOptions {
  /** Who sends the requests. @defaultValue the administrator, who is in `system:masters` */
  readonly as?: Identity;
}

export interface ApiServer {
  /**
   * Answers one request; never rejects. The stream of a watch ends with the request's signal or with the server.
   * `sender` is who sends it, by default the administrator.
   */
  handle(request: ApiRequest, sender?: Identity): Promise<ApiResponse>;
  /** Whose bearer token it is; undefined: nobody's, or its time is over. */
  authenticate(token: string): Identity | undefined;
  /** Carries requests to this server without a socket. Its `close` ends the requests that it carries, not the server. */
  transport(options?: TransportOptions): Transport;
  /** Serves a kind from now on: creates or replaces its CRD. Built-in kinds are served already. @throws Error when the CRD is refused. */
  install(resource: ServedResource): void;
  /** Calls `observe` for each request until the returned function is called. */
  onRequest(observe: (request: ApiRequest) => void): () => void;
  /** Forgets history: watches and continue tokens from before now get 410. */
  compact(): void;
  /**
   * Resolves when the garbage collector and the simulated workloads have nothing left to do now, without them at once. What
   * they did is stored by then; watches may not have been read yet. What needs time is not waited for: see `workloads.nextDue`.
   */
  settled(): Promise<void>;
  /** Of a server with `workloads`: what is to go wrong with them. @throws Error without */
  readonly workloads: Workloads;
  /** Requests need rights: it was made with `authorization: "RBAC"`. */
  readonly isRestricted: boolean;
  /** The newest resourceVersion. */
  readonly resourceVersion: string;
  /** How many watches are open. */
  readonly watchCount: number;
  /** Ends all watches. Requests after it are answered with 503. */
  close(): Promise<void>;
}

/** Creates a server with the built-in kinds, the system namespaces and `resources`; it is ready when this returns. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const clock = options.clock ?? systemClock;
  const registry = new Registry();
  const store = new Store(options.historyLimit ?? 10_000);
  const access = new Access({
    store,
    registry,
    clock,
    isRestricted: options.authorization === "RBAC",
    tokens: options.tokens ?? {},
    enforcesOwners: options.admissionPlugins?.includes("OwnerReferencesPermissionEnforcement") === true,
  });
  const uid = options.uid ?? randomUUID;
  const webhooks = new WebhookClient(clock, options.webhookServices);
  const parts: Parts = {
    store,
    registry,
    access,
    admission: new Admission(webhooks, uid),
    conversions: new Conversions(webhooks, uid),
    clock,
    random: options.random ?? systemRandom,
    uid,
    watchBuffer: options.watchBuffer ?? 10_000,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
    collectsGarbage: options.garbageCollection === true,
    streams: new Map(),
  };
  for (const type of [...builtInResources(), definitionsResource(clock)]) registry.install(type);
  serveDefinitions(parts);
  createNamespaces(parts);
  if (options.authorization === "RBAC") createBootstrapRoles(parts);
  const server = new InMemoryServer(parts, options);
  for (const resource of options.resources ?? []) server.install(resource);
  return server;
}

class InMemoryServer implements ApiServer {
  readonly #parts: Parts;
  readonly #namespaces: NamespaceLife;
  readonly #definitions: DefinitionLife;
  readonly #observers = new Set<(request: ApiRequest) => void>();
  readonly #collector: GarbageCollector | undefined;
  readonly #aggregation: RoleAggregation | undefined;
  readonly #simulation: Simulation | undefined;
  #isClosed = false;

  constructor(parts: Parts, options: ApiServerOptions) {
    const { onRequest, garbageCollection, authorization, workloads = false } = options;
    this.#parts = parts;
    this.#namespaces = new NamespaceLife(parts);
    this.#definitions = new DefinitionLife(parts);
    if (authorization === "RBAC") this.#aggregation = new RoleAggregation(parts.store, parts.clock);
    this.#aggregation?.settle();
    if (onRequest !== undefined) this.#observers.add(onRequest);
    // Its requests are not shown to observers: they are the server's own, and no fault of a test is meant for them.
    if (garbageCollection === true) this.#collector = new GarbageCollector(parts, (request) => this.#answer(request, COLLECTOR));
    if (workloads !== false)
      this.#simulation = new Simulation(parts, workloads === true ? {} : workloads, (request, sender) => this.#answer(request, sender));
  }

  get resourceVersion(): string {
    return String(this.#parts.store.revision);
  }

  get isRestricted(): boolean {
    return this.#parts.access.isRestricted;
  }

  get watchCount(): number {
    return this.#parts.streams.size;
  }

  authenticate(token: string): Identity | undefined {
    return this.#parts.access.authenticate(token);
  }

  async handle(request: ApiRequest, sender: Identity = ADMINISTRATOR): Promise<ApiResponse> {
    try {
      for (const observe of this.#isClosed ? [] : this.#observers) observe(request);
    } catch (error) {
      return failedResponse(statusOf(error));
    }
    return this.#answer(request, sender);
  }

  async #answer(request: ApiRequest, sender: Identity): Promise<ApiResponse> {
    try {
      if (this.#isClosed) throw shuttingDown();
      const response = await dispatch(this.#parts, request, sender);
      if (request.method !== "GET") {
        this.#namespaces.settle();
        this.#definitions.settle();
        this.#aggregation?.settle();
      }
      return response;
    } catch (error) {
      return refusal(statusOf(error), request.headers["accept"]);
    }
  }

  transport({ as: sender = ADMINISTRATOR }: TransportOptions = {}): Transport {
    const controller = new AbortController();
    // No signal is made of the two: one that lives long would keep something of each request.
    const throwIfAborted = ({ signal }: ApiRequest): void => {
      controller.signal.throwIfAborted();
      signal?.throwIfAborted();
    };
    const open = new Set<EventQueue>();
    return {
      request: async (request) => {
        throwIfAborted(request);
        const response = await this.handle(request, sender);
        if (response.stream instanceof EventQueue) {
          for (const stream of open) if (stream.hasEnded) open.delete(stream);
          if (controller.signal.aborted) response.stream.abort();
          else open.add(response.stream);
        }
        throwIfAborted(request);
        return response;
      },
      close: async () => {
        controller.abort();
        for (const stream of open) stream.abort();
        open.clear();
      },
    };
  }

  install(resource: ServedResource): void {
    const manifest = manifestOf(resource, this.#parts);
    installNow(this.#parts, manifest);
    this.#definitions.settle();
  }

  onRequest(observe: (request: ApiRequest) => void): () => void {
    this.#observers.add(observe);
    return () => void this.#observers.delete(observe);
  }

  compact(): void {
    this.#parts.store.compact();
  }

  async settled(): Promise<void> {
    do {
      await this.#collector?.settled();
      await this.#simulation?.settled();
    } while (this.#collector?.isIdle === false || this.#simulation?.isIdle === false);
  }

  get workloads(): Workloads {
    const simulation = this.#simulation;
    if (simulation === undefined) throw new Error("server.workloads: create the server with { workloads: true }");
    return workloadsOf(simulation.behaviours, { settings: simulation.settings, nextDue: () => simulation.nextDue() });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#collector?.close();
    this.#simulation?.close();
    for (const stream of this.#parts.streams.keys()) stream.end();
  }
}

/** Whom kube-controller-manager collects garbage as; that it may do so is not asked. */
const COLLECTOR: Identity = { user: "system:serviceaccount:kube-system:generic-garbage-collector", groups: ["system:masters"] };

/** An ApiError comes from an observer that injects a fault; anything but a StatusError else is a defect of the server. */
function statusOf(error: unknown): Status {
  if (error instanceof StatusError) return error.status;
  if (!isApiError(error)) return internalError(error instanceof Error ? `${error.name}: ${error.message}` : String(error)).status;
  const { status: code, message, reason, details, retryAfterMs } = error;
  const retry = retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) };
  return { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", message, reason, details: { ...details, ...retry }, code };
}
