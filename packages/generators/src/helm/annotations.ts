/**
 * Turns what Helm knows of an object by annotations into policies of a set: hooks with their weights and delete policies, and
 * `helm.sh/resource-policy`. Helm's annotations stay on the object, as `helm install` leaves them.
 */
import { groupOf } from "@treadle/apimachinery";
import type { Manifest, ObjectPolicies } from "@treadle/dependents";
import { annotationsOf, isPurgeable, isRecreatable, readPolicies, SHARED_PREFIX } from "@treadle/dependents/unstable/render";

/** What decides about an object besides its annotations. */
export interface AnnotationContext {
  /** Whether this is the first desired state: hooks of upgrades do not run. */
  readonly isInstall: boolean;
  /** The names of the handler: a chart must not set annotations with them. */
  readonly prefixes: readonly string[];
}

/** What an object of a chart is in the set. */
export type ReadObject =
  | { readonly type: "object"; readonly policies: ObjectPolicies; readonly isHook: boolean }
  /** It is a test, or a hook for rollbacks: it never runs. */
  | { readonly type: "dropped" }
  /** It is a hook that runs at a later revision. */
  | { readonly type: "later" }
  | { readonly type: "refused"; readonly problem: string };

const HOOK = "helm.sh/hook";
const WEIGHT = "helm.sh/hook-weight";
const DELETE_POLICY = "helm.sh/hook-delete-policy";
const RESOURCE_POLICY = "helm.sh/resource-policy";

/** The hooks that Helm has, and those that it had in version 2. */
const EVENTS: ReadonlySet<string> = new Set([
  ...["install", "upgrade", "rollback", "delete"].flatMap((event) => [`pre-${event}`, `post-${event}`]),
  "test",
  "test-success",
  "test-failure",
  "crd-install",
]);

/** The highest weight of a hook; the lowest one is its negative. */
const MAX_WEIGHT = 100;
/** The wave after the last hook before the other objects, which are in wave 0. */
const PURGE_EARLY = -1;
/** The last wave of hooks after the other objects. */
const PURGE_LATE = 2 * MAX_WEIGHT + 1;

/**
 * Reads the annotations of an object. Pure.
 * @param context `isCrdFile`: the object is in a file of the folder `crds/`, where Helm knows no hooks
 */
export function readAnnotations(
  manifest: Manifest,
  { isInstall, prefixes, isCrdFile }: AnnotationContext & { readonly isCrdFile: boolean },
): ReadObject {
  const { annotations = {} } = manifest.metadata;
  const ours = Object.keys(annotations).find((key) => isOurs(key, annotations[key] ?? "", prefixes));
  if (ours !== undefined)
    return refused(`has the annotation ${ours}, which belongs to the operator: remove it from the template, and set it by an edit`);
  const kept: ObjectPolicies = wordsIn(annotations[RESOURCE_POLICY]).join() === "keep" ? { onRemoval: "orphan" } : {};
  const hook = annotations[HOOK];
  if (hook === undefined || isCrdFile) return { type: "object", policies: kept, isHook: false };
  const read = readHook(manifest, { hook, weight: annotations[WEIGHT], deletion: annotations[DELETE_POLICY] }, isInstall);
  return read.type === "object" ? { ...read, policies: { ...read.policies, ...kept } } : read;
}

/** Returns the object with annotations for its policies, which the set reads and removes. */
export function withPolicies(manifest: Manifest, policies: ObjectPolicies): Manifest {
  const added = Object.entries(annotationsOf(policies)).map(([key, text]) => [`${SHARED_PREFIX}/${key}`, text] as const);
  if (added.length === 0) return manifest;
  const { metadata } = manifest;
  return { ...manifest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...Object.fromEntries(added) } } };
}

/** `treadle.dev/` has annotations for other purposes too, such as those of a custom resource in the chart. */
function isOurs(key: string, text: string, prefixes: readonly string[]): boolean {
  if (prefixes.some((prefix) => key.startsWith(`${prefix}/`))) return true;
  return key.startsWith(`${SHARED_PREFIX}/`) && readPolicies({ [key]: text }, { prefixes: [] }).rest === undefined;
}

interface HookTexts {
  readonly hook: string;
  readonly weight: string | undefined;
  readonly deletion: string | undefined;
}

function readHook(manifest: Manifest, texts: HookTexts, isInstall: boolean): ReadObject {
  const events = wordsIn(texts.hook);
  const deleted = events.find((event) => event === "pre-delete" || event === "post-delete");
  if (deleted !== undefined)
    return refused(
      `is a hook for ${deleted}, which a set does not run: remove it from the chart, and do its work in the cleanup of a step after the set`,
    );
  const unknown = events.find((event) => !EVENTS.has(event));
  if (unknown !== undefined)
    return refused(
      `names in ${HOOK} ${/^[a-z-]{1,40}$/.test(unknown) ? `the hook ${unknown}` : "a hook"}, which Helm does not have: correct the template, such as to pre-install`,
    );
  const [install, upgrade] = (["install", "upgrade"] as const).map((when) => ({
    isPre: events.includes(`pre-${when}`),
    isPost: events.includes(`post-${when}`),
  })) as [Moment, Moment];
  const isUpgrade = !isInstall && (upgrade.isPre || upgrade.isPost);
  const moment = isUpgrade ? upgrade : install;
  const hasWork = install.isPre || install.isPost || upgrade.isPre || upgrade.isPost;
  // Rollbacks and tests do not happen in a set; on install, hooks of upgrades do not run.
  if (!hasWork) return { type: "dropped" };
  if (!(moment.isPre || moment.isPost)) return { type: "later" };
  const weight = weightIn(texts.weight);
  if (Math.abs(weight) > MAX_WEIGHT)
    return refused(`is a hook with the weight ${weight}: write one from -${MAX_WEIGHT} to ${MAX_WEIGHT} in ${WEIGHT}`);
  const policies = deletionOf(manifest, moment, texts.deletion);
  if (typeof policies === "string") return refused(policies);
  return {
    type: "object",
    isHook: true,
    policies: {
      apply: moment.isPre ? weight - MAX_WEIGHT - 1 : weight + MAX_WEIGHT + 1,
      reconcile: isUpgrade ? "on-object-or-component-change" : "once",
      ...policies,
    },
  };
}

/** When a hook runs, relative to the other objects. */
interface Moment {
  readonly isPre: boolean;
  readonly isPost: boolean;
}

/** Returns what follows from the delete policies of a hook; a text: why they are refused. */
function deletionOf(manifest: Manifest, { isPre, isPost }: Moment, deletion: string | undefined): ObjectPolicies | string {
  const policies = deletion === undefined ? ["before-hook-creation"] : wordsIn(deletion);
  const kind = { group: groupOf(manifest.apiVersion), kind: manifest.kind };
  if (policies.includes("hook-failed"))
    return `is a hook with the delete policy hook-failed, which a set does not have: it would delete what shows the failure; remove it from ${DELETE_POLICY}`;
  // Helm deletes no CRD of a hook either.
  const isPurged = policies.includes("hook-succeeded") && kind.kind !== "CustomResourceDefinition";
  if (isPurged && !isPurgeable(kind))
    return `is a hook with the delete policy hook-succeeded, which would delete other objects with the ${kind.kind}: remove it from ${DELETE_POLICY}`;
  return {
    // What users have in some kinds would be deleted: their objects are updated in place.
    ...(policies.includes("before-hook-creation") && isRecreatable(kind) ? { update: "recreate" as const } : {}),
    ...(isPurged ? { purge: isPre && !isPost ? PURGE_EARLY : PURGE_LATE } : {}),
  };
}

/** As Helm: a weight that is not an integer is 0. */
function weightIn(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : 0;
}

/** The words of a list as Helm reads them. */
function wordsIn(text: string | undefined): readonly string[] {
  return (text ?? "").split(",").map((word) => word.trim().toLowerCase());
}

function refused(problem: string): ReadObject {
  return { type: "refused", problem };
}
