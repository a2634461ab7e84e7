/** The kinds that a set brings itself, by its CustomResourceDefinitions and APIServices. */
import { groupKindOf, groupOf, gvkOf, type Kind, kind as kindFrom } from "@treadle/apimachinery";
import { type Manifest, memberKey } from "./member.ts";

/** Kinds that an object of the set defines. `definedBy` is the key of that object. */
export type OwnKind =
  /** One kind, in the versions that its CRD serves. */
  | {
      readonly type: "crd";
      readonly definedBy: string;
      readonly group: string;
      readonly kind: string;
      readonly plural: string;
      readonly scope: Kind["scope"];
      readonly versions: readonly string[];
    }
  /** Every kind of one version of a group. */
  | { readonly type: "api-service"; readonly definedBy: string; readonly group: string; readonly version: string };

/** The kinds that a set brings itself. */
export interface OwnKinds {
  /** All of them, in rendered order. */
  readonly all: readonly OwnKind[];
  /** Returns what defines a kind. A CRD defines its kind in all versions, also in those that it does not serve. `undefined`: another source. */
  of(kind: Pick<Kind, "group" | "version" | "kind">): OwnKind | undefined;
  /**
   * Returns the kind of an instance, as far as the set defines it: scope and plural of the CRD, also for a version that it does not serve.
   * For an APIService it is a guess, because only the server knows. `undefined`: the set does not define the kind.
   */
  kindOf(object: Pick<Manifest, "apiVersion" | "kind">): Kind | undefined;
}

/** `Kind.group` of CRDs. */
export const CRD = "CustomResourceDefinition.apiextensions.k8s.io";
/** `Kind.group` of APIServices. */
export const API_SERVICE = "APIService.apiregistration.k8s.io";

/** Whether the deletion of an object of this kind deletes objects of other kinds. */
export function definesKinds(kind: Pick<Kind, "group" | "kind">): boolean {
  return [CRD, API_SERVICE].includes(groupKindOf(kind));
}

/** Returns the kinds that the manifests define. Malformed CRDs and APIServices define none: the server refuses them with a reason. */
export function definedKinds(manifests: readonly Manifest[]): OwnKinds {
  const all = manifests.map(definedBy).filter((own) => own !== undefined);
  const byKind = new Map<string, OwnKind>();
  for (const own of all) {
    const id = own.type === "crd" ? groupKindOf(own) : versionId(own);
    if (!byKind.has(id)) byKind.set(id, own);
  }
  const of: OwnKinds["of"] = (kind) => byKind.get(groupKindOf(kind)) ?? byKind.get(versionId(kind));
  return {
    all,
    of,
    kindOf: (object) => {
      const name = gvkOf(object);
      const own = of(name);
      return own === undefined ? undefined : kindFrom(own.type === "crd" ? { ...name, plural: own.plural, scope: own.scope } : name);
    },
  };
}

/** Returns the kind that a CRD defines, in its first served version; `undefined`: another object, or a malformed CRD. */
export function definedKindOf(crd: Manifest): Kind | undefined {
  const own = definedBy(crd);
  if (own?.type !== "crd") return undefined;
  const { group, kind, plural, scope, versions } = own;
  const [version] = versions;
  return version === undefined ? undefined : { group, version, kind, plural, scope };
}

function versionId({ group, version }: Pick<Kind, "group" | "version">): string {
  return `${group}/${version}`; // No `Kind.group` has a slash.
}

function definedBy(manifest: Manifest): OwnKind | undefined {
  const of = { group: groupOf(manifest.apiVersion), kind: manifest.kind };
  const id = groupKindOf(of);
  if (id !== CRD && id !== API_SERVICE) return undefined;
  const key = memberKey(of, { name: manifest.metadata.name });
  const spec = fieldsOf((manifest as { readonly spec?: unknown }).spec);
  const { group, version } = spec;
  if (typeof group !== "string" || group === "") return undefined;
  if (id === API_SERVICE)
    return typeof version === "string" && version !== "" ? { type: "api-service", definedBy: key, group, version } : undefined;
  const { kind, plural } = fieldsOf(spec["names"]);
  if (typeof kind !== "string" || typeof plural !== "string") return undefined;
  const served = (Array.isArray(spec["versions"]) ? (spec["versions"] as readonly unknown[]) : []).map(fieldsOf);
  const versions = served.filter((each) => each["served"] === true).map((each) => each["name"]);
  return {
    type: "crd",
    definedBy: key,
    group,
    kind,
    plural,
    scope: spec["scope"] === "Cluster" ? "Cluster" : "Namespaced",
    versions: versions.filter((each) => typeof each === "string"),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
