/** Guards the removal of a set: instances of its kinds that another owner made would be deleted with their CRD. */
import {
  groupKindOf,
  isForbidden,
  isKindNotServed,
  keyOf,
  type Kind,
  type KubernetesObject,
  ownerId,
  ownerIdLabel,
} from "@treadle/apimachinery";
import { discovery } from "@treadle/client";
import { isWrittenByUs } from "../../core/ownership.ts";
import { isGuarded } from "../plan/guarded-kinds.ts";
import type { Manifest } from "../plan/member.ts";
import { definedKindOf } from "../plan/own-kinds.ts";
import type { Run } from "./run.ts";
import type { GuardedKind } from "../types.ts";

/** Time until foreign instances are looked for again, in milliseconds. Their deletion starts no pass. */
export const GUARD_AGAIN_MS = 10_000;

/** Why a removal must not begin: a sentence that names one foreign instance. */
export type Blocker = string;

/** Returns why a CRD or APIService must not be deleted; `undefined`: no instance of another owner exists. @throws the error of the server */
export async function blockerOf(run: Run, definition: KubernetesObject): Promise<Blocker | undefined> {
  const kind = definedKindOf(definition as Manifest);
  if (kind !== undefined) return await firstForeign(run, [kind]);
  const { group, version } = (definition as { readonly spec?: { readonly group?: string; readonly version?: string } }).spec ?? {};
  if (definition.kind !== "APIService" || group === undefined) return undefined;
  return await firstForeign(run, await servedKinds(run, (each) => each.group === group && each.version === version));
}

/**
 * Returns why a CRD must not be deleted now, when the instances of the set no longer exist: those that another owner has created
 * since the removal began, and copies of ours, which have our labels. `undefined`: none is left. @throws the error of the server
 */
export async function lastBlockerOf(run: Run, definition: KubernetesObject): Promise<Blocker | undefined> {
  const blocker = await blockerOf(run, definition);
  const kind = definedKindOf(definition as Manifest);
  if (blocker !== undefined || kind === undefined) return blocker;
  const copy = await firstCopy(run, kind);
  return copy === undefined
    ? undefined
    : `${kind.kind} ${keyOf(copy.metadata)} has labels of this ${run.context.owner.kind}, but is not of it: delete it first`;
}

/** An instance with our labels that no unit of the handler has written for our owner. */
async function firstCopy({ context }: Run, kind: Kind): Promise<KubernetesObject | undefined> {
  for (const name of context.handlerNames) {
    const labelSelector = { [ownerIdLabel(name)]: ownerId(context.owner) };
    try {
      const found: readonly KubernetesObject[] = await context.client.list(kind, { namespace: "*", labelSelector });
      const copy = found.find((object) => !isWrittenByUs(context, object));
      if (copy !== undefined) return copy;
    } catch (error) {
      if (!isKindNotServed(error)) throw error;
    }
  }
  return undefined;
}

/** Returns why the set must not be removed, because of the kinds that its options name. @throws the error of the server */
export async function blockerByKinds(run: Run, guarded: readonly GuardedKind[]): Promise<Blocker | undefined> {
  if (guarded.length === 0) return undefined;
  return await firstForeign(run, await servedKinds(run, (kind) => isGuarded(kind, guarded)));
}

/** The kinds that can be listed, each in the version that the server prefers. */
async function servedKinds({ context, pass, req }: Run, isWanted: (kind: Kind) => boolean): Promise<readonly Kind[]> {
  const all = await discovery(context.raw, { clock: pass.clock }).kinds({ signal: req.signal });
  const kinds = new Map<string, Kind>();
  for (const kind of all)
    if (kind.verbs.includes("list") && isWanted(kind) && !kinds.has(groupKindOf(kind))) kinds.set(groupKindOf(kind), kind);
  return [...kinds.values()];
}

/** One live list for each kind, of one object. An object of ours is no reason to wait. */
async function firstForeign({ context }: Run, kinds: readonly Kind[]): Promise<Blocker | undefined> {
  const id = ownerId(context.owner);
  const labelSelector = context.handlerNames.map((name) => `${ownerIdLabel(name)}!=${id}`).join(",");
  for (const kind of kinds) {
    try {
      const [found] = (await context.client.list(kind, { namespace: "*", labelSelector, limit: 1 })) as readonly KubernetesObject[];
      if (found !== undefined) return `${kind.kind} ${keyOf(found.metadata)} is not of this ${context.owner.kind}: delete it first`;
    } catch (error) {
      if (isKindNotServed(error)) continue;
      if (!isForbidden(error)) throw error;
      return `the operator may not list ${groupKindOf(kind)}, so instances of others may exist: add { kind, verbs: ["list"] } to permissions of the set`;
    }
  }
  return undefined;
}
