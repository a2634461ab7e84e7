/**
 * What the engine's tests run against: the in-memory API server, a real client, and a cache that shows what the test says
 * it shows. Informers are left out on purpose: staleness is then a decision of the test, not of timing.
 */
import {
  apiVersionOf,
  type FakeClock,
  fakeClock,
  groupKindOf,
  keyOf,
  type Kind,
  type KubernetesObject,
  type ObjectOf,
  type Ref,
} from "@treadle/apimachinery";
import { type ApiServer, createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import type { AnyHandler, Cache, EventNote, Logger, PassResult } from "@treadle/reconcile";
import { createReconciler, pipelineOf, type Reconciler, type ReconcilerEnv } from "@treadle/reconcile/unstable/engine";

export interface Harness {
  readonly server: ApiServer;
  /** As a user of the cluster: not counted, never faulted. */
  readonly user: Client;
  readonly clock: FakeClock;
  readonly logs: LogLine[];
  readonly events: EventNote[];
  /** Requests of the operator, as `PATCH widgets/a/status`. */
  readonly requests: string[];
  /** Asked before each request of the operator; throwing stands for a lost connection, an answer replaces the server's. */
  intercept: Intercept | undefined;
  /** @param env replaces members of the environment */
  operator(handler: AnyHandler, env?: Partial<ReconcilerEnv>): Operator;
}

export type Intercept = (
  request: { readonly method: string; readonly path: string; readonly body?: string },
  send: () => Promise<Answer>,
) => Promise<Answer>;
type Answer = Awaited<ReturnType<ReturnType<ApiServer["transport"]>["request"]>>;

export interface LogLine {
  readonly level: string;
  readonly data: Record<string, unknown>;
  readonly text: string;
}

/** One process of an operator: its memory ends with it. */
export interface Operator {
  readonly reconciler: Reconciler;
  /** Loads the present state of the server into the cache, then runs one pass. */
  pass(key: string, options?: { readonly signal?: AbortSignal }): Promise<PassResult>;
  /** Runs one pass on the cache as it is: what was loaded before, or newer own writes. */
  stalePass(key: string): Promise<PassResult>;
}

export async function startHarness(kinds: readonly Kind[], clock: FakeClock = fakeClock()): Promise<Harness> {
  const server = createApiServer({ clock, resources: kinds });
  const direct = server.transport();
  const requests: string[] = [];
  const harness: Harness = {
    server,
    user: createClient({ transport: direct, clock, fieldManager: "user" }),
    clock,
    logs: [],
    events: [],
    requests,
    intercept: undefined,
    operator: (handler, env = {}) => operatorOf(harness, handler, { client, clock, ...env }),
  };
  const client = createClient({
    transport: {
      async request(request) {
        requests.push(`${request.method} ${shortPath(request.path)}`);
        const send = (): Promise<Answer> => direct.request(request);
        return harness.intercept === undefined ? await send() : await harness.intercept(request, send);
      },
      close: async () => undefined,
    },
    clock,
    fieldManager: "unset",
  });
  return harness;
}

function operatorOf(
  harness: Harness,
  handler: AnyHandler,
  env: Pick<ReconcilerEnv, "client" | "clock"> & Partial<ReconcilerEnv>,
): Operator {
  const cached = new Map<string, KubernetesObject>();
  const cacheKey = (kind: Kind, ref: Ref): string => `${groupKindOf(kind)} ${keyOf(ref)}`;
  const put = (object: KubernetesObject): void => {
    const group = object.apiVersion.includes("/") ? (object.apiVersion.split("/")[0] as string) : "";
    cached.set(cacheKey({ ...handler.kind, group, kind: object.kind }, object.metadata), deepFreeze(object));
  };
  const watched = pipelineOf(handler).leaves.flatMap((step) => Object.values(step.reads).filter(({ watches }) => watches !== undefined));
  const kinds = [handler.kind, ...watched.map(({ kind }) => kind)];
  const load = async (): Promise<void> => {
    cached.clear();
    for (const kind of new Map(kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind])).values()) {
      const { items } = await harness.user.list(kind);
      for (const item of items as readonly KubernetesObject[]) put({ ...item, apiVersion: apiVersionOf(kind), kind: kind.kind });
    }
  };
  const cache: Cache = {
    get: <K extends Kind>(kind: K, ref: Ref) => cached.get(cacheKey(kind, ref)) as ObjectOf<K> | undefined,
    list: <K extends Kind>(
      kind: K,
      select: { readonly namespace?: string; readonly matchLabels?: Readonly<Record<string, string>> } = {},
    ) =>
      [...cached]
        .filter(([key]) => key.startsWith(`${groupKindOf(kind)} `))
        .map(([, object]) => object)
        .filter(({ metadata }) => select.namespace === undefined || metadata.namespace === select.namespace)
        .filter(({ metadata }) =>
          Object.entries(select.matchLabels ?? {}).every(([label, value]) => metadata.labels?.[label] === value),
        ) as ObjectOf<K>[],
  };
  const reconciler = createReconciler(handler, {
    cache,
    log: logInto(harness.logs),
    observeWrite: put,
    observeOther: (_kind, object) => put(object),
    observeDelete: (object) => void cached.delete(cacheKey(handler.kind, object.metadata)),
    recordEvent: (_object, event) => void harness.events.push(event),
    ...env,
  });
  const run = (key: string, options?: { readonly signal?: AbortSignal }): Promise<PassResult> => reconciler.pass(parseKey(key), options);
  return {
    reconciler,
    pass: async (key, options) => {
      await load();
      return await run(key, options);
    },
    stalePass: (key) => run(key),
  };
}

function parseKey(key: string): Ref {
  const [namespace, name] = key.split("/") as [string, string | undefined];
  return name === undefined ? { name: namespace } : { namespace, name };
}

/** `PATCH /apis/t.dev/v1/namespaces/ns/widgets/a/status?x` -> `widgets/a/status`. */
function shortPath(path: string): string {
  const segments = (path.split("?")[0] as string).split("/").filter((segment) => segment !== "");
  const rest = segments.slice(segments[0] === "api" ? 2 : 3);
  return (rest[0] === "namespaces" && rest.length > 2 ? rest.slice(2) : rest).join("/");
}

function logInto(lines: LogLine[]): Logger {
  const at = (level: string) => (data: object, text: string) => void lines.push({ level, data: data as Record<string, unknown>, text });
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
