/** Applies a configuration to a scale. */
import { jsonEqual, type ManagedFieldsEntry } from "@treadle/apimachinery";
import type { Call } from "../request/context.ts";
import { cloneJson, type JsonObject, setAt, valueAt } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { SCALE } from "../managed-fields/scale.ts";
import type { WriteOptions } from "../request/write-options.ts";
import { type StatusError, untypable } from "../errors/status-errors.ts";
import { applyTo, checkConfiguration, type Configuration } from "./apply.ts";

/** An empty Scale. */
const EMPTY = { apiVersion: SCALE.apiVersion, kind: "Scale", metadata: {}, spec: {}, status: { replicas: 0 } };
const KIND = `${SCALE.apiVersion}, Kind=Scale`;
const REPLICAS = ["spec", "replicas"];

interface Live {
  readonly scale: JsonObject;
  readonly owners: readonly ManagedFieldsEntry[];
  readonly options: WriteOptions;
}

/**
 * Returns the scale after an apply, and the owners of its fields. The real server cannot convert a scale of a custom kind
 * that was applied: for these, only an apply without a change succeeds. @throws StatusError 400, 409, 500
 */
export function appliedScale(
  call: Call,
  configuration: Configuration,
  { scale: live, owners, options }: Live,
): { readonly scale: JsonObject; readonly owners: readonly ManagedFieldsEntry[] } {
  const { isCustom } = call.served.type;
  checkConfiguration(live, configuration.config);
  if (isCustom && owners.length === 0)
    throw unconvertible(`failed to create manager for existing fields: failed to convert live object (/; ${KIND}) to proper version`);
  const { object, managed } = applyTo(call, configuration, { live, managed: owners, model: SCALE, empty: EMPTY, options });
  if (jsonEqual(object, live)) return { scale: live, owners: managed };
  const failed = `failed to convert new object (${nameIn(configuration.config)}; ${KIND}) to proper version`;
  if (isCustom) throw unconvertible(failed);
  const scale = cloneJson(object);
  const replicas = valueAt(scale, REPLICAS);
  if (typeof replicas === "number") {
    if (!Number.isSafeInteger(replicas))
      throw untypable(`${failed}: unable to convert unstructured object to ${KIND}: cannot convert float64 to int32`);
    setAt(scale, REPLICAS, replicas | 0); // Go keeps the lower 32 bits
  }
  return { scale, owners: managed };
}

function unconvertible(failed: string): StatusError {
  return untypable(`${failed}: request to convert CR to an invalid group/version: ${SCALE.apiVersion}`);
}

/** Returns the name in messages, as the client sent it. */
function nameIn(config: JsonObject): string {
  const { namespace = "", name = "" } = objectAt(config, "metadata");
  return `${String(namespace)}/${String(name)}`;
}
