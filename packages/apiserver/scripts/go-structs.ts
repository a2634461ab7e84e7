/** Reads the JSON fields of Go structs from their sources, which contain what OpenAPI does not: pointers, named types, omitempty. */

/** One field of a struct. */
export interface GoField {
  /** Type as Go prints it: `*int32`, `[]v1.Container`, `v1.PullPolicy`. */
  readonly type: string;
  readonly omitsEmpty: boolean;
  readonly omitsZero: boolean;
}

/** Structs of one package by name, with their fields by JSON name. Fields of inlined structs are included. */
export type GoPackage = ReadonlyMap<string, ReadonlyMap<string, GoField>>;

/** Reads the sources of one package. Inlined structs must be in the same package. `name` is the prefix of its types in Go. */
export function readPackage(sources: readonly string[], name: string): GoPackage {
  const bodies = new Map<string, string>();
  for (const source of sources) {
    for (const [, type = "", body = ""] of source.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) bodies.set(type, body);
  }
  const structs = new Map<string, ReadonlyMap<string, GoField>>();
  for (const type of bodies.keys()) structs.set(type, fieldsOf(type, bodies, name));
  return structs;
}

function fieldsOf(type: string, bodies: ReadonlyMap<string, string>, name: string): ReadonlyMap<string, GoField> {
  const fields = new Map<string, GoField>();
  for (const line of (bodies.get(type) ?? "").split("\n")) {
    const [, declared = "", tag = ""] = /^\t([^/`]*?)\s*`.*?json:"([^"]*)".*`/.exec(line) ?? [];
    const [json = "", ...flags] = tag.split(",");
    if (declared === "" || json === "-") continue;
    const [first = "", ...rest] = declared.split(/\s+/);
    if (flags.includes("inline") || (rest.length === 0 && json === "")) {
      for (const [field, inlined] of fieldsOf((rest[0] ?? first).replace(/^\*/, ""), bodies, name)) fields.set(field, inlined);
    } else {
      fields.set(json || first, {
        type: printed(rest.length === 0 ? first : rest.join(" "), name),
        omitsEmpty: flags.includes("omitempty"),
        omitsZero: flags.includes("omitzero"),
      });
    }
  }
  return fields;
}

/** Returns a type expression with each name as `package.Name`. */
function printed(expression: string, name: string): string {
  return expression.replace(/(?:(\w+)\.)?\b(\w+)\b/g, (whole: string, alias: string | undefined, type: string) => {
    if (alias !== undefined) return `${/v\d+(?:(?:alpha|beta)\d+)?$/.exec(alias)?.[0] ?? alias}.${type}`;
    if (type === "byte") return "uint8";
    return BASIC.has(type) ? whole : `${name}.${type}`;
  });
}

const BASIC: ReadonlySet<string> = new Set(["map", "string", "bool", "int", "int32", "int64", "uint8", "float64", "interface"]);
