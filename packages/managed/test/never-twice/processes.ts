/**
 * Processes of an operator before the in-memory API server. Each has a cache that shows what the test decides: staleness is a decision of
 * the script, not of timing. It does not need vitest, so programs use it, too.
 */
import {
  apiVersionOf,
  type FakeClock,
  fakeClock,
  groupKindOf,
  type Kind,
  keyOf,
  type KubernetesObject,
  type ObjectOf,
  type Ref,
} from "@treadle/apimachinery";
import { type ApiServer, createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import type { AnyHandler, Cache, Logger, PassResult } from "@treadle/reconcile";
import { createReconciler, Shared } from "@treadle/reconcile/unstable/engine";

/** Runs around each request of the processes. An error that it throws stands for a lost connection. */
export type Intercept = (send: () => Promise<Answer>, body: string | undefined) => Promise<Answer>;
type Answer = Awaited<ReturnType<ReturnType<ApiServer["transport"]>["request"]>>;

/** A server and the processes before it. */
export interface Processes {
  readonly clock: FakeClock;
  /** The client of a user of the cluster. Nothing intercepts it. */
  readonly user: Client;
  intercept: Intercept | undefined;
  /** Starts a process of an operator. */
  start(handler: AnyHandler): Process;
}

/** One process of an operator. Its memory ends with it. */
export interface Process {
  /** Loads the present state of the server into the cache, then runs one pass. */
  pass(ref: Ref): Promise<PassResult>;
  /** Runs one pass on the cache as it is: what was loaded before, or newer writes of this process. */
  stalePass(ref: Ref): Promise<PassResult>;
}

/** Starts a server. `read` lists the kinds that the steps read. */
export function startProcesses(kinds: readonly Kind[], clock: FakeClock = fakeClock()): Processes {
  const server = createApiServer({ clock, resources: kinds });
  const direct = server.transport();
  const processes: Processes = {
    clock,
    user: createClient({ transport: direct, clock, fieldManager: "user" }),
    intercept: undefined,
    start: (handler) => startProcess(handler, { processes, client, kinds }),
  };
  const client = createClient({
    transport: {
      async request(request) {
        const send = (): Promise<Answer> => direct.request(request);
        return processes.intercept === undefined ? await send() : await processes.intercept(send, request.body);
      },
      close: async () => undefined,
    },
    clock,
    fieldManager: "unset",
  });
  return processes;
}

function startProcess(
  handler: AnyHandler,
  { processes, client, kinds }: { readonly processes: Processes; readonly client: Client; readonly kinds: readonly Kind[] },
): Process {
  const { user, clock } = processes;
  const cached = new Map<string, KubernetesObject>();
  const cacheKey = (kind: Kind, ref: Ref): string => `${groupKindOf(kind)} ${keyOf(ref)}`;
  const put = (kind: Kind, object: KubernetesObject): void =>
    void cached.set(cacheKey(kind, object.metadata), deepFreeze({ ...object, apiVersion: apiVersionOf(kind), kind: kind.kind }));
  const cache: Cache = {
    get: <K extends Kind>(kind: K, ref: Ref) => cached.get(cacheKey(kind, ref)) as ObjectOf<K> | undefined,
    list: <K extends Kind>(kind: K) =>
      [...cached].filter(([key]) => key.startsWith(`${groupKindOf(kind)} `)).map(([, object]) => object) as ObjectOf<K>[],
  };
  const reconciler = createReconciler(handler, {
    client,
    cache,
    clock,
    log: SILENT,
    shared: new Shared(),
    observeWrite: (object) => put(handler.kind, object),
    observeDelete: (object) => void cached.delete(cacheKey(handler.kind, object.metadata)),
  });
  return {
    async pass(ref) {
      cached.clear();
      for (const kind of kinds) for (const item of (await user.list(kind)).items as readonly KubernetesObject[]) put(kind, item);
      return await reconciler.pass(ref);
    },
    stalePass: (ref) => reconciler.pass(ref),
  };
}

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
