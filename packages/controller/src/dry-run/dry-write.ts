/** The writes of a dry run, as they are reported: without the values of Secrets. */
import { createHash } from "node:crypto";
import { apiVersionOf, keyOf, type Kind, type Ref } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import { errorFields } from "../internal/error-text.ts";

/** One write that was not sent. */
export interface DryWrite {
  /** The verb of the request. */
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  /** The group and version of the object. */
  readonly apiVersion: string;
  /** The name of its kind. */
  readonly kind: string;
  /** The name and namespace of the object. */
  readonly ref: Ref;
  /** The subresource, such as `status`; absent for the object itself. */
  readonly subresource?: string;
  /** The change as a merge patch of the existing object; the whole object if there is none. Absent for a delete. */
  readonly change?: unknown;
}

/** Makes the report of a write. @param change the change; undefined for a delete */
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
 * Makes a function that logs each write, and reports it to the program. A write that is repeated in each pass is reported
 * once. The last {@link MAX_TOLD} writes of each object are remembered, because a step may write other values in every pass.
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
      // The pass that would have written has not failed.
      log.error(errorFields(error), "onWrite of the dry run threw");
    }
  };
}

/** More than the number of passes of all handlers that write to one object. */
const MAX_TOLD = 16;

/** Leaves out times, which differ in each pass. */
function withoutTimes(key: string, value: unknown): unknown {
  return key === "lastTransitionTime" ? undefined : value;
}

/** The names of the fields of a Secret. An annotation may hold the whole Secret as text. */
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
