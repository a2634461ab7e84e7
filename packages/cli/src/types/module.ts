/** The module of a CRD: its kinds with their types. Pure. */
import type { JsonSchema } from "@treadle/apimachinery";
import { mark } from "../generate/layouts/layout.ts";
import { commentOf, linesAbout } from "./comment.ts";
import type { Crd, CrdVersion } from "./crds-in.ts";
import { fieldsOf, isIdentifier, typeOf } from "./schema-type.ts";

/** Returns the name of the module of a CRD. */
export function moduleName({ name }: Pick<Crd, "name">): string {
  return `${name}.ts`;
}

/** Returns the module of a CRD: for each served version the kind, the type of its objects, and those of its top fields. */
export function moduleText(crd: Crd): string {
  const head = `// ${mark(moduleName(crd))}. Do not edit it: generate it again from the CRD.\n`;
  const names = new Set(["ObjectOf", ...crd.versions.flatMap((version) => [kindName(crd, version), `${kindName(crd, version)}Fields`])]);
  const versions = crd.versions.map((version) => versionText(crd, version, names));
  return `${head}import { kind, type ObjectOf } from "treadle";\n\n${versions.join("\n")}`;
}

/** Fields that every object has. */
const COMMON = new Set(["apiVersion", "kind", "metadata"]);

/** `used` has the names of the module, and gets those of this version. */
function versionText(crd: Crd, version: CrdVersion, used: Set<string>): string {
  const { schema, deprecated } = version;
  const name = kindName(crd, version);
  const fields = Object.entries(schema.properties ?? {}).filter(([field]) => !COMMON.has(field));
  const named = new Map(fields.filter(([field, inner]) => isNamed(inner) && isFree(`${name}${upper(field)}`, used)));
  const about = linesAbout({ ...schema, description: schema.description ?? `${crd.kind} of ${crd.group}/${version.version}.` });
  const lines = [...about, ...(deprecated === undefined ? [] : [`@deprecated ${deprecated}`])];
  const names = { group: crd.group, version: version.version, kind: crd.kind, plural: crd.plural, scope: crd.scope };
  return [
    `${commentOf(lines, "")}export const ${name} = kind<${name}Fields>(${literal(names)});\n`,
    `export interface ${name} extends ObjectOf<typeof ${name}> {}\n`,
    `${commentOf([`The fields of ${article(crd.kind)} besides those of every object.`], "")}${fieldsText(name, { schema, fields, named })}`,
    ...[...named].map(([field, inner]) => {
      const text = linesAbout({ description: `The ${field} of ${article(crd.kind)}.`, ...inner });
      return `${commentOf(text, "")}export interface ${name}${upper(field)} ${typeOf({ ...inner, nullable: false }, "")}\n`;
    }),
  ].join("\n");
}

/** The kind of the stored version has the short name, but for one that the module imports. */
function kindName({ kind, versions }: Crd, { version }: CrdVersion): string {
  return version === versions[0]?.version && kind !== "ObjectOf" ? kind : `${kind}${upper(version)}`;
}

/** A field may have any text as its name, and two fields may differ in the case of a letter only. Their types have no names. */
function isFree(name: string, used: Set<string>): boolean {
  if (!isIdentifier(name) || used.has(name)) return false;
  used.add(name);
  return true;
}

/** An object with fields gets an interface of its own. */
function isNamed({ type, properties, ...rest }: JsonSchema): boolean {
  return type === "object" && properties !== undefined && rest["x-kubernetes-int-or-string"] !== true;
}

function fieldsText(
  name: string,
  {
    schema,
    fields,
    named,
  }: Pick<CrdVersion, "schema"> & {
    readonly fields: readonly (readonly [string, JsonSchema])[];
    readonly named: ReadonlyMap<string, JsonSchema>;
  },
): string {
  const lines = fields.map(([field, inner]) => {
    const mark = schema.required?.includes(field) === true ? "" : "?";
    if (!named.has(field)) return fieldsOf({ properties: { [field]: inner }, ...(mark === "" ? { required: [field] } : {}) }, "  ");
    return `  readonly ${field}${mark}: ${name}${upper(field)}${inner.nullable === true ? " | null" : ""};\n`;
  });
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  return `export interface ${name}Fields {\n${lines.join("")}${isOpen ? "  readonly [field: string]: unknown;\n" : ""}}\n`;
}

function literal(given: Readonly<Record<string, string>>): string {
  const lines = Object.entries(given).map(([key, value]) => `  ${key}: ${JSON.stringify(value)},\n`);
  return `{\n${lines.join("")}}`;
}

function article(kind: string): string {
  return `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
