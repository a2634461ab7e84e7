/** Validates volumes, claims and storage classes. */
import { jsonEqual } from "@treadle/apimachinery";
import type { FieldError } from "../../errors/field-errors.ts";
import { isObject, type JsonObject, valueAt } from "../../internal/json.ts";
import { objectAt } from "../../internal/read.ts";
import { quantityNanos } from "../quantity.ts";
import { accessModes, claimSpec } from "./claims.ts";
import { noBacksteps, qualifiedName, subdomain } from "./formats.ts";
import { nodeSelector } from "./selectors.ts";
import { all, check, each, fields, ifGiven, mustBeOneOf, needed, oneOf, type Rule, required, type Spot, unchanged } from "./spot.ts";
import { csiDriverName, hostPath, nfs } from "./volumes.ts";

const CLAIM_CHANGE = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

export function claimErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (claim) => {
    const spec = claim.at("spec");
    claimSpec(spec);
    if (previous !== undefined) claimChanges(claim, previous);
  });
}

function claimChanges(claim: Spot, previous: JsonObject): void {
  const spec = claim.at("spec");
  const old = objectAt(previous, "spec");
  const isBound = valueAt(claim.value, ["status", "phase"]) === "Bound";
  const fixed = (given: JsonObject): JsonObject => {
    const { resources, volumeAttributesClassName, ...rest } = given;
    // A claim is bound by setting its volume.
    if (!old["volumeName"]) delete rest["volumeName"];
    // A claim without a class may get one.
    if (old["storageClassName"] === undefined) delete rest["storageClassName"];
    if (!isBound) return { ...rest, resources, volumeAttributesClassName };
    const { storage: _, ...requests } = { ...(valueAt(resources, ["requests"]) as object | undefined) } as JsonObject; // spread of nothing is nothing
    return { ...rest, resources: { ...objectAt(resources), requests } };
  };
  if (!jsonEqual(fixed(spec.object), fixed(old))) spec.forbidden(CLAIM_CHANGE);
  const size = spec.within("resources", "requests", "storage");
  const [before, given] = [valueAt(old, ["resources", "requests", "storage"]), valueAt(previous, ["status", "capacity", "storage"])];
  if (quantityNanos(size.value ?? "0") < quantityNanos(before ?? "0") && quantityNanos(size.value ?? "0") <= quantityNanos(given ?? "0"))
    size.forbidden("field can not be less than status.capacity");
  unchanged(old["volumeMode"])(spec.at("volumeMode").named("volumeMode"));
}

export function claimWarnings(draft: JsonObject): readonly string[] {
  const storage = valueAt(draft, ["spec", "resources", "requests", "storage"]);
  const old = valueAt(draft, ["metadata", "annotations", "volume.beta.kubernetes.io/storage-class"]);
  return [
    ...(old === undefined
      ? []
      : ['metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead']),
    ...(storage !== undefined && quantityNanos(storage) % 1_000_000_000n !== 0n
      ? [`spec.resources.requests[storage]: fractional byte value "${String(storage)}" is invalid, must be an integer`]
      : []),
  ];
}

/** Sources of a volume, in the order in which they are checked. */
const SOURCES: readonly (readonly [string, Rule])[] = [
  ["hostPath", hostPath],
  ["gcePersistentDisk", fields({ pdName: required })],
  ["awsElasticBlockStore", fields({ volumeID: required })],
  ["glusterfs", fields({ endpoints: required, path: required })],
  ["flocker", () => {}],
  ["nfs", nfs],
  ["rbd", fields({ monitors: required, image: required })],
  ["quobyte", fields({ registry: required, volume: required })],
  ["cephfs", fields({ monitors: required })],
  ["iscsi", fields({ targetPortal: required, iqn: required })],
  ["cinder", fields({ volumeID: required })],
  ["fc", () => {}],
  ["flexVolume", fields({ driver: required })],
  ["azureFile", fields({ secretName: required, shareName: required })],
  ["vsphereVolume", fields({ volumePath: required })],
  ["photonPersistentDisk", fields({ pdID: required })],
  ["portworxVolume", fields({ volumeID: required })],
  ["azureDisk", fields({ diskName: required, diskURI: required })],
  ["scaleIO", fields({ gateway: required, system: required, volumeName: required })],
  ["local", fields({ path: needed(noBacksteps) })],
  ["storageos", () => {}],
  ["csi", fields({ driver: csiDriverName, volumeHandle: required })],
];

function volumeSpec(spec: Spot): void {
  const [capacity, node] = [spec.at("capacity"), spec.at("nodeAffinity")];
  accessModes(spec.at("accessModes"), "");
  if (capacity.members.length === 0) capacity.required();
  if (capacity.get("storage") === undefined || capacity.members.length > 1) capacity.notSupported(["storage"], capacity.value ?? null);
  for (const [, member] of capacity.members) {
    if (member.text.startsWith("-")) member.invalid("must be a valid resource quantity", Number(member.text));
    if (quantityNanos(member.text) <= 0n) member.invalid("must be greater than zero");
  }
  oneOf("Delete", "Recycle", "Retain")(spec.at("persistentVolumeReclaimPolicy"));
  if (node.isSet) needed(nodeSelector, "must specify required node constraints")(node.at("required"));
  volumeSource(spec, node.isSet);
  if (/^\/+\.?$/.test(spec.within("hostPath", "path").text) && spec.get("persistentVolumeReclaimPolicy") === "Recycle")
    spec.at("persistentVolumeReclaimPolicy").forbidden("may not be 'recycle' for a hostPath mount of '/'");
  ifGiven(subdomain)(spec.at("storageClassName"));
  oneOf("Block", "Filesystem")(spec.at("volumeMode"));
}

function volumeSource(spec: Spot, hasNodes: boolean): void {
  let isFound = false;
  for (const [kind, rule] of SOURCES) {
    const at = spec.at(kind);
    if (!at.isSet) continue;
    if (isFound) at.forbidden("may not specify more than 1 volume type");
    else {
      rule(at);
      if (kind === "local" && !hasNodes) spec.at("nodeAffinity").required("Local volume requires node affinity");
    }
    isFound = true;
  }
  if (!isFound) spec.required("must specify a volume type");
}

const SOURCE_CHANGE = "spec.persistentvolumesource is immutable after creation";

export function volumeErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (volume) => {
    const spec = volume.at("spec");
    volumeSpec(spec);
    const old = previous?.["spec"];
    if (!isObject(old)) return;
    const sources = (given: JsonObject): unknown => SOURCES.map(([kind]) => given[kind] ?? null);
    if (!jsonEqual(sources(spec.object), sources(old))) spec.named("spec.persistentvolumesource").forbidden(SOURCE_CHANGE);
    unchanged(old["volumeMode"])(spec.at("volumeMode").named("volumeMode"));
    const node = spec.at("nodeAffinity");
    if (old["nodeAffinity"] !== undefined) unchanged(old["nodeAffinity"])(node);
  });
}

const provisioner: Rule = all(required, (spot) => {
  if (!spot.isEmpty) qualifiedName(spot.withValue(spot.text.toLowerCase()));
});

const parameters: Rule = (spot) => {
  if (spot.members.length > 512) spot.tooLong(512);
  for (const [key] of spot.members) if (key === "") spot.invalid("field can not be empty.", key);
};

const topologyTerm: Rule = fields({
  matchLabelExpressions: each((spot) => {
    required(spot.at("values"));
    qualifiedName(spot.at("key"));
  }),
});

export function storageClassErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (object) => {
    if (previous !== undefined) {
      for (const field of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]) unchanged(previous[field])(object.at(field));
      return;
    }
    fields({
      provisioner,
      parameters,
      reclaimPolicy: mustBeOneOf("Delete", "Retain"),
      volumeBindingMode: mustBeOneOf("Immediate", "WaitForFirstConsumer"),
      allowedTopologies: each(topologyTerm),
    })(object);
  });
}
