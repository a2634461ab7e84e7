/**
 * `checkRights`: whether an operator's generated rights are enough, and whether each of them is needed. Runs a story on a
 * server with all rights, then once for each verb on each resource without it; every run has namespaces and an
 * identity of its own, so that many run side by side.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@treadle/apimachinery";
import { type PolicyRule, type RbacManifest, rbacManifests } from "@treadle/controller";
import type { AnyHandler } from "@treadle/reconcile";
import type { RecordedRequest } from "./requests.ts";
import type { TestCluster } from "./test-cluster.ts";
import type { TestOperator } from "./test-operator.ts";

/** What a story is told in. */
export interface RightsStory {
  readonly cluster: TestCluster;
  /** Of its own; the operator watches them. As many as asked for. */
  readonly namespaces: readonly [string, ...string[]];
  readonly operator: Promise<TestOperator>;
  /** Asks until `holds`; a story must not wait otherwise. @throws Error naming `claim` when the run is over */
  until(claim: string, holds: () => boolean | Promise<boolean>): Promise<void>;
}

export interface CheckRightsOptions {
  /** Must use every right: create, change and delete what there is. */
  readonly story: (story: RightsStory) => Promise<void>;
  /** @defaultValue 1 */
  readonly namespaces?: number;
  /** How long one run may take. @defaultValue 20_000 */
  readonly timeoutMs?: number;
  /** How many runs at once. @defaultValue 6 */
  readonly concurrency?: number;
}

/** One run. */
export interface RightsRun {
  /** What was taken away, e.g. `patch secrets`; undefined: nothing. */
  readonly without: string | undefined;
  /**
   * The refused request that shows that the right was needed; where nothing was taken away, why the story failed or what was
   * refused; else undefined.
   */
  readonly failure: string | undefined;
  /** A story that failed although the server did not refuse what was taken away: it proves nothing. */
  readonly unrelated?: string;
}

/**
 * Runs the story with all rights of `handlers` and once without each. What must hold: `failure` is undefined where nothing
 * was taken away, and nowhere else. A run without a right is over as soon as the server refused a request for want of it.
 *
 * Informers are made to list, as on servers without streaming lists, and the first status patch of each operator meets a
 * conflict: both need rights that a run may do without by luck. In memory the cluster needs `time: "real"`.
 */
export async function checkRights(
  cluster: TestCluster,
  handlers: AnyHandler | readonly AnyHandler[],
  options: CheckRightsOptions,
): Promise<readonly RightsRun[]> {
  const list = Array.isArray(handlers) ? (handlers as readonly AnyHandler[]) : [handlers as AnyHandler];
  const stop = cluster.onRequest(({ verb, path }) => {
    if (verb === "watch" && path.includes("sendInitialEvents=true"))
      throw new ApiError({ message: "no streaming lists here", status: 400, reason: "BadRequest" });
  });
  const conflicts = provokeConflicts(cluster, list);
  try {
    const manifests = (namespaces: readonly string[], name: string): readonly RbacManifest[] =>
      rbacManifests(list, { name, namespace: "default", namespaces });
    const taken = [undefined, ...rightsIn(manifests(["any"], "any"))];
    const pending = taken.map((without, index) => ({ without, index }));
    const runs: RightsRun[] = [];
    const work = async (): Promise<void> => {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
        const { without, index } = next;
        const namespaces = Array.from({ length: options.namespaces ?? 1 }, (_, n) => `run-${index}-${n}`) as [string, ...string[]]; // at least one
        const rbac =
          without === undefined ? manifests(namespaces, `run-${index}`) : withoutRight(manifests(namespaces, `run-${index}`), without);
        const ended = await run({ cluster, handlers: list, rbac, namespaces, without, options });
        runs[index] = { without: without === undefined ? undefined : textOf(without), ...ended };
      }
    };
    await Promise.all(Array.from({ length: options.concurrency ?? 6 }, work));
    return runs;
  } finally {
    conflicts();
    stop();
  }
}

interface Run {
  readonly cluster: TestCluster;
  readonly handlers: readonly AnyHandler[];
  readonly rbac: readonly RbacManifest[];
  readonly namespaces: readonly [string, ...string[]];
  readonly without: TakenRight | undefined;
  readonly options: CheckRightsOptions;
}

async function run({ cluster, handlers, rbac, namespaces, without, options }: Run): Promise<Omit<RightsRun, "without">> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), options.timeoutMs ?? 20_000);
  const operator = cluster.start(handlers, { namespaces, rbac });
  operator.catch(() => undefined); // A story that needs it hears of it.
  const refused = (): string | undefined => {
    // What has no namespace is refused to the one run that lacks the right.
    const isOurs = ({ namespace }: RecordedRequest): boolean =>
      namespace === undefined ? without !== undefined : namespaces.includes(namespace);
    const isMeant = (request: RecordedRequest): boolean => without === undefined || isWantOf(without, request);
    const one = cluster.requests().find((request) => request.status === 403 && isOurs(request) && isMeant(request));
    return one === undefined
      ? undefined
      : `403 for ${one.verb} ${one.resource}${one.subresource === undefined ? "" : `/${one.subresource}`}`;
  };
  const until: RightsStory["until"] = async (claim, holds) => {
    while (!(await holds())) {
      if (over.signal.aborted) throw new Error(`it is not so that ${claim}`);
      await delay(POLL_MS);
    }
  };
  const watching = async (): Promise<undefined> => {
    while (refused() === undefined && !over.signal.aborted) await delay(POLL_MS);
  };
  try {
    const story = options.story({ cluster, namespaces, operator, until });
    const told = story.then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const failure = await Promise.race([told, watching().then(() => refused() ?? "it did not end in time")]);
    const proof = refused();
    if (without === undefined || proof !== undefined || failure === undefined)
      return { failure: proof ?? (without === undefined ? failure : undefined) };
    return { failure: undefined, unrelated: failure };
  } finally {
    over.abort();
    clearTimeout(timer);
    // Not awaited: one without rights may never start; the cluster ends it.
    void operator.then((op) => op.stop()).catch(() => undefined);
  }
}

const POLL_MS = 50;

/** Whether the request may have been refused for want of this right. */
function isWantOf({ group, resource, verb }: TakenRight, request: RecordedRequest): boolean {
  const isWrite = ["create", "apply", "patch", "update"].includes(request.verb);
  // The right to the finalizers of an owner is asked for when an object is given a reference to it.
  if (resource.endsWith("/finalizers")) return isWrite;
  const asked = request.subresource === undefined ? request.resource : `${request.resource}/${request.subresource}`;
  if (asked !== resource || request.group !== group) return false;
  // An apply is a patch, which is a create where there is nothing yet.
  return request.verb === verb || (request.verb === "apply" && (verb === "patch" || verb === "create"));
}

/** Somebody else's change comes before the first status patch of each operator. Returns the way to end it. */
function provokeConflicts(cluster: TestCluster, handlers: readonly AnyHandler[]): () => void {
  const kinds = new Map(handlers.map(({ kind }) => [`${kind.group}/${kind.plural}`, kind]));
  const done = new Set<string>();
  return cluster.onRequest(({ verb, group, resource, subresource, namespace = "", name }) => {
    const kind = kinds.get(`${group}/${resource}`);
    if (kind === undefined || name === undefined || verb !== "patch" || subresource !== "status" || done.has(namespace)) return undefined;
    done.add(namespace);
    const body = { metadata: { annotations: { "testing.treadle.dev/touched": "yes" } } };
    return cluster.client.patch(kind, { name, namespace }, { type: "merge", body });
  });
}

interface TakenRight {
  readonly role: RbacManifest["kind"];
  readonly group: string;
  readonly resource: string;
  readonly verb: PolicyRule["verbs"][number];
}

function rightsIn(manifests: readonly RbacManifest[]): readonly TakenRight[] {
  return manifests.flatMap(({ kind: role, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ role, group, resource, verb })))),
    ),
  );
}

function withoutRight(manifests: readonly RbacManifest[], { role, group, resource, verb }: TakenRight): readonly RbacManifest[] {
  const reduced = (rule: PolicyRule): readonly PolicyRule[] => {
    if (!rule.apiGroups.includes(group) || !rule.resources.includes(resource)) return [rule];
    const others = rule.resources.filter((each) => each !== resource);
    const verbs = rule.verbs.filter((each) => each !== verb);
    return [
      ...(others.length === 0 ? [] : [{ ...rule, resources: others }]),
      ...(verbs.length === 0 ? [] : [{ ...rule, resources: [resource], verbs }]),
    ];
  };
  return manifests.map((manifest) =>
    manifest.kind === role && manifest.rules !== undefined ? { ...manifest, rules: manifest.rules.flatMap(reduced) } : manifest,
  );
}

function textOf({ verb, resource, group }: TakenRight): string {
  return `${verb} ${resource}${group === "" ? "" : `.${group}`}`;
}
