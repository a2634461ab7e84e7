/** An edit that replaces variables in the texts of objects. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Edit, Manifest } from "@treadle/dependents";
import { givenFor } from "./given.ts";
import { refusalsOf, type Refuse, whatIs } from "./mistake.ts";
import { type Fields, isFields, withField } from "../fields.ts";
import { type EditSelect, predicateOf } from "./target.ts";
import type { AnyContext, Given } from "./types.ts";

/** The values of variables. A number or a truth value keeps its type where a variable is the whole text. */
export type Variables = Readonly<Record<string, string | number | boolean>>;

/**
 * Returns an edit that replaces variables in the objects that `select` accepts: `${NAME}`, and `${NAME:-default}` for a variable that is
 * not set or empty. `$$` is a dollar sign. `$NAME` without braces stays. Keys of maps and the fields `apiVersion` and `kind` stay.
 *
 * A variable that is not set and has no default is an error that names the object and the field. Values are never shown.
 *
 * @throws TypeError for variables that are not valid; from a function, when the edit runs
 * @example
 * ```ts
 * edit: substitute({ kind: "ConfigMap" }, (shop: Shop) => ({ GREETING: shop.spec.greeting }))
 * ```
 */
export function substitute<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  select: EditSelect<T, R, V>,
  variables: Given<Variables, T, R, V>,
): Edit<T, R, V> {
  const refuse = refusalsOf("substitute");
  const isChosen = predicateOf(select, refuse);
  const variablesFor = givenFor(variables, (value) => requireVariables(value, refuse));
  return (each, owner, context) => {
    if (!isChosen(each, owner, context)) return each;
    const given = variablesFor(owner, context);
    const { apiVersion, kind, ...rest } = each;
    // Texts at the paths of the metadata stay texts, or readManifest() refuses them.
    return { apiVersion, kind, ...(replaced(rest, { path: "", variables: given, refuse }) as Omit<Manifest, "apiVersion" | "kind">) };
  };
}

interface Place {
  /** The path of the field, for errors. */
  readonly path: string;
  readonly variables: Variables;
  readonly refuse: Refuse;
}

function replaced(value: unknown, place: Place): unknown {
  const { path } = place;
  if (typeof value === "string") return value.includes("$") ? expanded(value, place) : value;
  if (Array.isArray(value)) return value.map((entry, i) => replaced(entry, { ...place, path: `${path}[${i}]` }));
  if (!isFields(value)) return value;
  return Object.entries(value).reduce<Fields>(
    (result, [field, below]) => withField(result, field, replaced(below, { ...place, path: pathTo(path, field) })),
    value,
  );
}

function pathTo(path: string, field: string): string {
  if (!/^[\w-]+$/.test(field)) return `${path}[${JSON.stringify(field)}]`;
  return path === "" ? field : `${path}.${field}`;
}

/** A dollar sign, a variable, or the beginning of one that is not valid. */
const VARIABLE = /\$\$|\$\{(?:([A-Za-z_]\w*)(?::-([^}]*))?\})?/g;

function expanded(text: string, place: Place): unknown {
  const wholeName = /^\$\{([A-Za-z_]\w*)\}$/.exec(text)?.[1];
  if (wholeName !== undefined) return valueOf(wholeName, undefined, place);
  return text.replace(VARIABLE, (found, name: string | undefined, fallback: string | undefined) => {
    if (found === "$$") return "$";
    if (name !== undefined) return String(valueOf(name, fallback, place));
    throw place.refuse(
      `${place.path} has a \${ that begins no variable: write \${NAME} or \${NAME:-default}, and $\${ for the characters \${`,
    );
  });
}

function valueOf(name: string, fallback: string | undefined, { path, variables, refuse }: Place): string | number | boolean {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (fallback !== undefined && (value === undefined || value === "")) return fallback;
  if (value !== undefined) return value;
  throw refuse(`${path} has the variable ${name}, which is not set: return it from the variables, or write \${${name}:-default}`);
}

function requireVariables(variables: unknown, refuse: Refuse): void {
  if (!isFields(variables)) throw refuse(`the variables are ${whatIs(variables)}: give an object of texts, such as { REGION: "eu" }`);
  for (const [name, value] of Object.entries(variables)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw refuse(`${JSON.stringify(name)} is not the name of a variable: use letters, digits and _`);
    if (value === undefined || typeof value === "string" || typeof value === "boolean") continue;
    if (typeof value !== "number" || !Number.isFinite(value))
      throw refuse(`the variable ${name} is ${whatIs(value)}: give a text, a finite number, true or false`);
  }
}
