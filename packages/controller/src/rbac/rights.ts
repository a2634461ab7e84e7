/**
 * The rights that an operator needs, each with its reason. They follow from the declarations of the handlers, and from the
 * requests that the engine and the informers make for them. Nothing is guessed from code that runs.
 */
import type { Kind } from "@treadle/apimachinery";
import { Event } from "@treadle/apimachinery/kinds";
import type { AnyHandler, Permission, PermissionVerb } from "@treadle/reconcile";
import { type AnyRead, pipelineOf, type StepRuntime } from "@treadle/reconcile/unstable/engine";
import { readsOf } from "../manager/needs.ts";
import type { Runnable } from "../runnable.ts";

/** A right: one verb on one resource. */
export interface Right {
  /** The kind of the resource. */
  readonly kind: Kind;
  /** The subresource, such as `status`; absent for the resource itself. */
  readonly subresource?: string;
  /** The names of the objects; absent for all objects. */
  readonly names?: readonly string[];
  /** The verb; `*`: all. */
  readonly verb: PermissionVerb | "*";
  /** The reason, for people. */
  readonly because: string;
  /** Whether the author of the step gave the reason, so that it is a comment in the manifest. @defaultValue false */
  readonly isExplained?: boolean;
}

/** Options of {@link rightsOf}. */
export interface RightsOptions {
  /** The runnables of the operator, for their `reads` and `permissions`. @defaultValue none */
  readonly runnables?: readonly Runnable[];
  /** Whether the operator writes events; false: `events: false` of its manager. @defaultValue true */
  readonly events?: boolean;
  /**
   * The rights in place of those of steps that ask for all rights, where it is known which kinds they will use.
   * @defaultValue every verb on every resource of every group
   */
  readonly insteadOfAll?: readonly Permission[];
}

/** The rights that the handlers and the runnables need, in the order of their declarations. A right may occur several times, with different reasons. */
export function rightsOf(handlers: AnyHandler | readonly AnyHandler[], options: RightsOptions = {}): readonly Right[] {
  const { runnables = [], events = true, insteadOfAll = [ALL] } = options;
  const list = Array.isArray(handlers) ? (handlers as readonly AnyHandler[]) : [handlers as AnyHandler];
  const ofHandlers = list.flatMap((handler) => [
    ...primaryRights(handler),
    ...pipelineOf(handler).leaves.flatMap((step) => stepRights(handler, step, insteadOfAll)),
    ...(events ? eventRights(handler) : []),
    ...pipelineOf(handler).watches.flatMap(({ kind }) => rights({ kind }, ["list", "watch"], `handler ${handler.name} watches it`)),
  ]);
  return [...ofHandlers, ...runnables.flatMap(runnableRights)];
}

type Target = Pick<Right, "kind" | "subresource" | "names" | "isExplained">;

/** A permission, or all rights. */
type Granted = Omit<Permission, "verbs"> & { readonly verbs: readonly Right["verb"][] };

/** Every resource. RBAC has no narrower rule for a step that learns the kinds of its objects at run time. */
const ALL: Granted = { kind: { group: "*", version: "*", kind: "*", plural: "*", scope: "Cluster" }, verbs: ["*"] };

function rights(target: Target, verbs: readonly Right["verb"][], because: string): Right[] {
  return verbs.map((verb) => ({ ...target, verb, because }));
}

function primaryRights(handler: AnyHandler): Right[] {
  const { kind, name } = handler;
  const { leaves, stateIn } = pipelineOf(handler);
  const patching = [
    ...leaves.filter((step) => step.cleanup !== undefined).map((step) => `step "${step.name}" has a cleanup, so the finalizer is taken`),
    ...leaves.filter((step) => step.writes.length > 0).map((step) => `step "${step.name}" writes ${step.writes.join(", ")}`),
    ...leaves
      .filter((step) => step.state !== undefined && stateIn === "annotation")
      .map((step) => `step "${step.name}" keeps its state in an annotation`),
  ];
  const owning = leaves.find((step) => (step.refersFrom ?? step.owns).some((owned) => mayRefer(kind, owned)));
  return [
    ...rights({ kind }, ["list", "watch"], `handler ${name} reconciles it`),
    ...rights({ kind }, ["get"], "the newest version is read after a conflict"),
    ...rights({ kind, subresource: "status" }, ["patch"], "its status is stored"),
    ...patching.flatMap((because) => rights({ kind }, ["patch"], because)),
    ...(owning === undefined
      ? []
      : rights(
          { kind, subresource: "finalizers" },
          ["update"],
          `step "${owning.name}" owns objects, whose owner references block its deletion (admission plugin OwnerReferencesPermissionEnforcement)`,
        )),
  ];
}

/** Whether Kubernetes allows an owner reference from `owned` to `owner`: never from outside the owner's namespace. */
function mayRefer(owner: Kind, owned: Kind): boolean {
  return owner.scope === "Cluster" || owned.scope === "Namespaced";
}

function stepRights({ name }: AnyHandler, step: StepRuntime, all: readonly Granted[]): Right[] {
  const where = `step "${step.name}" of ${name}`;
  const { allRights } = step;
  return [
    ...Object.entries(step.reads).flatMap(([key, read]) => rights({ kind: read.kind }, verbsOfRead(read), `${where} reads ${key}`)),
    ...step.owns.flatMap((kind) => {
      // A step that names the kinds that refer to the primary names its other rights by permissions.
      if (step.refersFrom !== undefined) return rights({ kind }, ["list", "watch"], `${where} owns it`);
      const written = rights({ kind }, ["list", "watch", "create", "patch"], `${where} owns it`);
      return step.cleanup === undefined ? written : [...written, ...rights({ kind }, ["delete"], `${where} owns it and has a cleanup`)];
    }),
    ...step.permissions.flatMap((permission) => permissionRights(where, permission)),
    ...(allRights === undefined ? [] : all).flatMap((granted) => permissionRights(where, { ...allRights, ...granted })),
  ];
}

function runnableRights(runnable: Runnable): Right[] {
  const { name = "(unnamed)", permissions = [] } = runnable;
  const where = `runnable "${name}"`;
  return [
    ...readsOf([runnable]).flatMap((read) => rights({ kind: read.kind }, verbsOfRead(read), `${where} reads it`)),
    ...permissions.flatMap((permission) => permissionRights(where, permission)),
  ];
}

function permissionRights(where: string, { verbs, because, ...target }: Granted): Right[] {
  if (because === undefined) return rights(target, verbs, `${where} asks for it`);
  return rights({ ...target, isExplained: true }, verbs, `${where} asks for it: ${because}`);
}

/** The right to write events, which every handler needs: failures that a person must act on are events as well. */
function eventRights(handler: AnyHandler): Right[] {
  const {
    name,
    kind: { scope },
  } = handler;
  const { leaves } = pipelineOf(handler);
  // Events of objects without a namespace are in one that the operator may not watch, so their rule is for the cluster.
  const target = { kind: { ...Event, scope } };
  const reasons = leaves
    .filter((step) => step.events.length > 0)
    .map((step) => `step "${step.name}" of ${name} records events: ${step.events.join(", ")}`);
  const because = [`handler ${name} records failures that a person must act on as events`, ...reasons];
  return because.flatMap((reason) => rights(target, ["create", "patch"], reason));
}

/** The verbs of the informer of a read, and of its own requests; see `ReadForm`. */
function verbsOfRead({ type, source, watches }: AnyRead): readonly PermissionVerb[] {
  const live: readonly PermissionVerb[] = source === "cache" ? [] : [type === "one" ? "get" : "list"];
  return watches === undefined ? live : [...new Set<PermissionVerb>([...live, "list", "watch"])];
}
