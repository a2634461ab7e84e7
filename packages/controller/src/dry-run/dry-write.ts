/** The writes of a dry run, as they are reported: without the values of Secrets. */
import { createHash } from "node:crypto";
import { apiVersionOf, keyOf, type Kind, type Ref } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import { errorFields } from "../internal/error-text.ts";

/** One write that was not sent. */
export interface DryWrite {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  readonly apiVersion: string;
  readonly kind: string;
  readonly ref: Ref;
  readonly subresource?: string;
  /** The change as a merge patch of the existing object; the whole object if there is none. Absent for a delete. */
  readonly change?: unknown;
}

/** @param change what it would change; undefined for a delete */
export function dryWrite(
  verb: DryWrite["verb"],
  kind: Kind,
  given: { readonly ref: Ref; readonly subresource?: string | undefined; readonly change?: unknown },
): DryWrite {
  const { subresource, change } = given;
  const { name, namespace } = given.ref;
  return {
    verb,
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ref: namespace === undefined ? { name } : { name, namespace },
    ...(subresource === undefined ? {} : { subresource }),
    ...(change === undefined ? {} : { change: kind.cachedAs === "metadata" ? withoutValues(change) : change }),
  };
}

/**
 * Writes a line for each write, and tells the program; the same that comes again in each pass is told once. Of each object
 * the last {@link MAX_TOLD} are remembered: a step may want something else in every pass.
 */
export function reporter(log: Logger, onWrite: ((write: DryWrite) => void) | undefined): (write: DryWrite) => void {
  const told = new Map<string, readonly string[]>();
  return (write) => {
    const { verb, kind, ref, subresource } = write;
    const digest = createHash("sha256").update(JSON.stringify(write, withoutTimes)).digest("base64");
    const target = `${write.apiVersion} ${kind} ${keyOf(ref)}`;
    const known = told.get(target) ?? [];
    if (known.includes(digest)) return;
    told.set(target, [...known, digest].slice(-MAX_TOLD));
    const what = `${verb} ${kind} ${keyOf(ref)}${subresource === undefined ? "" : `/${subresource}`}`;
    log.info({ dryRun: write }, `dry run: would ${what}`);
    try {
      onWrite?.(write);
    } catch (error) {
      // The pass that would have written is not to blame.
      log.error(errorFields(error), "onWrite of the dry run threw");
    }
  };
}

/** More than passes of all handlers write to one object. */
const MAX_TOLD = 16;

/** Times are new in each pass, and no news. */
function withoutTimes(key: string, value: unknown): unknown {
  return key === "lastTransitionTime" ? undefined : value;
}

/** Of a Secret the names of its fields. An annotation may hold the whole of it as text. */
function withoutValues(change: unknown): unknown {
  const hidden = new Set(["data", "stringData", "annotations"]);
  return Object.fromEntries(Object.entries(change as object).map(([name, value]) => [name, valueOf(name, value)]));

  function valueOf(name: string, value: unknown): unknown {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value);
    if (hidden.has(name)) return Object.fromEntries(members.map(([key, each]) => [key, each === null ? null : "[hidden]"]));
    return Object.fromEntries(members.map(([key, each]) => [key, valueOf(key, each)]));
  }
}
