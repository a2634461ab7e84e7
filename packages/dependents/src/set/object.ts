/** Objects of a set that are written in TypeScript. */
import { apiVersionOf, type Kind } from "@treadle/apimachinery";
import { isKind, isPromiseLike, misuse } from "@treadle/reconcile/unstable/engine";
import { nameOfAnswer } from "../core/ask.ts";
import { annotationsOf, SHARED_PREFIX } from "./policies/annotations.ts";
import type { Manifest } from "./plan/member.ts";
import type { ObjectPolicies } from "./policies/policies.ts";
import type { ObjectBody } from "./types.ts";

/**
 * Returns an object of a set as a manifest, typed by its kind. The policies become annotations with the prefix `treadle.dev/`: the
 * set reads and removes them, so that objects in TypeScript and in YAML have one form. Pure. Values of the
 * policies are checked when the set reads them.
 *
 * @throws TypeError for a kind, a body or policies of the wrong type, which the compiler refuses too
 */
export function object<K extends Kind>(kind: K, body: ObjectBody<K>, policies: ObjectPolicies = {}): Manifest {
  requireObject("object()", "its kind", kind);
  if (!isKind(kind)) throw misuse("ERR_INVALID_STEP", `object() got a value that is not a kind: give one, such as Deployment`);
  const where = `object(${kind.kind})`;
  requireObject(where, "its body", body);
  requireObject(where, "its policies", policies);
  const metadata = body.metadata as Manifest["metadata"] | undefined; // The set refuses an object without it.
  const said = Object.entries(annotationsOf(policies)).map(([key, value]) => [`${SHARED_PREFIX}/${key}`, value] as const);
  if (said.length === 0) return { ...body, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: metadata as Manifest["metadata"] };
  const annotations = { ...metadata?.annotations, ...Object.fromEntries(said) };
  return {
    ...body,
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { ...(metadata as Manifest["metadata"]), annotations },
  };
}

function requireObject(where: string, what: string, value: unknown): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !isPromiseLike(value)) return;
  const remedy = isPromiseLike(value) ? "await it first" : "give an object";
  throw misuse("ERR_INVALID_STEP", `${where} got ${nameOfAnswer(value)} as ${what}: ${remedy}`);
}
