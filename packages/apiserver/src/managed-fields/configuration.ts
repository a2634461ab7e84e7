/** Merges the configuration of an admission policy into an object. Its fields get no owner. */
import { isObject, type JsonObject } from "../internal/json.ts";
import { problemsText, TypeMismatchError, typeProblems } from "./check-type.ts";
import { narrow, type TypeDef } from "./field-types.ts";
import { merge } from "./merge.ts";

/** Returns the merged object. @throws TypeMismatchError for fields of a wrong type, and for values that have one owner as a whole */
export function mergeConfiguration(live: JsonObject, config: JsonObject, type: TypeDef): JsonObject {
  const wrong = typeProblems(config, type, false);
  if (wrong.length > 0) throw new TypeMismatchError(`failed to convert patch object to typed object: ${problemsText(wrong)}`);
  const atomic = atomicPaths(config, type, "");
  if (atomic.length > 0) {
    const text = `may not mutate atomic arrays, maps or structs: ${atomic.join(", ")}`;
    throw new TypeMismatchError(`invalid ApplyConfiguration: ${text}`);
  }
  const broken = typeProblems(live, type, true);
  if (broken.length > 0) throw new TypeMismatchError(`failed to convert original object to typed object: ${problemsText(broken)}`);
  return merge(live, config, type) as JsonObject; // a merge of two objects is an object
}

/** Returns the paths of values that only have one owner. Items have their index, whatever identifies them. */
function atomicPaths(value: unknown, type: TypeDef, path: string): readonly string[] {
  const { map, list } = narrow(type, value);
  if (isObject(value) && map !== undefined) {
    const below = Object.keys(value)
      .toSorted()
      .flatMap((field) => {
        const of = map.declares(field) ? map.fieldType(field) : undefined;
        return of === undefined ? [] : atomicPaths(value[field], of, `${path}.${field}`);
      });
    return map.isAtomic ? [path, ...below] : below;
  }
  if (!Array.isArray(value) || list === undefined) return [];
  const below = value.flatMap((item, i) => atomicPaths(item, list.items, `${path}[${i}]`));
  return list.relation === "atomic" ? [path, ...below] : below;
}
