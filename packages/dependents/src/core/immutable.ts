/**
 * The fields that a server does not let change once an object exists, and what its refusal of such a change says. Pure.
 *
 * The server's answer decides whether a change is refused: a comparison would take `1000m` for another value than `1`. The
 * table names the fields, because some answers name only `spec`.
 */
import { groupKindOf, isApiError, isInvalid, jsonEqual, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { type FieldSet, isObject, ownedPart } from "./owned-fields.ts";

/**
 * Decides what happens when the desired state changes a field that the server does not let change. `fail`: the entry
 * reports it. `recreate`: the object is deleted and created again. `ignore`: the field keeps its value.
 */
export type OnImmutable = "fail" | "recreate" | "ignore";

/** Immutable fields of the built-in kinds. Source: the validation of updates in Kubernetes 1.36 (`pkg/apis/<group>/validation`). */
const IMMUTABLE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ["data", "binaryData", "immutable"],
  "ControllerRevision.apps": ["data"],
  "CSIDriver.storage.k8s.io": ["spec.attachRequired", "spec.volumeLifecycleModes"],
  "DaemonSet.apps": ["spec.selector"],
  "Deployment.apps": ["spec.selector"],
  "EndpointSlice.discovery.k8s.io": ["addressType"],
  "IngressClass.networking.k8s.io": ["spec.controller"],
  "Job.batch": [
    "spec.selector",
    "spec.template",
    "spec.completions",
    "spec.completionMode",
    "spec.podFailurePolicy",
    "spec.successPolicy",
    "spec.backoffLimitPerIndex",
    "spec.managedBy",
  ],
  PersistentVolume: ["spec"],
  PersistentVolumeClaim: [
    "spec.accessModes",
    "spec.selector",
    "spec.volumeName",
    "spec.storageClassName",
    "spec.volumeMode",
    "spec.dataSource",
    "spec.dataSourceRef",
  ],
  Pod: ["spec"],
  "PriorityClass.scheduling.k8s.io": ["value", "preemptionPolicy"],
  "ReplicaSet.apps": ["spec.selector"],
  "RoleBinding.rbac.authorization.k8s.io": ["roleRef"],
  "ClusterRoleBinding.rbac.authorization.k8s.io": ["roleRef"],
  "RuntimeClass.node.k8s.io": ["handler"],
  Secret: ["type", "data", "immutable"],
  Service: ["spec.clusterIP", "spec.clusterIPs"],
  "StatefulSet.apps": ["spec.selector", "spec.serviceName", "spec.podManagementPolicy", "spec.volumeClaimTemplates"],
  "StorageClass.storage.k8s.io": ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"],
};

const NONE: readonly string[] = Object.freeze([]);

/** Returns the paths of the fields that the server does not let change; empty for kinds that are not built in. */
export function immutableFieldsOf(kind: Kind): readonly string[] {
  return IMMUTABLE_FIELDS[groupKindOf(kind)] ?? NONE;
}

/** The object as the server has it, and as it was to become. */
export interface RefusedChange {
  /** The body that the server refused. */
  readonly body: object;
  /** The object before. */
  readonly live: KubernetesObject;
  /** The fields that the unit has applied; `undefined` where a custom merge writes the whole object. */
  readonly owned: FieldSet | undefined;
}

/**
 * Returns the paths that the server refused to change; `undefined` if `error` has any other cause, too. Fields that the
 * table names come first; without one of them it is the path in the server's answer.
 */
export function refusedPaths(table: readonly string[], error: unknown, change: RefusedChange): readonly string[] | undefined {
  if (!isApiError(error) || !isInvalid(error) || error.causes.length === 0) return undefined;
  const { causes } = error;
  if (!causes.every(({ message = "" }) => isAboutChange(message))) return undefined;
  const paths = causes.flatMap(({ field = "", message = "" }) => {
    const path = field.replace(/\[.*$/s, "");
    if (path === "" || path === "<nil>") return unnamedPaths(table, detailOf(message), change);
    const named = path === "spec.clusterIPs" ? [path, "spec.clusterIP"] : [path]; // The server keeps both fields in step, and names one.
    const within = table.filter((each) => named.some((one) => isWithin(each, one) || isWithin(one, each)));
    const changed = within.filter((each) => isChanged(each, change));
    return changed.length > 0 ? changed : within.length > 0 ? within : [path];
  });
  return paths.length === 0 ? undefined : [...new Set(paths)];
}

/** How servers and rules say it: `field is immutable`, `may not change once set`, `cannot be modified`, `updates to ... are forbidden`. */
const ABOUT_CHANGE =
  /\bimmutable\b|\b(?:(?:may|must|can) ?not|can't) (?:be )?(?:chang|modif|updat|alter|mutat)|\bupdates? (?:to|may not)\b/i;

/** A text in quotes, as Go and JSON write it. */
const QUOTED = /"(?:[^"\\]|\\.)*"/gs;

/** Quoted texts are values, and may say anything. */
function isAboutChange(message: string): boolean {
  return ABOUT_CHANGE.test(detailOf(message).replaceAll(QUOTED, '""'));
}

/** Returns what a message says after the value that it quotes: `Invalid value: {"a":"b"}: field is immutable`. */
function detailOf(message: string): string {
  const start = /^(?:Invalid|Unsupported|Duplicate) value: /.exec(message)?.[0].length;
  if (start === undefined) return message;
  let depth = 0;
  let isQuoted = false;
  for (let i = start; i < message.length; i++) {
    const each = message.charAt(i);
    if (isQuoted && each === "\\") i++;
    else if (each === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if ("{[(".includes(each)) depth++;
    else if ("}])".includes(each)) depth--;
    else if (depth === 0 && message.startsWith(": ", i)) return message.slice(i + 2);
  }
  // A message without a value, or with one that is cut off.
  return depth === 0 && !isQuoted ? message.slice(start) : message.slice(message.lastIndexOf(": ") + 2);
}

/**
 * Returns the fields of a refusal that has no path, such as that of a ValidatingAdmissionPolicy: those that `text` names, else all
 * that differ.
 */
function unnamedPaths(table: readonly string[], text: string, change: RefusedChange): readonly string[] {
  const words = (text.match(/[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*/g) ?? []).map((word) =>
    word.replace(/^(?:object|oldObject|self)\./, ""),
  );
  const differing = [...new Set([...table, ...fieldsOf(change)])].filter((path) => isChanged(path, change));
  const named = words.filter((word) => differing.some((path) => isWithin(word, path)) && isChanged(word, change));
  if (named.length > 0) return named;
  const byLastName = differing.filter((path) => words.includes(path.slice(path.lastIndexOf(".") + 1)));
  return byLastName.length > 0 ? byLastName : differing;
}

/** The fields of the spec, and of an object without one its own fields. */
function fieldsOf({ body, live }: RefusedChange): readonly string[] {
  const fields = Object.keys({ ...live, ...body }).filter((name) => !["apiVersion", "kind", "metadata", "status"].includes(name));
  return fields.flatMap((name) =>
    name === "spec" ? Object.keys({ ...membersAt(live, name), ...membersAt(body, name) }).map((member) => `${name}.${member}`) : [name],
  );
}

function membersAt(object: object, name: string): object {
  const value = valueAt(object, name);
  return isObject(value) ? value : {};
}

function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`);
}

/** Whether the body has another value than the one that was applied last, or than the live one where that is not known. */
function isChanged(path: string, { body, live, owned }: RefusedChange): boolean {
  const wanted = valueAt(body, path);
  const before = owned === undefined ? valueAt(live, path) : valueAt(ownedPart(live, owned), path);
  return !jsonEqual(wanted, before);
}

/** Returns `body` with the values that the object has at `paths`: of an apply only those that the unit has applied. */
export function keeping<Body extends object>(
  paths: readonly string[],
  { body, live, owned }: RefusedChange & { readonly body: Body },
): Body {
  const before = owned === undefined ? live : ownedPart(live, owned);
  // Only members at the paths change, and to values that the server has.
  return paths.reduce<object>((kept, path) => withValue(kept, path.split("."), valueAt(before, path)), body) as Body;
}

/** Returns the value at a path such as `spec.selector`; `undefined`: none. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce((at: unknown, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}

function withValue(object: object, [name = "", ...below]: readonly string[], value: unknown): object {
  const { [name]: member, ...rest } = object as Readonly<Record<string, unknown>>;
  const next =
    below.length === 0 ? value : isObject(member) || value !== undefined ? withValue(isObject(member) ? member : {}, below, value) : member;
  return next === undefined ? rest : { ...rest, [name]: next };
}
