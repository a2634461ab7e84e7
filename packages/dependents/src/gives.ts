/** The values that the objects of a step give: computed once for each version of an object, and handed over in each pass. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { deepFreeze, handOver, misuse, isPromiseLike } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer } from "./core/ask.ts";
import { plainJson } from "./core/json.ts";
import type { Given } from "./core/memory.ts";
import type { Converged } from "./core/plan.ts";
import type { Absence } from "./entry-condition.ts";
import type { Kept } from "./outcomes.ts";
import type { Subject } from "./subjects.ts";
import type { AnyDoReq, Unit } from "./unit.ts";

/** Returns what an object gives; `undefined` for a step without `gives`. @throws TypeError when a function throws, or returns a value that is not JSON */
export function givenBy(unit: Unit, subject: Subject, converged: Converged): Given | undefined {
  const { dependent, context } = unit;
  const { gives } = dependent.options;
  if (gives === undefined) return undefined;
  const { live } = converged;
  if (live === undefined) return missing(converged.type === "done" ? "it was complete, and no longer exists" : "it does not exist yet");
  if (live.metadata.deletionTimestamp !== undefined) return missing("it is being deleted");
  // Not ours, or about to be created again: the entry has the reason.
  if (converged.type === "not yet" && !converged.isKept)
    return missing(converged.state.reason === "NotOurs" ? "it is not ours" : converged.state.message);
  const memory = context.memory.unit(context.unit).object(dependent.policy.kind, live.metadata);
  const version = versionOf(context.owner, live);
  if (version === undefined || memory.given?.version !== version)
    memory.given = { version, ...computed(unit, gives as Functions, { live, item: subject.item }) };
  return memory.given;
}

type Functions = Readonly<Record<string, (live: KubernetesObject, owner: KubernetesObject, item: unknown) => unknown>>;

function missing(why: string): Given {
  return { version: undefined, vars: NOTHING, secrets: undefined, missing: why };
}

const NOTHING = Object.freeze({});

/** The inputs of the functions as one text; `undefined` for an object without a version. */
function versionOf(owner: KubernetesObject, live: KubernetesObject): string | undefined {
  const { uid, resourceVersion } = live.metadata;
  if (uid === undefined || resourceVersion === undefined || owner.metadata.resourceVersion === undefined) return undefined;
  return `${uid} ${resourceVersion} ${owner.metadata.resourceVersion}`;
}

function computed(
  { dependent, context }: Unit,
  gives: Functions,
  { live, item }: { readonly live: KubernetesObject; readonly item: Subject["item"] },
): Omit<Given, "version"> {
  const vars: [string, unknown][] = [];
  for (const [name, give] of Object.entries(gives)) {
    const where = `step "${dependent.name}": gives.${name}${item === undefined ? "" : ` of the item ${JSON.stringify(item.key)}`}`;
    const value = valueOf(where, () => give(live, context.owner, item));
    if (value !== undefined && value !== null) vars.push([name, value]);
  }
  const isConfidential = dependent.policy.kind.cachedAs === "metadata";
  return {
    vars: Object.freeze(Object.fromEntries(vars)),
    secrets: isConfidential ? Object.freeze(textsIn(vars.map(([, value]) => value))) : undefined,
    missing: undefined,
  };
}

function valueOf(where: string, give: () => unknown): unknown {
  const value = called(where, give);
  if (isPromiseLike(value))
    throw misuse("ERR_INVALID_STEP", `${where} returned ${nameOfAnswer(value)}: it must return the value at once, from the live object`);
  return deepFreeze(plainJson(where, value));
}

/** All texts and numbers in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(textsIn);
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}

/** Hands over what the objects give. With `each` a var is there when all objects give it. */
export function handOverGiven(unit: Unit<AnyDoReq>, kept: readonly Kept[]): void {
  const { dependent, pass, req } = unit;
  const { gives } = dependent.options;
  if (gives === undefined) return;
  for (const outcome of kept) if (outcome.type === "brought" && outcome.given?.secrets !== undefined) pass.conceal(outcome.given.secrets);
  if (dependent.isEach) handOver(req, recordsOf(Object.keys(gives), kept));
  else handOver(req, onlyOf(kept));
}

/** Hands over nothing, because there are no objects. */
export function handOverNothing({ dependent, req }: Unit<AnyDoReq>, { clause }: Absence): void {
  const { gives } = dependent.options;
  if (gives === undefined) return;
  if (dependent.isEach) handOver(req, recordsOf(Object.keys(gives), []));
  else handOver(req, { vars: NOTHING, missing: `it ${clause}` });
}

type HandOver = Parameters<typeof handOver>[1];

function onlyOf([only]: readonly Kept[]): HandOver {
  const given = only?.type === "brought" ? only.given : undefined;
  return { vars: given?.vars ?? NOTHING, missing: given?.missing };
}

function recordsOf(names: readonly string[], kept: readonly Kept[]): HandOver {
  const incomplete = new Set<string>();
  const vars = names.flatMap((name) => {
    const values: [string, unknown][] = [];
    for (const outcome of kept) {
      const { item } = outcome.subject;
      if (item === undefined) continue;
      const given = outcome.type === "brought" ? outcome.given?.vars : undefined;
      if (given !== undefined && Object.hasOwn(given, name)) values.push([item.key, given[name]]);
      else incomplete.add(item.key);
    }
    return values.length < kept.length ? [] : [[name, Object.freeze(Object.fromEntries(values))] as const];
  });
  return { vars: Object.fromEntries(vars), missing: incomplete.size === 0 ? undefined : `missing for ${listed([...incomplete])}` };
}

/** The first keys, and the number of the others. */
function listed(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_KEYS).join(", ");
  return keys.length <= MAX_KEYS ? shown : `${shown} and ${keys.length - MAX_KEYS} more`;
}

/** The number of keys in a message. */
const MAX_KEYS = 3;
