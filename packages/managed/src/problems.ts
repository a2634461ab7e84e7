/** The problems of a handler with managed steps: what `build()` reports. */
import type { Kind } from "@treadle/apimachinery";
import type { ExtendedHandler } from "@treadle/reconcile/unstable/engine";
import { fieldsOf } from "./declared-fields.ts";
import type { Definition } from "./definition.ts";

/** Returns the problems, each with its fix. */
export function problems({ kind, steps }: ExtendedHandler<Definition>): readonly string[] {
  return [
    ...steps.flatMap(({ data }) => fragmentProblems(kind, data)),
    ...sharedNames(steps.map(({ data }) => data)).map(
      (names) =>
        `the managed steps ${names.join(" and ")} share their conditions and annotation: give each a prefix: managed(${kind.kind}, { prefix: "..." })`,
    ),
  ];
}

/** The fragments of a declaration that a managed step needs. A kind that `defineResource` did not make has no schema to look at. */
function fragmentProblems(kind: Kind, { name, provider, names, statusField }: Definition): readonly string[] {
  if (kind.resource === undefined) return [];
  const spec = fieldsOf(kind, "spec");
  const missing = [
    ...(kind.resource.stepState ? [] : ["stepState: true: add ...managedTraits"]),
    ...(provider.options.configOf !== undefined || spec.has("providerConfigRef")
      ? []
      : ["spec.providerConfigRef: add ...managedSpec to the spec"]),
    ...["managementPolicies", "deletionPolicy"]
      .filter((field) => !spec.has(field))
      .map((field) => `spec.${field}: add ...managedSpec to the spec`),
    ...(statusField !== undefined ? [] : [statusFix(names.statusFields[0] as string)]),
  ];
  return missing.map((what) => `step "${name}": ${kind.kind} lacks ${what}`);
}

function statusFix(field: string): string {
  return field === "externalName"
    ? "status.externalName: add ...managedStatus to the status"
    : `status.${field}: add ${field}: z.string() to the status`;
}

/** The names of the steps with the same prefix, for each prefix that several have. */
function sharedNames(definitions: readonly Definition[]): readonly (readonly string[])[] {
  const byPrefix = new Map<string, string[]>();
  for (const { name, names } of definitions) byPrefix.set(names.synced, [...(byPrefix.get(names.synced) ?? []), JSON.stringify(name)]);
  return [...byPrefix.values()].filter(({ length }) => length > 1);
}
