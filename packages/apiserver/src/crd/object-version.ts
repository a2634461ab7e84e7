/** Converts an object for a request that is handled again when the answer of the webhook has arrived. */
import { StatusError } from "../errors/status-errors.ts";
import type { JsonObject } from "../internal/json.ts";
import { type Deliberation, Suspension } from "../request/deliberation.ts";
import type { Served, ServedVersion } from "../storage/registry.ts";
import type { Conversions } from "./conversion-webhooks.ts";

/** The part of a request that a conversion needs. */
export interface Converting {
  readonly parts: { readonly conversions: Pick<Conversions, "between"> };
  readonly served: Served;
  readonly deliberation: Deliberation;
}

/** Returns an object in another version of its kind, or the failure of its conversion. @throws Suspension */
export function objectIn(
  { served, parts, deliberation: { shown } }: Converting,
  object: JsonObject,
  version: ServedVersion,
): JsonObject | StatusError {
  if (object["apiVersion"] === version.apiVersion) return object;
  const key = JSON.stringify([version.apiVersion, object]);
  const known = shown.get(key);
  if (known !== undefined) return known;
  const asked = parts.conversions.between(served.type, object, version).catch((error: unknown) => {
    if (error instanceof StatusError) return error;
    throw error;
  });
  throw new Suspension(asked.then((result) => void shown.set(key, result)));
}
