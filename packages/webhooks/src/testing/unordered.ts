/** Lists without order: an API server and its clients give the order of a set, and of a list with keys, no meaning. */
import type { JsonSchema } from "@treadle/apimachinery";
import { itemsOf } from "../conversion/lists.ts";
import { memberSchema } from "../conversion/shape.ts";
import { isObject, put } from "../json.ts";

/** Returns the value with its sets and its lists of type `map` sorted by identity. Atomic lists stay as they are. */
export function unordered(value: unknown, schema: JsonSchema | undefined): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => unordered(item, schema?.items));
    const [byId] = itemsOf([items], schema) ?? [];
    return byId === undefined
      ? items
      : Array.from(byId)
          .toSorted(byText)
          .map(([, item]) => item);
  }
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value)) put(result, name, unordered(value[name], memberSchema(schema, name)));
  return result;
}

function byText([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}
