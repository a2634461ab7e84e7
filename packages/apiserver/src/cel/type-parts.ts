/** Types of constants, and of signatures with their own parameters. */
import type { Expr } from "./syntax.ts";
import { BOOL, INT, plain, STRING, type Type } from "./types.ts";

/** Returns the type of a constant. */
export function constType(value: (Expr & { readonly type: "const" })["value"]): Type {
  if (value === null) return plain("null_type");
  switch (typeof value) {
    case "bigint":
      return INT;
    case "number":
      return plain("double");
    case "string":
      return STRING;
    case "boolean":
      return BOOL;
    default:
      return plain(value instanceof Uint8Array ? "bytes" : "uint");
  }
}

/** Renames the parameters of a signature, so that they differ from those of other calls. */
export function renamed(type: Type, suffix: string): Type {
  switch (type.type) {
    case "param":
      return { type: "param", name: `${type.name}${suffix}` };
    case "list":
    case "optional":
    case "type":
      return { type: type.type, item: renamed(type.item, suffix) };
    case "map":
      return { type: "map", key: renamed(type.key, suffix), value: renamed(type.value, suffix) };
    default:
      return type;
  }
}
