/** Rows of the other built-in kinds, by the id of their kind (pkg/printers/internalversion of Kubernetes). */
import type { JsonObject } from "../internal/json.ts";
import { accessModes, age, annotation, formatSelector, humanDuration, numberOrText, orNone } from "./format.ts";
import { metricsText } from "./metrics.ts";
import type { Printer } from "./printer.ts";
import { at, booleanAt, conditionAt, listAt, numberAt, objectAt, textAt, textsAt } from "../internal/read.ts";

const count = (object: JsonObject, ...path: readonly string[]): number => Object.keys(objectAt(object, ...path)).length;

const binding: Printer = (object, { name, age: created }) => {
  const subjects = (kind: string): readonly JsonObject[] => listAt(object, "subjects").filter((one) => one["kind"] === kind);
  const names = (kind: string): string =>
    subjects(kind)
      .map((one) => textAt(one, "name"))
      .join(", ");
  const accounts = subjects("ServiceAccount").map((one) => `${textAt(one, "namespace")}/${textAt(one, "name")}`);
  const role = `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`;
  return [name, role, created, names("User"), names("Group"), accounts.join(", ")];
};

const webhooks: Printer = (object, { name, age: created }) => [name, listAt(object, "webhooks").length, created];

export const OTHERS: Readonly<Record<string, Printer>> = {
  configmaps: (object, { name, age: created }) => [name, count(object, "data") + count(object, "binaryData"), created],
  secrets: (object, { name, age: created }) => [name, textAt(object, "type"), count(object, "data"), created],
  namespaces: (object, { name, age: created }) => [name, textAt(object, "status", "phase"), created],
  serviceaccounts: (_, { name, age: created }) => [name, created],
  componentstatuses: (object, { name }) => {
    const healthy = listAt(object, "conditions").filter(({ type }) => type === "Healthy");
    const status = healthy.map((one) => textAt(one, "status")).at(-1);
    const shown = status === "True" ? "Healthy" : status === "False" ? "Unhealthy" : "Unknown";
    const [message = "", error = ""] = ["message", "error"].map((field) => textAt(healthy.at(-1), field));
    return [name, shown, message, error];
  },
  nodes: nodeCells,
  persistentvolumes: volumeCells,
  persistentvolumeclaims: claimCells,
  resourcequotas: quotaCells,
  events: eventCells,
  "rolebindings.rbac.authorization.k8s.io": binding,
  "clusterrolebindings.rbac.authorization.k8s.io": binding,
  "leases.coordination.k8s.io": (object, { name, age: created }) => [name, textAt(object, "spec", "holderIdentity"), created],
  "poddisruptionbudgets.policy": (object, { name, age: created }) => [
    name,
    numberOrText(at(object, "spec", "minAvailable"), "N/A"),
    numberOrText(at(object, "spec", "maxUnavailable"), "N/A"),
    numberAt(object, "status", "disruptionsAllowed"),
    created,
  ],
  "horizontalpodautoscalers.autoscaling": (object, { name, age: created }) => [
    name,
    `${textAt(object, "spec", "scaleTargetRef", "kind")}/${textAt(object, "spec", "scaleTargetRef", "name")}`,
    metricsText(object),
    numberOrText(at(object, "spec", "minReplicas"), "<unset>"),
    numberAt(object, "spec", "maxReplicas"),
    numberAt(object, "status", "currentReplicas"),
    created,
  ],
  "priorityclasses.scheduling.k8s.io": (object, { name, age: created }) => [
    name,
    numberAt(object, "value"),
    booleanAt(object, "globalDefault"),
    created,
    textAt(object, "preemptionPolicy"),
  ],
  "csidrivers.storage.k8s.io": driverCells,
  "csinodes.storage.k8s.io": (object, { name, age: created }) => [name, listAt(object, "spec", "drivers").length, created],
  "storageclasses.storage.k8s.io": (object, { name, age: created }) => [
    isDefault(object, "storageclass.kubernetes.io/is-default-class") ||
    isDefault(object, "storageclass.beta.kubernetes.io/is-default-class")
      ? `${name} (default)`
      : name,
    textAt(object, "provisioner"),
    textAt(object, "reclaimPolicy") || "Delete",
    textAt(object, "volumeBindingMode") || "Immediate",
    booleanAt(object, "allowVolumeExpansion"),
    created,
  ],
  "volumeattachments.storage.k8s.io": (object, { name, age: created }) => [
    name,
    textAt(object, "spec", "attacher"),
    textAt(object, "spec", "source", "persistentVolumeName"),
    textAt(object, "spec", "nodeName"),
    booleanAt(object, "status", "attached"),
    created,
  ],
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "validatingadmissionpolicies.admissionregistration.k8s.io": (object, { name, age: created }) => {
    const kind = at(object, "spec", "paramKind");
    const shown = kind === undefined ? "<unset>" : `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}`;
    return [name, listAt(object, "spec", "validations").length, shown, created];
  },
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": (object, { name, age: created }) => {
    const parameter = textAt(object, "spec", "paramRef", "name");
    const shown = parameter === "" ? "<unset>" : `${textAt(object, "spec", "paramRef", "namespace") || "*"}/${parameter}`;
    return [name, textAt(object, "spec", "policyName"), shown, created];
  },
  "apiservices.apiregistration.k8s.io": (object, { name, age: created }) => {
    const service = at(object, "spec", "service");
    const shown = service === undefined ? "Local" : `${textAt(service, "namespace")}/${textAt(service, "name")}`;
    const available = conditionAt(object, "Available");
    const status = textAt(available, "status") || "Unknown";
    const reason = textAt(available, "reason");
    return [name, shown, status === "True" || reason === "" ? status : `${status} (${reason})`, created];
  },
  "certificatesigningrequests.certificates.k8s.io": (object, { name, age: created }) => {
    const seconds = at(object, "spec", "expirationSeconds");
    const requested = typeof seconds === "number" ? humanDuration(seconds * 1000) : "<none>";
    return [
      name,
      created,
      orNone(textAt(object, "spec", "signerName")),
      textAt(object, "spec", "username"),
      requested,
      requestStatus(object),
    ];
  },
  "networkpolicies.networking.k8s.io": (object, { name, age: created }) => [
    name,
    formatSelector(objectAt(object, "spec", "podSelector")),
    created,
  ],
};

function nodeCells(node: JsonObject, { name, age: created }: Parameters<Printer>[1]): readonly unknown[] {
  const ready = conditionAt(node, "Ready");
  const status = ready === undefined ? "Unknown" : ready["status"] === "True" ? "Ready" : "NotReady";
  const info = objectAt(node, "status", "nodeInfo");
  const address = (type: string): string =>
    textAt(
      listAt(node, "status", "addresses").find((one) => one["type"] === type),
      "address",
    );
  const architecture = textAt(info, "architecture");
  const kernel = textAt(info, "kernelVersion") || "<unknown>";
  return [
    name,
    booleanAt(node, "spec", "unschedulable") ? `${status},SchedulingDisabled` : status,
    orNone(rolesOf(node)),
    created,
    textAt(info, "kubeletVersion"),
    orNone(address("InternalIP")),
    orNone(address("ExternalIP")),
    textAt(info, "osImage") || "<unknown>",
    architecture === "" ? kernel : `${kernel} (${architecture})`,
    textAt(info, "containerRuntimeVersion") || "<unknown>",
  ];
}

function rolesOf(node: JsonObject): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.entries(objectAt(node, "metadata", "labels")).map(([label, value]) =>
    label.startsWith(prefix) ? label.slice(prefix.length) : label === "kubernetes.io/role" ? String(value) : "",
  );
  return [...new Set(roles.filter((role) => role !== ""))].toSorted().join(",");
}

const classOf = (object: JsonObject): string =>
  String(annotation(object, "volume.beta.kubernetes.io/storage-class") ?? textAt(object, "spec", "storageClassName"));

const phaseOf = (object: JsonObject): string =>
  at(object, "metadata", "deletionTimestamp") === undefined ? textAt(object, "status", "phase") : "Terminating";

function volumeCells(volume: JsonObject, { name, age: created }: Parameters<Printer>[1]): readonly unknown[] {
  const claim = at(volume, "spec", "claimRef");
  return [
    name,
    numberOrText(at(volume, "spec", "capacity", "storage"), "0"),
    accessModes(textsAt(volume, "spec", "accessModes")),
    textAt(volume, "spec", "persistentVolumeReclaimPolicy"),
    phaseOf(volume),
    claim === undefined ? "" : `${textAt(claim, "namespace")}/${textAt(claim, "name")}`,
    classOf(volume),
    textAt(volume, "spec", "volumeAttributesClassName") || "<unset>",
    textAt(volume, "status", "reason"),
    created,
    textAt(volume, "spec", "volumeMode") || "<unset>",
  ];
}

function claimCells(claim: JsonObject, { name, age: created }: Parameters<Printer>[1]): readonly unknown[] {
  const volume = textAt(claim, "spec", "volumeName");
  const isBound = volume !== "";
  return [
    name,
    phaseOf(claim),
    volume,
    isBound ? numberOrText(at(claim, "status", "capacity", "storage"), "0") : "",
    isBound ? accessModes(textsAt(claim, "status", "accessModes")) : "",
    classOf(claim),
    textAt(claim, "spec", "volumeAttributesClassName") || "<unset>",
    created,
    textAt(claim, "spec", "volumeMode") || "<unset>",
  ];
}

function quotaCells(quota: JsonObject, { name, age: created }: Parameters<Printer>[1]): readonly unknown[] {
  const hard = objectAt(quota, "status", "hard");
  const pairs = Object.keys(hard)
    .toSorted()
    .map((resource) => ({
      isLimit: resource.startsWith("limits."),
      text: `${resource}: ${numberOrText(at(quota, "status", "used", resource), "0")}/${String(hard[resource])}`,
    }));
  const joined = (isLimit: boolean): string =>
    pairs
      .filter((pair) => pair.isLimit === isLimit)
      .map(({ text }) => text)
      .join(", ");
  return [name, joined(false), joined(true), created];
}

function eventCells(event: JsonObject, { name, nowMs }: Parameters<Printer>[1]): readonly unknown[] {
  const first = age(at(event, "firstTimestamp") ?? at(event, "eventTime"), nowMs);
  const lastTime = at(event, "lastTimestamp");
  const series = at(event, "series");
  const last = series === undefined ? (lastTime === undefined ? first : age(lastTime, nowMs)) : age(at(series, "lastObservedTime"), nowMs);
  const kind = textAt(event, "involvedObject", "kind").toLowerCase();
  const object = textAt(event, "involvedObject", "name");
  const component = textAt(event, "source", "component") || textAt(event, "reportingComponent");
  const instance = textAt(event, "source", "host") || textAt(event, "reportingInstance");
  return [
    last,
    textAt(event, "type"),
    textAt(event, "reason"),
    object === "" ? kind : `${kind}/${object}`,
    textAt(event, "involvedObject", "fieldPath"),
    instance === "" ? component : `${component}, ${instance}`,
    textAt(event, "message").trim(),
    first,
    series === undefined ? numberAt(event, "count") || 1 : numberAt(series, "count"),
    name,
  ];
}

function driverCells(driver: JsonObject, { name, age: created }: Parameters<Printer>[1]): readonly unknown[] {
  const tokens = at(driver, "spec", "tokenRequests");
  const attach = at(driver, "spec", "attachRequired");
  return [
    name,
    attach === undefined ? true : attach,
    booleanAt(driver, "spec", "podInfoOnMount"),
    booleanAt(driver, "spec", "storageCapacity"),
    tokens === undefined
      ? "<unset>"
      : listAt(driver, "spec", "tokenRequests")
          .map((one) => textAt(one, "audience"))
          .join(","),
    booleanAt(driver, "spec", "requiresRepublish"),
    orNone(textsAt(driver, "spec", "volumeLifecycleModes").join(",")),
    created,
  ];
}

function isDefault(object: JsonObject, name: string): boolean {
  return annotation(object, name) === "true";
}

function requestStatus(request: JsonObject): string {
  const has = (type: string): boolean => conditionAt(request, type) !== undefined;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  const parts = [decision, ...(has("Failed") ? ["Failed"] : []), ...(textAt(request, "status", "certificate") === "" ? [] : ["Issued"])];
  return parts.join(",");
}
