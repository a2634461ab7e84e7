/** Subresources that write a part of an object: the fields that such a write takes over. */
import { approved } from "./certificate-requests.ts";
import { type JsonObject, valueAt } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";

type Take = (sent: JsonObject, live: JsonObject) => JsonObject;

/** By the id of the kind and the name of the subresource: the fields of the live object that a write changes. */
const PARTS: Readonly<Record<string, Take>> = {
  "pods ephemeralcontainers": (sent, live) => withSpec(live, { ephemeralContainers: valueAt(sent, ["spec", "ephemeralContainers"]) }),
  "pods resize": (sent, live) =>
    withSpec(live, { containers: resized(sent, live, "containers"), initContainers: resized(sent, live, "initContainers") }),
  "namespaces finalize": (sent, live) => withSpec(live, { finalizers: valueAt(sent, ["spec", "finalizers"]) }),
  "certificatesigningrequests.certificates.k8s.io approval": approved,
};

/** Returns the function that merges a write of the subresource, or `undefined` when there is no such subresource. */
export function partOf(id: string, subresource: string): Take | undefined {
  const key = `${id} ${subresource}`;
  return Object.hasOwn(PARTS, key) ? PARTS[key] : undefined;
}

function withSpec(live: JsonObject, changed: JsonObject): JsonObject {
  const spec: JsonObject = { ...objectAt(live, "spec"), ...changed };
  for (const [field, value] of Object.entries(changed)) if (value === undefined) delete spec[field];
  return { ...live, spec };
}

/** Returns the live containers with the resources of the sent ones. */
function resized(sent: JsonObject, live: JsonObject, field: string): unknown {
  const [before, after] = [valueAt(live, ["spec", field]), valueAt(sent, ["spec", field])];
  if (!Array.isArray(before) || !Array.isArray(after)) return before;
  return before.map((container: JsonObject) => {
    const next = after.find((each: JsonObject) => each["name"] === container["name"]) as JsonObject | undefined; // a container
    if (next === undefined) return container;
    const { resources, resizePolicy } = next;
    return { ...container, ...(resources === undefined ? {} : { resources }), ...(resizePolicy === undefined ? {} : { resizePolicy }) };
  });
}
