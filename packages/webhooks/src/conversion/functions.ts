/** Calls the functions of authors. Whatever they do ends in a result of plain JSON or in a {@link ConversionError}. */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import type { AnyConversion } from "../definition.ts";
import type { Sections } from "./annotation.ts";
import { ConversionError } from "./errors.ts";
import { garbageIn, ignoreRejections, isObject, type Json, own } from "../json.ts";

/** One call of a function. */
export interface FunctionCall {
  /** The hub. */
  readonly kind: Kind;
  /** The version whose function it is. */
  readonly version: string;
  /** The functions of the version. */
  readonly functions: AnyConversion;
  /** Which of them is called. */
  readonly name: "up" | "down";
}

/** Calls a function with a frozen object. @throws ConversionError when it throws, or returns something else than spec and status */
export function call({ kind, version, functions, name }: FunctionCall, object: KubernetesObject): Sections {
  const what = `cannot convert ${kind.kind} ${nameOf(object)}: convert.${version}.${name}`;
  let result: unknown;
  try {
    result = functions[name](object);
  } catch (cause) {
    // The message of the cause may have values of the object. It is for the operator's log only.
    const thrown = cause instanceof Error ? cause.constructor.name : "something that is not an Error";
    throw new ConversionError("ERR_CONVERSION_FAILED", `${what} threw ${thrown}. It must accept every object and must not change it`, {
      cause,
    });
  }
  const garbage = problemOf(result);
  if (garbage !== undefined) {
    ignoreRejections(result);
    throw new ConversionError("ERR_CONVERSION_RESULT", `${what} returned ${garbage}. It must return { spec } or { spec, status }`);
  }
  const { spec, status } = result as Sections; // checked above
  const stored = own(object, "status");
  if (status === undefined) return { spec, ...(isObject(stored) ? { status: stored } : {}) };
  return { spec, status: { ...status, ...engineFields(kind, stored) } };
}

/** Returns `namespace/name` of an object. An object whose name the server has not yet made up has a `*` in it. */
export function nameOf({ metadata }: KubernetesObject): string {
  const { namespace, name, generateName } = metadata as { namespace?: string; name?: string; generateName?: string };
  const own = name ?? `${generateName ?? ""}*`;
  return namespace === undefined ? own : `${namespace}/${own}`;
}

function problemOf(result: unknown): string | undefined {
  if (result instanceof Promise) return "a promise";
  if (!isObject(result)) return "no object";
  const { spec, status } = result;
  if (!isObject(spec)) return "no spec";
  if (status !== undefined && !isObject(status)) return "a status that is not an object";
  const garbage = garbageIn(spec, "spec") ?? (status === undefined ? undefined : garbageIn(status, "status"));
  return garbage === undefined ? undefined : `${garbage.what} at ${garbage.path}`;
}

/** The fields of a status that are the same in all versions, and that authors do not convert. */
function engineFields(kind: Kind, status: unknown): Json {
  const names = ["conditions", "observedGeneration", "lastHandledReconcileAt", "steps", ...(kind.resource?.statusParts ?? [])];
  const found = names.map((name) => [name, own(status, name)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(found);
}
