/** Objects as YAML for people, and for comparison: equal objects give equal text. */
import { stringify } from "yaml";

/**
 * Returns objects as YAML documents, for files that people review.
 *
 * - Equal objects give equal text. `apiVersion`, `kind`, `metadata`, `name` and `namespace` come first, `spec` before the rest, which is
 *   sorted. Lists keep their order.
 * - Left out are fields that say nothing: `undefined`, an empty `status`, a `creationTimestamp` of null, and empty labels, annotations
 *   and finalizers. Other empty values stay, because `emptyDir: {}` has a meaning.
 * - A text that YAML 1.1 or 1.2 would read as another type is quoted: `"on"`, `"0123"`, `"1:30"`.
 *
 * @throws TypeError for a value that is not JSON
 */
export function toYaml(objects: readonly object[]): string {
  if (!Array.isArray(objects)) throw new TypeError("toYaml: give it a list of objects: toYaml(component.preview(owner))");
  if (objects.length === 0) return "# No objects.\n";
  return objects.map((object) => stringify(ordered(shown(object)), FORMAT)).join("---\n");
}

/** kubectl reads YAML 1.1. Long texts stay on one line, so that a change of a word is a change of a line. */
const FORMAT = { compat: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

/** The keys that come before all others, at every level. */
const FIRST: readonly string[] = ["apiVersion", "kind", "metadata", "name", "namespace", "labels", "annotations", "spec"];

/** An object without fields that say nothing. */
function shown(object: object): object {
  const { metadata, status, ...fields } = object as Readonly<Record<string, unknown>>;
  return {
    ...fields,
    ...(isEmpty(status) ? {} : { status }),
    ...(metadata === undefined ? {} : { metadata: isFields(metadata) ? shownMetadata(metadata) : metadata }),
  };
}

function shownMetadata(metadata: object): object {
  const isNoise = (name: string, value: unknown): boolean =>
    (name === "creationTimestamp" && value === null) || (["labels", "annotations", "finalizers"].includes(name) && isEmpty(value));
  return Object.fromEntries(Object.entries(metadata).filter(([name, value]) => !isNoise(name, value)));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function isFields(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy with the keys in order and without undefined fields. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (["bigint", "function", "symbol"].includes(typeof value)) throw new TypeError(`toYaml: a ${typeof value} is not JSON`);
  if (value instanceof Date) return value.toJSON();
  if (!isFields(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  // A Map keeps the order of keys that look like numbers.
  return new Map(entries.toSorted(([a], [b]) => compareKeys(a, b)).map(([key, member]) => [key, ordered(member)]));
}

function compareKeys(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || (a < b ? -1 : 1);
}

function rankOf(key: string): number {
  const index = FIRST.indexOf(key);
  return index < 0 ? FIRST.length : index;
}
