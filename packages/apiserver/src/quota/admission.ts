/**
 * Admission by ResourceQuotas (the plugin `ResourceQuota`): a write that would use more than a quota of its namespace allows
 * is refused, and the others are added to `status.used` before the object is stored.
 *
 * Only `status.hard` limits writes. Without a controller that sets it (`workloads`), a quota has no effect, as on a
 * kube-apiserver alone. Usage that ends is counted again by that controller.
 */
import { type Amounts, sum } from "../builtin/demands.ts";
import { quantityNanos, subtractQuantities } from "../builtin/quantity.ts";
import { forbiddenError, type StatusError } from "../errors/status-errors.ts";
import { cloneJson, type JsonObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { recordOwner } from "../managed-fields/field-ownership.ts";
import type { Written } from "../objects/validation.ts";
import type { Parts } from "../request/context.ts";
import { localCall } from "../request/local-call.ts";
import { type ResourceType, resourceOf } from "../storage/registry.ts";
import type { Entry } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import type { Counted, Evaluator } from "./evaluator.ts";
import { evaluatorOf } from "./evaluators.ts";
import { scopesOf } from "./scopes.ts";

/**
 * Checks the quotas of the namespace for a write. Returns a function that stores what it uses.
 * @throws StatusError 403 when a quota does not allow the write
 */
export function checkQuotas(parts: Parts, type: ResourceType, written: Written): () => void {
  const { draft, live, subresource } = written;
  const quotas = quotasIn(parts, draft.metadata.namespace);
  const evaluator = quotas.length === 0 ? undefined : evaluatorOf(type);
  // A stored object is JSON.
  const counted: Counted = { object: draft, previous: live as JsonObject | undefined, subresource };
  if (evaluator?.handles(counted) !== true) return NOTHING;
  const refuse = (text: string): StatusError => forbiddenError(resourceOf(type), draft.metadata.name, text);
  const matching = quotas.filter(({ object }) => isFor(object, evaluator, draft));
  for (const { object } of matching) checkKnown(object, { evaluator, draft, refuse });
  const charges = matching.flatMap((entry) => {
    const used = usedAfter(entry, { evaluator, counted, nowMs: parts.clock.now(), refuse });
    return used === undefined ? [] : [{ entry, used }];
  });
  return () => {
    for (const { entry, used } of charges) store(parts, entry, used);
  };
}

const NOTHING = (): void => {};

function quotasIn({ store }: Parts, namespace: string | undefined): readonly Entry[] {
  const quotas = store.collection("resourcequotas");
  return quotas.size === 0 ? [] : quotas.all().filter((entry) => entry.namespace === namespace);
}

/** Reports whether a quota counts an object. */
function isFor(quota: unknown, evaluator: Evaluator, object: JsonObject): boolean {
  const counts = Object.keys(amountsAt(quota, "hard")).some((resource) => evaluator.counts(resource));
  return counts && scopesOf(quota).every((scope) => evaluator.isIn(object, scope));
}

interface Checked {
  readonly evaluator: Evaluator;
  readonly refuse: (text: string) => StatusError;
}

/** Checks that the object says what it uses, and that the use of others is known. */
function checkKnown(quota: Entry["object"], { evaluator, draft, refuse }: Checked & { readonly draft: Draft }): void {
  const { name } = quota.metadata;
  const resources = Object.keys(amountsAt(quota, "hard")).filter((resource) => evaluator.counts(resource));
  const problem = evaluator.problem?.(draft, resources);
  if (problem !== undefined) throw refuse(`failed quota: ${name}: ${problem}`);
  const used = amountsAt(quota, "used");
  if (resources.some((resource) => used[resource] === undefined))
    throw refuse(`status unknown for quota: ${name}, resources: ${resources.toSorted().join(",")}`);
}

/** Returns `status.used` after a write, or `undefined` if the write uses nothing of this quota. */
function usedAfter(
  { object: quota }: Entry,
  { evaluator, counted, nowMs, refuse }: Checked & { readonly counted: Counted; readonly nowMs: number },
): Amounts | undefined {
  const { object, previous, subresource } = counted;
  const all = evaluator.usage(object, nowMs);
  const isMore = previous !== undefined && isFor(quota, evaluator, previous);
  const delta = isMore ? increase(all, evaluator.usage(previous, nowMs)) : all;
  const [hard, used] = [amountsAt(quota, "hard"), amountsAt(quota, "used")];
  const requested = pick(delta, (name) => hard[name] !== undefined && quantityNanos(delta[name]) !== 0n);
  if (Object.keys(requested).length === 0) return undefined;
  const total = sum(used, requested);
  const isOver = (name: string): boolean => quantityNanos(total[name]) > quantityNanos(hard[name]);
  // As on the real server, a write of a status is counted and never refused.
  const over = pick(requested, (name) => isOver(name) && subresource !== "status");
  if (Object.keys(over).length > 0) {
    const [have, limit] = [used, hard].map((amounts) => text(pick(amounts, (name) => over[name] !== undefined)));
    throw refuse(`exceeded quota: ${quota.metadata.name}, requested: ${text(over)}, used: ${have}, limited: ${limit}`);
  }
  return total;
}

/** Returns how much more is used than before. */
function increase(now: Amounts, before: Amounts): Amounts {
  const changes = Object.entries(now).map(([name, amount]) => [name, subtractQuantities(amount, before[name] ?? "0")] as const);
  return Object.fromEntries(changes.filter(([, amount]) => quantityNanos(amount) > 0n));
}

function pick(amounts: Amounts, isWanted: (name: string) => boolean): Amounts {
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => isWanted(name)));
}

function text(amounts: Amounts): string {
  return Object.keys(amounts)
    .toSorted()
    .map((name) => `${name}=${amounts[name] ?? ""}`)
    .join(",");
}

function amountsAt(quota: unknown, field: "hard" | "used"): Amounts {
  return objectAt(quota, "status", field) as Amounts; // stored quantities are texts
}

/** Stores `status.used`, as the server's own client does. */
function store(parts: Parts, { key, namespace, object: { metadata } }: Entry, used: Amounts): void {
  const quotas = parts.store.collection("resourcequotas");
  const entry = quotas.get(key);
  if (entry === undefined) return;
  const draft = cloneJson(entry.object) as unknown as Draft; // a copy of a stored object
  draft["status"] = { ...objectAt(draft, "status"), used };
  const call = localCall(parts, QUOTAS, { name: metadata.name, namespace, subresource: "status" });
  const written: Written = { draft, live: entry.object, subresource: "status" };
  recordOwner(call, written, { options: { fieldManager: "kube-apiserver" }, requested: undefined });
  quotas.update(entry, draft);
}

const QUOTAS = { group: "", version: "v1", plural: "resourcequotas" };
