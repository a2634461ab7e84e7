/** Builds one version of a CRD from its zod schemas. */
import type { CustomResourceDefinitionVersion, JsonSchema, ValidationRule } from "../crd-types.ts";
import type { DefinitionProblem } from "../definition-error.ts";
import type { VersionDefinition } from "../resource-definition.ts";
import { printerColumns, scaleSubresource } from "./columns.ts";
import { engineStatus, reservedNames, type StatusOptions } from "./engine-status.ts";
import { checkedRule } from "./meta-keys.ts";
import { structuralSchema } from "./structural.ts";
import { refuse, section, type Walk } from "./walk.ts";
import { type AnySchema, defOf, parse, RULES } from "./zod-tree.ts";

/** The parts of the declaration that are not in its {@link VersionDefinition}. */
export interface VersionOptions extends StatusOptions {
  readonly name: string;
  readonly isStored: boolean;
  readonly description?: string | undefined;
}

/** Builds the version, and adds its problems to `problems`. */
export function crdVersion(
  given: VersionDefinition,
  options: VersionOptions,
  problems: DefinitionProblem[],
): CustomResourceDefinitionVersion {
  const walk: Walk = { problems, open: new Set(), isTooDeep: false };
  const root = rootSchema(given, options, walk);
  const columns = printerColumns(given.printerColumns ?? [], given.defaultColumns !== false, root, problems);
  const deprecated = given.deprecated ?? false;
  if (typeof deprecated === "string" && !/^(?!\s*$)[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u.test(deprecated)) {
    problems.push({
      path: "deprecated",
      reason: "the warning must be 1 to 256 printable characters",
      fix: "Write one short sentence, or true for the server's own",
    });
  }
  return {
    name: options.name,
    served: given.served !== false,
    storage: options.isStored,
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === "string" ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: root },
    subresources: { status: {}, ...(given.scale === undefined ? {} : { scale: scaleSubresource(given.scale, root, problems) }) },
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
  };
}

function rootSchema(given: VersionDefinition, options: VersionOptions, walk: Walk): JsonSchema {
  const spec = sectionSchema(given.spec, "spec", given.validations?.spec, walk);
  const status = statusSchema(given, options, walk);
  const rules = rulesAt("validations.object", given.validations?.object, walk);
  // A spec that may be empty gets a default, so that readers always find a spec with its defaults.
  const isSpecOptional = walk.problems.length === 0 && "value" in parse(given.spec, {});
  return {
    ...(options.description === undefined ? {} : { description: options.description }),
    type: "object",
    properties: {
      apiVersion: { type: "string", description: "The group and version of this object's schema." },
      kind: { type: "string", description: "The kind of this object." },
      metadata: { type: "object" },
      spec: isSpecOptional ? { ...spec, default: {} } : spec,
      status,
    },
    ...(isSpecOptional ? {} : { required: ["spec"] }),
    ...(rules.length === 0 ? {} : { [RULES]: rules }),
  };
}

/** The author's fields and the engine's. No field is required, because steps fill the status one by one. */
function statusSchema(given: VersionDefinition, options: VersionOptions, walk: Walk): JsonSchema {
  const own =
    given.status === undefined ? { type: "object" as const } : sectionSchema(given.status, "status", given.validations?.status, walk);
  for (const name of reservedNames(options)) {
    if (own.properties?.[name] === undefined && !(given.status !== undefined && hasField(given.status, name))) continue;
    refuse(walk, section(`status.${name}`), "the engine keeps this field", "Remove it: it is added, with its type, to every status");
  }
  const { required: _required, ...rest } = own;
  return { ...rest, properties: { ...own.properties, ...engineStatus(options) } };
}

function hasField(schema: AnySchema, name: string): boolean {
  const def = defOf(schema);
  return def.type === "object" && Object.hasOwn(def.shape, name);
}

function sectionSchema(schema: AnySchema, path: string, validations: readonly ValidationRule[] | undefined, walk: Walk): JsonSchema {
  const place = section(path);
  if (defOf(schema).type !== "object") {
    refuse(walk, place, `${path} is not an object`, "Use z.object({...})");
    return { type: "object" };
  }
  const shape = structuralSchema(schema, walk, place) ?? { type: "object" };
  const rules = [...(shape[RULES] ?? []), ...rulesAt(`validations.${path}`, validations, walk)];
  return rules.length === 0 ? shape : { ...shape, [RULES]: rules };
}

function rulesAt(path: string, rules: readonly ValidationRule[] | undefined, walk: Walk): readonly ValidationRule[] {
  return (rules ?? []).flatMap((rule, i) => checkedRule(rule, walk, section(`${path}[${i}]`)));
}
