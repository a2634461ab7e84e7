/**
 * What a connection Secret contains: the details of this pass, and those that only the create returned. Pure.
 *
 * A key that only the create returned is in no observation. The next server-side apply without it would remove it, and the value
 * exists nowhere else. So its name is kept in an annotation, and its value is applied again from the Secret itself.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { External } from "../types.ts";

/** The annotation with the keys that only the create returned, in order and separated by commas. */
const CREATE_KEYS_ANNOTATION = "treadle.dev/create-keys";

/** The annotation with the create that returned them: the name of the step, the number of the create, and the external name. */
const CREATED_BY_ANNOTATION = "treadle.dev/created-by";

/** The content of a connection Secret, as plain JSON. */
export interface ConnectionContent {
  /** The values, in base64. */
  readonly data: Readonly<Record<string, string>>;
  /** The annotations. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** The parts of a Secret that the content depends on. */
export type KeptSecret = KubernetesObject & { readonly data?: Readonly<Record<string, string>> };

/** Which managed step the Secret is of, and which of its keys are published. */
export interface Publication {
  /** The name of the managed step. */
  readonly step: string;
  /** The published keys; `undefined`: all of them. */
  readonly keys: readonly string[] | undefined;
}

/** What tells one create from another. */
export type Creation = Pick<External<unknown>, "creation" | "name">;

/**
 * Tells whether a Secret has the keys of this create: after another create, and for another resource, they have no meaning. Without a
 * number the resource is imported, or the status of the object was lost, as in a restored backup: then the name decides. A resource that
 * its provider names later has the empty name at first.
 */
export function isOfCreate(secret: KubernetesObject, step: string, external: Creation): boolean {
  const mark = secret.metadata.annotations?.[CREATED_BY_ANNOTATION];
  if (mark === undefined) return false;
  if (external.creation > 0) return mark === markOf(step, external) || mark === markOf(step, { ...external, name: "" });
  const number = /^\d+/.exec(mark.slice(step.length + 1))?.[0];
  return number !== undefined && mark === markOf(step, { ...external, creation: Number(number) });
}

/**
 * Returns the content of the Secret. `kept` is a Secret with the keys of this create; `undefined` if no Secret has them.
 * @throws TypeError for a value that is not a text (untyped code)
 */
export function connectionContent(
  { step, keys }: Publication,
  external: Creation & Pick<External<unknown>, "connection" | "createdKeys">,
  kept: KeptSecret | undefined,
): ConnectionContent {
  const isPublished = (key: string): boolean => keys === undefined || keys.includes(key);
  const data: Record<string, string> = {};
  for (const [key, value] of Object.entries<unknown>(external.connection)) {
    if (value === undefined || !isPublished(key)) continue;
    if (typeof value !== "string") throw new TypeError(`the connection detail "${key}" of step "${step}" is not a text: return texts only`);
    data[key] = Buffer.from(value).toString("base64");
  }
  const created = external.createdKeys.filter((key) => Object.hasOwn(data, key));
  for (const key of createKeysOf(kept)) {
    const value = kept?.data?.[key];
    if (value === undefined || Object.hasOwn(data, key) || !isPublished(key)) continue;
    data[key] = value;
    created.push(key);
  }
  const mark = external.creation === 0 ? kept?.metadata.annotations?.[CREATED_BY_ANNOTATION] : markOf(step, external);
  return {
    data,
    annotations: {
      ...(mark === undefined ? {} : { [CREATED_BY_ANNOTATION]: mark }),
      ...(created.length === 0 ? {} : { [CREATE_KEYS_ANNOTATION]: created.toSorted().join(",") }),
    },
  };
}

function createKeysOf(secret: KubernetesObject | undefined): readonly string[] {
  return (secret?.metadata.annotations?.[CREATE_KEYS_ANNOTATION] ?? "").split(",").filter((key) => key !== "");
}

function markOf(step: string, { creation, name }: Creation): string {
  return `${step}/${creation}/${name}`;
}
