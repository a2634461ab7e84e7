/**
 * Strategic merge patches, as kustomize applies them: objects are merged, `null` removes a field, lists with keys are merged by entry,
 * other lists are replaced. `$patch` is `merge`, `replace` or `delete`, in an object, or in an entry of its own for a whole list.
 */
import { jsonEqual } from "@treadle/apimachinery";
import { fieldsOfApi, type Fields as FieldRules, type ListKeys } from "@treadle/dependents/unstable/render";
import type { Refuse } from "./mistake.ts";
import { type Fields, fieldOf, isFields, valueAt, withField } from "../fields.ts";

const NO_RULES: FieldRules = () => undefined;

/**
 * Returns an object with a patch merged into it; `undefined`: the patch deletes it. The arguments do not change.
 * @throws TypeError for a patch that does not fit the object
 */
export function strategicMerge(
  object: Fields & { readonly apiVersion: string; readonly kind: string },
  patch: Fields,
  refuse: Refuse,
): Fields | undefined {
  const rules = fieldsOfApi(object.apiVersion, object.kind);
  const metadata: FieldRules = (field) => (field === "finalizers" ? { keys: SET, fields: NO_RULES } : undefined);
  const ofObject: FieldRules = (field) => (field === "metadata" ? { fields: metadata } : rules(field));
  const merged = mergedObject(object, patch, ofObject, { path: "", refuse });
  return isFields(merged) ? merged : undefined;
}

interface Place {
  readonly path: string;
  readonly refuse: Refuse;
}

/** Lists that the API replaces as a whole, though their entries can be told apart. */
const ATOMIC: ReadonlySet<string> = new Set(["tolerations", "subjects"]);

/** Marks a list of texts that is merged as a set. */
const SET: ListKeys = { isByName: false, paths: [] };

function merged(present: unknown, patch: unknown, rule: ReturnType<FieldRules>, place: Place): unknown {
  if (patch === null) return undefined;
  if (patch === undefined) return present;
  const isPresent = present !== undefined && present !== null;
  if (isPresent && typeof patch !== typeof present && (typeof patch === "object" || typeof present === "object"))
    throw mismatch(place, present, patch);
  if (isPresent && Array.isArray(patch) !== Array.isArray(present)) throw mismatch(place, present, patch);
  if (Array.isArray(patch)) return mergedList(isPresent ? (present as readonly unknown[]) : undefined, patch, rule, place);
  if (isFields(patch)) return mergedObject(isPresent ? (present as Fields) : undefined, patch, rule?.fields ?? NO_RULES, place);
  return patch;
}

function mergedObject(present: Fields | undefined, patch: Fields, rules: FieldRules, place: Place): Fields | undefined {
  const { $patch: directive, ...fields } = patch;
  const type = directiveOf(directive, place);
  if (type === "delete") return undefined;
  const base: Fields = type === "replace" || present === undefined ? {} : present;
  return Object.entries(fields).reduce<Fields>((result, [field, value]) => {
    const at = { ...place, path: place.path === "" ? field : `${place.path}.${field}` };
    return withField(result, field, merged(fieldOf(base, field), value, rules(field), at));
  }, base);
}

function mergedList(
  present: readonly unknown[] | undefined,
  patch: readonly unknown[],
  rule: ReturnType<FieldRules>,
  place: Place,
): readonly unknown[] | undefined {
  if (rule?.keys === undefined || ATOMIC.has(place.path.replace(/^.*\./, ""))) return patch;
  const { keys, fields } = rule;
  const isDirective = (entry: unknown): boolean => isFields(entry) && Object.hasOwn(entry, "$patch") && Object.keys(entry).length === 1;
  const entries = patch.filter((entry) => !isDirective(entry));
  const type = directiveOf(fieldOf(patch.find(isDirective), "$patch"), place);
  if (type === "delete") return undefined;
  const base = type === "replace" ? [] : (present ?? []);
  if (keys === SET) return [...new Set([...entries, ...base])];
  return mergedEntries(base, entries, { keys, fields, place });
}

interface KeyedList {
  readonly keys: ListKeys;
  readonly fields: FieldRules;
  readonly place: Place;
}

/**
 * The order is that of kustomize: the entries of the patch come first, in its order. In a list with several keys, such as the ports of a
 * container, only new entries come first.
 */
function mergedEntries(present: readonly unknown[], patch: readonly unknown[], { keys, fields, place }: KeyedList): readonly unknown[] {
  const rest = new Map<unknown, unknown>(present.map((entry) => [entry, entry]));
  const first: unknown[] = [];
  patch.forEach((entry, i) => {
    const at = { ...place, path: `${place.path}[${i}]` };
    if (!isFields(entry)) throw at.refuse(`${at.path} of the patch is not an object: give an entry with ${keyNames(keys)}`);
    const isSame = sameAs(entry, keys, at);
    const found = present.find((each): each is Fields => isFields(each) && isSame(each));
    const value = mergedObject(found, entry, fields, at);
    if (found !== undefined && keys.paths.length > 1) rest.set(found, value);
    else {
      rest.delete(found);
      first.push(value);
    }
  });
  return [...first, ...rest.values()].filter((entry) => entry !== undefined);
}

/** Returns whether an entry is the one that a patch means. */
function sameAs(entry: Fields, { isByName, paths }: ListKeys, place: Place): (each: Fields) => boolean {
  const isKeyed = paths.some(({ path }) => isGiven(valueAt(entry, path.split("."))));
  if (isKeyed) {
    return (each) =>
      paths.every(({ path, missing }) => jsonEqual(valueAt(each, path.split(".")) ?? missing, valueAt(entry, path.split(".")) ?? missing));
  }
  if (isByName && isGiven(entry["name"])) return (each) => each["name"] === entry["name"];
  throw place.refuse(`${place.path} of the patch has no ${keyNames({ isByName, paths })}, which tells the entries apart: set it`);
}

function keyNames({ isByName, paths }: ListKeys): string {
  return [...(isByName ? ["name"] : []), ...paths.map(({ path }) => path)].join(" or ");
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function directiveOf(directive: unknown, { path, refuse }: Place): "merge" | "replace" | "delete" {
  if (directive === undefined) return "merge";
  if (directive === "merge" || directive === "replace" || directive === "delete") return directive;
  throw refuse(`$patch at ${path === "" ? "the root" : path} is not known: write merge, replace or delete`);
}

function mismatch({ path, refuse }: Place, present: unknown, patch: unknown): Error {
  return refuse(
    `${path} is ${typeOf(present)} in the object and ${typeOf(patch)} in the patch: give ${typeOf(present)}, or null to remove it`,
  );
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : "a scalar";
}
