/**
 * Makes JSON patches (RFC 6902) from two values. The patch names single fields, so it does not touch what other writers changed.
 * `applyJsonPatch` and every API server can apply it.
 */
import { isObject } from "./internal/is-object.ts";
import { type JsonPatchOperation, jsonEqual } from "./patches.ts";

/**
 * Returns a JSON patch that turns `before` into `after`; an empty list when they are equal. Both are plain JSON and do not change.
 * Members that are `undefined` count as absent.
 *
 * - Objects: one operation for each changed field, at any depth.
 * - Lists: items at the same distance from the beginning or the end are compared; then items are added or removed. A list is replaced as a
 *   whole only where that is shorter and its length changes.
 * - Fields named `__proto__`, `constructor` or `prototype`: the object around them is replaced, because {@link applyJsonPatch} does not follow
 *   these names.
 *
 * Assumption: the patch is applied to `before`. It contains no `test` operations.
 */
export function createJsonPatch(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  return changes(before, after, "");
}

function changes(before: unknown, after: unknown, path: string): readonly JsonPatchOperation[] {
  if (before === after) return [];
  if (isObject(before) && isObject(after)) return fieldChanges(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return itemChanges(before, after, path);
  return jsonEqual(before, after) ? [] : [{ op: "replace", path, value: after }];
}

type Fields = Readonly<Record<string, unknown>>;

function fieldChanges(before: Fields, after: Fields, path: string): readonly JsonPatchOperation[] {
  const found: JsonPatchOperation[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [own(before, key), own(after, key)];
    if (was === is) continue;
    if (NOT_FOLLOWED.has(key)) {
      if (jsonEqual(was, is)) continue;
      return [{ op: "replace", path, value: after }];
    }
    const at = `${path}/${escaped(key)}`;
    if (was === undefined) found.push({ op: "add", path: at, value: is });
    else if (is === undefined) found.push({ op: "remove", path: at });
    else found.push(...changes(was, is, at));
  }
  return found;
}

function itemChanges(before: readonly unknown[], after: readonly unknown[], path: string): readonly JsonPatchOperation[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && jsonEqual(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && jsonEqual(before.at(-1 - end), after.at(-1 - end))) end++;
  const both = shorter - end;
  const found: JsonPatchOperation[] = [];
  for (let i = start; i < both; i++) found.push(...changes(before[i], after[i], `${path}/${i}`));
  // From the end, so that no removal moves an item that is still to be removed.
  for (let i = before.length - end - 1; i >= both; i--) found.push({ op: "remove", path: `${path}/${i}` });
  for (let i = both; i < after.length - end; i++) found.push({ op: "add", path: `${path}/${i}`, value: after[i] });
  if (before.length === after.length) return found;
  const whole: readonly JsonPatchOperation[] = [{ op: "replace", path, value: after }];
  return JSON.stringify(whole).length < JSON.stringify(found).length ? whole : found;
}

const NOT_FOLLOWED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** RFC 6901. */
function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
