/**
 * Accepts the names that a CRD asks for (apiextensions-apiserver `NamingConditionController`). The plural, singular and short
 * names of a group are one set; kinds and list kinds are another. A CRD keeps the names that it has and gets those that are
 * free. A condition reports the last conflict.
 */
import type { JsonObject } from "../internal/json.ts";
import { listAt, objectAt, textsAt } from "../internal/read.ts";

/** A condition without its time. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

export interface Naming {
  /** Accepted names, as in `status.acceptedNames`. */
  readonly names: JsonObject;
  readonly condition: Condition;
}

const ORDER = ["plural", "singular", "shortNames", "kind", "listKind", "categories"] as const;

/** Returns the names of `definition`. `all` are the CRDs of its group, including itself. */
export function namingOf(definition: object, all: readonly object[]): Naming {
  const wanted = objectAt(definition, "spec", "names");
  const has = objectAt(definition, "status", "acceptedNames");
  const accepted = all.map((each) => objectAt(each, "status", "acceptedNames"));
  const resources = new Set(accepted.flatMap((each) => [each["plural"], each["singular"], ...textsAt(each, "shortNames")]));
  const kinds = new Set(accepted.flatMap(({ kind, listKind }) => [kind, listKind]));
  const names: JsonObject = { ...has };
  let conflict: Pick<Condition, "reason" | "message"> | undefined;
  const take = (field: (typeof ORDER)[number], taken: readonly unknown[], reason: string): void => {
    if (taken.length === 0) names[field] = wanted[field];
    else conflict = { reason, message: aggregate(taken.map((name) => `${JSON.stringify(name)} is already in use`)) };
  };
  const inUse = (field: string, used: ReadonlySet<unknown>): readonly unknown[] =>
    wanted[field] !== has[field] && used.has(wanted[field]) ? [wanted[field]] : [];
  take("plural", inUse("plural", resources), "PluralConflict");
  take("singular", inUse("singular", resources), "SingularConflict");
  const own = textsAt(has, "shortNames");
  const takenShort = textsAt(wanted, "shortNames").filter((name) => !own.includes(name) && resources.has(name));
  take("shortNames", takenShort, "ShortNamesConflict");
  take("kind", inUse("kind", kinds), "KindConflict");
  take("listKind", inUse("listKind", kinds), "ListKindConflict");
  take("categories", [], "");
  const given = ORDER.flatMap((field) => (names[field] === undefined ? [] : [[field, names[field]]]));
  const outcome =
    conflict === undefined ? { status: "True", reason: "NoConflicts", message: "no conflicts found" } : { status: "False", ...conflict };
  return { names: Object.fromEntries(given) as JsonObject, condition: { type: "NamesAccepted", ...outcome } as Condition };
}

/** Returns the conditions with this one. Its time changes only with its status. */
export function withCondition(definition: object, condition: Condition, now: string): readonly JsonObject[] {
  const all = listAt(definition, "status", "conditions");
  const before = all.find((one) => one["type"] === condition.type);
  const { type, status, reason, message } = condition;
  const next = { type, status, lastTransitionTime: before?.["status"] === status ? before["lastTransitionTime"] : now, reason, message };
  return before === undefined ? [...all, next] : all.map((one) => (one === before ? next : one));
}

/** Joins several errors as Go does. */
function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? (messages[0] ?? "") : `[${[...new Set(messages)].join(", ")}]`;
}
