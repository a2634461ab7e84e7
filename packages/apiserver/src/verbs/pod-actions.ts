/** Actions of pods: eviction, which asks the disruption budget of the pod, and binding to a node. */
import { type ApiResponse, matchesLabels } from "@treadle/apimachinery";
import { type Call, respondIn } from "../request/context.ts";
import { removeOrMark } from "../objects/deletion.ts";
import { foreign } from "../request/draft.ts";
import { aggregate, type FieldError, notSupported, required } from "../errors/field-errors.ts";
import { goQuote, isObject, type JsonObject, valueAt } from "../internal/json.ts";
import { hasCondition, listAt, objectAt, textAt } from "../internal/read.ts";
import { secondsOf } from "../objects/object-meta.ts";
import { matchNamespace } from "../objects/namespaces.ts";
import { readWriteOptions } from "../request/write-options.ts";
import { badRequest, conflict, StatusError, tooManyRequests, unclassified } from "../errors/status-errors.ts";
import type { Entry } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import type { ObjectKind } from "../admission/matching.ts";
import { admitPart } from "./admitted-part.ts";
import { readBody } from "./create.ts";
import { checkPreconditions } from "./delete.ts";
import { readPosted } from "./delete-options.ts";
import { preconditionFailed, requireEntry, uidConflict } from "./update.ts";

/** Handles a POST to `eviction`. @throws StatusError 400, 404, 409, 429, 500 */
export async function evict(call: Call): Promise<ApiResponse> {
  const { isDryRun } = readWriteOptions(call.query, call.request.headers["user-agent"], "CreateOptions");
  const sent = await posted(call, { kind: "Eviction", group: "policy", apiVersion: "policy/v1" });
  const kind = { group: "policy", version: "v1", kind: "Eviction" };
  const { object: eviction, validate } = admitPart(call, { operation: "CREATE", kind, object: asSeen(call, sent, kind), isDryRun });
  if (valueAt(eviction, ["metadata", "name"]) !== call.route.name) throw badRequest("name in URL does not match name in Eviction object");
  validate();
  const entry = requireEntry(call);
  const options = optionsIn(eviction);
  const budget = isProtected(entry) ? budgetOf(call, entry) : undefined;
  if (budget !== undefined) takeFrom(call, budget, { entry, isDryRun });
  checkPreconditions(call, entry, options);
  removeOrMark(call.parts, {
    type: call.served.type,
    collection: call.collection,
    entry: isDryRun ? entry : disrupted(call, entry),
    graceSeconds: options.graceSeconds,
    propagation: options.propagation,
    isDryRun,
  });
  return succeeded(call);
}

/** Handles a POST to `binding`: sets the node of the pod and the metadata of the binding. @throws StatusError 400, 404, 409, 500 */
export async function bind(call: Call): Promise<ApiResponse> {
  const { isDryRun } = readWriteOptions(call.query, call.request.headers["user-agent"], "CreateOptions");
  const sent = await posted(call, { ...BINDING, apiVersion: "v1" });
  const { object: binding, validate } = admitPart(call, {
    operation: "CREATE",
    kind: BINDING,
    object: asSeen(call, sent, BINDING),
    isDryRun,
  });
  if (textAt(binding, "metadata", "name") !== call.route.name) throw badRequest("name in URL does not match name in Binding object");
  return bindAs(call, binding, { isDryRun, validate });
}

/** Handles a POST to `bindings`: as `binding` of the pod that the object names. @throws StatusError 400, 404, 409, 500 */
export async function bindNamed(call: Call): Promise<ApiResponse> {
  const { isDryRun } = readWriteOptions(call.query, call.request.headers["user-agent"], "CreateOptions");
  const sent = await posted(call, { ...BINDING, apiVersion: "v1" });
  // Unlike at the pod, a uid is no precondition here.
  const { uid: _, ...metadata } = objectAt(sent, "metadata");
  matchNamespace({ apiVersion: "v1", kind: BINDING.kind, metadata: { name: "", ...metadata } }, call.route.namespace);
  const { object: binding, validate } = admitPart(call, {
    operation: "CREATE",
    kind: BINDING,
    object: asSeen(call, { ...sent, metadata }, BINDING),
    isDryRun,
  });
  const name = textAt(binding, "metadata", "name");
  if (name === "") throw badRequest("Name parameter required.");
  const pods = call.parts.registry.find("", "v1", "pods");
  if (pods === undefined) throw new Error("pods are a built-in kind");
  const route = { ...call.route, resource: "pods", name, subresource: "binding" };
  return bindAs({ ...call, route, served: pods, collection: call.parts.store.collection(pods.type.id) }, binding, { isDryRun, validate });
}

const BINDING: ObjectKind = { group: "", version: "v1", kind: "Binding" };

async function bindAs(
  call: Call,
  binding: JsonObject,
  { isDryRun, validate }: { readonly isDryRun: boolean; readonly validate: () => void },
): Promise<ApiResponse> {
  const node = nodeOf(binding);
  validate();
  const entry = requireEntry(call);
  checkBindable(call, entry, binding);
  const pod = entry.object as unknown as JsonObject; // a stored object is JSON
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: secondsOf(call.parts.clock.now()) };
  const metadata: JsonObject = { ...entry.object.metadata };
  for (const field of ["labels", "annotations"]) {
    const brought = objectAt(binding, "metadata", field);
    if (Object.keys(brought).length > 0) metadata[field] = { ...objectAt(metadata, field), ...brought };
  }
  const spec = { ...objectAt(pod, "spec"), nodeName: node };
  const draft = { ...pod, metadata, spec, status: withCondition(pod["status"], scheduled) };
  if (!isDryRun) call.collection.update(entry, draft as unknown as Draft); // a copy of a stored object
  return succeeded(call);
}

/** Returns a posted object as webhooks see it. */
function asSeen({ route: { namespace } }: Call, sent: JsonObject, { group, version, kind }: ObjectKind): JsonObject {
  const metadata = { ...objectAt(sent, "metadata"), namespace, creationTimestamp: null };
  return { ...sent, kind, apiVersion: group === "" ? version : `${group}/${version}`, metadata };
}

/** Returns the name of the node. @throws StatusError 500, as the real server */
function nodeOf(binding: JsonObject): string {
  const [kind, node] = [textAt(binding, "target", "kind"), textAt(binding, "target", "name")];
  const errors: FieldError[] = [];
  if (kind !== "" && kind !== "Node") errors.push(notSupported("target.kind", kind, ["Node", "<empty>"]));
  if (node === "") errors.push(required("target.name"));
  if (errors.length > 0) throw unclassified(aggregate(errors));
  return node;
}

/** Checks that the pod is the right one, and can be bound. @throws StatusError 409 */
function checkBindable(call: Call, entry: Entry, binding: JsonObject): void {
  const { name, uid, resourceVersion, deletionTimestamp } = entry.object.metadata;
  const [wantedUid, wantedVersion] = [textAt(binding, "metadata", "uid"), textAt(binding, "metadata", "resourceVersion")];
  if (wantedUid !== "" && wantedUid !== uid) throw uidConflict(call, entry, wantedUid);
  if (wantedVersion !== "" && wantedVersion !== resourceVersion) {
    const cause = `ResourceVersion in precondition: ${wantedVersion}, ResourceVersion in object meta: ${resourceVersion}`;
    throw preconditionFailed(call, entry, cause);
  }
  const refuse = (cause: string): StatusError => conflict({ group: "", resource: "pods/binding" }, name, `pod ${name} ${cause}`);
  if (deletionTimestamp !== undefined) throw refuse("is being deleted, cannot be assigned to a host");
  const node = textAt(entry.object, "spec", "nodeName");
  if (node !== "") throw refuse(`is already assigned to node ${goQuote(node)}`);
  if (listAt(entry.object, "spec", "schedulingGates").length > 0) throw refuse("has non-empty .spec.schedulingGates");
}

/** Reads the delete options of an eviction. Its errors quote the whole eviction. @throws StatusError 400 */
function optionsIn(eviction: JsonObject): ReturnType<typeof readPosted> {
  try {
    return readPosted(eviction["deleteOptions"]);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const cause = error.message.replace("field DeleteOptions.", "field DeleteOptions.deleteOptions.");
    throw badRequest(`Eviction in version "v1" cannot be handled as a Eviction: ${cause}`);
  }
}

/** Adds the condition with the reason of the eviction. It is a separate write, which watchers see before the deletion. */
function disrupted({ collection, parts }: Call, entry: Entry): Entry {
  const pod = entry.object as unknown as JsonObject; // a stored object is JSON
  if (hasCondition(entry.object, "DisruptionTarget")) return entry;
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastProbeTime: null,
    lastTransitionTime: secondsOf(parts.clock.now()),
  };
  const draft = { ...pod, metadata: { ...entry.object.metadata }, status: withCondition(pod["status"], condition) };
  return collection.update(entry, draft as unknown as Draft); // a copy of a stored object
}

/** Reads the posted object. @throws StatusError 400, 415 */
async function posted(
  call: Call,
  wanted: { readonly kind: string; readonly group: string; readonly apiVersion: string },
): Promise<JsonObject> {
  const body = await readBody(call);
  const object = objectAt(body);
  const [kind, apiVersion] = [String(object["kind"] || wanted.kind), String(object["apiVersion"] || wanted.apiVersion)];
  if (kind === wanted.kind && (apiVersion === wanted.apiVersion || apiVersion === "policy/v1beta1")) return object;
  const { type, version } = call.served;
  const cause = foreign({ type: { ...type, ...wanted }, version: { ...version, apiVersion: wanted.apiVersion } }, kind, apiVersion);
  throw badRequest(`${kind} in version ${goQuote(apiVersion.split("/").at(-1) ?? "")} cannot be handled as a ${wanted.kind}: ${cause}`);
}

/** Reports whether a budget counts the pod. Pods that do not run are not counted. */
function isProtected({ object }: Entry): boolean {
  const phase = valueAt(object, ["status", "phase"]);
  return object.metadata.deletionTimestamp === undefined && phase !== "Succeeded" && phase !== "Failed" && phase !== "Pending";
}

/** Returns the budget that selects the pod. @throws StatusError 500 when there are several */
function budgetOf({ parts }: Call, pod: Entry): Entry | undefined {
  const budgets = parts.store.collection("poddisruptionbudgets.policy").all();
  const found = budgets.filter((budget) => {
    const selector = valueAt(budget.object, ["spec", "selector"]);
    if (budget.namespace !== pod.namespace || !isObject(selector)) return false;
    return matchesLabels(selector, pod.object.metadata.labels);
  });
  if (found.length > 1)
    throw unclassified("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
  return found[0];
}

const REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Takes a disruption from a budget, unless the pod needs none. @throws StatusError 429 */
function takeFrom({ parts }: Call, budget: Entry, { entry: pod, isDryRun }: { readonly entry: Entry; readonly isDryRun: boolean }): void {
  const object = budget.object as unknown as JsonObject; // a stored object is JSON
  const status = objectAt(object, "status");
  const number = (field: string): number => Number(status[field] ?? 0);
  const { name, generation = 0 } = budget.object.metadata;
  const isHealthy = hasCondition(pod.object, "Ready");
  const isEnough = number("currentHealthy") >= number("desiredHealthy") && number("desiredHealthy") > 0;
  if (!isHealthy && (valueAt(object, ["spec", "unhealthyPodEvictionPolicy"]) === "AlwaysAllow" || isEnough)) return;
  if (number("observedGeneration") < generation)
    throw tooManyRequests(REFUSAL, `The disruption budget ${name} is still being processed by the server.`, 10);
  const allowed = number("disruptionsAllowed");
  if (allowed <= 0) {
    const [needed, healthy] = [number("desiredHealthy"), number("currentHealthy")];
    throw tooManyRequests(REFUSAL, `The disruption budget ${name} needs ${needed} healthy pods and has ${healthy} currently`);
  }
  if (isDryRun) return;
  const now = secondsOf(parts.clock.now());
  const disruptedPods = objectAt(status, "disruptedPods");
  const next = { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...disruptedPods, [pod.object.metadata.name]: now } };
  const condition = { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods", observedGeneration: generation };
  const told = allowed === 1 ? withCondition(next, { ...condition, lastTransitionTime: now, message: "" }) : next;
  parts.store
    .collection("poddisruptionbudgets.policy")
    .update(budget, { ...object, metadata: { ...budget.object.metadata }, status: told } as unknown as Draft); // as above
}

function withCondition(status: unknown, condition: JsonObject): JsonObject {
  const known = objectAt(status);
  const others = listAt(known, "conditions").filter(({ type }) => type !== condition["type"]);
  return { ...known, conditions: [...others, condition] };
}

function succeeded(call: Call): Promise<ApiResponse> {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return respondIn(call.accepted.encoding, 201, JSON.stringify(status));
}
