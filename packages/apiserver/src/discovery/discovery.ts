/** Discovery documents: the groups, versions and resources that are served. */
import { createHash } from "node:crypto";
import type { Registry, ResourceType, Served, ServedVersion } from "../storage/registry.ts";

/** The Kubernetes version of the server: the newest one that its answers were compared with. */
export const SERVER_VERSION = { major: "1", minor: "36", gitVersion: "v1.36.3" } as const;

const MAIN_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] as const;
const CUSTOM_VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"] as const;
const ENDING_VERBS = ["delete", "deletecollection", "get", "list", "watch"] as const;
const CONNECT_VERBS = ["create", "get"] as const;
const PROXY_VERBS = ["create", "delete", "get", "patch", "update"] as const;
const SUBRESOURCE_VERBS = ["get", "patch", "update"] as const;

/** Makes the document of `/api/v1` or `/apis/GROUP/VERSION`, or returns `undefined` when the version is not served. */
export function resourceList(registry: Registry, group: string, version: string): object | undefined {
  const served = [...registry.all()].filter((one) => one.version.group === group && one.version.version === version);
  const [first] = served;
  if (first === undefined) return undefined;
  return {
    kind: "APIResourceList",
    // The oldest document has no version of its own.
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: first.version.apiVersion,
    resources: served.toSorted(byPlural).flatMap((one) => resourcesOf(registry, one)),
  };
}

/** Makes the document of `/apis/GROUP`, or returns `undefined` when the group is not served. */
export function groupDocument(registry: Registry, group: string): object | undefined {
  const versions = versionsOf(registry, group);
  if (versions.length === 0) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...groupBody(group, versions) };
}

/** Makes the document of `/apis`. */
export function groupList(registry: Registry): object {
  const groups = groupsOf(registry).map((group) => groupBody(group, versionsOf(registry, group)));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** Makes the document of `/api`. `host` is that of the request; a request in process has none. */
export function legacyVersions(host: string | undefined): object {
  const serverAddress = host ?? "127.0.0.1";
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }] };
}

/** Makes the document of `/version`. Go's version is that of the compared server. */
export function versionDocument(): object {
  return {
    major: SERVER_VERSION.major,
    minor: SERVER_VERSION.minor,
    emulationMajor: SERVER_VERSION.major,
    emulationMinor: SERVER_VERSION.minor,
    minCompatibilityMajor: SERVER_VERSION.major,
    minCompatibilityMinor: String(Number(SERVER_VERSION.minor) - 1),
    gitVersion: SERVER_VERSION.gitVersion,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "go1.26.8",
    compiler: "gc",
    platform: `${GO_SYSTEMS[process.platform] ?? process.platform}/${GO_PROCESSORS[process.arch] ?? process.arch}`,
  };
}

/** Go's names of systems and processors, where they are not those of Node. */
const GO_SYSTEMS: Readonly<Partial<Record<string, string>>> = { win32: "windows", sunos: "solaris" };
const GO_PROCESSORS: Readonly<Partial<Record<string, string>>> = { x64: "amd64", ia32: "386" };

/** Makes the aggregated document of `/api` (`isLegacy`) or `/apis`, which contains all resources. */
export function aggregated(registry: Registry, isLegacy: boolean): object {
  const groups = isLegacy ? [""] : groupsOf(registry);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === "" ? {} : { name: group },
      versions: versionsOf(registry, group).map((version) => ({
        version,
        freshness: "Current",
        resources: [...registry.all()]
          .filter((one) => one.version.group === group && one.version.version === version)
          .toSorted(byPlural)
          .map((one) => aggregatedResource(registry, one)),
      })),
    })),
  };
}

function aggregatedResource(registry: Registry, { type, version }: Served): object {
  // The kinds of built-in resources have a group and a version only where they differ from those of the resource.
  const responseKind = type.isCustom
    ? { group: version.group, version: version.version, kind: type.kind }
    : { group: "", version: "", kind: type.kind };
  const subresources = subresourcesOf(type, version).map(({ name, foreign, ofCore, verbs = SUBRESOURCE_VERBS }) => ({
    subresource: name,
    responseKind: foreign ?? (ofCore === undefined ? responseKind : { ...responseKind, kind: ofCore }),
    verbs,
  }));
  return {
    resource: type.plural,
    responseKind,
    scope: type.isNamespaced ? "Namespaced" : "Cluster",
    singularResource: type.singular,
    verbs: verbsOf(registry, type),
    ...(type.shortNames.length === 0 ? {} : { shortNames: type.shortNames }),
    ...(type.categories.length === 0 ? {} : { categories: type.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** The verbs of a kind. Namespaces have no `deletecollection`. */
function verbsOf(registry: Registry, type: ResourceType): readonly string[] {
  if (type.isReview === true) return ["create"];
  if (type.isComputed === true) return ["get", "list"];
  if (type.isCustom) return registry.isEnding(type.id) ? ENDING_VERBS : CUSTOM_VERBS;
  return type.marksDeletion ? MAIN_VERBS.filter((verb) => verb !== "deletecollection") : MAIN_VERBS;
}

function resourcesOf(registry: Registry, { type, version }: Served): object[] {
  const main = {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.isNamespaced,
    kind: type.kind,
    verbs: verbsOf(registry, type),
    ...(type.shortNames.length === 0 ? {} : { shortNames: type.shortNames }),
    ...(type.categories.length === 0 ? {} : { categories: type.categories }),
    ...(type.isReview !== true && type.isComputed !== true ? { storageVersionHash: storageHash(type) } : {}),
  };
  const subresources = subresourcesOf(type, version).map(({ name, foreign, ofCore, verbs = SUBRESOURCE_VERBS }) => ({
    name: `${type.plural}/${name}`,
    singularName: "",
    namespaced: type.isNamespaced,
    kind: ofCore ?? type.kind,
    ...foreign,
    verbs,
  }));
  return [main, ...subresources];
}

interface Subresource {
  readonly name: string;
  /** Kind of the bodies, when it is not the kind of the resource. */
  readonly foreign?: { readonly group: string; readonly version: string; readonly kind: string };
  /** Kind of the bodies when it is in the core group, whose group and version a list of resources omits. */
  readonly ofCore?: string;
  readonly verbs?: readonly string[];
}

function subresourcesOf(type: ResourceType, version: ServedVersion): readonly Subresource[] {
  return [
    ...(version.scale === undefined ? [] : [{ name: "scale", foreign: { group: "autoscaling", version: "v1", kind: "Scale" } }]),
    ...(version.status ? [{ name: "status" }] : []),
    ...(OWN[type.id] ?? []),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Subresources that only one kind has, by {@link ResourceType.id}. */
const OWN: Readonly<Record<string, readonly Subresource[]>> = {
  serviceaccounts: [{ name: "token", foreign: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" }, verbs: ["create"] }],
  nodes: [{ name: "proxy", ofCore: "NodeProxyOptions", verbs: PROXY_VERBS }],
  pods: [
    { name: "attach", ofCore: "PodAttachOptions", verbs: CONNECT_VERBS },
    { name: "binding", ofCore: "Binding", verbs: ["create"] },
    { name: "ephemeralcontainers" },
    { name: "eviction", foreign: { group: "policy", version: "v1", kind: "Eviction" }, verbs: ["create"] },
    { name: "exec", ofCore: "PodExecOptions", verbs: CONNECT_VERBS },
    { name: "log", verbs: ["get"] },
    { name: "portforward", ofCore: "PodPortForwardOptions", verbs: CONNECT_VERBS },
    { name: "proxy", ofCore: "PodProxyOptions", verbs: PROXY_VERBS },
    { name: "resize" },
  ],
  services: [{ name: "proxy", ofCore: "ServiceProxyOptions", verbs: PROXY_VERBS }],
  namespaces: [{ name: "finalize", verbs: ["update"] }],
  "certificatesigningrequests.certificates.k8s.io": [{ name: "approval" }],
};

/** Hash of the storage version (k8s.io/apiserver `discovery.StorageVersionHash`). Clients compare it to detect a new storage version. */
function storageHash({ id, kind, storage: { group, version } }: ResourceType): string {
  const stored = STORED_AS_BETA.has(id) ? "v1beta1" : version;
  return createHash("sha256").update(`${group}/${stored}/${kind}`).digest().subarray(0, 8).toString("base64");
}

/** Kinds that the real server stores in a version that it does not serve. */
const STORED_AS_BETA: ReadonlySet<string> = new Set([
  "mutatingadmissionpolicies.admissionregistration.k8s.io",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
  "customresourcedefinitions.apiextensions.k8s.io",
]);

function groupBody(group: string, versions: readonly string[]): object {
  const list = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: list, preferredVersion: list[0] };
}

function groupsOf(registry: Registry): readonly string[] {
  const groups = [...new Set([...registry.all()].map((one) => one.version.group))].filter((group) => group !== "");
  return groups.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The groups of built-in kinds in the order of the real server (kube-apiserver `apiVersionPriorities`). Those of CRDs follow. */
const GROUPS: readonly string[] = [
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
];

function placeOf(group: string): number {
  const place = GROUPS.indexOf(group);
  return place < 0 ? GROUPS.length : place;
}

/** Returns the served versions of a group, with the preferred one first. */
function versionsOf(registry: Registry, group: string): readonly string[] {
  const versions = new Set([...registry.all()].filter((one) => one.version.group === group).map((one) => one.version.version));
  return [...versions].toSorted(byPriority);
}

/** Compares versions in the order of Kubernetes: v2 before v1 before v1beta1 before v1alpha1 before other names. */
export function byPriority(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left === undefined || right === undefined) return left === right ? (a < b ? -1 : 1) : left === undefined ? 1 : -1;
  for (let i = 0; i < 3; i++) {
    const difference = (right[i] ?? 0) - (left[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankOf(version: string): readonly number[] | undefined {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (found === null) return undefined;
  const stability = found[2] === undefined ? 2 : found[2] === "beta" ? 1 : 0;
  return [stability, Number(found[1]), Number(found[3] ?? 0)];
}

function byPlural(a: Served, b: Served): number {
  return a.type.plural < b.type.plural ? -1 : 1;
}
