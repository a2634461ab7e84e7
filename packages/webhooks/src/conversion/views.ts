/** The versions of a kind with their schemas, and how objects break them. */
import { apiVersionOf, type JsonSchema, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import type { Sections } from "./annotation.ts";
import { brokenPath } from "./check.ts";
import { isObject, own } from "../json.ts";
import { shaped } from "./shape.ts";

/** One version of the kind. */
export interface View {
  /** The kind in this version. */
  readonly kind: Kind;
  /** The version with its group. */
  readonly apiVersion: string;
  /** The schema of spec and status. */
  readonly schema: JsonSchema;
  /** Whether the schema has patterns of the author, which may be slow in JavaScript. */
  readonly hasPatterns: boolean;
}

/** Returns the versions of a kind by apiVersion, the hub first. */
export function viewsOf(kind: Kind): ReadonlyMap<string, View> {
  const views = Object.values(kind.resource?.versions() ?? {}).map((of): View => {
    const { schema } = of.resource.crd().spec.versions.find(({ name }) => name === of.version) ?? {};
    const { spec, status } = schema?.openAPIV3Schema?.properties ?? {};
    return {
      kind: of,
      apiVersion: apiVersionOf(of),
      schema: { type: "object", properties: { ...(spec && { spec }), ...(status && { status }) } },
      hasPatterns: hasPattern(spec) || hasPattern(status, ENGINE_FIELDS),
    };
  });
  return new Map(views.map((view) => [view.apiVersion, view]));
}

/** Returns spec and status of an object; an absent spec is empty. */
export function sectionsOf(object: KubernetesObject): Sections {
  const [spec, status] = [own(object, "spec"), own(object, "status")];
  return { spec: isObject(spec) ? spec : {}, ...(isObject(status) ? { status } : {}) };
}

/** Returns spec and status pruned and with the defaults of the version. */
export function settled(sections: Sections, { schema }: View): Sections {
  return shaped(sections, schema, true) as Sections; // the schema has both sections
}

/** Returns an object of the version. */
export function assembled(
  { apiVersion, kind }: View,
  metadata: KubernetesObject["metadata"],
  { spec, status }: Sections,
): KubernetesObject {
  return { apiVersion, kind: kind.kind, metadata, spec, ...(status === undefined ? {} : { status }) } as KubernetesObject; // of this version
}

/** Returns the paths at which an object breaks the schema of its version. */
export function problemsOf(object: KubernetesObject, view: View): readonly string[] {
  return schemaProblems(object, view).map(({ path }) => path);
}

/** Returns how an object breaks the schema of its version. CEL rules are not evaluated. */
export function schemaProblems(object: KubernetesObject, { kind, schema }: View): readonly SchemaProblem[] {
  const { spec, status } = schema.properties ?? {};
  const problems = kind.resource?.problems(object) ?? [];
  // The zod schema has no rules for the items of sets and of lists with keys.
  const isSpecRead = problems.length > 0 || spec === undefined;
  const broken = [
    isSpecRead ? undefined : brokenPath(own(object, "spec") ?? {}, spec, "spec"),
    status === undefined || !("status" in object) ? undefined : brokenPath(object.status, status, "status"),
  ];
  return [...problems, ...broken.filter((path) => path !== undefined).map((path) => ({ path, message: "breaks the schema of the kind" }))];
}

/** A field that breaks a schema, and how. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/** Fields of the status whose patterns are those of the engine. They are fast, and their texts are short. */
const ENGINE_FIELDS: ReadonlySet<string> = new Set(["conditions"]);

function hasPattern(schema: unknown, without: ReadonlySet<string> = new Set()): boolean {
  if (Array.isArray(schema)) return schema.some((each) => hasPattern(each));
  if (!isObject(schema)) return false;
  if (typeof schema["pattern"] === "string") return true;
  return Object.entries(schema).some(([name, value]) => {
    if (name !== "properties") return hasPattern(value);
    return Object.entries(isObject(value) ? value : {}).some(([field, of]) => !without.has(field) && hasPattern(of));
  });
}
