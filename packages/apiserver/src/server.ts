/**
 * The in-memory API server. It answers requests as a kube-apiserver does, in this process, one after the other in the order in
 * which they arrive. It reads nothing from the environment; the clock, random numbers and uids are options. Fronts (see
 * `front/http.ts`) and {@link ApiServer.transport} pass requests to it.
 */
import { randomUUID } from "node:crypto";
import {
  type ApiRequest,
  type ApiResponse,
  isApiError,
  type Status,
  systemClock,
  systemRandom,
  type Timer,
  type Transport,
} from "@treadle/apimachinery";
import type { ApiServer, ApiServerOptions, ServedResource, TransportOptions } from "./api-server.ts";
import { Admission } from "./admission/admission.ts";
import { Conversions } from "./crd/conversion-webhooks.ts";
import { WebhookClient } from "./admission/webhook-client.ts";
import { Access } from "./authorization/access.ts";
import { RoleAggregation } from "./authorization/aggregation.ts";
import { createBootstrapRoles } from "./authorization/bootstrap.ts";
import { ADMINISTRATOR, type Identity } from "./authorization/identity.ts";
import { TokenSecrets } from "./authorization/token-secrets.ts";
import { DEFAULT_ISSUER } from "./authorization/tokens.ts";
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
import { RequestMetrics } from "./metrics/request-metrics.ts";
import { Registry } from "./storage/registry.ts";
import { failedResponse, internalError, shuttingDown, StatusError } from "./errors/status-errors.ts";
import { Store } from "./storage/store.ts";
import type { MakeController } from "./workloads/controller.ts";
import { controllers } from "./workloads/controllers.ts";
import { type Settings, settingsOf } from "./workloads/options.ts";
import { Simulation } from "./workloads/simulation.ts";
import { type Workloads, workloadsOf } from "./workloads/workloads.ts";

/** Creates a server with the built-in kinds, the system namespaces and `resources`. The server is ready when this returns. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  return createServer(options);
}

/** As {@link createApiServer}, with what only a part of this package may do: {@link InMemoryServer.run}. */
export function createServer(options: ApiServerOptions): InMemoryServer {
  const clock = options.clock ?? systemClock;
  const registry = new Registry();
  const store = new Store(clock, { limit: options.historyLimit ?? 10_000, isCompacted: compactionIntervalOf(options) > 0 });
  const access = new Access({
    store,
    registry,
    clock,
    isRestricted: options.authorization === "RBAC",
    tokens: options.tokens ?? {},
    issuer: options.serviceAccountIssuer ?? DEFAULT_ISSUER,
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
    metrics: new RequestMetrics(),
    clock,
    random: options.random ?? systemRandom,
    uid,
    watchBuffer: options.watchBuffer ?? 10_000,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
    collectsGarbage: options.garbageCollection === true,
    simulatesWorkloads: (options.workloads ?? false) !== false,
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

export class InMemoryServer implements ApiServer {
  readonly #parts: Parts;
  readonly #namespaces: NamespaceLife;
  readonly #definitions: DefinitionLife;
  readonly #observers = new Set<(request: ApiRequest) => void>();
  readonly #collector: GarbageCollector | undefined;
  readonly #aggregation: RoleAggregation | undefined;
  /** Running controllers: those of workloads, and those of {@link run}. */
  readonly #simulations: Simulation[] = [];
  readonly #workloads: Simulation | undefined;
  #compaction: Timer | undefined;
  readonly #tokenSecrets = new Set<TokenSecrets>();
  #isClosed = false;

  constructor(parts: Parts, options: ApiServerOptions) {
    const { onRequest, garbageCollection, authorization, workloads = false } = options;
    this.#parts = parts;
    this.#compactLater(compactionIntervalOf(options));
    this.#namespaces = new NamespaceLife(parts);
    this.#definitions = new DefinitionLife(parts);
    if (authorization === "RBAC") this.#aggregation = new RoleAggregation(parts.store, parts.clock);
    this.#aggregation?.settle();
    if (onRequest !== undefined) this.#observers.add(onRequest);
    // Observers do not see the requests of the collector: they are the server's own, and faults of a test are not meant for them.
    if (garbageCollection === true) this.#collector = new GarbageCollector(parts, (request) => this.#answer(request, COLLECTOR));
    if (workloads !== false) this.#workloads = this.#simulate(settingsOf(workloads === true ? {} : workloads), controllers);
  }

  /** Runs controllers until the server closes. {@link settled} waits for them, too. */
  run(controllersToRun: readonly MakeController[]): void {
    this.#simulate(settingsOf({}), controllersToRun);
  }

  #simulate(settings: Settings, made: readonly MakeController[]): Simulation {
    const simulation = new Simulation(this.#parts, { settings, controllers: made }, (request, sender) => this.#answer(request, sender));
    this.#simulations.push(simulation);
    return simulation;
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

  acceptToken(token: string, identity: Identity): () => void {
    return this.#parts.access.acceptToken(token, identity);
  }

  fillTokenSecrets(caPem: string): () => void {
    const secrets = new TokenSecrets(this.#parts, caPem);
    this.#tokenSecrets.add(secrets);
    secrets.settle();
    return () => {
      secrets.close();
      this.#tokenSecrets.delete(secrets);
    };
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
        for (const secrets of this.#tokenSecrets) secrets.settle();
      }
      return response;
    } catch (error) {
      return refusal(statusOf(error), request.headers["accept"]);
    }
  }

  transport({ as: sender = ADMINISTRATOR }: TransportOptions = {}): Transport {
    const controller = new AbortController();
    // The two signals are not combined: a combined signal of a long-lived transport would keep memory of each request.
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

  /** Forgets in each interval what is older than the interval before, as a kube-apiserver lets etcd do. */
  #compactLater(intervalMs: number): void {
    if (intervalMs <= 0) return;
    const { store, clock } = this.#parts;
    const { revision } = store;
    this.#compaction = clock.after(intervalMs, () => {
      store.compactTo(revision);
      this.#compactLater(intervalMs);
    });
  }

  async settled(): Promise<void> {
    do {
      await this.#collector?.settled();
      for (const simulation of this.#simulations) await simulation.settled();
    } while (this.#collector?.isIdle === false || this.#simulations.some(({ isIdle }) => !isIdle));
  }

  get workloads(): Workloads {
    const simulation = this.#workloads;
    if (simulation === undefined) throw new Error("server.workloads: create the server with { workloads: true }");
    return workloadsOf(simulation.behaviours, { settings: simulation.settings, nextDue: () => simulation.nextDue() });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#compaction?.cancel();
    this.#collector?.close();
    for (const simulation of this.#simulations) simulation.close();
    for (const stream of this.#parts.streams.keys()) stream.end();
  }
}

/** Returns the time between two compactions, 0 for none. @throws RangeError */
function compactionIntervalOf({ compactionIntervalMs = 0 }: ApiServerOptions): number {
  if (Number.isFinite(compactionIntervalMs) && compactionIntervalMs >= 0) return compactionIntervalMs;
  throw new RangeError(`createApiServer: compactionIntervalMs is ${compactionIntervalMs}; it must be a finite number, 0 or more`);
}

/** The user of the garbage collector of kube-controller-manager. Its rights are not checked. */
const COLLECTOR: Identity = { user: "system:serviceaccount:kube-system:generic-garbage-collector", groups: ["system:masters"] };

/** Makes a Status of an error: a StatusError, or an ApiError that an observer threw. Each other error is a defect of the server. */
function statusOf(error: unknown): Status {
  if (error instanceof StatusError) return error.status;
  if (!isApiError(error)) return internalError(error instanceof Error ? `${error.name}: ${error.message}` : String(error)).status;
  const { status: code, message, reason, details, retryAfterMs } = error;
  const retry = retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) };
  return { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", message, reason, details: { ...details, ...retry }, code };
}
