/** Warnings about pods (`pkg/api/pod/warnings.go` of Kubernetes). */
import { dns1123LabelProblems, jsonEqual } from "@treadle/apimachinery";
import { goQuote, type JsonObject, valueAt } from "../../internal/json.ts";
import { nameProblems } from "../../objects/object-meta.ts";
import { quantityNanos } from "../quantity.ts";
import { Spot } from "./spot.ts";

const OLD_LABELS: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};
const SYSCTLS = 'non-functional in v1.11+; use the "sysctls" field instead';
const OLD_ANNOTATIONS: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": SYSCTLS,
  "security.alpha.kubernetes.io/unsafe-sysctls": SYSCTLS,
};
const OLD_VOLUMES: Readonly<Record<string, string>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

/** Returns the warnings about a pod. An update of metadata alone gives none about the spec. */
export function podWarnings(draft: JsonObject, previous: JsonObject | undefined): readonly string[] {
  const name = String(valueAt(draft, ["metadata", "name"]) ?? "");
  const ofName = previous === undefined ? nameWarnings(name, "the Pod's hostname") : [];
  return [...ofName, ...templateWarnings(new Spot(draft, "", []))];
}

/** Returns the warnings about a name that is not a DNS label and so cannot be a host name. */
export function nameWarnings(name: string, use: string): readonly string[] {
  if (dns1123LabelProblems(name).length === 0) return [];
  const problems = nameProblems("label", name, false).join(", ");
  return [`metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems}]`];
}

/** Returns a function with the warnings about a template that is new or has changed. */
export function templateWarningsAt(...path: readonly string[]): (draft: JsonObject, previous: JsonObject | undefined) => readonly string[] {
  return (draft, previous) => {
    if (previous !== undefined && jsonEqual(valueAt(draft, path), valueAt(previous, path))) return [];
    return templateWarnings(new Spot(draft, "", []).within(...path));
  };
}

function templateWarnings(pod: Spot): readonly string[] {
  const spec = pod.at("spec");
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((field) => spec.at(field).items);
  const warnings: string[] = [];
  const warn = (spot: Spot, text: string): void => void warnings.push(`${spot.path}: ${text}`);
  for (const [key, member] of spec.at("nodeSelector").members) if (OLD_LABELS[key] !== undefined) warn(member, OLD_LABELS[key]);
  spreadWarnings(spec, warn);
  for (const [key, member] of pod.within("metadata", "annotations").members)
    if (OLD_ANNOTATIONS[key] !== undefined) warn(member, OLD_ANNOTATIONS[key]);
  for (const volume of spec.at("volumes").items) {
    for (const [kind, text] of Object.entries(OLD_VOLUMES))
      if (volume.at(kind).isSet) warn(kind === "storageos" ? volume.at("storageOS") : volume.at(kind), text);
  }
  for (const volume of spec.at("volumes").items) {
    const sources = volume.within("projected", "sources").items;
    if (sources.length > 0 && sources.every(({ object }) => Object.keys(object).length === 0))
      warnings.push(`volume ${goQuote(volume.at("name").text)} (Projected) has no sources provided`);
  }
  nameListWarnings(spec, warn);
  for (const container of containers) containerWarnings(container, warn);
  portWarnings(containers, warn);
  const grace = spec.at("terminationGracePeriodSeconds");
  if (grace.number < 0) warn(grace, "must be >= 0; negative values are invalid and will be treated as 1");
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    const affinity = spec.within("affinity", kind);
    for (const term of affinity.at("requiredDuringSchedulingIgnoredDuringExecution").items) selectorWarning(term, warn);
    for (const term of affinity.at("preferredDuringSchedulingIgnoredDuringExecution").items)
      selectorWarning(term.at("podAffinityTerm"), warn);
  }
  return warnings;
}

type Warn = (spot: Spot, text: string) => void;

function selectorWarning(term: Spot, warn: Warn): void {
  if (!term.at("labelSelector").isSet) warn(term.at("labelSelector"), "a null labelSelector results in matching no pod");
}

function spreadWarnings(spec: Spot, warn: Warn): void {
  for (const constraint of spec.at("topologySpreadConstraints").items) {
    const key = constraint.at("topologyKey");
    const text = OLD_LABELS[key.text];
    if (text !== undefined) warn(key, `${key.text} is ${text}`);
    selectorWarning(constraint, warn);
  }
}

function nameListWarnings(spec: Spot, warn: Warn): void {
  for (const [list, field, word] of [
    ["hostAliases", "ip", "ip"],
    ["imagePullSecrets", "name", "name"],
  ] as const) {
    const seen = new Set<string>();
    for (const item of spec.at(list).items) {
      const name = item.at(field);
      if (seen.has(name.text)) warn(name, `duplicate ${word} ${goQuote(name.text)}`);
      seen.add(name.text);
    }
  }
  for (const secret of spec.at("imagePullSecrets").items) if (secret.at("name").isEmpty) warn(secret.at("name"), 'invalid empty name ""');
}

function containerWarnings(container: Spot, warn: Warn): void {
  for (const resource of ["memory", "ephemeral-storage"]) {
    for (const list of ["limits", "requests"]) {
      const amount = container.within("resources", list).members.find(([name]) => name === resource)?.[1];
      if (amount !== undefined && quantityNanos(amount.text) % 1_000_000_000n !== 0n)
        warn(amount, `fractional byte value ${goQuote(amount.text)} is invalid, must be an integer`);
    }
  }
  const seen = new Set<string>();
  for (const variable of container.at("env").items) {
    const [name, value] = [variable.at("name").text, variable.at("value").text];
    const own = `$(${name})`;
    // A value that refers to the earlier value needs it.
    const isAddition = !variable.at("valueFrom").isSet && value !== own && value.includes(own);
    if (seen.has(name) && !isAddition)
      warn(variable, `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`);
    seen.add(name);
  }
}

function portWarnings(containers: readonly Spot[], warn: Warn): void {
  const ports = containers.flatMap((container) => container.at("ports").items);
  for (const [i, port] of ports.entries()) {
    for (const other of ports.slice(0, i)) {
      if (!isSame(port, other, "containerPort") || !isSame(port, other, "protocol")) continue;
      const [own, theirs] = [port.at("hostPort"), other.at("hostPort")];
      if (isSame(port, other, "hostIP") && own.number === theirs.number) warn(port, `duplicate port definition with ${other.path}`);
      else if (own.isEmpty || theirs.isEmpty) warn(port, `overlapping port definition with ${other.path}`);
      else if (own.number === theirs.number && port.at("hostIP").isEmpty !== other.at("hostIP").isEmpty)
        warn(port, `dangerously ambiguous port definition with ${other.path}`);
    }
  }
  const names = new Map<string, string>();
  for (const port of ports) {
    const name = port.at("name").text;
    const first = names.get(name);
    if (name === "") continue;
    if (first === undefined) names.set(name, port.path);
    else warn(port, `duplicate port name ${goQuote(name)} with ${first}, services and probes that select ports by name will use ${first}`);
  }
}

function isSame(a: Spot, b: Spot, field: string): boolean {
  return (a.get(field) ?? "") === (b.get(field) ?? "");
}
