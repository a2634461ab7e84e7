/** Random bad requests. Each follows from its seed alone. */
import type { Json } from "../session.ts";
import { Dice } from "./dice.ts";
import { APPLY, type Given, JSON_PATCH, MERGE, type Place, type Sent, STRATEGIC } from "./given.ts";
import { ODD_KEYS, spoilt, spoiltBytes, withOddMember, withOtherType, withRawValue } from "./mutate.ts";
import { apply, jsonPatch, mergePatch, patched, strategicPatch } from "./patches.ts";
import { collectionOf, objectOf, type Sample, SAMPLES } from "./samples.ts";

export interface BadRequest extends Sent {
  readonly family: Family;
  readonly sample: Sample;
  readonly object: Json;
}

const JSON_TYPE = { "content-type": "application/json" };
const FAMILIES = {
  text: ({ dice, ...given }: Given) => written({ dice, ...given }, spoilt(dice, JSON.stringify(given.object))),
  yaml: ({ dice, ...given }: Given) =>
    written({ dice, ...given }, spoilt(dice, JSON.stringify(given.object, undefined, 1).replaceAll(/[{}",]/g, "")), "application/yaml"),
  values: ({ dice, ...given }: Given) => written({ dice, ...given }, withRawValue(dice, given.object)),
  types: ({ dice, ...given }: Given) => written({ dice, ...given }, JSON.stringify(withOtherType(dice, given.object))),
  fields: ({ dice, ...given }: Given) => written({ dice, ...given }, withOddMember(dice, given.object)),
  bytes: ({ dice, ...given }: Given) => written({ dice, ...given }, spoiltBytes(dice, JSON.stringify(given.object))),
  media,
  jsonPatch,
  mergePatch,
  strategicPatch,
  apply,
  query,
  paths,
  identity,
  deletion,
  deep,
} satisfies Readonly<Record<string, (given: Given) => Sent>>;

export type Family = keyof typeof FAMILIES;

export const FAMILY_NAMES = Object.keys(FAMILIES) as readonly Family[]; // its own keys

export function badRequest(seed: number, { namespace, name }: Place, families: readonly Family[] = FAMILY_NAMES): BadRequest {
  const dice = new Dice(seed);
  const family = dice.pick(families);
  const sample = dice.pick(SAMPLES);
  const object = objectOf(sample, name);
  const collection = collectionOf(sample, namespace);
  const sent = FAMILIES[family]({ dice, sample, object, collection, namespace, name });
  return { family, sample, object, ...sent, path: ownPath(sent, collection, name) };
}

/** Changes the path of a collection to that of the object of this request. */
function ownPath({ method, path }: Sent, collection: string, name: string): string {
  const [before = "", after] = path.split("?");
  if (before !== collection || (method !== "GET" && method !== "DELETE") || after?.includes("labelSelector")) return path;
  return `${before}?${after === undefined ? "" : `${after}&`}labelSelector=only%3D${name}`;
}

/** Returns a create or a replacement with the text as its body. */
function written({ dice, collection, name, sample }: Given, body: string | Buffer, contentType = "application/json"): Sent {
  const isCreate = dice.chance(0.6);
  const validation = dice.pick(["", "?fieldValidation=Strict", "?fieldValidation=Warn", "?fieldValidation=Ignore"]);
  const below = !isCreate && sample.subresources.includes("status") && dice.chance(0.15) ? "/status" : "";
  return {
    hasObject: !isCreate,
    method: isCreate ? "POST" : "PUT",
    path: `${collection}${isCreate ? "" : `/${name}${below}`}${validation}`,
    headers: { "content-type": contentType },
    body,
  };
}

const MEDIA = [
  ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "text/plain", "application/cbor", "*/*", "application/*"],
  [
    "application/json;charset=utf-8",
    "application/json; stream=watch",
    "APPLICATION/JSON",
    "application/xml",
    "json",
    ";",
    ",",
    "/",
    "a/b/c",
  ],
  [
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=Table;v=v2;g=meta.k8s.io",
    "application/json;as=Table",
    "text/html,*/*;q=0.8",
  ],
  ["application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"],
  [
    "application/json;as=Other;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata",
    "application/json;q=abc",
    "application/json;q=0",
    "application/json;pretty=1",
  ],
  [MERGE, JSON_PATCH, STRATEGIC, APPLY, "application/apply-patch+cbor", "application/merge-patch+json;charset=utf-8", ""],
] as const;

function media({ dice, object, collection, name }: Given): Sent {
  const headers: Record<string, string> = {};
  if (dice.chance(0.7)) headers["accept"] = dice.pick(dice.pick(MEDIA));
  if (dice.chance(0.5)) headers["content-type"] = dice.pick(dice.pick(MEDIA));
  const method = dice.pick(["GET", "GET", "POST", "PUT", "PATCH", "DELETE"]);
  const isCollection = method === "POST" || (method === "GET" && dice.chance(0.5));
  const body = method === "GET" && dice.chance(0.9) ? {} : { body: method === "DELETE" ? "{}" : JSON.stringify(object) };
  return { hasObject: method !== "POST", method, path: isCollection ? collection : `${collection}/${name}`, headers, ...body };
}

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  limit: ["abc", "-1", "0", "1.5", "", "99999999999999999999", "1e3", "0x1", "+1", "%201"],
  continue: ["garbage", "!!!", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6ImEifQ", "", "bnVsbA", "%00"],
  fieldSelector: [
    "a",
    "=",
    "a=b",
    "metadata.name=",
    "metadata.name",
    "metadata.name!=x",
    "metadata.name==a,",
    "metadata.name=a=b",
    "metadata.name%20in%20(a)",
    "spec.x=1",
    "metadata.namespace=x",
    "%5C",
    "metadata.name=%5Cx",
    ",",
    "metadata.uid=x",
  ],
  labelSelector: [
    "a=b=c",
    "=",
    "!",
    "a in",
    "a in ()",
    "a in (b",
    "a,,b",
    "-a=b",
    "a=-",
    "a/b/c=d",
    "a>1",
    "a>x",
    "a<1,b",
    "!a=b",
    "a notin (b,c)",
    "a in (b,)",
    "%00",
    "a==b",
    "a b",
    "()",
    "a=b,",
    "a!b",
    "a=b;c",
    "é=1",
    "a=é",
  ].map((each) => (each.includes("%") ? each : encodeURIComponent(each))),
  resourceVersion: ["abc", "-1", "1.5", "", "0", "99999999999999999999", "99999999999", "1e3", "%20"],
  resourceVersionMatch: ["Exact", "NotOlderThan", "Odd", "", "exact"],
  timeoutSeconds: ["abc", "-1", "1.5", "", "99999999999999999999"],
  dryRun: ["X", "", "all", "All", "All&dryRun=All", "All&dryRun=X", "true"],
  propagationPolicy: ["X", "", "orphan", "Orphan", "Foreground", "Background"],
  orphanDependents: ["X", "", "true", "false", "0"],
  gracePeriodSeconds: ["-1", "abc", "", "0", "1.5", "99999999999999999999"],
  fieldManager: ["x".repeat(129), "", "a%0Ab", "%00", "x".repeat(128), "%C3%A9", "%E2%80%8B", "%ff"],
  fieldValidation: ["X", "strict", "", "Ignore", "Strict"],
  watch: ["maybe", "", "0", "false", "False", "no"],
  sendInitialEvents: ["maybe", "", "true", "false", "0"],
  allowWatchBookmarks: ["maybe", "", "1"],
  force: ["maybe", "", "true", "false"],
  pretty: ["maybe", "", "true", "1"],
  includeObject: ["X", "", "None"],
  ignoreStoreReadErrorWithClusterBreakingPotential: ["X", "true", "false"],
  absent: ["x", "%zz", "%", "%ff", "a;b"],
};

function query({ dice, object, collection, name, sample }: Given): Sent {
  const method = dice.pick(["GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE"]);
  const isCollection = method === "POST" || (method === "GET" && dice.chance(0.5)) || (method === "DELETE" && dice.chance(0.2));
  const parameters = Array.from({ length: 1 + dice.below(2) }, () => {
    // A random selector would reach other objects.
    const keys = Object.keys(PARAMETERS).filter((key) => method !== "DELETE" || !isCollection || key !== "labelSelector");
    const key = dice.pick(keys);
    return `${key}=${dice.pick(PARAMETERS[key] ?? [""])}`;
  });
  const body =
    method === "POST" || method === "PUT"
      ? { body: JSON.stringify(object) }
      : method === "PATCH"
        ? { body: JSON.stringify({ metadata: { labels: { a: "b" } } }) }
        : {};
  const headers = method === "PATCH" ? { "content-type": MERGE } : method === "GET" || method === "DELETE" ? {} : JSON_TYPE;
  const below =
    !isCollection && method !== "DELETE" && dice.chance(0.1) && sample.subresources.length > 0 ? `/${dice.pick(sample.subresources)}` : "";
  return {
    hasObject: method !== "POST",
    method,
    path: `${isCollection ? collection : `${collection}/${name}${below}`}?${parameters.join("&")}`,
    headers,
    ...body,
  };
}

const SEGMENTS = [
  "absent",
  "%2F",
  "%2e%2e",
  "%00",
  "%zz",
  "%",
  "%20",
  "%C3%A9",
  "%ff",
  "A",
  "a_b",
  "x".repeat(300),
  ".",
  "..",
  "-",
  "a:b",
  "a%2Fb",
  "*",
  "__proto__",
  "constructor",
  "status",
  "scale",
  "log",
  "exec",
  "proxy",
  "eviction",
  "binding",
  "finalize",
  "token",
  "approval",
  "ephemeralcontainers",
  "resize",
  "watch",
  "namespaces",
  "v2",
  "v1beta1",
];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "PROPFIND", "LINK"];

function paths({ dice, collection, name, object }: Given): Sent {
  const segments = [...collection.split("/").slice(1), name, ...(dice.chance(0.3) ? [dice.pick(SEGMENTS)] : [])];
  for (let times = dice.below(3); times > 0; times--) {
    const at = dice.below(segments.length);
    const how = dice.below(4);
    if (how === 0) segments.splice(at, 1);
    else if (how === 1) segments.splice(at, 0, dice.pick(SEGMENTS));
    else segments[at] = dice.pick(SEGMENTS);
  }
  const method = dice.chance(0.5) ? "GET" : dice.pick(METHODS);
  const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
  const path = `/${segments.join("/")}${dice.chance(0.1) ? "/" : ""}`;
  // A deletion must not reach shared objects.
  const isSafe = method !== "DELETE" || path.includes(name);
  return {
    hasObject: true,
    method: isSafe ? method : "GET",
    path,
    headers: hasBody ? { "content-type": method === "PATCH" ? MERGE : "application/json" } : {},
    ...(hasBody ? { body: JSON.stringify(object) } : {}),
  };
}

/** Returns an object with an identity that may differ from its path. */
function identity(given: Given): Sent {
  const { dice, object } = given;
  const metadata: Json = dice.pick<Json>([
    { name: "other" },
    { name: "" },
    { name: null },
    { name: "A_b" },
    { name: "x".repeat(254) },
    { name: "a/b" },
    { name: ".." },
    { name: "é" },
    { namespace: "other" },
    { namespace: "" },
    { namespace: "A_b" },
    { uid: "x" },
    { uid: "" },
    { resourceVersion: "x" },
    { resourceVersion: "1" },
    { resourceVersion: "-1" },
    { resourceVersion: "99999999999999999999" },
    { generation: -1 },
    { generateName: "A_" },
    { generateName: "x-" },
    { selfLink: "x" },
    { creationTimestamp: "x" },
    { creationTimestamp: "2020-01-01" },
    { creationTimestamp: "2020-01-01T00:00:00+01:00" },
    { deletionTimestamp: "2020-01-01T00:00:00Z" },
    { deletionGracePeriodSeconds: 5 },
    { labels: { "a b": "c" } },
    { labels: { a: "b c" } },
    { labels: { a: null } },
    { annotations: { "a b": "c" } },
    { annotations: { "": "c" } },
    { finalizers: ["a"] },
    { finalizers: [""] },
    { finalizers: ["a b/c"] },
    { ownerReferences: [{}] },
    { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "b" }] },
    { ownerReferences: [{ apiVersion: "a/b/c", kind: "", name: "", uid: "" }] },
    {
      ownerReferences: [
        { apiVersion: "v1", kind: "Pod", name: "a", uid: "b", controller: true },
        { apiVersion: "v1", kind: "Pod", name: "c", uid: "d", controller: true },
      ],
    },
    { managedFields: [{ manager: "x" }] },
    { managedFields: [{ operation: "Odd", apiVersion: "v1" }] },
    { managedFields: [{ manager: "x", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:a": 1 } }] },
  ]);
  const header: Json = dice.pick<Json>([
    {},
    {},
    {},
    { kind: "" },
    { kind: "Other" },
    { kind: "Pod" },
    { apiVersion: "" },
    { apiVersion: "v2" },
    { apiVersion: "other/v1" },
    { apiVersion: "a/b/c" },
    { apiVersion: "v1", kind: "Pod" },
    { kind: "List" },
    { kind: "Status", apiVersion: "v1" },
  ]);
  const isHeader = Object.keys(header).length > 0;
  return written(given, JSON.stringify({ ...object, ...header, metadata: { ...object["metadata"], ...(isHeader ? {} : metadata) } }));
}

const DELETE_OPTIONS: readonly Json[] = [
  {},
  { kind: "DeleteOptions" },
  { kind: "Other" },
  { kind: "Pod", apiVersion: "v1" },
  { kind: "DeleteOptions", apiVersion: "v1" },
  { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
  { kind: "DeleteOptions", apiVersion: "x/v1" },
  { apiVersion: "v9" },
  { propagationPolicy: "X" },
  { propagationPolicy: "" },
  { propagationPolicy: 1 },
  { orphanDependents: "x" },
  { orphanDependents: true, propagationPolicy: "Orphan" },
  { gracePeriodSeconds: -1 },
  { gracePeriodSeconds: "x" },
  { gracePeriodSeconds: 1.5 },
  { gracePeriodSeconds: 1e30 },
  { preconditions: { uid: "x" } },
  { preconditions: { resourceVersion: "x" } },
  { preconditions: { uid: 1 } },
  { preconditions: [] },
  { preconditions: null },
  { preconditions: { odd: 1 } },
  { dryRun: ["X"] },
  { dryRun: "All" },
  { dryRun: ["All"] },
  { dryRun: [1] },
  { dryRun: [] },
  { odd: 1 },
  { ignoreStoreReadErrorWithClusterBreakingPotential: true },
  { ignoreStoreReadErrorWithClusterBreakingPotential: "x" },
  { __proto__x: 1 },
];

function deletion({ dice, collection, name }: Given): Sent {
  const body = dice.chance(0.8)
    ? JSON.stringify(dice.pick(DELETE_OPTIONS))
    : dice.pick(["[]", "1", "null", "{", '"a"', "{}x", "a: b", " ", '{"a":1,"a":2}']);
  const contentType = dice.chance(0.8)
    ? "application/json"
    : dice.pick(["application/yaml", "text/plain", "", "application/vnd.kubernetes.protobuf", "application/cbor"]);
  const query = dice.chance(0.2) ? `?${dice.pick(["dryRun=All", "dryRun=X", "propagationPolicy=X", "gracePeriodSeconds=x"])}` : "";
  const isAbsent = dice.chance(0.1);
  return {
    hasObject: !isAbsent,
    method: "DELETE",
    path: `${collection}/${name}${query}`,
    headers: contentType === "" ? {} : { "content-type": contentType },
    body,
  };
}

function deep(given: Given): Sent {
  const { dice, object } = given;
  const depth = dice.pick([50, 900, 1001, 5000, 9990, 10_010]);
  const nested = dice.chance(0.5) ? "[".repeat(depth) + "]".repeat(depth) : '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
  const key = dice.pick([...ODD_KEYS, "spec", "data"]);
  const text = `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(key)}:${nested}}`;
  if (dice.chance(0.3)) return patched(given, dice.pick([MERGE, STRATEGIC]), `{${JSON.stringify(key)}:${nested}}`);
  return written(given, text, dice.chance(0.85) ? "application/json" : "application/yaml");
}
