/** The fields in which two versions of an object differ, for logs. Paths only, never values. */
import { jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import { isObject } from "../is-object.ts";

/** A log line with more paths than this is not read. */
const MAX_PATHS = 20;

/** Fields that the server writes by itself at each change. */
const BOOKKEEPING = ["resourceVersion", "generation", "managedFields"] as const;

/** At most 20 paths, in the order of the fields of `before`. Parts of `without` are left out, e.g. an annotation of ours. */
export function changedPaths(before: KubernetesObject, after: KubernetesObject, without: readonly string[] = []): readonly string[] {
  const paths: string[] = [];
  collect(comparable(before), comparable(after), { path: "", paths });
  return paths.filter((path) => !without.includes(path)).slice(0, MAX_PATHS);
}

function comparable({ metadata, ...rest }: KubernetesObject): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = { ...metadata };
  for (const field of BOOKKEEPING) delete kept[field];
  return { ...rest, metadata: kept };
}

function collect(before: unknown, after: unknown, { path, paths }: { readonly path: string; readonly paths: string[] }): void {
  if (paths.length > MAX_PATHS || jsonEqual(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [i, item] of before.entries()) collect(item, after[i], { path: `${path}[${i}]`, paths });
  } else if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      collect(before[key], after[key], { path: path === "" ? key : `${path}.${key}`, paths });
  } else paths.push(path);
}
