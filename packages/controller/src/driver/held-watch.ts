/** One kind that steps watch by `req.watch`: its holders and its state. */
import { groupOf, isApiError, isForbidden, isKindNotServed, type Kind } from "@treadle/apimachinery";
import type { DiscoveredKind, KindName } from "@treadle/client";
import { isKind, kindText, type KindWatch } from "@treadle/reconcile/unstable/engine";
import { messageOf } from "../internal/error-text.ts";
import type { OpenWatch } from "./open-watch.ts";

/** The result of looking up the name of a kind. */
export type LookedUp = { readonly kind: DiscoveredKind | undefined } | { readonly error: unknown };

/** The watch of one kind, for all objects of a handler that hold it. */
export class HeldWatch {
  readonly given: Kind | KindName;
  /** The keys of the objects that hold the watch. */
  readonly holders: Set<string> = new Set();
  /** The kind; undefined until the name is looked up. */
  kind: Kind | undefined;
  open: OpenWatch | undefined;
  lookedUp: LookedUp | undefined;
  /** The state that the last pass got. */
  state: KindWatch;
  /** The timer that closes the watch after its last hold. */
  grace: { cancel(): void } | undefined;
  isClosed = false;

  constructor(given: Kind | KindName) {
    this.given = given;
    if (isKind(given)) this.kind = given;
    this.state = pending(this.name);
  }

  /** The name of the kind in messages. */
  get name(): string {
    return kindText(this.given);
  }

  /** The API group of the kind. */
  get group(): string {
    const { group, apiVersion } = this.given as Readonly<Record<string, string>>;
    return group ?? groupOf(apiVersion ?? "");
  }

  /** Whether an answer of the server is on its way. A failed list is repeated later, and is not waited for. */
  get isPending(): boolean {
    if (this.state.type !== "pending") return false;
    return this.open === undefined ? this.lookedUp === undefined : this.open.informer.progress().lastError === undefined;
  }

  /** Computes the state again. Returns whether its type has changed. */
  refresh(refusalOf: ((kind: Kind) => string | undefined) | undefined): boolean {
    const { type } = this.state;
    this.state = this.#now(refusalOf);
    return this.state.type !== type;
  }

  /** Whether the server offers no watch of the kind. It is not asked again while the kind is held. */
  get isUnwatchable(): boolean {
    return this.state.type === "unwatchable";
  }

  /** Whether the kind, or its name, must be looked up before it can be watched. */
  get isUnknown(): boolean {
    return this.open === undefined && !this.isUnwatchable;
  }

  #now(refusalOf: ((kind: Kind) => string | undefined) | undefined): KindWatch {
    const { kind, open, lookedUp, state } = this;
    if (state.type === "unwatchable") return state;
    if (kind === undefined || open === undefined) return lookedUp === undefined ? pending(this.name) : unknown(this.name, lookedUp);
    const { lastError, hasSynced } = open.informer.progress();
    if (isApiError(lastError) && lastError.status === NO_SUCH_VERB) return unwatchable(this.name, kind);
    if (isKindNotServed(lastError)) return notServed(kindText(kind));
    if (isRefusal(lastError)) return { type: "refused", reason: refusalOf?.(kind) ?? refusal(this.name, lastError) };
    return hasSynced ? { type: "synced", kind } : pending(this.name, lastError);
  }
}

function unknown(name: string, lookedUp: LookedUp): KindWatch {
  if ("error" in lookedUp)
    return isRefusal(lookedUp.error) ? { type: "refused", reason: refusal(name, lookedUp.error) } : pending(name, lookedUp.error);
  return lookedUp.kind === undefined ? notServed(name) : unwatchable(name, withoutContents(lookedUp.kind));
}

function unwatchable(name: string, kind: Kind): KindWatch {
  const reason = `the server offers no list and watch of ${name} to any client: read its objects by req.client`;
  return { type: "unwatchable", kind, reason };
}

/** Returns a kind as it is watched. The contents of Secrets are not cached, however the kind was found. */
export function withoutContents(kind: Kind): Kind {
  return kind.group === "" && kind.kind === "Secret" ? { ...kind, cachedAs: "metadata" } : kind;
}

function pending(name: string, error?: unknown): KindWatch {
  return { type: "pending", reason: `the objects of ${name} are being listed${error === undefined ? "" : `: ${messageOf(error)}`}` };
}

function notServed(name: string): KindWatch {
  return { type: "not-served", reason: `the server does not serve ${name}` };
}

function refusal(name: string, error: unknown): string {
  const why = isForbidden(error) ? "; allow get, list and watch of it by the permissions of the step" : "";
  return `the server refuses the watch of ${name}: ${messageOf(error)}${why}`;
}

function isRefusal(error: unknown): boolean {
  return isApiError(error) && (error.status === 403 || error.status === 401);
}

/** The status of a server that does not list or watch a kind for any client, such as a review. */
const NO_SUCH_VERB = 405;
