/** Finds every problem of a pipeline before the first pass. Each problem has its fix. */
import { CONDITION_LIMITS, groupKindOf, isConditionReason, isDns1123Subdomain, type Kind } from "@treadle/apimachinery";
import { RateLimit } from "@treadle/workqueue";
import type { Collected } from "./collected.ts";
import { PERMISSION_VERBS, type Permission } from "../permission.ts";
import { MAX_NAME_LENGTH } from "./names.ts";
import { extensionsOf, handlerOf } from "./extensions.ts";
import type { AnyRead } from "../reads.ts";
import { type PartOrder, partOrderOf } from "./order.ts";
import { KSTATUS_TYPES } from "../save/kstatus.ts";
import { giverProblems, orderProblems } from "./order-problems.ts";
import { predecessorsOf } from "./predecessors.ts";
import { stateProblems } from "./state-problems.ts";
import { throughProblems } from "./through-problems.ts";
import { isAnyKind, reportersOf, type StepRuntime } from "./step-runtime.ts";

/** Returns the problems of a pipeline, in the order in which a reader meets their causes. */
export function findProblems(collected: Collected, leaves: readonly StepRuntime[], name: string): string[] {
  const order = partOrderOf(collected.steps);
  return [
    ...handlerProblems(collected, name),
    ...nameProblems(collected.steps),
    ...kindProblems(collected, leaves),
    ...orderProblems(collected.steps, order),
    ...giverProblems(leaves),
    ...statusProblems(collected, leaves),
    ...conditionProblems(leaves),
    ...stateProblems(collected, leaves),
    ...extensionProblems(collected, { leaves, order, name }),
    ...leaves.flatMap(declarationProblems),
  ];
}

function handlerProblems({ kind, options, steps, watches }: Collected, name: string): string[] {
  const problems: string[] = [];
  if (!isNamedKind(kind)) problems.push("anyKind() is for steps: give handler() the kind that it reconciles");
  if (steps.length === 0) problems.push("it has no steps: add one with .step(...)");
  if (isAnyKind(kind) && options.name === undefined) {
    // The default name comes from the kind, whose problem is reported already.
  } else if (name.length > MAX_NAME_LENGTH)
    problems.push(`its name has ${name.length} characters: use at most ${MAX_NAME_LENGTH}, the limit of a finalizer's name`);
  else if (!isDns1123Subdomain(name)) problems.push(`its name "${name}" is not a DNS name: use lower case letters, digits, "-" and "."`);
  problems.push(...predecessorProblems(options, name));
  for (const [key, value] of Object.entries(options.deadlines ?? {})) {
    if (!isTime(value)) problems.push(`deadlines.${key} is ${String(value)}: give milliseconds above 0`);
  }
  if (watches.some((watch) => !isNamedKind(watch.kind))) problems.push("watch() has no kind: name the kind that it watches");
  return problems;
}

function predecessorProblems({ formerNames = [], takesOver = [] }: Collected["options"], name: string): string[] {
  const problems: string[] = [];
  for (const former of formerNames)
    if (typeof former !== "string" || former.length > MAX_NAME_LENGTH || !isDns1123Subdomain(former))
      problems.push(`formerNames holds ${JSON.stringify(former)}, which cannot have been the name of a handler: remove it`);
  if (new Set([name, ...formerNames]).size <= formerNames.length)
    problems.push(`formerNames names a handler twice, or by its present name "${name}": each name once`);
  for (const { finalizers = [], fieldManagers = [], lease } of takesOver)
    for (const [what, given] of Object.entries({ finalizers, fieldManagers, lease: lease === undefined ? [] : [lease] }))
      if (!Array.isArray(given) || given.some((each) => typeof each !== "string" || each === ""))
        problems.push(`takesOver has ${what} ${JSON.stringify(given)}: give names, as the objects of the other operator have them`);
  return problems;
}

function nameProblems(steps: readonly StepRuntime[]): string[] {
  const problems: string[] = [];
  const seen = new Map<string, StepRuntime>();
  const visit = (step: StepRuntime): void => {
    const other = seen.get(step.name);
    // A second conditions() is reported as another problem.
    if (other !== undefined && step.configures.conditions === undefined)
      problems.push(
        other === step
          ? `step "${step.name}" is in the handler twice: remove one of them`
          : `two steps are named "${step.name}": rename one of them`,
      );
    seen.set(step.name, step);
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(step.name) || step.name.length > MAX_NAME_LENGTH) {
      problems.push(`step "${step.name}": a name is made of lower case letters, digits and "-", ${MAX_NAME_LENGTH} characters at most`);
    }
    // A composite that reports for its parts has a result without parts.
    if (step.parts?.steps.length === 0 && !step.parts.reports)
      problems.push(`${step.parts.maker}("${step.name}") has no parts: give it steps, or leave it out`);
    step.parts?.steps.forEach(visit);
  };
  steps.forEach(visit);
  return problems;
}

function kindProblems({ kind }: Collected, leaves: readonly StepRuntime[]): string[] {
  if (!isNamedKind(kind)) return [];
  return leaves
    .filter((step) => !isAnyKind(step.kind) && groupKindOf(step.kind) !== groupKindOf(kind))
    .map(
      (step) =>
        `step "${step.name}" is for ${groupKindOf(step.kind)}, this handler for ${groupKindOf(kind)}: make the step for this kind, or for anyKind<Shape>()`,
    );
}

/** The built-in kinds without a status; of other kinds only the server knows. */
const WITHOUT_STATUS: ReadonlySet<string> = new Set(
  Object.entries({
    "": ["ConfigMap", "Secret", "ServiceAccount", "Endpoints", "Event", "LimitRange", "PodTemplate"],
    "rbac.authorization.k8s.io": ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"],
    "storage.k8s.io": ["StorageClass", "CSIDriver", "CSINode"],
    "admissionregistration.k8s.io": ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
    apps: ["ControllerRevision"],
    "coordination.k8s.io": ["Lease"],
    "discovery.k8s.io": ["EndpointSlice"],
    "events.k8s.io": ["Event"],
    "networking.k8s.io": ["IngressClass"],
    "scheduling.k8s.io": ["PriorityClass"],
    "node.k8s.io": ["RuntimeClass"],
  }).flatMap(([group, kinds]) => kinds.map((kind) => groupKindOf({ group, kind }))),
);

function statusProblems({ kind }: Collected, leaves: readonly StepRuntime[]): string[] {
  if (!isNamedKind(kind) || !WITHOUT_STATUS.has(groupKindOf(kind))) return [];
  const [type] = leaves.flatMap(({ conditions }) => conditions.map((condition) => condition.type));
  if (type === undefined && !leaves.some(({ configures }) => configures.conditions !== undefined)) return [];
  const what = type === undefined ? "nothing can keep conditions" : `nothing can keep the condition "${type}"`;
  return [`${kind.kind} has no status, so ${what}: leave out conditions() and every condition, or report in a kind with a status`];
}

function conditionProblems(leaves: readonly StepRuntime[]): string[] {
  const problems: string[] = [];
  const switches = leaves.filter((step) => step.configures.conditions !== undefined);
  const owners = new Map<string, StepRuntime>();
  for (const step of leaves) {
    for (const { type } of step.conditions) {
      const owner = owners.get(type);
      if (owner !== undefined)
        problems.push(`condition "${type}" is declared by "${owner.name}" and by "${step.name}": give one of them another condition`);
      owners.set(type, owner ?? step);
      if (!isConditionType(type)) problems.push(`step "${step.name}": "${type}" is not a condition type: use CamelCase letters and digits`);
    }
  }
  if (owners.size > 0 && switches.length === 0) {
    const [type, step] = [...owners][0] as [string, StepRuntime];
    problems.push(`step "${step.name}" declares the condition "${type}", but nothing keeps conditions: add .step(conditions())`);
  }
  if (switches.length > 1) problems.push("conditions() is in the list twice: remove one");
  const kept = switches[0]?.configures.conditions;
  for (const type of kept?.kstatus === true ? KSTATUS_TYPES : []) {
    const owner = owners.get(type);
    if (owner !== undefined)
      problems.push(`step "${owner.name}" declares "${type}", which conditions({ kstatus: true }) keeps: remove one of the two`);
  }
  const ready = owners.get("Ready");
  if (ready !== undefined && kept?.rank !== undefined)
    problems.push(`step "${ready.name}" owns Ready, so conditions({ rank }) has no effect: remove one of the two`);
  if (ready !== undefined && switches[0]?.configures.conditions?.ready === false) {
    problems.push(
      `step "${ready.name}" owns Ready, but conditions({ ready: false }) leaves Ready to another handler: remove one of the two`,
    );
  }
  return problems;
}

/** The problems that extensions find. */
function extensionProblems(
  { kind, steps, options }: Collected,
  { leaves, order, name }: { readonly leaves: readonly StepRuntime[]; readonly order: PartOrder; readonly name: string },
): string[] {
  const before = predecessorsOf(kind, name, options);
  const reporters = reportersOf(steps);
  return extensionsOf(leaves).flatMap((extension) => [
    ...(extension.problems?.(handlerOf({ name, before, kind, leaves, steps, order, reporters }, extension.name)) ?? []),
  ]);
}

function declarationProblems(step: StepRuntime): string[] {
  const problems: string[] = [];
  const where = `step "${step.name}"`;
  if (step.finalizer === "on-demand" && step.cleanup === undefined) {
    problems.push(`${where}: finalizer "on-demand" without cleanup: add a cleanup, or leave finalizer out`);
  }
  if (step.finalizer !== "on-demand" && step.finalizer !== "before-do")
    problems.push(`${where}: finalizer is "before-do" or "on-demand", not "${String(step.finalizer)}"`);
  if (step.timeoutMs !== undefined && !isTime(step.timeoutMs))
    problems.push(`${where}: timeoutMs is ${String(step.timeoutMs)}: give milliseconds above 0`);
  problems.push(...backoffProblems(where, step));
  for (const written of step.writes) {
    if (!["labels", "annotations", "spec"].includes(written))
      problems.push(`${where}: writes "${String(written)}": only "labels", "annotations" and "spec" can be written`);
  }
  for (const [name, read] of Object.entries(step.reads)) {
    if (!READ_TYPES.includes(read?.type)) problems.push(`${where}: reads.${name} is not made by one(), many() or owned()`);
    else if (!isNamedKind(read.kind)) problems.push(`${where}: reads.${name} has no kind: name the kind that it reads`);
  }
  problems.push(...throughProblems(where, step.reads));
  if (!step.owns.every(isNamedKind)) problems.push(`${where}: owns has an entry that is not a kind: name the kinds that it creates`);
  for (const reason of step.events)
    if (typeof reason !== "string" || reason.length > MAX_EVENT_REASON || !isConditionReason(reason))
      problems.push(`${where}: events lists ${JSON.stringify(reason)}: a reason is a word such as "BucketCreated"`);
  if (step.allRights !== undefined && !isLine(step.allRights?.because)) problems.push(`${where}: allRights ${REASON}`);
  step.permissions.forEach((permission, index) => problems.push(...permissionProblems(`${where}: permissions[${index}]`, permission)));
  return problems;
}

function backoffProblems(where: string, { backoff }: StepRuntime): string[] {
  if (backoff === undefined) return [];
  if (backoff === null || (typeof backoff !== "object" && backoff !== "cluster" && backoff !== "external"))
    return [`${where}: backoff is ${JSON.stringify(backoff)}: use "cluster", "external" or { baseMs, maxMs }`];
  try {
    new RateLimit(backoff, { elapsed: () => 0 });
    return [];
  } catch (error) {
    return [`${where}: backoff: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** The types of reads. */
const READ_TYPES: readonly unknown[] = ["one", "many", "several"] satisfies readonly AnyRead["type"][];

/** Of the API: `reason` of an event. */
const MAX_EVENT_REASON = 128;

/** Returns what is wrong with a permission, each as a sentence that begins with `where`. */
export function permissionProblems(where: string, permission: Permission): string[] {
  if (!isNamedKind(permission?.kind)) return [`${where} has no kind: name the kind that it is about`];
  const { verbs, subresource, because } = permission;
  if (!Array.isArray(verbs) || verbs.length === 0) return [`${where} of ${permission.kind.kind} allows nothing: list verbs`];
  const unknown = verbs.filter((verb) => !PERMISSION_VERBS.includes(verb));
  return [
    ...unknown.map((verb) => `${where}: "${String(verb)}" is not a verb: use ${PERMISSION_VERBS.join(", ")}`),
    ...(because === undefined || isLine(because) ? [] : [`${where} of ${permission.kind.kind} ${REASON}`]),
    ...(subresource === undefined || /^[a-z][a-z-]*$/.test(subresource)
      ? []
      : [`${where}: "${subresource}" is not a subresource: give its name alone, e.g. "log"`]),
  ];
}

const REASON = "needs a reason that people can read: because, one line of text";

/** A reason is a comment in a manifest. */
function isLine(text: unknown): boolean {
  return typeof text === "string" && text.trim() !== "" && !/[\r\n]/.test(text);
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && value > 0 && value < Number.POSITIVE_INFINITY;
}

function isNamedKind(kind: Kind | undefined): boolean {
  return typeof kind === "object" && kind !== null && typeof kind.kind === "string" && !isAnyKind(kind);
}

/** Narrower than Kubernetes: a type is also the reason that `conditions.true(type)` gives. */
function isConditionType(type: unknown): boolean {
  return typeof type === "string" && type.length <= CONDITION_LIMITS.type.maxLength && /^[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?$/.test(type);
}
