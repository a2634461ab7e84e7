/** The kinds that a set brings itself, by its CustomResourceDefinitions and APIServices. */
import { groupKindOf, groupOf, type Kind } from "@treadle/apimachinery";
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
}

/** `Kind.group` of CRDs. */
export const CRD = "CustomResourceDefinition.apiextensions.k8s.io";
/** `Kind.group` of APIServices. */
export const API_SERVICE = "APIService.apiregistration.k8s.io";

/** Returns the kinds that the manifests define. Malformed CRDs and APIServices define none: the server refuses them with a reason. */
export function definedKinds(manifests: readonly Manifest[]): OwnKinds {
  const all = manifests.map(definedBy).filter((own) => own !== undefined);
  const byKind = new Map<string, OwnKind>();
  for (const own of all) {
    const id = own.type === "crd" ? groupKindOf(own) : versionId(own);
    if (!byKind.has(id)) byKind.set(id, own);
  }
  return { all, of: (kind) => byKind.get(groupKindOf(kind)) ?? byKind.get(versionId(kind)) };
}

/** Returns an instance's kind as its CRD in the set defines it; `undefined`: the CRD does not serve the version, or it is an APIService. */
export function kindOfInstance(own: OwnKind, version: string): Kind | undefined {
  if (own.type !== "crd" || !own.versions.includes(version)) return undefined;
  const { group, kind, plural, scope } = own;
  return { group, version, kind, plural, scope };
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
