/**
 * Kinds of the control plane and of devices: flow control, runtime classes, resource claims. They are stored, and checked
 * only by their schema.
 */
import { isIP } from "node:net";
import type { FieldError } from "../../errors/field-errors.ts";
import type { JsonObject } from "../../internal/json.ts";
import { check } from "../validation/spot.ts";
import type { Group, Row } from "./row.ts";

export const MACHINERY_GROUPS: readonly Group[] = [
  {
    group: "flowcontrol.apiserver.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "FlowSchema", plural: "flowschemas", scope: "Cluster", status: true, generation: true },
      { kind: "PriorityLevelConfiguration", plural: "prioritylevelconfigurations", scope: "Cluster", status: true, generation: true },
    ],
  },
  {
    group: "node.k8s.io",
    versions: ["v1"],
    rows: [{ kind: "RuntimeClass", plural: "runtimeclasses", scope: "Cluster", createsOnUpdate: true, needsVersion: true }],
  },
  {
    group: "resource.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "DeviceClass", plural: "deviceclasses", scope: "Cluster", generation: true, returnsDeleted: true },
      { kind: "ResourceClaim", plural: "resourceclaims", status: true, returnsDeleted: true },
      { kind: "ResourceClaimTemplate", plural: "resourceclaimtemplates", returnsDeleted: true },
      {
        kind: "ResourceSlice",
        plural: "resourceslices",
        scope: "Cluster",
        generation: true,
        returnsDeleted: true,
        fields: ["spec.driver", "spec.nodeName"],
      },
    ],
  },
];

/** Kinds of `networking.k8s.io` about the ranges and addresses of Services. */
export const ADDRESS_ROWS: readonly Row[] = [
  {
    kind: "IPAddress",
    plural: "ipaddresses",
    scope: "Cluster",
    short: ["ip"],
    name: "segment",
    fields: ["spec.parentRef.group", "spec.parentRef.resource", "spec.parentRef.namespace", "spec.parentRef.name"],
    hooks: { validate: addressErrors },
  },
  { kind: "ServiceCIDR", plural: "servicecidrs", scope: "Cluster", status: true },
];

/** Checks the name of an IPAddress, which is its address. */
function addressErrors(draft: JsonObject): FieldError[] {
  return check(draft, (object) => {
    const name = object.within("metadata", "name");
    if (isIP(name.text) === 0) name.invalid("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    const parent = object.within("spec", "parentRef");
    if (!parent.isSet) parent.required("");
  });
}
