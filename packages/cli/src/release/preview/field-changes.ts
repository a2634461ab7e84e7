/** The fields in which two states of an object differ, with their values. Pure. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { isRecord } from "../../json.ts";
import { RELEASES } from "../name.ts";

/** A field that differs. */
export interface FieldChange {
  /** As in `spec.containers[name=web].image`. */
  readonly path: string;
  /** The value as JSON; absent: the field is not there, or {@link FieldChange.isHidden}. */
  readonly before?: string;
  readonly after?: string;
  /** The values are those of a Secret, and are not shown. */
  readonly isHidden?: true;
}

/** Fields that the server fills. */
const OF_SERVER: ReadonlySet<string> = new Set([
  "metadata.managedFields",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.uid",
  "metadata.creationTimestamp",
  "status",
]);

/** Returns the fields in which `after` differs, without those of the server and the marks of releases. */
export function fieldChanges(before: KubernetesObject, after: KubernetesObject): readonly FieldChange[] {
  const isSecret = after.kind === "Secret" && after.apiVersion === "v1";
  const changes: FieldChange[] = [];
  compare({ path: "", before, after, isHidden: false });
  return changes;

  function compare(given: { path: string; before: unknown; after: unknown; isHidden: boolean }): void {
    const { path, before: a, after: b } = given;
    if (OF_SERVER.has(path) || isMark(path) || isSame(a, b)) return;
    const isHidden = given.isHidden || (isSecret && SECRET_FIELDS.has(path));
    const members = membersOf(a, b);
    if (members !== undefined) {
      for (const [name, one, other] of members) compare({ path: `${path}${name}`.replace(/^\./, ""), before: one, after: other, isHidden });
      return;
    }
    changes.push(isHidden ? { path, isHidden: true } : { path, ...shown("before", a), ...shown("after", b) });
  }
}

/** `data` of a Secret, and annotations, of which kubectl makes a copy of the whole object. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(["data", "stringData", "metadata.annotations"]);

function isMark(path: string): boolean {
  return /^metadata\.(labels|annotations)\[/.test(path) && path.includes(`[${RELEASES}/`);
}

function shown(name: "before" | "after", value: unknown): object {
  return value === undefined ? {} : { [name]: JSON.stringify(value) };
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

type Member = readonly [name: string, before: unknown, after: unknown];

/** The members of two maps or lists, by key; `undefined` where they are compared as a whole. */
function membersOf(a: unknown, b: unknown): readonly Member[] | undefined {
  if (Array.isArray(a) && Array.isArray(b)) return itemsOf(a, b);
  // A map that is new or dropped is shown field by field, too: `spec.a: none → 1`.
  if ((isRecord(a) || a === undefined) && (isRecord(b) || b === undefined) && (isRecord(a) || isRecord(b))) {
    const [one, other] = [isRecord(a) ? a : {}, isRecord(b) ? b : {}];
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();
    if (names.length === 0) return undefined;
    return names.map((name) => [/^[\w-]+$/.test(name) ? `.${name}` : `[${name}]`, one[name], other[name]]);
  }
  return undefined;
}

/** Lists of objects with names are compared by name, those of one length by position. */
function itemsOf(a: readonly unknown[], b: readonly unknown[]): readonly Member[] | undefined {
  const [one, other] = [byName(a), byName(b)];
  if (one !== undefined && other !== undefined)
    return [...new Set([...one.keys(), ...other.keys()])].map((name) => [`[name=${name}]`, one.get(name), other.get(name)]);
  return a.length === b.length && a.every(isRecord) ? a.map((each, i): Member => [`[${i}]`, each, b[i]]) : undefined;
}

function byName(list: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const names = list.map((each) => (isRecord(each) && typeof each["name"] === "string" ? each["name"] : undefined));
  if (names.includes(undefined) || new Set(names).size !== names.length) return undefined;
  return new Map(list.map((each, i) => [names[i] ?? "", each]));
}
