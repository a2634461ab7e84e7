/**
 * Writes `src/protobuf/message-data.ts`: the fields of the protobuf messages of the built-in kinds, from the `generated.proto`
 * files of Kubernetes. Run it after a step to another Kubernetes, after `schemas.ts`:
 *
 *     node --conditions=@treadle/source packages/apiserver/scripts/protobuf.ts
 *
 * Needs Go, whose module cache must hold the sources (`tools/controlplane` puts them there).
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS, KUBERNETES_VERSION } from "../src/builtin/schema-data.ts";
import { definition } from "../src/builtin/schemas.ts";

/** Where the packages are: the beginning of the name in protobuf and the short one, module and folder. */
const SOURCES = [
  ["k8s.io.api.", "", "api", ""],
  ["k8s.io.apimachinery.pkg.apis.", "", "apimachinery", "pkg/apis"],
  ["k8s.io.apimachinery.pkg.api.", "", "apimachinery", "pkg/api"],
  ["k8s.io.apimachinery.pkg.util.", "", "apimachinery", "pkg/util"],
  ["k8s.io.apimachinery.pkg.", "", "apimachinery", "pkg"],
  ["k8s.io.apiextensions_apiserver.pkg.apis.", "", "apiextensions-apiserver", "pkg/apis"],
  ["k8s.io.kube_aggregator.pkg.apis.", "", "kube-aggregator", "pkg/apis"],
] as const;

/** Messages that stand for one JSON value; the codec knows them by name. */
const SPECIAL: ReadonlySet<string> = new Set([
  "meta.v1.Time",
  "meta.v1.MicroTime",
  "meta.v1.FieldsV1",
  "resource.Quantity",
  "intstr.IntOrString",
  "runtime.RawExtension",
  "apiextensions.v1.JSON",
  "apiextensions.v1.JSONSchemaPropsOrArray",
  "apiextensions.v1.JSONSchemaPropsOrBool",
  "apiextensions.v1.JSONSchemaPropsOrStringArray",
]);

const SCALARS: Readonly<Record<string, string>> = { string: "s", bytes: "x", int32: "i", int64: "i", bool: "b", double: "d" };

interface ProtoField {
  readonly label: string;
  readonly type: string;
  readonly name: string;
  readonly number: string;
}

const modules = join(execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim(), "k8s.io");
const packages = new Map<string, ReadonlyMap<string, readonly ProtoField[]>>();
const messages = new Map<string, string>();

/** The fields of a message, by its short name. */
function fieldsOf(short: string): readonly ProtoField[] {
  const folder = short.split(".").slice(0, -1);
  for (const [, , module, under] of SOURCES) {
    const file = join(modules, `${module}@${KUBERNETES_VERSION.replace("v1.", "v0.")}`, under, ...folder, "generated.proto");
    if (!existsSync(file)) continue;
    let known = packages.get(file);
    if (known === undefined) packages.set(file, (known = parse(readFileSync(file, "utf8"))));
    const fields = known.get(short.split(".").at(-1) ?? "");
    if (fields !== undefined) return fields;
  }
  throw new Error(`there is no message ${short}`);
}

function parse(text: string): ReadonlyMap<string, readonly ProtoField[]> {
  const found = new Map<string, ProtoField[]>();
  let fields: ProtoField[] = [];
  for (const line of text.split("\n")) {
    const [, message] = /^message (\w+) \{/.exec(line) ?? [];
    if (message !== undefined) found.set(message, (fields = []));
    const [, label, type = "", name = "", number = ""] = /^ {2}(?:(optional|repeated) )?(map<.*>|[.\w]+) (\w+) = (\d+);/.exec(line) ?? [];
    if (type !== "") fields.push({ label: label ?? "", type, name, number });
  }
  return found;
}

/** Takes in a message and all that it holds; one that has no schema is part of `owner`. */
function read(short: string, owner = ""): void {
  if (messages.has(short) || SPECIAL.has(short)) return;
  messages.set(short, ""); // it may hold itself
  const properties = propertiesOf(short) ?? propertiesOf(owner) ?? fieldsOf(short).map(({ name }) => name);
  messages.set(
    short,
    fieldsOf(short)
      .map((field) => fieldText(short, field, properties))
      .join(";"),
  );
}

function propertiesOf(name: string): readonly string[] | undefined {
  try {
    return Object.keys(definition(name).properties ?? {});
  } catch {
    return undefined;
  }
}

/** Number, form and type, and the name in JSON: `12*core.v1.Volume volumes`. A field whose members are those
 * of its owner has none, the list that is the whole value is `@`. */
function fieldText(owner: string, { label, type, name, number }: ProtoField, properties: readonly string[]): string {
  const [, value] = /^map<string, (.*)>$/.exec(type) ?? [];
  const typeName = resolve(owner, value ?? type);
  if (SCALARS[typeName] === undefined) read(typeName, owner);
  const form = value !== undefined ? "%" : label === "repeated" ? "*" : "=";
  const json = properties.find((one) => plain(one) === plain(name));
  // A type that is a list has no fields in JSON.
  if (json === undefined && name === "items") return `${number}${form}${SCALARS[typeName] ?? typeName} @`;
  if (json === undefined && SCALARS[typeName] !== undefined) throw new Error(`${owner} has no property ${name}`);
  return `${number}${form}${SCALARS[typeName] ?? typeName} ${json ?? ""}`;
}

function plain(name: string): string {
  return name.replaceAll(/[-$_]/g, "").toLowerCase();
}

function resolve(owner: string, type: string): string {
  if (SCALARS[type] !== undefined) return type;
  if (!type.startsWith(".")) return `${owner.split(".").slice(0, -1).join(".")}.${type}`;
  const source = SOURCES.find(([prefix]) => type.startsWith(`.${prefix}`));
  if (source === undefined) throw new Error(`${type} is not known`);
  return `${source[1]}${type.slice(source[0].length + 1)}`;
}

/** What is sent and answered beside the kinds. */
const OTHERS = [
  "meta.v1.DeleteOptions",
  "meta.v1.Status",
  "meta.v1.PartialObjectMetadata",
  "autoscaling.v1.Scale",
  "policy.v1.Eviction",
  "core.v1.Binding",
];

for (const name of [...Object.values(KINDS), ...OTHERS]) read(name);
const lines = [...messages].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, fields]) => `${name} ${fields}`);
const path = join(import.meta.dirname, "../src/protobuf/message-data.ts");
writeFileSync(
  path,
  `/* oxlint-disable max-lines -- generated: one line for each message */
/** The protobuf messages of the built-in kinds (${KUBERNETES_VERSION}). Written by \`scripts/protobuf.ts\`; not to be edited by hand. */

/** A name and the fields of the message on each line: number, form (\`=\` one, \`*\` several, \`%\` a map), type, name in JSON. */
export const MESSAGES: string = \`
${lines.join("\n")}
\`;
`,
);
console.log(`${path}: ${messages.size} messages`);
