/**
 * Declares a custom resource with zod schemas. One declaration gives:
 * - the type of the objects that the server returns, and the type of the objects that a client may send;
 * - the CRD with its structural schema;
 * - a check of objects that were stored under an older schema.
 *
 * Importing this module does not load zod: it uses zod through the schemas that it gets.
 */
import type { z } from "zod";
import { CustomResourceDefinition as CrdKind } from "./crd.ts";
import type { CrdOptions, CustomResourceDefinition, JsonSchema } from "./crd-types.ts";
import { DefinitionError, type DefinitionProblem } from "./definition-error.ts";
import { type HubOf, isHubKnown, type NoVersions } from "./hub-version.ts";
import { DEPENDENTS, withoutRemovedSteps } from "./internal/engine-status.ts";
import { crdVersion } from "./internal/crd-version.ts";
import { crdNames, nameProblems } from "./internal/resource-names.ts";
import { specProblems, withSpecDefaults } from "./internal/spec-problems.ts";
import { apiVersionOf, type Kind, type ResourceTraits } from "./kind.ts";
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
 * Defines a custom resource with several versions. Objects are stored in the first version, which is also the version of the kind: the
 * hub. Its CRD ({@link crdOf}) has the status subresource, and the status has the engine's fields: conditions and observedGeneration,
 * and with `stepState` also steps.
 *
 * `version` names the first version. It may be left out if the first version also has the highest Kubernetes priority, as in
 * `{ v1, v1beta1 }`. Otherwise it is required, because the type of a kind cannot depend on the order of keys.
 *
 * Schemas describe stored values. A schema that computes (transform, coerce, trim, catch, ...) or that has no structural
 * schema is refused. From a field's schema, the CRD takes:
 * - `.describe()` as the description, and `.default()` as the default that the server sets;
 * - `.meta({ "x-kubernetes-...": ... })` as it is;
 * - `.meta({ immutable: true })` as a transition rule: once set, the field can neither change nor be removed. An optional
 *   object around it can still be removed as a whole; make it immutable too.
 *
 * Without the option `conversion` of {@link crdOf}, the server converts objects by itself: it changes only `apiVersion`, and prunes
 * fields that the other version does not have. Then a new version may add fields, but it must not rename fields or change their types.
 *
 * @throws DefinitionError with all problems of names, schemas, columns and rules
 */
export function defineResource<
  const Versions extends Readonly<Record<string, VersionDefinition>>,
  const Version extends keyof Versions & string = HubOf<Versions>,
>(definition: VersionedResourceDefinition<Versions, Version>): VersionedResource<Versions, Version>;
/** Defines a custom resource with one version. */
export function defineResource<S extends z.ZodObject, U extends z.ZodObject = NoFields, const Versions = undefined>(
  definition: ResourceDefinition<S, U> & NoVersions<Versions>,
): ResourceOf<S, U>;
export function defineResource(
  definition: ResourceCommon & { readonly version?: string } & (
      | VersionDefinition
      | { readonly versions: Readonly<Record<string, VersionDefinition>> }
    ),
): Kind {
  const versions = "versions" in definition ? definition.versions : { [definition.version ?? ""]: definition };
  const crd = buildCrd(definition, versions);
  const kinds: Readonly<Record<string, Kind & { readonly resource: ResourceTraits }>> = Object.freeze(
    Object.fromEntries(
      Object.entries(versions).map(([version, { spec }]) => [version, kindOf(definition, version, { spec, crd, versions: () => kinds })]),
    ),
  );
  const kind = Object.values(kinds)[0];
  if (kind === undefined) throw new Error("unreachable: a resource without versions was refused");
  return "versions" in definition ? ({ ...kind, versions: kinds } as Kind) : kind; // the overload has `versions` in its type
}

/**
 * Returns the CRD of a kind that {@link defineResource} made, ready to be applied. It is frozen, and without options it is the same
 * object each time. With `conversion` the API server asks that webhook to convert objects, by `ConversionReview` of v1. Otherwise it
 * changes only their `apiVersion`.
 *
 * @throws Error for any other kind
 */
export function crdOf(kind: Kind, options: CrdOptions = {}): CustomResourceDefinition {
  if (kind.resource === undefined)
    throw new Error(
      `${kind.kind} (${apiVersionOf(kind)}) was not made by defineResource, so it has no CRD here: pass a kind of defineResource`,
    );
  const crd = kind.resource.crd();
  if (options.conversion === undefined) return crd;
  const { service, ...rest } = options.conversion;
  const clientConfig = { ...rest, ...(service === undefined ? {} : { service: { path: "/convert", ...service } }) };
  const webhook = { conversionReviewVersions: ["v1"], clientConfig };
  return deepFreeze({ ...crd, spec: { ...crd.spec, conversion: { strategy: "Webhook", webhook } } });
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
      fix: `Put ${version} first, or write version: ${JSON.stringify(names[0])}`,
    });
  } else if (definition.version === undefined && !isHubKnown(names)) {
    problems.push({
      path: "version",
      reason: `${JSON.stringify(version)} is the first of versions, but not the one with the highest priority, so the type of the kind cannot follow from them`,
      fix: `Write version: ${JSON.stringify(version)}, or put another version first`,
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

/** What the kind of a version gets besides the declaration. */
interface KindParts extends Pick<ResourceTraits, "versions"> {
  readonly spec: z.ZodObject;
  readonly crd: CustomResourceDefinition;
}

function kindOf(
  definition: ResourceCommon,
  version: string,
  { spec, crd, versions }: KindParts,
): ReturnType<KindParts["versions"]>[string] {
  return {
    group: definition.group,
    version,
    kind: definition.kind,
    plural: crd.spec.names.plural,
    scope: definition.scope,
    resource: {
      stepState: definition.stepState ?? false,
      statusParts: Object.keys(statusPartsOf(definition)),
      pruneStatusPart: (field, stored, kept) =>
        definition.dependents === true && field === "dependents" ? withoutRemovedSteps(stored, kept) : stored,
      problems: (object) => specProblems(spec, object),
      withDefaults: (object) => withSpecDefaults(spec, object),
      crd: () => crd,
      versions,
    },
  };
}

/** Freezes a copy, because the schema may contain objects of the author's `.meta()`. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(deepFreeze)
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, deepFreeze(member)]));
  return Object.freeze(copy) as T; // a copy has the shape of what it copies
}
