/**
 * The types of patches in MutatingAdmissionPolicies: `Object{}`, `Object.spec{}` and so on, and `JSONPatch{}`
 * (k8s.io/apiserver `pkg/cel/mutation`).
 */
import type { Library } from "../overloads.ts";
import { DYN, STRING, type Type } from "../types.ts";
import { CelError, Struct, type Value } from "../values.ts";

/** A part of an apply configuration. Its type has the path of its field: `Object.spec.template`. */
export class ObjectValue extends Struct {
  readonly typeName: string;
  readonly #entries: ReadonlyMap<string, Value>;

  constructor(typeName: string, entries: ReadonlyMap<string, Value>) {
    super();
    this.typeName = typeName;
    this.#entries = entries;
  }

  get fields(): readonly string[] {
    return [...this.#entries.keys()];
  }

  get(field: string): Value | undefined {
    return this.#entries.get(field);
  }
}

/** An operation of a JSON patch. Texts that are absent are empty. */
export class JsonPatchValue extends Struct {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: Value | undefined;

  constructor(entries: ReadonlyMap<string, Value>) {
    super();
    const textOf = (field: string): string => {
      const value = entries.get(field) ?? "";
      if (typeof value !== "string") throw new CelError(`unexpected type for JSONPatchType '${field}' field`);
      return value;
    };
    this.op = textOf("op");
    this.path = textOf("path");
    this.from = textOf("from");
    this.value = entries.get("value");
  }

  get fields(): readonly string[] {
    return ["op", "path", "from", "value"].filter((field) => this.get(field) !== undefined);
  }

  get(field: string): Value | undefined {
    switch (field) {
      case "op":
      case "path":
      case "from":
        return this[field] === "" ? undefined : this[field];
      case "value":
        return this.value;
      default:
        return undefined;
    }
  }
}

const JSON_PATCH: Type = {
  type: "object",
  name: "JSONPatch",
  fields: new Map([
    ["op", STRING],
    ["path", STRING],
    ["from", STRING],
    ["value", DYN],
  ]),
};

/** Returns the type of a literal of a patch, or `undefined` when no type has this name. */
export function patchType(name: string): Type | undefined {
  if (name === "JSONPatch") return JSON_PATCH;
  return name === "Object" || name.startsWith("Object.") ? { type: "object", name, fields: new Map(), isOpen: true } : undefined;
}

/** Makes a value of a type of {@link patchType}. @throws CelError */
export function makePatch(name: string, entries: ReadonlyMap<string, Value>): Value {
  return name === "JSONPatch" ? new JsonPatchValue(entries) : new ObjectValue(name, entries);
}

export const patches: Library = {
  "jsonpatch.escapeKey": { "string -> string": (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1") },
};
