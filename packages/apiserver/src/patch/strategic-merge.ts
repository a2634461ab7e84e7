/**
 * Strategic merge patches (k8s.io/apimachinery `util/strategicpatch`) with all directives: `$patch` (replace, delete, merge),
 * `$retainKeys`, `$setElementOrder/FIELD` and `$deleteFromPrimitiveList/FIELD`. The schema of the kind decides how lists are
 * merged. The steps are those of the real server, because the order of the result depends on them.
 */
import type { RawSchema } from "../builtin/schemas.ts";
import { goDynamicType, goValue, isObject, type JsonObject } from "../internal/json.ts";
import { arrange, elementKind, keysChecked, partition } from "./element-order.ts";
import { fieldMeta, goKind, listMeta, type PatchMeta } from "./patch-schema.ts";

/** A patch that cannot be applied. `code` is the status of the real server. */
export class StrategicMergeError extends Error {
  override readonly name = "StrategicMergeError";
  readonly code: 400 | 422 | 500;

  constructor(code: StrategicMergeError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM_LIST = "$deleteFromPrimitiveList";
const ELEMENT_ORDER = "$setElementOrder";

/**
 * Applies `patch` to `original` and returns the result. Both arguments are modified, and the result shares their values.
 *
 * @throws StrategicMergeError
 */
export function strategicMerge(original: JsonObject, patch: JsonObject, schema: RawSchema): JsonObject {
  try {
    return mergeMap(original, patch, schema);
  } catch (error) {
    if (error instanceof StrategicMergeError || !(error instanceof Error) || error instanceof TypeError) throw error;
    throw new StrategicMergeError(error.message === LISTS_OF_LISTS ? 422 : 500, error.message);
  }
}

const LISTS_OF_LISTS = "lists of lists are not supported";

function mergeMap(original: JsonObject, patch: JsonObject, schema: RawSchema): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return byDirective(patch);
  retainKeys(original, patch);
  for (const key of Object.keys(patch)) if (key.startsWith(ELEMENT_ORDER)) mergeOrdered(original, patch, { key, schema });
  for (const [key, value] of Object.entries(patch)) {
    const deletes = key.startsWith(DELETE_FROM_LIST);
    mergeField(original, value, { field: deletes ? listNamed(key, DELETE_FROM_LIST) : key, deletes, schema });
  }
  return original;
}

/** Applies the directive of a map. */
function byDirective(patch: JsonObject): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive === "delete") return {};
  if (directive !== "replace") throw unknownDirective(patch);
  delete patch[DIRECTIVE];
  return patch;
}

/** Removes the fields that the patch does not list in `$retainKeys`. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const kept = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(kept)) throw badRetainKeys();
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(ELEMENT_ORDER)) continue;
    if (!kept.includes(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(original)) if (!kept.includes(key)) delete original[key];
}

interface Field {
  readonly field: string;
  /** Whether the value lists elements to remove. */
  readonly deletes: boolean;
  readonly schema: RawSchema;
}

function mergeField(original: JsonObject, value: unknown, { field, deletes, schema }: Field): void {
  if (value === null) {
    delete original[field];
    return;
  }
  const live = original[field];
  if (isObject(live) && isObject(value)) {
    const meta = fieldMeta(schema, field);
    original[field] = meta.strategy === "replace" ? value : mergeMap(live, value, meta.schema);
  } else if (Array.isArray(live) && Array.isArray(value)) {
    original[field] = mergeList(live, value, listMeta(schema, field), deletes);
  } else if (!deletes) {
    if (isTree(value)) dropNulls(value);
    if (isDirective(value)) delete original[field];
    else original[field] = withoutDirectives(value);
  } else if (typeof live === typeof value && !isTree(live) && !isTree(value)) original[field] = value;
}

/** Merges a list and its order together, and removes both from the patch. */
function mergeOrdered(
  original: JsonObject,
  patch: JsonObject,
  { key, schema }: { readonly key: string; readonly schema: RawSchema },
): void {
  const order = patch[key];
  delete patch[key];
  requireList(order);
  const field = listNamed(key, ELEMENT_ORDER);
  const live = listAt(original, field);
  const given = listAt(patch, field);
  const meta = listMeta(schema, field);
  checkOrder(given ?? [], order, meta.mergeKey);
  if (live === undefined && given === undefined) return;
  const before = [...(live ?? [])];
  const sent = [...(given ?? [])];
  const merged = given === undefined ? before : live === undefined ? listOf(withoutDirectives(given)) : mergeList(live, given, meta, false);
  const parts = partition(merged, order, meta.mergeKey);
  const isMaps = elementKind(before, sent) === "map";
  original[field] = arrange(parts, { order, serverOrder: before, mergeKey: meta.mergeKey, isMaps });
  delete patch[field];
}

function mergeList(live: readonly unknown[], given: readonly unknown[], meta: PatchMeta, deletes: boolean): readonly unknown[] {
  if (meta.strategy !== "merge" && !deletes) return given;
  if (live.length === 0 && given.length === 0) return live;
  const { mergeKey } = meta;
  const isMaps = elementKind(live, given) === "map";
  if (!isMaps && deletes) return live.filter((item) => !given.includes(item));
  const { merged, order, serverOrder } = isMaps ? mergeMaps(live, given, meta) : mergeScalars(live, given);
  return arrange(partition(merged, order, mergeKey), { order, serverOrder, mergeKey, isMaps });
}

interface MergedList {
  readonly merged: readonly unknown[];
  /** The patch, whose order counts. */
  readonly order: readonly unknown[];
  readonly serverOrder: readonly unknown[];
}

function mergeScalars(live: readonly unknown[], given: readonly unknown[]): MergedList {
  const merged = [...live, ...given];
  // As in Go, the last element replaces an earlier one with the same key.
  for (let i = 0; i < merged.length - 1; i++) {
    for (let j = i + 1; j < merged.length; j++) {
      if (merged[i] !== merged[j]) continue;
      merged[j] = merged[merged.length - 1];
      merged.pop();
      j--;
    }
  }
  return { merged, order: given, serverOrder: live };
}

function mergeMaps(live: readonly unknown[], given: readonly unknown[], { mergeKey, schema }: PatchMeta): MergedList {
  if (mergeKey === "") throw new Error(`cannot merge lists without merge key for ${goKind(schema)}`);
  let kept = live as readonly JsonObject[]; // by elementKind
  const plain: JsonObject[] = [];
  let isReplaced = false;
  for (const item of given as readonly JsonObject[]) {
    if (!Object.hasOwn(item, DIRECTIVE)) {
      plain.push(item);
      continue;
    }
    const directive = item[DIRECTIVE];
    if (directive === "merge") throw new Error("merging lists cannot yet be specified in the patch");
    if (directive === "replace") isReplaced = true;
    else if (directive === "delete") kept = kept.filter((one) => one[mergeKey] !== keyOf(item, mergeKey));
    else throw unknownDirective(item);
  }
  if (isReplaced) return { merged: plain, order: [], serverOrder: keysChecked(plain, mergeKey) };
  const merged = [...kept];
  for (const item of plain) {
    const key = keyOf(item, mergeKey);
    const at = merged.findIndex((one) => one[mergeKey] === key);
    const found = merged[at];
    if (found === undefined) merged.push(item);
    else merged[at] = mergeMap(found, item, schema);
  }
  return { merged, order: plain, serverOrder: kept };
}

function keyOf(item: JsonObject, mergeKey: string): unknown {
  keysChecked([item], mergeKey);
  return item[mergeKey];
}

/** Checks that the elements of the patch have the order that it asks for, and are all listed there. */
function checkOrder(given: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (given.length === 0 || order.length === 0) return;
  const keys = (list: readonly unknown[]): readonly unknown[] =>
    mergeKey === "" ? list : (keysChecked(list, mergeKey) as readonly JsonObject[]).map((item) => item[mergeKey]);
  const wanted = keys(given.filter((item) => !isDirective(item)));
  let at = 0;
  for (const key of keys(order)) if (at < wanted.length && wanted[at] === key) at++;
  if (at < wanted.length)
    throw new Error(`The order in patch list:\n${goValue(given)}\n doesn't match ${ELEMENT_ORDER} list:\n${goValue(order)}\n`);
}

/** Returns the field of the list that a directive is about. */
function listNamed(key: string, prefix: string): string {
  if (!key.startsWith(`${prefix}/`))
    throw new StrategicMergeError(400, `invalid patch format of ${prefix === ELEMENT_ORDER ? "setElementOrder" : "primitive"} list`);
  return key.slice(prefix.length + 1);
}

function listAt(map: JsonObject, field: string): readonly unknown[] | undefined {
  return Object.hasOwn(map, field) ? listOf(map[field]) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  requireList(value);
  return value;
}

function requireList(value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value))
    throw new Error(`expected a []interface {}, but received a ${value === null ? "%!s(<nil>)" : goDynamicType(value)}`);
}

function unknownDirective(map: JsonObject): Error {
  const given = map[DIRECTIVE];
  const shown = typeof given === "string" ? given : `%!s(${given === null ? "<nil>" : `${goDynamicType(given)}=${goValue(given)}`})`;
  return new Error(`unknown patch type: ${shown} in map: ${goValue(map)}`);
}

function badRetainKeys(): StrategicMergeError {
  return new StrategicMergeError(400, "invalid patch format of retainKeys");
}

function isDirective(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, DIRECTIVE);
}

function isTree(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Removes nulls, which have nothing to delete in a new value. */
function dropNulls(value: object): void {
  if (Array.isArray(value)) {
    for (const item of value) if (isTree(item)) dropNulls(item);
    return;
  }
  const map = value as JsonObject; // no list, so a map
  for (const [key, member] of Object.entries(map)) {
    if (member === null) delete map[key];
    else if (isTree(member)) dropNulls(member);
  }
}

/** Removes maps and elements that are directives, in place. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isDirective(item)).map(withoutDirectives);
  if (!isObject(value)) return value;
  for (const [key, member] of Object.entries(value)) {
    if (isDirective(member)) delete value[key];
    else value[key] = withoutDirectives(member);
  }
  return value;
}
