/** Finds the objects that another object names: by typed references in its spec and status, and by the words of its messages. */
import { apiVersionOf, type KubernetesObject } from "@treadle/apimachinery";
import type { DiscoveredKind } from "@treadle/client";
import { idOf, type ObjectName } from "../cluster/object-name.ts";
import type { ServedKinds } from "../cluster/served-kinds.ts";
import { isRecord, listAt, textAt } from "../json.ts";

/** A reference, and where it is. */
export interface Reference {
  readonly name: ObjectName;
  readonly path: string;
}

/** Deeper fields, and more references, are not looked at. */
const MAX_DEPTH = 6;
const MAX_REFERENCES = 30;

/**
 * Returns the objects that spec and status name by `apiVersion`, `kind` and `name`, as Crossplane, Cluster API and others do.
 * `status.dependents` is not among them.
 */
export function typedReferences(object: KubernetesObject): readonly Reference[] {
  const found = new Map<string, Reference>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (depth > MAX_DEPTH || found.size >= MAX_REFERENCES) return;
    if (Array.isArray(value)) {
      value.forEach((each, index) => visit(each, `${path}[${index}]`, depth + 1));
      return;
    }
    if (!isRecord(value)) return;
    const [apiVersion, kind, name] = ["apiVersion", "kind", "name"].map((key) => textAt(value, key));
    if (apiVersion && kind && name) {
      const namespace = textAt(value, "namespace") || object.metadata.namespace;
      const reference = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
      if (!found.has(idOf(reference))) found.set(idOf(reference), { name: reference, path });
    }
    for (const [key, each] of Object.entries(value))
      if (path !== "status" || key !== "dependents") visit(each, `${path}.${key}`, depth + 1);
  };
  for (const part of ["spec", "status"] as const) visit((object as unknown as Readonly<Record<string, unknown>>)[part], part, 0);
  return [...found.values()];
}

/** Returns the claims that a pod mounts: it has no typed references. */
export function claimsOf(pod: KubernetesObject): readonly Reference[] {
  const { namespace = "" } = pod.metadata;
  return listAt(pod, "spec", "volumes").flatMap((volume, index) => {
    const name = textAt(volume, "persistentVolumeClaim", "claimName");
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name };
    return name === "" ? [] : [{ name: claim, path: `spec.volumes[${index}]` }];
  });
}

/** `Secret in`, `Deployment default/web`, `ConfigMap "app"`. A kind begins with a capital letter. */
const KIND_AND_NAME = /\b([A-Z][A-Za-z0-9]+)\s+["'`]?((?:[a-z0-9][-a-z0-9.]*\/)?[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)["'`]?/g;
/** `secrets "in" not found`, `configmap "app" not found`, as Kubernetes writes it. */
const PLURAL_AND_NAME = /\b([a-z][a-z0-9.]*)\s+"((?:[a-z0-9][-a-z0-9.]*\/)?[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)"/g;

/** What follows a name that a message reports as missing. */
const SAID_MISSING = /^["'`]?\s+(?:does not exist|doesn't exist|(?:was |is |could )?not (?:be )?found|is missing)\b/;

/** An object that a message mentions. */
export interface Mention {
  readonly name: ObjectName;
  /** Whether the message says that it does not exist. Other words may look like a name: "Job has failed". */
  readonly isSaidMissing: boolean;
}

/** Returns the objects that a message mentions, if the server has a kind of that name. Names without a namespace are in `namespace`. */
export function mentioned(message: string, namespace: string | undefined, kinds: ServedKinds): readonly Mention[] {
  const found = new Map<string, Mention>();
  const add = (kind: DiscoveredKind | undefined, match: RegExpExecArray): void => {
    if (kind === undefined) return;
    const [before, after] = (match[2] ?? "").split("/");
    const [where, name = ""] = after === undefined ? [namespace, before] : [before, after];
    const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
    const reference = kind.scope === "Namespaced" && where !== undefined ? { ...type, namespace: where, name } : { ...type, name };
    const isSaidMissing = SAID_MISSING.test(message.slice(match.index + match[0].length));
    if (!found.has(idOf(reference))) found.set(idOf(reference), { name: reference, isSaidMissing });
  };
  for (const match of message.matchAll(KIND_AND_NAME)) add(kinds.named(match[1] ?? "")[0], match);
  const byPlural = (word = ""): DiscoveredKind | undefined =>
    kinds.preferred().find((each) => each.plural === word || each.singular === word || `${each.plural}.${each.group}` === word);
  for (const match of message.matchAll(PLURAL_AND_NAME)) add(byPlural(match[1]), match);
  return [...found.values()].slice(0, 10);
}
