/**
 * `checkRights`: whether the generated rights of an operator are sufficient, and whether each is needed. Every run has its own
 * namespaces and its own identity, so that many run at a time.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@treadle/apimachinery";
import { type RbacManifest, rbacManifests, type Runnable } from "@treadle/controller";
import type { AnyHandler, Permission } from "@treadle/reconcile";
import { pipelineOf } from "@treadle/reconcile/unstable/engine";
import { isWantOf, rightsIn, type TakenRight, textOf, withoutRight } from "./internal/taken-rights.ts";
import type { RecordedRequest, RequestObserver } from "./requests.ts";
import type { TestCluster } from "./test-cluster.ts";
import type { TestOperator } from "./test-operator.ts";

/** The ServiceAccount of an operator. Each run of {@link checkRights} has its own. */
export interface RightsAccount {
  /** The name. It is unique among the runs, so a run can name objects of the cluster by it. */
  readonly name: string;
  /** The namespace. */
  readonly namespace: string;
}

/** The argument of {@link CheckRightsOptions.run}. */
export interface RightsContext {
  /** The cluster. */
  readonly cluster: TestCluster;
  /** The ServiceAccount of the operator. */
  readonly account: RightsAccount;
  /** The namespaces of this run, as many as {@link CheckRightsOptions.namespaces}; an operator that is not cluster-wide watches them. */
  readonly namespaces: readonly [string, ...string[]];
  /** The operator. */
  readonly operator: Promise<TestOperator>;
  /** Waits until `holds` returns true; a run must not wait in another way. @throws Error that names `claim` when the run is over */
  until(claim: string, holds: () => boolean | Promise<boolean>): Promise<void>;
}

/** The target cluster of an operator, and the rights in it. */
export interface RightsTarget {
  /** A cluster in memory, of `startTestCluster({ nth: 2, https: true })`. `run` gives its kubeconfig to the operator. */
  readonly cluster: TestCluster;
  /**
   * Returns the roles and bindings of the user as whom the operator writes in the target. The user and the names must be unique among the
   * runs, and the user must have no other rights.
   */
  readonly manifests: (namespaces: readonly [string, ...string[]], account: RightsAccount) => readonly object[];
}

/** Options of {@link checkRights}. */
export interface CheckRightsOptions {
  /** Acts as a user. It must make the operator use every right: create, change and delete objects. */
  readonly run: (context: RightsContext) => Promise<void>;
  /**
   * Makes the runnables of an operator in these namespaces. Their rights are checked as well. @defaultValue none
   */
  readonly runnables?: (namespaces: readonly [string, ...string[]], account: RightsAccount) => readonly Runnable[];
  /**
   * Returns manifests that grant the account more rights than `rbacManifests`, such as those of `webhookManifests`. These rights are
   * checked as well. Manifests of other kinds than roles and their bindings are left out. @defaultValue none
   */
  readonly manifests?: (account: RightsAccount) => readonly object[];
  /**
   * The target cluster of the operator. Its rights there are checked as well, one run after the other. @defaultValue none
   */
  readonly target?: RightsTarget;
  /** Number of namespaces of each run. @defaultValue 1 */
  readonly namespaces?: number;
  /** Maximum time of one run, in milliseconds. @defaultValue 20_000 */
  readonly timeoutMs?: number;
  /**
   * The rights of the objects of this run, in place of those of a step that asks for all rights. With all rights, no request would
   * be refused, whichever right is removed. So they are never granted here, and these are checked as the others are.
   * @defaultValue no step may ask for all rights
   */
  readonly insteadOfAll?: readonly Permission[];
  /** Number of runs at a time. @defaultValue 6; 1 with `isClusterWide` or `target` */
  readonly concurrency?: number;
  /**
   * Whether the operator watches all namespaces and has its rights in all of them: for operators that create namespaces. The runs come
   * one after the other. @defaultValue false: an operator watches the namespaces of its run
   */
  readonly isClusterWide?: boolean;
}

/** The result of one run. */
export interface RightsRun {
  /** The removed right, e.g. `patch secrets` or `patch secrets in the target`; undefined: no right was removed. */
  readonly without: string | undefined;
  /**
   * With a removed right: the refused request, which proves that the right is needed. With all rights: the error of `run`, or
   * a refused request. Otherwise undefined.
   */
  readonly failure: string | undefined;
  /** The error of a run without any refused request: it proves nothing about the right. */
  readonly unrelated?: string;
}

/**
 * Checks that the generated rights of an operator are sufficient, and that each is needed: calls `run` with all rights of
 * `handlers`, then once without each right. `failure` must be undefined with all rights, and defined without any of them. A
 * run without a right ends when the server refuses a request for lack of it.
 *
 * Informers list instead of streaming, and the first status patch of each kind in each run conflicts: without this, a run could
 * succeed by chance without the rights to list and to read. In memory the cluster needs `time: "real"`.
 *
 * @throws TypeError if a step asks for all rights, and `insteadOfAll` does not say which ones the run needs
 */
export async function checkRights(
  cluster: TestCluster,
  handlers: AnyHandler | readonly AnyHandler[],
  options: CheckRightsOptions,
): Promise<readonly RightsRun[]> {
  const list = Array.isArray(handlers) ? (handlers as readonly AnyHandler[]) : [handlers as AnyHandler];
  const { insteadOfAll, isClusterWide = false, target } = options;
  requireChecked(list, insteadOfAll);
  const stops = [cluster, ...(target === undefined ? [] : [target.cluster])].map((each) => each.onRequest(refuseStreamingList));
  const conflicts = provokeConflicts(cluster, list);
  try {
    const manifests = (namespaces: readonly [string, ...string[]], account: RightsAccount): readonly RbacManifest[] => [
      ...rbacManifests(list, {
        ...account,
        ...(isClusterWide ? {} : { namespaces }),
        runnables: options.runnables?.(namespaces, account) ?? [],
        events: recordsEvents(list),
        ...(insteadOfAll === undefined ? {} : { insteadOfAll }),
      }),
      ...(options.manifests?.(account) ?? []).filter(isOfRights),
    ];
    const inTarget = (...given: Parameters<RightsTarget["manifests"]>): readonly RbacManifest[] =>
      (target?.manifests(...given) ?? []).filter(isOfRights);
    const any = [["any"], { name: "any", namespace: "default" }] as const satisfies Parameters<RightsTarget["manifests"]>;
    const taken = [
      { without: undefined, isInTarget: false },
      ...rightsIn(manifests(...any)).map((without) => ({ without, isInTarget: false })),
      ...rightsIn(inTarget(...any)).map((without) => ({ without, isInTarget: true })),
    ];
    const pending = taken.map((each, index) => ({ ...each, index }));
    const runs: RightsRun[] = [];
    const work = async (): Promise<void> => {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
        const { without, isInTarget, index } = next;
        const namespaces = Array.from({ length: options.namespaces ?? 1 }, (_, n) => `run-${index}-${n}`) as [string, ...string[]]; // at least one
        const account = { name: `run-${index}`, namespace: "default" };
        const reduced = (all: readonly RbacManifest[], isReduced: boolean): readonly RbacManifest[] =>
          without === undefined || !isReduced ? all : withoutRight(all, without);
        const rbac = reduced(manifests(namespaces, account), !isInTarget);
        for (const manifest of reduced(inTarget(namespaces, account), isInTarget)) await target?.cluster.apply(manifest);
        const ended = await run({ cluster, handlers: list, rbac, account, namespaces, without, isInTarget, options });
        runs[index] = { without: without === undefined ? undefined : `${textOf(without)}${isInTarget ? " in the target" : ""}`, ...ended };
      }
    };
    const isInTurn = isClusterWide || target !== undefined;
    await Promise.all(Array.from({ length: isInTurn ? 1 : (options.concurrency ?? 6) }, work));
    return runs;
  } finally {
    conflicts();
    for (const stop of stops) stop();
  }
}

/** @throws ApiError for a watch that lists: informers then need the right to list */
function refuseStreamingList({ verb, path }: Parameters<RequestObserver>[0]): void {
  if (verb === "watch" && path.includes("sendInitialEvents=true"))
    throw new ApiError({ message: "no streaming lists here", status: 400, reason: "BadRequest" });
}

/** @throws TypeError if a step asks for all rights, and none are given in their place */
function requireChecked(handlers: readonly AnyHandler[], insteadOfAll: readonly Permission[] | undefined): void {
  const all = handlers.flatMap((handler) => pipelineOf(handler).leaves).find(({ allRights }) => allRights !== undefined);
  if (all === undefined || insteadOfAll !== undefined) return;
  throw new TypeError(
    `checkRights: step "${all.name}" asks for all rights, so that no right could be missed: name those that this run needs by insteadOfAll: [{ kind, verbs }]`,
  );
}

function isOfRights(manifest: object): manifest is RbacManifest {
  return (manifest as { readonly apiVersion?: unknown }).apiVersion === "rbac.authorization.k8s.io/v1";
}

/** Whether a step records events. The warnings of the engine need failures, and a run that succeeds has none. */
function recordsEvents(handlers: readonly AnyHandler[]): boolean {
  return handlers.some((handler) => pipelineOf(handler).leaves.some(({ events }) => events.length > 0));
}

interface OneRun {
  readonly cluster: TestCluster;
  readonly handlers: readonly AnyHandler[];
  readonly rbac: readonly RbacManifest[];
  readonly account: RightsAccount;
  readonly namespaces: readonly [string, ...string[]];
  readonly without: TakenRight | undefined;
  /** Whether the right was removed in the target. */
  readonly isInTarget: boolean;
  readonly options: CheckRightsOptions;
}

async function run({
  cluster,
  handlers,
  rbac,
  account,
  namespaces,
  without,
  isInTarget,
  options,
}: OneRun): Promise<Omit<RightsRun, "without">> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), options.timeoutMs ?? 20_000);
  const { isClusterWide = false, target } = options;
  // Each run has requests of its own: in one namespace another run may want the same right.
  if (isClusterWide) cluster.requests.clear();
  // The namespaces there are those of the placement.
  target?.cluster.requests.clear();
  const runnables = options.runnables?.(namespaces, account) ?? [];
  const operator = cluster.start(handlers, { rbac, runnables, signal: over.signal, ...(isClusterWide ? {} : { namespaces }) });
  operator.catch(() => undefined); // A run that awaits the operator gets the error.
  const refused = (): string | undefined => {
    // What has no namespace is refused to the one run that lacks the right.
    const isOurs = ({ namespace }: RecordedRequest): boolean =>
      namespace === undefined ? without !== undefined : isClusterWide || namespaces.includes(namespace);
    const isMeant = (request: RecordedRequest): boolean => without === undefined || isWantOf(without, request);
    const own = cluster.requests.filter().filter(isOurs);
    const remote = target?.cluster.requests.filter() ?? [];
    const asked = without === undefined ? [...own, ...remote] : isInTarget ? remote : own;
    const one = asked.find((request) => request.status === 403 && isMeant(request));
    return one === undefined
      ? undefined
      : `403 for ${one.verb} ${one.resource}${one.subresource === undefined ? "" : `/${one.subresource}`}`;
  };
  const until: RightsContext["until"] = async (claim, holds) => {
    while (!(await holds())) {
      if (over.signal.aborted) throw new Error(`it is not so that ${claim}`);
      await delay(POLL_MS);
    }
  };
  const watching = async (): Promise<undefined> => {
    while (refused() === undefined && !over.signal.aborted) await delay(POLL_MS);
  };
  try {
    const failed = options.run({ cluster, account, namespaces, operator, until }).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const failure = await Promise.race([failed, watching().then(() => refused() ?? "it did not end in time")]);
    const proof = refused();
    if (without === undefined || proof !== undefined || failure === undefined)
      return { failure: proof ?? (without === undefined ? failure : undefined) };
    return { failure: undefined, unrelated: failure };
  } finally {
    over.abort();
    clearTimeout(timer);
    // An operator that lacks a right may never start. The signal ends its start, and a port on which it listens is free again.
    const stopped = operator.then((op) => op.stop()).catch(() => undefined);
    if (isClusterWide || target !== undefined) await stopped;
  }
}

const POLL_MS = 50;

/** Another writer's change comes before the first status patch of each kind in each run. Returns the way to end it. */
function provokeConflicts(cluster: TestCluster, handlers: readonly AnyHandler[]): () => void {
  const kinds = new Map(handlers.map(({ kind }) => [`${kind.group}/${kind.plural}`, kind]));
  const done = new Set<string>();
  return cluster.onRequest(({ verb, group, resource, subresource, namespace = "", name }) => {
    const kind = kinds.get(`${group}/${resource}`);
    if (kind === undefined || name === undefined || verb !== "patch" || subresource !== "status") return undefined;
    const first = `${namespace} ${group}/${resource}`;
    if (done.has(first)) return undefined;
    done.add(first);
    const body = { metadata: { annotations: { "testing.treadle.dev/touched": "yes" } } };
    return cluster.client.patch(kind, { name, namespace }, { type: "merge", body });
  });
}
