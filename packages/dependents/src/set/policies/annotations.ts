/**
 * The annotations that set the policies of a rendered object, such as `<prefix>/apply-order: "1"`.
 *
 * The prefix is a name of the handler, or `treadle.dev`, which `object()` writes because it does not know the handler. Annotations
 * under the name of a handler are the handler's: a misspelled policy there is a problem. `treadle.dev/` has annotations for other
 * purposes too: there only a key that ends like the one of a policy is a problem.
 */
import { groupKindOf, groupOf } from "@treadle/apimachinery";
import { isSegment, misuse, truncate } from "@treadle/reconcile/unstable/engine";
import { nameOfAnswer } from "../../core/ask.ts";
import { formatDuration, parseDuration } from "./duration.ts";
import type { Manifest } from "../plan/member.ts";
import type { MemberRef, ObjectPolicies, StatusHint } from "./policies.ts";
import { kebabOf, orList, type Reading, wordOf, type WordPolicies, wordsOf } from "./policy-words.ts";

/** The prefix of policies that holds for every handler. */
export const SHARED_PREFIX = "treadle.dev";

/** The annotations of an object: its policies, and the others. */
export interface ReadPolicies {
  /** The policies, without those that have a problem. */
  readonly policies: ObjectPolicies;
  /** The other annotations; `undefined`: none. */
  readonly rest: Readonly<Record<string, string>> | undefined;
  /** What is wrong, as clauses without the name of the object. */
  readonly problems: readonly string[];
}

/**
 * Returns the policies as annotations, without a prefix. It does not check values: {@link readPolicies} does, for YAML
 * as well.
 *
 * @throws TypeError for the name of a policy that does not exist
 */
export function annotationsOf(policies: ObjectPolicies): Readonly<Record<string, string>> {
  const annotations: Record<string, string> = {};
  for (const [name, value] of Object.entries(policies)) {
    if (value === undefined) continue;
    const known = POLICIES.find((policy) => policy.name === name);
    if (known === undefined)
      throw misuse("ERR_INVALID_STEP", `object() got the policy ${name}: write ${orList(POLICIES.map((policy) => policy.name))}`);
    const text = known.write(value);
    if (text !== "") annotations[known.key] = text;
  }
  return annotations;
}

/**
 * Reads the policies of an object and removes them from its annotations. It never throws and collects all problems. Two
 * prefixes with different values of one policy are a problem.
 *
 * @param given `prefixes`: the present and former names of the handler; `treadle.dev` is always read
 */
export function readPolicies(
  annotations: Readonly<Record<string, string>> | undefined,
  { prefixes }: { readonly prefixes: readonly string[] },
): ReadPolicies {
  const rest: Record<string, string> = {};
  const said = new Map<KnownPolicy, Said>();
  const problems: string[] = [];
  for (const [key, text] of Object.entries(annotations ?? {})) {
    const slash = key.indexOf("/");
    const [prefix, name] = [key.slice(0, Math.max(slash, 0)), key.slice(slash + 1)];
    const isOurs = prefix !== SHARED_PREFIX && prefixes.includes(prefix);
    const known = isOurs || prefix === SHARED_PREFIX ? POLICIES.find((policy) => policy.key === name) : undefined;
    if (known === undefined) {
      const like = isOurs ? LIKE_A_POLICY : prefix === SHARED_PREFIX ? LIKE_A_SHARED_POLICY : undefined;
      if (like?.test(kebabOf(name)) === true) problems.push(unknownKey(key, prefix));
      else rest[key] = text;
      continue;
    }
    const earlier = said.get(known);
    const read = known.read(text);
    if ("problem" in read) problems.push(`the annotation ${key} is ${quoted(text)}: write ${read.problem}`);
    else if (earlier === undefined) said.set(known, { key, text, value: read.value });
    else if (JSON.stringify(earlier.value) !== JSON.stringify(read.value))
      problems.push(
        `the annotations ${earlier.key} and ${key} are ${quoted(earlier.text)} and ${quoted(text)}: remove one, they set the same policy`,
      );
  }
  const policies = Object.fromEntries([...said].flatMap(([{ name }, { value }]) => (value === undefined ? [] : [[name, value]])));
  return { policies, rest: Object.keys(rest).length === 0 ? undefined : rest, problems };
}

interface Said {
  readonly key: string;
  readonly text: string;
  readonly value: unknown;
}

/**
 * Returns the metadata without what the framework writes on objects of a set: a manifest that was read from a cluster has it. The
 * marks of other handlers stay.
 */
export function withoutMarks(metadata: Manifest["metadata"], prefixes: readonly string[]): Manifest["metadata"] {
  const { labels, annotations, ...others } = metadata;
  const kept = { labels: without(labels, prefixes, MARK_LABELS), annotations: without(annotations, prefixes, MARK_ANNOTATIONS) };
  return {
    ...others,
    ...(kept.labels === undefined ? {} : { labels: kept.labels }),
    ...(kept.annotations === undefined ? {} : { annotations: kept.annotations }),
  };
}

const MARK_LABELS: readonly string[] = ["owner-id", "dependent"];
const MARK_ANNOTATIONS: readonly string[] = ["owner-id", "owner", "applied", "policies"];

function without(texts: Readonly<Record<string, string>> | undefined, prefixes: readonly string[], names: readonly string[]) {
  const marks = new Set(prefixes.flatMap((prefix) => names.map((name) => `${prefix}/${name}`)));
  const kept = Object.entries(texts ?? {}).filter(([key]) => !marks.has(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

interface KnownPolicy {
  /** The field of {@link ObjectPolicies}. */
  readonly name: keyof ObjectPolicies;
  /** The annotation without prefix. */
  readonly key: string;
  /** Returns the text of the annotation; empty: there is no annotation. The value may be of a wrong type. */
  readonly write: (value: unknown) => string;
  readonly read: (text: string) => Reading;
}

const POLICIES: readonly KnownPolicy[] = [
  { name: "apply", key: "apply-order", write: textOf, read: readOrder },
  { name: "purge", key: "purge-order", write: textOf, read: readOrder },
  { name: "remove", key: "delete-order", write: textOf, read: readOrder },
  word("adopt", "adoption-policy"),
  word("update", "update-policy"),
  word("reconcile", "reconcile-policy"),
  word("onRemoval", "delete-policy"),
  {
    name: "reapplyMs",
    key: "reapply-interval",
    write: (value) => (typeof value === "number" ? formatDuration(value) : textOf(value)),
    read: readInterval,
  },
  { name: "statusHint", key: "status-hint", write: hintText, read: readHint },
  { name: "after", key: "after", write: afterText, read: readAfter },
];

/** What could be meant as a policy. `order` is an old name of `apply-order` in the original. */
const LIKE_A_POLICY = /(?:^|-)(?:order|policy|interval|hint)$/;

/** What could be meant as a policy under the shared prefix, which has annotations for other purposes. */
const LIKE_A_SHARED_POLICY = /-(?:order|policy|hint)$/;

function unknownKey(key: string, prefix: string): string {
  const known = POLICIES.map((policy) => policy.key).join(", ");
  return `the annotation ${key} is not a policy: write ${prefix}/ with one of ${known}`;
}

function word(name: keyof WordPolicies & keyof ObjectPolicies, key: string): KnownPolicy {
  return {
    name,
    key,
    write: (value) => kebabOf(textOf(value)),
    read: (text) => wordOf(name, text) ?? { problem: wordsOf(name) },
  };
}

const MIN_ORDER = -32_768;
const MAX_ORDER = 32_767;

function readOrder(text: string): Reading {
  const order = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(order >= MIN_ORDER && order <= MAX_ORDER)) return { problem: `an integer from ${MIN_ORDER} to ${MAX_ORDER}` };
  return { value: order + 0 }; // No negative zero.
}

function readInterval(text: string): Reading {
  const ms = parseDuration(text);
  return ms === undefined || ms <= 0 ? { problem: "a time such as 90s, 10m or 1h30m" } : { value: Math.max(1, Math.round(ms)) };
}

function hintText(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return textOf(value);
  const { hasObservedGeneration, hasReadyCondition, conditions, ...others } = value as StatusHint & Readonly<Record<string, unknown>>;
  return [
    ...(hasObservedGeneration === true ? ["has-observed-generation"] : []),
    ...(hasReadyCondition === true ? ["has-ready-condition"] : []),
    ...(conditions === undefined || conditions.length === 0
      ? []
      : [`conditions=${Array.isArray(conditions) ? conditions.map(textOf).join(";") : textOf(conditions)}`]),
    ...Object.keys(others),
  ].join(",");
}

function readHint(text: string): Reading {
  const hint: { -readonly [K in keyof StatusHint]: StatusHint[K] } = {};
  for (const item of itemsOf(text, ",")) {
    const [name = "", list] = splitOnce(item, "=");
    const conditions = itemsOf(list ?? "", ";");
    const key = kebabOf(name.trim());
    if (key === "has-observed-generation" && list === undefined) hint.hasObservedGeneration = true;
    else if (key === "has-ready-condition" && list === undefined) hint.hasReadyCondition = true;
    else if (key === "conditions" && conditions.length > 0 && conditions.every((type) => CONDITION_TYPE.test(type)))
      hint.conditions = [...new Set([...(hint.conditions ?? []), ...conditions])];
    else return { problem: "a list of has-observed-generation, has-ready-condition and conditions=A;B, divided by commas" };
  }
  return { value: Object.keys(hint).length === 0 ? undefined : hint };
}

/** The type of a condition, as the schema of metav1.Condition has it. */
const CONDITION_TYPE = /^(?:[a-z0-9.-]+\/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/;

function afterText(value: unknown): string {
  return Array.isArray(value) ? (value as readonly unknown[]).map(refText).join(",") : textOf(value);
}

/** Returns `Kind.group/name` or `Kind.group/namespace/name`. A wrong value becomes a text that {@link readPolicies} refuses. */
function refText(ref: unknown): string {
  const { apiVersion, kind, metadata } = (typeof ref === "object" ? (ref ?? {}) : {}) as Partial<Exclude<MemberRef, string>>;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof metadata?.name !== "string") return textOf(ref);
  const namespace = metadata.namespace ? `${metadata.namespace}/` : "";
  return `${groupKindOf({ group: groupOf(apiVersion), kind })}/${namespace}${metadata.name}`;
}

function readAfter(text: string): Reading {
  const refs = [...new Set(itemsOf(text, ","))];
  const isValid = refs.every((ref) => {
    const [kind = "", ...names] = ref.split("/");
    const isName = names.length === 1 || names.length === 2;
    return isName && KIND_AND_GROUP.test(kind) && names.every((name) => name !== "" && isSegment(name) && !/\s/.test(name));
  });
  if (!isValid) return { problem: "a list of Kind.group/name or Kind.group/namespace/name, such as Deployment.apps/web" };
  return { value: refs.length === 0 ? undefined : refs };
}

const KIND_AND_GROUP = /^[A-Za-z][A-Za-z0-9-]*(?:\.[a-z0-9.-]+)?$/;

/** The items of a list. Templates often leave an empty one at the end. */
function itemsOf(text: string, separator: string): readonly string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function textOf(value: unknown): string {
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isScalar ? String(value) : nameOfAnswer(value);
}

function quoted(text: string): string {
  return truncate(JSON.stringify(text), 100);
}
