/** Kinds of what a cluster is made of: how requests are queued, how pods run, devices. They are stored and checked by their schema alone. */
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

/** Of `networking.k8s.io`: from where the addresses of Services are, and which of them are given. */
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

/** An address is its name. */
function addressErrors(draft: JsonObject): FieldError[] {
  return check(draft, (object) => {
    const name = object.within("metadata", "name");
    if (isIP(name.text) === 0) name.invalid("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    const parent = object.within("spec", "parentRef");
    if (!parent.isSet) parent.required("");
  });
}
