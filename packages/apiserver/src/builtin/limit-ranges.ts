/** Applies the LimitRanges of a namespace to new pods and claims: defaults and limits (admission `LimitRanger`). */
import type { JsonObject } from "../internal/json.ts";
import { listAt, objectAt, textAt } from "../internal/read.ts";
import { forbiddenError } from "../errors/status-errors.ts";
import type { Store } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { type Amounts, amountsIn, demandsOf, type Demands, podDemands } from "./demands.ts";
import { quantityNanos } from "./quantity.ts";

const NOTE = "kubernetes.io/limit-ranger";

/** Fills in the default requests and limits of the containers of a new pod, and lists them in an annotation. */
export function giveDefaults(draft: Draft, spec: JsonObject, store: Store): void {
  for (const items of limitsIn(draft.metadata.namespace ?? "", store)) {
    const [requests, limits] = ["defaultRequest", "default"].map((field) => containerDefaults(items, field));
    const notes: string[] = [];
    for (const [field, what] of [
      ["containers", "container"],
      ["initContainers", "init container"],
    ] as const) {
      if (!Array.isArray(spec[field])) continue;
      spec[field] = listAt(spec, field).map((container) => {
        const resources = { ...objectAt(container, "resources") };
        // The annotation has the names in order, and requests before limits.
        const given = {
          limits: addMissing(resources, "limits", limits ?? {}),
          requests: addMissing(resources, "requests", requests ?? {}),
        };
        const name = textAt(container, "name");
        if (given.requests.length > 0) notes.push(`${given.requests.join(", ")} request for ${what} ${name}`);
        if (given.limits.length > 0) notes.push(`${given.limits.join(", ")} limit for ${what} ${name}`);
        return given.requests.length + given.limits.length === 0 ? container : { ...container, resources };
      });
    }
    if (notes.length === 0) continue;
    const annotations = { ...objectAt(draft.metadata, "annotations"), [NOTE]: `LimitRanger plugin set: ${notes.join("; ")}` };
    draft.metadata["annotations"] = annotations;
  }
}

/** Checks the limits for a new pod. @throws StatusError 403 */
export function checkPodLimits(draft: Draft, previous: JsonObject | undefined, { store }: { readonly store: Store }): void {
  if (previous !== undefined) return;
  const spec = objectAt(draft, "spec");
  const containers = [...listAt(spec, "containers"), ...listAt(spec, "initContainers")].map(demandsOf);
  check(draft, "pods", store, (item) => {
    const type = textAt(item, "type");
    const all = type === "Container" ? containers : type === "Pod" ? [podDemands(spec)] : [];
    return all.flatMap((demands) => [
      ...least(item, type, demands),
      ...amountsIn(item, "max").flatMap(([name, most]) => atMost(name, { type, most, demands })),
      ...amountsIn(item, "maxLimitRequestRatio").flatMap(([name, ratio]) => ratioProblems(name, { type, ratio, demands })),
    ]);
  });
}

/** Checks the limits for a claim. @throws StatusError 403 */
export function checkClaimLimits(draft: Draft, _: JsonObject | undefined, { store }: { readonly store: Store }): void {
  const { requests } = demandsOf(objectAt(draft, "spec"));
  check(draft, "persistentvolumeclaims", store, (item) => {
    const type = textAt(item, "type");
    if (type !== "PersistentVolumeClaim") return [];
    const most = amountsIn(item, "max").flatMap(([name, limit]) => {
      const start = `maximum ${name} usage per ${type} is ${limit}`;
      if (requests[name] === undefined) return [`${start}.  No request is specified`];
      return quantityNanos(requests[name]) > quantityNanos(limit) ? [`${start}, but request is ${requests[name]}`] : [];
    });
    return [...least(item, type, { requests, limits: {} }), ...most];
  });
}

/** Returns the items of each LimitRange of a namespace. */
function limitsIn(namespace: string, store: Store): readonly (readonly JsonObject[])[] {
  const ranges = store.collection("limitranges").all();
  return ranges.filter((entry) => entry.namespace === namespace).map(({ object }) => listAt(object, "spec", "limits"));
}

/** Checks each LimitRange. The first one with errors is reported, with all of its errors. */
function check(draft: Draft, resource: string, store: Store, problemsOf: (item: JsonObject) => readonly string[]): void {
  for (const items of limitsIn(draft.metadata.namespace ?? "", store)) {
    const problems = [...new Set(items.flatMap(problemsOf))];
    const [only = "", more] = problems;
    if (problems.length > 0)
      throw forbiddenError({ group: "", resource }, draft.metadata.name, more === undefined ? only : `[${problems.join(", ")}]`);
  }
}

function containerDefaults(items: readonly JsonObject[], field: string): Amounts {
  const all = items.filter((item) => item["type"] === "Container").map((item) => Object.fromEntries(amountsIn(item, field)));
  return Object.assign({}, ...all) as Amounts;
}

function addMissing(resources: JsonObject, field: string, defaults: Amounts): readonly string[] {
  const given = objectAt(resources, field);
  const missing = Object.entries(defaults).filter(([name]) => given[name] === undefined);
  if (missing.length > 0) resources[field] = { ...given, ...Object.fromEntries(missing) };
  return missing.map(([name]) => name).toSorted();
}

function least(item: JsonObject, type: string, { requests, limits }: Demands): readonly string[] {
  return amountsIn(item, "min").flatMap(([name, min]) => {
    const start = `minimum ${name} usage per ${type} is ${min}`;
    if (requests[name] === undefined) return [`${start}.  No request is specified`];
    if (quantityNanos(requests[name]) < quantityNanos(min)) return [`${start}, but request is ${requests[name]}`];
    return limits[name] !== undefined && quantityNanos(limits[name]) < quantityNanos(min) ? [`${start}, but limit is ${limits[name]}`] : [];
  });
}

function atMost(
  name: string,
  { type, most, demands }: { readonly type: string; readonly most: string; readonly demands: Demands },
): readonly string[] {
  const [request, limit] = [demands.requests[name], demands.limits[name]];
  const start = `maximum ${name} usage per ${type} is ${most}`;
  if (limit === undefined) return [`${start}.  No limit is specified`];
  if (quantityNanos(limit) > quantityNanos(most)) return [`${start}, but limit is ${limit}`];
  return request !== undefined && quantityNanos(request) > quantityNanos(most) ? [`${start}, but request is ${request}`] : [];
}

function ratioProblems(
  name: string,
  { type, ratio, demands }: { readonly type: string; readonly ratio: string; readonly demands: Demands },
): readonly string[] {
  const [request, limit] = [quantityNanos(demands.requests[name] ?? "0"), quantityNanos(demands.limits[name] ?? "0")];
  const start = `${name} max limit to request ratio per ${type} is ${ratio}`;
  if (request === 0n) return [`${start}, but no request is specified or request is 0`];
  if (limit === 0n) return [`${start}, but no limit is specified or limit is 0`];
  const given = Number(limit) / Number(request);
  return given > Number(quantityNanos(ratio)) / 1e9 ? [`${start}, but provided ratio is ${given.toFixed(6)}`] : [];
}
