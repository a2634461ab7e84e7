/** The names of a resource: their defaults, and the checks of the API server. */
import type { CustomResourceDefinitionNames } from "../crd-types.ts";
import type { DefinitionProblem } from "../definition-error.ts";
import { dns1035LabelProblems, dns1123SubdomainProblems, labelKeyProblems, labelValueProblems } from "../names.ts";

/** The names in the declaration of a resource. */
export interface NamesInput {
  readonly group: string;
  readonly kind: string;
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Returns the `names` of a CRD. Absent names follow from the kind. */
export function crdNames(given: NamesInput): CustomResourceDefinitionNames {
  return {
    kind: given.kind,
    listKind: given.listKind ?? `${given.kind}List`,
    plural: given.plural ?? pluralOf(given.kind),
    singular: given.singular ?? given.kind.toLowerCase(),
    ...(given.shortNames === undefined || given.shortNames.length === 0 ? {} : { shortNames: given.shortNames }),
    ...(given.categories === undefined || given.categories.length === 0 ? {} : { categories: given.categories }),
  };
}

/** Returns the problems that the API server would find in the names. */
export function nameProblems(given: NamesInput, versions: readonly string[]): readonly DefinitionProblem[] {
  const names = crdNames(given);
  const problems: DefinitionProblem[] = [...groupProblems(given), ...lengthProblems(`${names.plural}.${given.group}`, given.group)];
  const label = (path: string, name: string, fix: string): void => {
    for (const reason of dns1035LabelProblems(name)) problems.push({ path, reason: `${JSON.stringify(name)}: ${reason}`, fix });
  };
  label("kind", names.kind.toLowerCase(), 'Use letters and digits, e.g. "Widget"');
  label("listKind", (names.listKind ?? "").toLowerCase(), 'Use letters and digits, e.g. "WidgetList"');
  if (names.listKind === names.kind)
    problems.push({ path: "listKind", reason: "it is equal to kind", fix: `Use ${JSON.stringify(`${names.kind}List`)}` });
  label("plural", names.plural, 'Use the lower-case plural, e.g. "widgets"');
  label("singular", names.singular ?? "", 'Use the lower-case kind, e.g. "widget"');
  given.shortNames?.forEach((name, i) => label(`shortNames[${i}]`, name, 'Use a few lower-case letters, e.g. "wd"'));
  given.categories?.forEach((name, i) => label(`categories[${i}]`, name, 'Use a lower-case word, e.g. "all"'));
  if (versions.length === 0)
    problems.push({ path: "versions", reason: "there is no version", fix: "Give at least one: versions: { v1: { spec } }" });
  for (const version of versions)
    label(versions.length === 1 ? "version" : `versions.${version}`, version, 'Use e.g. "v1", "v1beta1" or "v1alpha1"');
  const duplicate = given.shortNames?.find(
    (name, i) => given.shortNames?.indexOf(name) !== i || name === names.plural || name === names.singular,
  );
  if (duplicate !== undefined)
    problems.push({ path: "shortNames", reason: `${JSON.stringify(duplicate)} is given twice`, fix: "Remove one" });
  return [...problems, ...metadataProblems(given)];
}

/** Returns the English plural of a kind in lower case, as code generators guess it. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  // The one kind of Kubernetes whose name is a plural already.
  if (word.endsWith("endpoints")) return word;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** An object's name may have 253 characters, and the CRD's is `<plural>.<group>`. */
function lengthProblems(name: string, group: string): readonly DefinitionProblem[] {
  if (name.length <= 253 || group.length > 253) return [];
  return [{ path: "group", reason: `the CRD's name ${name} is longer than 253 characters`, fix: "Use a shorter group" }];
}

const APPROVED = "api-approved.kubernetes.io";

function groupProblems({ group, annotations }: NamesInput): readonly DefinitionProblem[] {
  const fix = 'Use a domain that is yours, e.g. "widgets.example.com"';
  const problems = dns1123SubdomainProblems(group).map((reason) => ({ path: "group", reason: `${JSON.stringify(group)}: ${reason}`, fix }));
  if (problems.length === 0 && !group.includes("."))
    problems.push({ path: "group", reason: `${JSON.stringify(group)} should be a domain with at least one dot`, fix });
  if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group) && (annotations?.[APPROVED] ?? "") === "")
    problems.push({
      path: "group",
      reason: `${JSON.stringify(group)} belongs to the Kubernetes project`,
      fix: `${fix}, or add the annotation ${APPROVED}`,
    });
  return problems;
}

function metadataProblems(given: NamesInput): readonly DefinitionProblem[] {
  const fix = "Correct or remove it";
  const keys = [
    ...Object.keys(given.labels ?? {}).map((key) => ["labels", key] as const),
    ...Object.keys(given.annotations ?? {}).map((key) => ["annotations", key] as const),
  ];
  return [
    ...keys.flatMap(([where, key]) => labelKeyProblems(key).map((reason) => ({ path: `${where}[${JSON.stringify(key)}]`, reason, fix }))),
    ...Object.entries(given.labels ?? {}).flatMap(([key, value]) =>
      labelValueProblems(value).map((reason) => ({ path: `labels[${JSON.stringify(key)}]`, reason, fix })),
    ),
  ];
}
