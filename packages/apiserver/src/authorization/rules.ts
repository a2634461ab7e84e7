/** Rules of roles: what a rule allows, and whether rules cover other rules (k8s.io/component-helpers `auth/rbac`). */
import { goQuote } from "../internal/json.ts";
import { type Attributes, isResource } from "./attributes.ts";

export interface PolicyRule {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

type Field = keyof PolicyRule;

export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!hasOrAll(rule, "verbs", attributes.verb)) return false;
  if (!isResource(attributes)) return list(rule, "nonResourceURLs").some((url) => url === "*" || urlCovers(url, attributes.path));
  const { group, resource, subresource, name } = attributes;
  if (!hasOrAll(rule, "apiGroups", group)) return false;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  const isMeant = (one: string): boolean => one === "*" || one === combined || (subresource !== "" && one === `*/${subresource}`);
  if (!list(rule, "resources").some(isMeant)) return false;
  const names = list(rule, "resourceNames");
  return names.length === 0 || names.includes(name);
}

/** Returns the rights of `wanted` that `owned` does not cover, one verb on one resource each. */
export function uncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(breakDown).filter((single) => !owned.some((rule) => covers(rule, single)));
}

/** Returns the rules as a refusal lists them, with the verbs of one resource together. */
export function describeRules(rules: readonly PolicyRule[]): readonly string[] {
  const byThing = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  for (const rule of rules) {
    const { verbs: _, ...thing } = rule;
    // Rules of paths are listed separately.
    const key = rule.nonResourceURLs === undefined ? JSON.stringify(thing) : JSON.stringify(rule);
    const known = byThing.get(key);
    if (known === undefined) byThing.set(key, { ...rule, verbs: [...list(rule, "verbs")] });
    else known.verbs.push(...list(rule, "verbs"));
  }
  return [...new Set([...byThing.values()].map(describe))].toSorted();
}

/** Returns the text that Go prints for a list of strings. */
export function goTexts(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(" ")}]`;
}

function describe(rule: PolicyRule): string {
  const parts = DESCRIBED.flatMap(([field, name]) => {
    const values = list(rule, field);
    return values.length === 0 ? [] : [`${name}:${goTexts(values)}`];
  });
  return `{${parts.join(", ")}}`;
}

const DESCRIBED: readonly (readonly [Field, string])[] = [
  ["apiGroups", "APIGroups"],
  ["resources", "Resources"],
  ["nonResourceURLs", "NonResourceURLs"],
  ["resourceNames", "ResourceNames"],
  ["verbs", "Verbs"],
];

function breakDown(rule: PolicyRule): readonly PolicyRule[] {
  const single: PolicyRule[] = [];
  const names = list(rule, "resourceNames");
  for (const group of list(rule, "apiGroups")) {
    for (const resource of list(rule, "resources")) {
      for (const verb of list(rule, "verbs")) {
        const one = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (names.length === 0) single.push(one);
        else single.push(...names.map((name) => ({ ...one, resourceNames: [name] })));
      }
    }
  }
  for (const url of list(rule, "nonResourceURLs")) {
    for (const verb of list(rule, "verbs")) single.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return single;
}

/** Reports whether `owned` covers `single`, which has at most one value in each field. */
function covers(owned: PolicyRule, single: PolicyRule): boolean {
  const hasEach = (field: Field): boolean => list(single, field).every((value) => list(owned, field).includes(value));
  const hasAll = (field: Field): boolean => list(owned, field).includes("*") || hasEach(field);
  if (!hasAll("verbs") || !hasAll("apiGroups")) return false;
  const resources = list(owned, "resources");
  const isGiven = (resource: string): boolean =>
    resources.includes(resource) || (resource.includes("/") && resources.includes(`*/${resource.slice(resource.indexOf("/") + 1)}`));
  if (!resources.includes("*") && !list(single, "resources").every(isGiven)) return false;
  const urls = list(owned, "nonResourceURLs");
  if (!list(single, "nonResourceURLs").every((url) => urls.some((other) => urlCovers(other, url)))) return false;
  if (list(owned, "resourceNames").length === 0) return true;
  return list(single, "resourceNames").length > 0 && hasEach("resourceNames");
}

function urlCovers(owned: string, url: string): boolean {
  return owned === url || (owned.endsWith("*") && url.startsWith(owned.replace(/\*+$/, "")));
}

function hasOrAll(rule: PolicyRule, field: Field, value: string): boolean {
  const values = list(rule, field);
  return values.includes("*") || values.includes(value);
}

function list(rule: PolicyRule, field: Field): readonly string[] {
  return rule[field] ?? [];
}
