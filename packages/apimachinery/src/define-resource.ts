/**
 * One declaration of a custom resource from zod schemas: it gives the types of what the server returns and of what a
 * client may send, the CRD with its structural schema, and the check of objects stored under an older schema.
 *
 * zod is used through the schemas it is given, and only typed here: importing this module does not load it.
 */
import type { z } from "zod";
import { type CustomResourceDefinition, CustomResourceDefinition as CrdKind, type JsonSchema } from "./crd.ts";
import { DefinitionError, type DefinitionProblem } from "./definition-error.ts";
import { DEPENDENTS } from "./internal/engine-status.ts";
import { crdVersion } from "./internal/crd-version.ts";
import { crdNames, nameProblems } from "./internal/resource-names.ts";
import { specProblems } from "./internal/spec-problems.ts";
import { apiVersionOf, type Kind } from "./kind.ts";
import type {
  NoFields,
  ResourceCommon,
  ResourceDefinition,
  ResourceOf,
  VersionDefinition,
  VersionedResource,
  VersionedResourceDefinition,
} from "./resource-definition.ts";

/**
 * Defines a custom resource. The CRD that follows from it ({@link crdOf}) has the status subresource, and in its status
 * the engine's fields (conditions, observedGeneration; with `stepState` also steps).
 *
 * Schemas say what is stored: what computes (transform, coerce, trim, catch, ...) or has no structural schema is refused.
 * `.describe()` becomes a description, `.default()` a default of the server, `.meta({ "x-kubernetes-...": ... })` is taken
 * over, and `.meta({ immutable: true })` becomes a transition rule: once set, the field neither changes nor vanishes (an
 * optional object around it may still be removed as a whole; make that immutable too).
 *
 * Several versions share one stored form without conversion: the server changes `apiVersion` only and prunes what the
 * other version does not know, so fields may be added between versions but neither renamed nor retyped.
 *
 * @throws DefinitionError with every problem: names, schemas, columns, rules.
 */
export function defineResource<
  const Versions extends Readonly<Record<string, VersionDefinition>>,
  const Version extends keyof Versions & string = keyof Versions & string,
>(definition: VersionedResourceDefinition<Versions, Version>): VersionedResource<Versions, Version>;
export function defineResource<S extends z.ZodObject, U extends z.ZodObject = NoFields>(
  definition: ResourceDefinition<S, U>,
): ResourceOf<S, U>;
export function defineResource(
  definition: ResourceCommon & { readonly version?: string } & (
      | VersionDefinition
      | { readonly versions: Readonly<Record<string, VersionDefinition>> }
    ),
): Kind {
  const versions = "versions" in definition ? definition.versions : { [definition.version ?? ""]: definition };
  const first = Object.keys(versions)[0] ?? "";
  const crd = buildCrd(definition, versions);
  const kinds = Object.fromEntries(
    Object.entries(versions).map(([version, { spec }]) => [version, kindOf(definition, version, spec, crd)]),
  );
  const kind = kinds[first];
  if (kind === undefined) throw new Error("unreachable: a resource without versions was refused");
  return "versions" in definition ? ({ ...kind, versions: kinds } as Kind) : kind; // `versions` is in the type that the overload promises
}

/**
 * The CRD of a kind made by {@link defineResource}, ready to be applied; the same frozen object each time.
 *
 * @throws Error for any other kind.
 */
export function crdOf(kind: Kind): CustomResourceDefinition {
  if (kind.resource === undefined)
    throw new Error(`${kind.kind} (${apiVersionOf(kind)}) was not made by defineResource, so its CRD is not known`);
  return kind.resource.crd();
}

function buildCrd(
  definition: ResourceCommon & { readonly version?: string },
  versions: Readonly<Record<string, VersionDefinition>>,
): CustomResourceDefinition {
  const names = Object.keys(versions);
  const problems: DefinitionProblem[] = [...nameProblems(definition, names)];
  const { version = names[0], stepState = false, description } = definition;
  const statusParts = statusPartsOf(definition);
  if (version !== names[0]) {
    problems.push({
      path: "version",
      reason: `${JSON.stringify(version)} is not the first of versions, which is the stored one`,
      fix: `Put ${version} first, or leave version out`,
    });
  }
  const built = Object.entries(versions).map(([name, given], i) => {
    const found: DefinitionProblem[] = [];
    const options = { name, isStored: i === 0, stepState, statusParts, description };
    const made = crdVersion(given, options, found);
    problems.push(...found.map((problem) => (names.length === 1 ? problem : { ...problem, path: `versions.${name}.${problem.path}` })));
    return made;
  });
  if (problems.length > 0) throw new DefinitionError(`resource ${definition.kind} (${definition.group})`, problems);
  const crdNamesOf = crdNames(definition);
  return deepFreeze({
    apiVersion: apiVersionOf(CrdKind),
    kind: CrdKind.kind,
    metadata: {
      name: `${crdNamesOf.plural}.${definition.group}`,
      ...(definition.labels === undefined ? {} : { labels: { ...definition.labels } }),
      ...(definition.annotations === undefined ? {} : { annotations: { ...definition.annotations } }),
    },
    spec: {
      group: definition.group,
      names: crdNamesOf,
      scope: definition.scope,
      versions: built,
      ...(built.length > 1 ? { conversion: { strategy: "None" as const } } : {}),
    },
  });
}

function statusPartsOf({ dependents = false, statusParts = {} }: ResourceCommon): Readonly<Record<string, JsonSchema>> {
  return { ...(dependents ? { dependents: DEPENDENTS } : {}), ...statusParts };
}

function kindOf(definition: ResourceCommon, version: string, spec: z.ZodObject, crd: CustomResourceDefinition): Kind {
  return {
    group: definition.group,
    version,
    kind: definition.kind,
    plural: crd.spec.names.plural,
    scope: definition.scope,
    resource: {
      stepState: definition.stepState ?? false,
      statusParts: Object.keys(statusPartsOf(definition)),
      problems: (object) => specProblems(spec, object),
      crd: () => crd,
    },
  };
}

/** The schema may hold objects of the author's `.meta()`, so a copy is frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(deepFreeze)
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, deepFreeze(member)]));
  return Object.freeze(copy) as T; // a copy has the shape of what it copies
}
