/** The names of the changes between two CRDs. docs/cli/check.md describes them. */
export const CHANGE_IDS = [
  "conversion-removed",
  "crd-removed",
  "default-added",
  "default-changed",
  "default-removed",
  "embedded-resource-required",
  "field-added",
  "field-optional",
  "field-removed",
  "field-required",
  "limit-narrowed",
  "limit-widened",
  "list-type-changed",
  "map-type-changed",
  "names-changed",
  "null-forbidden",
  "quantor-changed",
  "rule-added",
  "rule-removed",
  "scope-changed",
  "storage-version-changed",
  "subresource-changed",
  "type-changed",
  "unknown-fields-dropped",
  "version-added",
  "version-not-served",
  "version-removed",
] as const;

/** The name of a change. */
export type ChangeId = (typeof CHANGE_IDS)[number];
