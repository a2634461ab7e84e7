/** The kinds of a set in one pass: which are watched, which are only read, and which the server does not have. */
import { apiVersionOf, groupKindOf, type Kind, parseApiVersion } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import type { KindWatch } from "@treadle/reconcile";
import { cacheKindOf, type DeclaredKind } from "../definition.ts";
import { kindOfStored } from "../pass/state.ts";
import type { KindState } from "./kind-state.ts";
import type { Run } from "../pass/run.ts";

/** Returns how the operator sees objects with this apiVersion and kind. `guess`: the kind as far as the set itself defines it. */
export function kindStateOf(run: Run, name: { readonly apiVersion: string; readonly kind: string }, guess?: Kind): KindState {
  const { kinds } = run.definition;
  if (kinds === undefined) return watchedState(run, name, guess);
  const { group, version } = parseApiVersion(name.apiVersion);
  const declared = kinds.get(groupKindOf({ group, kind: name.kind }));
  if (declared === undefined)
    return { type: "unlisted", message: `its kind is not in kinds: add ${name.kind} (${name.apiVersion}) to kinds of the set` };
  if (declared.kind.version !== version)
    return {
      type: "unlisted",
      message: `it has the apiVersion ${name.apiVersion}, and kinds lists ${name.kind} in the version ${declared.kind.version}: use one version in both`,
    };
  return declaredState(run, declared);
}

/** Returns how the operator sees a kind that the set lists. */
export function declaredState(run: Run, { kind, isWatched }: DeclaredKind): KindState {
  if (!isWatched) return { type: "unwatched", kind };
  if (run.context.isElsewhere) return stateOfWatch(run.context.watch(cacheKindOf(kind)), { known: kind });
  const { pass } = run;
  if (pass.isServed(kind)) return { type: "watched", kind };
  const refusal = pass.refusalOf(kind);
  if (refusal !== undefined) return { type: "missing", kind, reason: "Forbidden", message: refusal };
  return {
    type: "missing",
    kind,
    reason: "KindNotServed",
    message: `the server does not serve ${groupKindOf(kind)} (${apiVersionOf(kind)})`,
  };
}

/** Watches a kind of a set with any kinds. */
function watchedState({ context }: Run, name: { readonly apiVersion: string; readonly kind: string }, guess: Kind | undefined): KindState {
  const { group, version } = parseApiVersion(name.apiVersion);
  const known = groupKindOf({ group, kind: name.kind }) === "Secret" ? Secret : undefined;
  const watch = context.watch(known === undefined ? name : cacheKindOf(known));
  return stateOfWatch(watch, {
    known,
    missing: guess ?? { group, version, kind: name.kind, plural: "", scope: "Namespaced" as const },
  });
}

/** @param given.known the kind; `undefined`: that of the watch. `given.missing`: what is known of it while it cannot be watched */
function stateOfWatch(watch: KindWatch, { known, missing }: { readonly known: Kind | undefined; readonly missing?: Kind }): KindState {
  if (watch.type === "synced") return { type: "watched", kind: known ?? watch.kind };
  if (watch.type === "unwatchable") return { type: "unwatched", kind: known ?? watch.kind };
  const kind = (missing ?? known) as Kind; // One of both is given.
  if (watch.type === "pending") return { type: "pending", kind, reason: "KindNotListed", message: watch.reason };
  return { type: "missing", kind, reason: watch.type === "refused" ? "Forbidden" : "KindNotServed", message: watch.reason };
}

/** Returns the kinds of which objects of the set may exist, as far as the state knows. */
export function storedKinds(run: Run): readonly KindState[] {
  const { state, definition, context } = run;
  return Object.entries(state.kinds).map(([key, stored]) => {
    const kind = kindOfStored(key, stored);
    const declared = definition.kinds?.get(key);
    if (declared !== undefined) return declaredState(run, declared);
    // The set does not list the kind any more, so the operator does not watch it.
    if (definition.kinds !== undefined) return { type: "unwatched", kind };
    if (context.isElsewhere) return declaredState(run, { kind: groupKindOf(kind) === "Secret" ? Secret : kind, isWatched: true });
    return watchedState(run, { apiVersion: apiVersionOf(kind), kind: kind.kind }, kind);
  });
}
