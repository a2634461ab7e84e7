/**
 * Discovery documents as a server sends them: aggregated ones (`apidiscovery.k8s.io/v2`) and the older ones for each group and
 * version. Values of a wrong type are dropped, since an aggregated server may send anything.
 */
import type { ServedKind, ServedSubresource } from "./served.ts";
import { isFields } from "../status.ts";

/** The versions of one group, in the server's order. The first one is preferred. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly ServedGroupVersion[];
}

export interface ServedGroupVersion {
  readonly version: string;
  /** Absent when they were not requested yet. */
  readonly kinds?: readonly ServedKind[];
  /** Whether the aggregated server did not answer, so that kinds may be missing or old. */
  readonly isStale: boolean;
}

/** Accept header. A server without aggregated discovery answers with the older document. */
export const DISCOVERY_ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** The groups in an answer to `/api` or `/apis`, in either format; `undefined` for anything else. */
export function groupsIn(document: unknown): readonly ServedGroup[] | undefined {
  if (!isFields(document)) return undefined;
  switch (document["kind"]) {
    case "APIGroupDiscoveryList":
      return fieldsIn(document["items"]).map(aggregatedGroup);
    case "APIGroupList":
      return fieldsIn(document["groups"]).map(plainGroup);
    case "APIVersions":
      return [{ group: "", versions: textsIn(document["versions"]).map((version) => ({ version, isStale: false })) }];
    default:
      return undefined;
  }
}

/** The kinds in an answer to `/api/VERSION` or `/apis/GROUP/VERSION`; `undefined` for anything else. */
export function kindsIn(document: unknown, group: string, version: string): readonly ServedKind[] | undefined {
  if (!isFields(document) || document["kind"] !== "APIResourceList") return undefined;
  const resources = fieldsIn(document["resources"]);
  return resources.flatMap((resource): ServedKind[] => {
    const { name, kind, namespaced } = resource;
    if (typeof name !== "string" || typeof kind !== "string" || name.includes("/")) return [];
    const subresources = resources.flatMap((other): ServedSubresource[] => {
      const of = textOf(other["name"]);
      return of.startsWith(`${name}/`) ? [{ name: of.slice(name.length + 1), verbs: textsIn(other["verbs"]) }] : [];
    });
    const scope = namespaced === true ? "Namespaced" : "Cluster";
    return [{ group, version, kind, plural: name, scope, ...namesOf(resource, resource["singularName"]), subresources }];
  });
}

function aggregatedGroup({ metadata, versions }: Fields): ServedGroup {
  const group = isFields(metadata) ? textOf(metadata["name"]) : "";
  return {
    group,
    versions: fieldsIn(versions).map(({ version: given, freshness, resources }) => {
      const version = textOf(given);
      const kinds = fieldsIn(resources).flatMap((resource): ServedKind[] => {
        const { resource: plural, responseKind, scope } = resource;
        const kind = isFields(responseKind) ? textOf(responseKind["kind"]) : "";
        if (typeof plural !== "string" || kind === "") return [];
        const subresources = fieldsIn(resource["subresources"]).map((each) => ({
          name: textOf(each["subresource"]),
          verbs: textsIn(each["verbs"]),
        }));
        const place = scope === "Namespaced" ? "Namespaced" : "Cluster";
        return [{ group, version, kind, plural, scope: place, ...namesOf(resource, resource["singularResource"]), subresources }];
      });
      return { version, kinds, isStale: freshness === "Stale" };
    }),
  };
}

/** The preferred version is not always the first of the list. */
function plainGroup({ name, versions, preferredVersion }: Fields): ServedGroup {
  const preferred = isFields(preferredVersion) ? textOf(preferredVersion["version"]) : "";
  const all = fieldsIn(versions).map((each) => textOf(each["version"]));
  const ordered = [...all.filter((version) => version === preferred), ...all.filter((version) => version !== preferred)];
  return { group: textOf(name), versions: ordered.map((version) => ({ version, isStale: false })) };
}

function namesOf(resource: Fields, singular: unknown): Pick<ServedKind, "singular" | "shortNames" | "categories" | "verbs"> {
  return {
    singular: textOf(singular),
    shortNames: textsIn(resource["shortNames"]),
    categories: textsIn(resource["categories"]),
    verbs: textsIn(resource["verbs"]),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
