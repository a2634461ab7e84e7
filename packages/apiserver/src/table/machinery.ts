/** Rows of kinds about the cluster itself, by the id of their kind (pkg/printers/internalversion of Kubernetes). */
import type { JsonObject } from "../internal/json.ts";
import { at, conditionAt, listAt, numberAt, objectAt, textAt, textsAt } from "../internal/read.ts";
import { formatSelector } from "./format.ts";
import type { Printer } from "./printer.ts";

const named: Printer = (_, { name, age }) => [name, age];

export const MACHINERY: Readonly<Record<string, Printer>> = {
  "flowschemas.flowcontrol.apiserver.k8s.io": (object, { name, age }) => [
    name,
    textAt(object, "spec", "priorityLevelConfiguration", "name"),
    numberAt(object, "spec", "matchingPrecedence"),
    textAt(object, "spec", "distinguisherMethod", "type") || "<none>",
    age,
    textAt(conditionAt(object, "Dangling"), "status") || "?",
  ],
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": (object, { name, age }) => {
    const limited = at(object, "spec", "limited");
    const queuing = objectAt(limited, "limitResponse", "queuing");
    const queues = ["queues", "handSize", "queueLengthLimit"].map((field) => queuing[field] ?? "<none>");
    return [name, textAt(object, "spec", "type"), at(limited, "nominalConcurrencyShares") ?? "<none>", ...queues, age];
  },
  "runtimeclasses.node.k8s.io": (object, { name, age }) => [name, textAt(object, "handler"), age],
  "ipaddresses.networking.k8s.io": (object, { name, age }) => [name, parentText(at(object, "spec", "parentRef")), age],
  "servicecidrs.networking.k8s.io": (object, { name, age }) => [name, textsAt(object, "spec", "cidrs").join(","), age],
  "volumeattributesclasses.storage.k8s.io": (object, { name, age }) => [name, textAt(object, "driverName"), age],
  "mutatingadmissionpolicies.admissionregistration.k8s.io": (object, { name, age }) => {
    const kind = at(object, "spec", "paramKind");
    const shown = kind === undefined ? "<unset>" : `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}`;
    return [name, listAt(object, "spec", "mutations").length, shown, age];
  },
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": (object, { name, age }) => {
    const parameter = objectAt(object, "spec", "paramRef");
    const one = textAt(parameter, "name");
    const shown =
      one !== ""
        ? `${textAt(parameter, "namespace") || "*"}/${one}`
        : parameter["selector"] === undefined
          ? "<unset>"
          : formatSelector(objectAt(parameter, "selector"));
    return [name, textAt(object, "spec", "policyName"), shown, age];
  },
  "deviceclasses.resource.k8s.io": named,
  "resourceclaimtemplates.resource.k8s.io": named,
  "resourceclaims.resource.k8s.io": (object, { name, age }) => [name, claimState(object), age],
  "resourceslices.resource.k8s.io": (object, { name, age }) => [
    name,
    textAt(object, "spec", "nodeName"),
    textAt(object, "spec", "driver"),
    textAt(object, "spec", "pool", "name"),
    age,
  ],
};

/** Formats the object of an IP address, as `services/NAMESPACE/NAME`. */
function parentText(parent: unknown): string {
  if (parent === undefined) return "<none>";
  const group = textAt(parent, "group");
  const resource = `${textAt(parent, "resource")}${group === "" ? "" : `.${group}`}`.toLowerCase();
  return [resource, textAt(parent, "namespace"), textAt(parent, "name")].filter((part, i) => i !== 1 || part !== "").join("/");
}

function claimState(claim: JsonObject): string {
  const isDeleted = textAt(claim, "metadata", "deletionTimestamp") !== "";
  const isAllocated = at(claim, "status", "allocation") !== undefined;
  const state = isAllocated
    ? ["allocated", ...(listAt(claim, "status", "reservedFor").length > 0 ? ["reserved"] : [])]
    : isDeleted
      ? []
      : ["pending"];
  return [...(isDeleted ? ["deleted"] : []), ...state].join(",");
}
