/** Forms of names, and the reasons why a name cannot be used. A name becomes a package, a file, an identifier and an object of Kubernetes. */
import { dns1035LabelProblems, dns1123SubdomainProblems, kind as kindOf } from "@treadle/apimachinery";

/** Returns `rw-external` of `RWExternal`. */
export function kebabOf(kind: string): string {
  return kind.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3-$2$4").toLowerCase();
}

/** Returns `rwExternal` of `rw-external`. */
export function camelOf(name: string): string {
  return name.replace(/-+(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns `RwExternal` of `rw-external`. */
export function pascalOf(name: string): string {
  return camelOf(name).replace(/^./, (letter) => letter.toUpperCase());
}

/** Returns the plural of a kind in lower case, as its CRD has it. */
export function pluralOf(kind: string): string {
  return kindOf({ group: "example.com", version: "v1", kind }).plural;
}

/** Returns `rwExternals` of `RWExternal`: the variable for the handler of a kind. */
export function pluralVariableOf(kind: string): string {
  const singular = camelOf(kebabOf(kind));
  const plural = pluralOf(kind);
  return plural.startsWith(kind.toLowerCase())
    ? singular + plural.slice(kind.length)
    : singular.slice(0, -1) + plural.slice(kind.length - 1);
}

/** Returns what is wrong with the name of an operator, or `undefined`. */
export function operatorNameProblem(name: string): string | undefined {
  if (name === "") return "write a name, such as website-operator";
  // The Service `NAME-metrics` has at most 63.
  if (dns1035LabelProblems(name).length > 0 || name.length > 55)
    return `"${name}" cannot be the name of an operator: write lower-case letters, digits and -, at most 55 in all, with a letter first`;
  // npm refuses a package that depends on its own name.
  return DEPENDENCIES.includes(name) ? `"${name}" is a package that the project uses: choose another name` : undefined;
}

const DEPENDENCIES: readonly string[] = ["treadle", "zod", "vitest", "typescript", "oxlint", "protobufjs", "rolldown"];

/** Returns what is wrong with the name of a step, a component or another part, or `undefined`. */
export function partNameProblem(name: string): string | undefined {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40)
    return `"${name}" cannot be a name: write lower-case letters, digits and single -, at most 40 in all, such as read-input`;
  return fileProblem(name) ?? identifierProblem(camelOf(name));
}

/** Returns what is wrong with a kind, or `undefined`. */
export function kindProblem(kind: string): string | undefined {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind))
    return `"${kind}" cannot be a kind: write letters and digits, a capital letter first, such as Website`;
  // The kind of the list, and the names of owned objects, are longer.
  if (kind.length > 50) return `"${kind}" is too long for a kind: at most 50 letters`;
  if (Object.hasOwn(globalThis, kind)) return `"${kind}" is a name of JavaScript: choose another kind, such as ${kind}Resource`;
  return fileProblem(kebabOf(kind)) ?? identifierProblem(pluralVariableOf(kind));
}

/** Returns what is wrong with an API group, or `undefined`. */
export function groupProblem(group: string): string | undefined {
  if (dns1123SubdomainProblems(group).length > 0)
    return `"${group}" cannot be a group: write a domain in lower case, such as apps.example.com`;
  if (!group.includes(".")) return `"${group}" cannot be a group: it needs a dot, such as ${group}.example.com`;
  if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) return `"${group}" belongs to the Kubernetes project: write a domain that is yours`;
  return undefined;
}

/** Its module would have the place of another one. */
function fileProblem(file: string): string | undefined {
  return file === "main" || file === "webhook-server" ? `src/${file}.ts is another module of projects: choose another name` : undefined;
}

function identifierProblem(name: string): string | undefined {
  return RESERVED.has(name) ? `"${name}" is a word of TypeScript: choose another name` : undefined;
}

/** Words that cannot be the name of a constant in a module. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if " +
    "implements import in instanceof interface let new null package private protected public return static super switch this throw true try " +
    "typeof undefined var void while with yield"
  ).split(" "),
);
