/** Finds the CRDs in files and in a cluster's answers. Pure. */
import type { JsonSchema } from "@treadle/apimachinery";
import { parseAllDocuments } from "yaml";
import { CliError } from "../cli-error.ts";
import { isRecord, type Json, listAt, textAt, valueAt } from "../json.ts";
import { schemaProblem } from "./schema-shape.ts";

/** A version of a CRD that the server serves. */
export interface CrdVersion {
  readonly version: string;
  readonly isStored: boolean;
  /** The text of the author about a version that should not be used; undefined: it may be used. */
  readonly deprecated: string | undefined;
  readonly schema: JsonSchema;
}

/** A CRD, as far as types need it. */
export interface Crd {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** The served versions, the stored one first. */
  readonly versions: readonly CrdVersion[];
}

/** Returns the CRDs in a text of YAML or JSON, also those in lists; other objects are skipped. @throws CliError that names the file */
export function crdsIn(text: string, file: string): readonly Crd[] {
  const objects = documentsIn(text, file).flatMap((value) => (textAt(value, "kind").endsWith("List") ? listAt(value, "items") : [value]));
  const crds = objects.filter((object) => textAt(object, "kind") === "CustomResourceDefinition");
  if (crds.length === 0) throw new CliError(`${file} has no CustomResourceDefinition: name the files of CRDs`);
  return crds.map((object) => crdOf(object, file));
}

function documentsIn(text: string, file: string): readonly Json[] {
  const documents = parseAllDocuments(text, { logLevel: "error" });
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new CliError(`cannot read ${file}: ${error.message}`);
    const value = valueOf(document, file);
    return isRecord(value) ? [value] : [];
  });
}

/** Aliases may be unknown, multiply a text without an end, or make an object a part of itself. */
function valueOf(document: { toJS(): unknown }, file: string): unknown {
  try {
    const value = document.toJS();
    JSON.stringify(value);
    return value;
  } catch (error) {
    const { message } = error as Error;
    const isCycle = error instanceof TypeError && message.includes("circular");
    throw new CliError(`cannot read ${file}: ${isCycle ? "an alias names an object that contains it" : message}`, { cause: error });
  }
}

/** Returns an object as a CRD. @throws CliError for one without what a type needs, or of an API that no server has any more */
export function crdOf(object: Json, source: string): Crd {
  const name = textAt(object, "metadata", "name");
  const apiVersion = textAt(object, "apiVersion");
  const refuse = (why: string): CliError => new CliError(`cannot make types of ${name || "a CRD"} in ${source}: ${why}`);
  if (apiVersion !== "apiextensions.k8s.io/v1")
    throw refuse(`it is of ${apiVersion || "no API"}. Use a release with apiextensions.k8s.io/v1, which has a schema for each version`);
  const [group, kind, plural] = [
    textAt(object, "spec", "group"),
    textAt(object, "spec", "names", "kind"),
    textAt(object, "spec", "names", "plural"),
  ];
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) throw refuse(`spec.names.kind ${JSON.stringify(kind)} is not the name of a kind`);
  for (const [path, value] of Object.entries({ "spec.group": group, "spec.names.plural": plural }))
    if (!/^[a-z0-9.-]+$/.test(value)) throw refuse(`${path} ${JSON.stringify(value)} is not a name`);
  const served = listAt(object, "spec", "versions").filter((each) => each["served"] === true);
  if (served.length === 0) throw refuse("it serves no version");
  const versions = served.map((each): CrdVersion => {
    const version = textAt(each, "name");
    const schema = valueAt(each, "schema", "openAPIV3Schema");
    if (!/^[a-z0-9]+$/.test(version)) throw refuse(`${JSON.stringify(version)} is not a version`);
    if (!isRecord(schema)) throw refuse(`version ${version} has no schema.openAPIV3Schema`);
    const problem = schemaProblem(schema, "openAPIV3Schema");
    if (problem !== undefined) throw refuse(`${problem} in version ${version}`);
    const deprecated = each["deprecated"] === true ? textAt(each, "deprecationWarning") || "It may be removed." : undefined;
    return { version, isStored: each["storage"] === true, deprecated, schema };
  });
  const scope = textAt(object, "spec", "scope") === "Cluster" ? "Cluster" : "Namespaced";
  return {
    name: `${plural}.${group}`,
    group,
    kind,
    plural,
    scope,
    versions: versions.toSorted((a, b) => Number(b.isStored) - Number(a.isStored)),
  };
}
