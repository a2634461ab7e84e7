/**
 * The annotation `treadle.dev/conversion`: what the hub says and an object of another version cannot.
 *
 * `{"hub":"v1","version":"v1alpha1","kept":{"spec":{"tls":{"issuer":"a"}}},"base":{"spec":{}}}`: `kept` has the parts of the hub that are lost
 * on the way to the version and back, and `base` has what comes back instead. Equal parts are left out.
 */
import type { JsonSchema, KubernetesObject } from "@treadle/apimachinery";
import { canonical, isObject, isTooDeep, type Json } from "../json.ts";
import { type Kept, merged } from "./merge.ts";

/** The name of the annotation. Only conversions write it, and only in objects of versions that are not the hub. */
export const CONVERSION_ANNOTATION = "treadle.dev/conversion";

/** Spec and status of an object. */
export interface Sections {
  /** The spec. */
  readonly spec: Json;
  /** The status; absent when there is none. */
  readonly status?: Json | undefined;
}

/** Between which versions the annotation is used. */
export interface Between {
  /** The version of the hub. */
  readonly hub: string;
  /** The other version. */
  readonly version: string;
}

/** Returns the metadata without the annotation, and with `text` as its new value. Unchanged metadata is the same object. */
export function withAnnotation(metadata: KubernetesObject["metadata"], text: string | undefined): KubernetesObject["metadata"] {
  const { annotations, ...rest } = metadata;
  if (text === undefined && (!isObject(annotations) || !Object.hasOwn(annotations, CONVERSION_ANNOTATION))) return metadata;
  const { [CONVERSION_ANNOTATION]: _, ...others } = annotations ?? {};
  if (text !== undefined) return { ...metadata, annotations: { ...others, [CONVERSION_ANNOTATION]: text } };
  return Object.keys(others).length === 0 ? rest : { ...metadata, annotations: others };
}

/** The limit of the API server for all names and values together, in bytes. It fails a conversion that returns more. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Reports whether the API server accepts the annotations of an object with `text` as the annotation. */
export function fits(metadata: KubernetesObject["metadata"], text: string): boolean {
  const entries = Object.entries(withAnnotation(metadata, text).annotations ?? {});
  const bytes = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(value)), 0);
  return bytes <= MAX_ANNOTATIONS_BYTES;
}

/** Returns the annotation as text, the same for equal objects; `undefined` for parts that are nested too deeply to be written. */
export function written(kept: Kept, { hub, version }: Between): string | undefined {
  if (isTooDeep(kept)) return undefined;
  return `{"hub":${JSON.stringify(hub)},"version":${JSON.stringify(version)},"kept":${canonical(kept.mine)},"base":${canonical(kept.base)}}`;
}

/** The hub that the annotation gives, or why the annotation cannot be used. The reason has no values of the object. */
export type Restored = { readonly sections: Sections } | { readonly ignored: string };

/**
 * Returns the hub that the client's object and the annotation give together. It never throws: a user who may write the object may write
 * the annotation.
 */
export function restored(text: unknown, theirs: Sections, between: Between, schema: JsonSchema): Restored {
  const kept = parsed(text, between);
  if ("ignored" in kept) return kept;
  const sections = merged({ base: kept.base, mine: kept.mine, theirs }, schema);
  return isSections(sections) ? { sections } : { ignored: "it leads to a hub without a spec" };
}

function parsed(text: unknown, { hub, version }: Between): Kept | { readonly ignored: string } {
  const value = json(text);
  if (value === undefined) return { ignored: "it is not JSON" };
  if (isTooDeep(value)) return { ignored: "it is nested too deeply" };
  if (!isObject(value)) return { ignored: "it has another form" };
  if (typeof value["hub"] === "string" && typeof value["version"] === "string" && (value["hub"] !== hub || value["version"] !== version))
    return { ignored: "it was written for other versions" };
  const { kept, base, hub: _hub, version: _version, ...others } = value;
  const isKnown = value["hub"] === hub && value["version"] === version && Object.keys(others).length === 0;
  return isKnown && isParts(kept) && isParts(base) ? { mine: kept, base } : { ignored: "it has another form" };
}

function json(text: unknown): unknown {
  try {
    return typeof text === "string" ? (JSON.parse(text) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value has no members but spec and status, which are objects. */
function isParts(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([name, part]) => (name === "spec" || name === "status") && isObject(part));
}

function isSections(value: unknown): value is Sections {
  return isObject(value) && isObject(value["spec"]) && (value["status"] === undefined || isObject(value["status"]));
}
