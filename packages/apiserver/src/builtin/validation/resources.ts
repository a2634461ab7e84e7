/** Validates names and amounts of resources, and requests and limits of containers. */
import { labelKeyProblems } from "@treadle/apimachinery";
import { quantityNanos } from "../quantity.ts";
import { dnsLabel } from "./formats.ts";
import type { Rule, Spot } from "./spot.ts";

const COMPUTE = ["cpu", "memory", "ephemeral-storage"];
/** core/helper `integerResources`. */
const COUNTED: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);
/** core/helper `standardQuotaResources`, in addition to huge pages. */
export const QUOTA: ReadonlySet<string> = new Set([
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  "requests.storage",
  ...COUNTED,
]);
/** core/helper `standardResources`, in addition to huge pages. */
const STANDARD: ReadonlySet<string> = new Set([...QUOTA, "storage"]);

const isHugePages = (name: string): boolean => name.startsWith("hugepages-");

/** Checks the name of a resource. */
export function resourceName(spot: Spot, name: string): void {
  const problems = labelKeyProblems(name);
  for (const problem of problems) spot.invalid(problem, name);
  if (problems.length === 0 && !name.includes("/") && !STANDARD.has(name) && !isHugePages(name) && !name.startsWith("requests.hugepages-"))
    spot.invalid("must be a standard resource type or fully qualified", name);
}

/** Checks the name of a resource of a container. */
export function containerResourceName(spot: Spot, name: string): void {
  resourceName(spot, name);
  if (!name.includes("/")) {
    if (!COMPUTE.includes(name) && !isHugePages(name)) spot.invalid("must be a standard resource for containers", name);
  } else if (!isNativeResource(name) && !isExtendedResource(name)) spot.invalid("doesn't follow extended resource name standard", name);
}

/** Checks that an amount is not negative, and that a counted resource has a whole amount. */
export function amount(spot: Spot, resource: string): void {
  const nanos = quantityNanos(spot.text);
  if (nanos < 0n) spot.invalid("must be greater than or equal to 0");
  if (isCounted(resource) && nanos % 1_000_000_000n !== 0n) spot.invalid("must be an integer");
}

/** core/v1/helper `IsIntegerResourceName`. */
function isCounted(resource: string): boolean {
  return COUNTED.has(resource) || isExtendedResource(resource);
}

/** Reports whether a resource is in another domain, such as `example.com/gpu`. */
function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith("requests.") && labelKeyProblems(`requests.${name}`).length === 0;
}

export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function hugePages(spot: Spot, name: string): void {
  if (!isHugePages(name)) return;
  const size = quantityNanos(name.slice("hugepages-".length));
  if (size <= 0n || quantityNanos(spot.text) % size !== 0n) spot.invalid(`${spot.text} is not positive integer multiple of ${name}`);
}

/** Checks requests and limits. `claims` are the names that a container may refer to. */
export function containerResources(claims: readonly string[]): Rule {
  return (spot) => {
    const [limits, requests] = [spot.at("limits"), spot.at("requests")];
    for (const [name, limit] of limits.members) {
      containerResourceName(limit, name);
      amount(limit, name);
      hugePages(limit, name);
    }
    for (const [name, request] of requests.members) {
      containerResourceName(request, name);
      amount(request, name);
      checkAgainstLimit(request, name, limits, requests);
      hugePages(request, name);
    }
    const names = [...limits.members, ...requests.members].map(([name]) => name);
    if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) spot.forbidden("HugePages require cpu or memory");
    claimNames(spot.at("claims"), claims);
  };
}

function checkAgainstLimit(request: Spot, name: string, limits: Spot, requests: Spot): void {
  const limit = limits.get(name);
  // Only native resources other than huge pages can be overcommitted.
  const isDivisible = isNativeResource(name) && !isHugePages(name);
  if (limit === undefined) {
    if (!isDivisible) limits.required("Limit must be set for non overcommitable resources");
    return;
  }
  const [wanted, most] = [quantityNanos(request.text), quantityNanos(limit)];
  if (!isDivisible && wanted !== most) requests.invalid(`must be equal to ${name} limit of ${String(limit)}`, request.text);
  else if (wanted > most) requests.invalid(`must be less than or equal to ${name} limit of ${String(limit)}`, request.text);
}

function claimNames(spot: Spot, known: readonly string[]): void {
  const seen = new Set<string>();
  for (const item of spot.items) {
    const [name, request] = [item.at("name").text, item.at("request")];
    if (name === "") {
      item.required();
      continue;
    }
    if (!request.isEmpty) dnsLabel(request);
    const key = request.isEmpty ? name : `${name}/${request.text}`;
    if (seen.has(name) || seen.has(key)) item.duplicate(key);
    seen.add(key);
    if (known.includes(name)) continue;
    const list = known.length === 0 ? " which is empty" : `: ${known.toSorted().join(", ")}`;
    item.notFound(`must be one of the names in pod.spec.resourceClaims${list}`, name);
  }
}
