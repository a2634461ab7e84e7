/**
 * Resolves the declared reads of a step before each phase. Reads from the cache are synchronous. A phase whose reads ask the
 * server begins when the answers have arrived.
 */
import {
  isApiError,
  isKindNotServed,
  isSelectorError,
  type Kind,
  type KubernetesObject,
  metadataOf,
  ownership,
  type Ref,
} from "@treadle/apimachinery";
import { isRetryAfterError, isTerminalError } from "../errors.ts";
import { deepFreeze, type Fetches } from "../fetches.ts";
import { inNamespaceOf, refOfRead, selectorOf } from "../read-refs.ts";
import type { AnyRead, ManyRead, OneRead, SeveralRead } from "../reads.ts";
import { readSeveral } from "./read-several.ts";
import type { Scope } from "../internal/deadline.ts";
import type { ReconcilerEnv } from "../env.ts";
import type { Logger } from "../req.ts";
import { statusMessage } from "../internal/redact.ts";
import { isUsable, missingKinds, noteNotServed, refusalOf, servedVersionOf } from "./served.ts";
import type { Phase } from "./step-req.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** The values of `req.reads`. */
export interface Resolved {
  readonly values: Readonly<Record<string, unknown>>;
  /**
   * A kind that the step reads or owns, and that the server does not serve; its reads are absent. In a cleanup, only a kind whose
   * objects still exist.
   */
  readonly missing: Kind | undefined;
  /** The API version under which the server has that kind. */
  readonly servedAs?: string;
  /** Why a kind that the step reads or owns is no longer watched, so that its cached objects may be outdated. */
  readonly refusal?: string;
}

/** The parts of a step that decide what it reads. */
export interface ReadingStep extends Pick<StepRuntime, "name" | "reads" | "cleanupReads" | "owns" | "optionalOwns" | "cleanupChecksKinds"> {
  /** What reads, for errors. @defaultValue the step with its name */
  readonly where?: string;
}

/** What reads are resolved for, and by: a pass, or one object outside of a pass. */
export interface Reading {
  readonly env: Pick<ReconcilerEnv, "client" | "cache" | "isServed" | "refusalOf">;
  /** The object that names others. */
  readonly object: KubernetesObject;
  readonly log: Pick<Logger, "warn">;
  readonly pipeline: { readonly before: { readonly names: readonly string[] } };
  readonly fetches: Fetches;
  /** The values that are known already. */
  readonly reads: Map<AnyRead, unknown>;
  notServed: Set<string> | undefined;
  /** Called with each value. */
  noteSecrets(kind: Kind, value: unknown): void;
  /** Called with what a read names through another one, before that is read, so that no change of it is missed. */
  noteReference(read: OneRead, ref: Ref | undefined): void;
}

/** The values of a step without reads. */
export const NOTHING: Resolved = Object.freeze({ values: Object.freeze({}), missing: undefined });

/**
 * Resolves the reads of a step for a phase. A cleanup must finish for any spec, so a read that fails there is absent, and a log
 * line reports it.
 *
 * @throws the error of a read: of its function, the cache, or the server
 */
export function resolveStepReads(pass: Reading, step: ReadingStep, phase: Phase, scope: Scope): Resolved | Promise<Resolved> {
  let missing = missingKinds(pass, step, phase);
  // The step will wait, so the server need not be asked.
  if (missing.length > 0 && phase === "do") return { ...NOTHING, missing: missing[0] };
  const refusal = refusalOf(pass, step, phase);
  if (refusal !== undefined) return { ...NOTHING, refusal };
  const reads = phase === "cleanup" ? step.cleanupReads : step.reads;
  const values: Record<string, unknown> = {};
  const waiting: Promise<void>[] = [];
  /** The requests of this phase: a read is also the first one of a read through it. */
  let pending: Map<AnyRead, Promise<unknown>> | undefined;
  let isEmpty = true;
  for (const name in reads) {
    isEmpty = false;
    const read = reads[name] as AnyRead; // `in` names what is there.
    values[name] = absent(read);
    const value = taken(name, read);
    if (value instanceof Promise) waiting.push(heard(value.then((answer) => void (values[name] = answer))));
    else values[name] = value;
  }
  if (isEmpty && missing.length === 0) return NOTHING;
  const resolved = (): Resolved | Promise<Resolved> => {
    const known = { values: Object.freeze(values), missing: missing[0] };
    return phase === "cleanup" && missing.length > 0 ? left(pass, missing, { scope, known }) : known;
  };
  return waiting.length === 0 ? resolved() : Promise.all(waiting).then(resolved);

  /** The value of a read, or its promise. */
  function taken(name: string, read: AnyRead): unknown {
    if (!isUsable(pass, read)) return absent(read);
    const known = pass.reads.has(read) ? pass.reads.get(read) : (pending?.get(read) ?? begun(name, read));
    if (!(known instanceof Promise)) return arrived(read, known);
    const asked = pending?.get(read);
    if (asked !== undefined) return asked;
    const answer = heard(known.then((value) => arrived(read, value), failed(name, read)));
    (pending ??= new Map()).set(read, answer);
    return answer;
  }

  function begun(name: string, read: AnyRead): unknown {
    if (read.type === "one" && read.through !== undefined) return after(read.through, (from) => unlessRefused(name, read, from));
    return unlessRefused(name, read, pass.object);
  }

  /** Continues with the value of the first read of a `through`. */
  function after(before: OneRead, goOn: (from: KubernetesObject | undefined) => unknown): unknown {
    const name = Object.keys(reads).find((each) => reads[each] === before) ?? "";
    const from = taken(name, before);
    if (!(from instanceof Promise)) return goOn(from as KubernetesObject | undefined);
    return from.then((answer: unknown) => {
      scope.check(step.name); // The answer may have come too late.
      return goOn(answer as KubernetesObject | undefined);
    });
  }

  /** The value that `from` names. */
  function unlessRefused(name: string, read: AnyRead, from: KubernetesObject | undefined): unknown {
    try {
      return valueOf(pass, read, { from, scope });
    } catch (error) {
      if (phase !== "cleanup") throw namingRead(step, name, error);
      unreadable(name, read, error);
      return absent(read);
    }
  }

  function arrived(read: AnyRead, value: unknown): unknown {
    pass.noteSecrets(read.kind, value);
    if (read.source !== "live") pass.reads.set(read, value);
    return value;
  }

  function failed(name: string, read: AnyRead): (error: unknown) => unknown {
    return (error) => {
      if (isKindNotServed(error)) {
        if (read.ifNotServed === "skip") noteNotServed(pass, read.kind);
        else if (!missing.includes(read.kind)) missing = [...missing, read.kind];
      }
      // The selector is invalid.
      else if (phase === "cleanup" && (isSelectorError(error) || (isApiError(error) && error.status === 400)))
        unreadable(name, read, error);
      else throw error;
      return absent(read);
    };
  }

  function unreadable(name: string, { kind }: AnyRead, error: unknown): void {
    const reason = statusMessage(error);
    pass.log.warn(
      { step: step.name, read: name, reason },
      `cleanup: cannot read ${name} (${kind.kind}), which is taken to be absent: ${reason}`,
    );
  }
}

/** Adds step and read to the error of an author's function. Errors that choose the retry are not changed. */
function namingRead(step: ReadingStep, name: string, error: unknown): unknown {
  if (!(error instanceof Error) || isTerminalError(error) || isRetryAfterError(error) || isApiError(error)) return error;
  // A colon in the name means that the factory of the step added the read: its author does not know it.
  const { where = `step "${step.name}"` } = step;
  const which = name.includes(":") ? "" : `, read "${name}"`;
  const Same = error instanceof TypeError ? TypeError : Error;
  const code = "code" in error ? error.code : error.name;
  return Object.assign(new Same(`${where}${which}: ${error.message}`, { cause: error }), { code });
}

/** Finds a missing kind whose objects still exist in another version, so that the cleanup cannot see them. */
async function left(
  { env }: Reading,
  missing: readonly Kind[],
  { scope, known }: { readonly scope: Scope; readonly known: Resolved },
): Promise<Resolved> {
  for (const kind of missing) {
    const servedAs = await servedVersionOf(env.client, kind, scope.signal);
    if (servedAs !== undefined) return { ...known, missing: kind, servedAs };
  }
  return { ...known, missing: undefined };
}

/** A later read may throw synchronously. A rejection of this one must not end the process then. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function absent({ type }: AnyRead): unknown {
  return type === "one" ? undefined : EMPTY;
}

const EMPTY: readonly unknown[] = Object.freeze([]);

/** @param given.from the object that names the read object; `undefined` if a read that goes before it is absent */
function valueOf(
  pass: Reading,
  read: AnyRead,
  { from, scope }: { readonly from: KubernetesObject | undefined; readonly scope: Scope },
): unknown {
  if (read.type === "many") return read.source === "live" ? listed(pass, read, scope) : cachedMany(pass, read);
  if (read.type === "several") {
    const refs = read.refs(pass.object);
    return readSeveral(refs, scope.signal, {
      known: (ref) => knownOne(pass, read, ref),
      get: (ref) => namedOne(pass, read, { ref, scope }),
    });
  }
  const ref = from === undefined ? undefined : refOfRead(read, from, pass.object);
  if (read.through !== undefined) pass.noteReference(read, ref);
  return ref === undefined ? undefined : namedOne(pass, read, { ref, scope });
}

/** The object from the cache, as far as it need not be asked from the server. */
function knownOne(pass: Reading, read: SeveralRead, ref: Ref): { readonly value: unknown } | undefined {
  if (read.source === "live") return undefined;
  const known: KubernetesObject | undefined = pass.env.cache.get(read.cacheKind, ref);
  if (known === undefined && read.source === "fetch") pass.fetches.removed(read.kind, ref);
  if (known === undefined) return NOT_THERE;
  if (read.source === "cache") return { value: read.isMetadata ? metadataOf(known) : known };
  const fetched = pass.fetches.peek(read.kind, known);
  return fetched === undefined ? undefined : { value: fetched };
}

const NOT_THERE: { readonly value: unknown } = Object.freeze({ value: undefined });

function namedOne(pass: Reading, read: OneRead | SeveralRead, { ref, scope }: Asked): unknown {
  // Throws if the watch that triggers the live read does not cover the namespace.
  if (read.source === "live" && read.watches !== undefined) pass.env.cache.get(read.cacheKind, ref);
  return read.source === "live" ? got(pass, read, { ref, scope }) : cachedOne(pass, read, { ref, scope });
}

interface Asked {
  readonly ref: Ref;
  readonly scope: Scope;
}

function cachedOne(pass: Reading, read: OneRead | SeveralRead, { ref, scope }: Asked): unknown {
  const { client, cache } = pass.env;
  // Another step may need whole objects in the cache, but the type of this read is metadata.
  const known = cache.get(read.cacheKind, ref) as KubernetesObject | undefined;
  if (read.source !== "fetch") return known !== undefined && read.isMetadata ? metadataOf(known) : known;
  if (known === undefined) {
    pass.fetches.removed(read.kind, ref);
    return undefined;
  }
  const fetch = (signal: AbortSignal): Promise<KubernetesObject | undefined> => client.get(read.kind, ref, { signal });
  return pass.fetches.peek(read.kind, known) ?? pass.fetches.get(read.kind, known, { fetch, signal: scope.signal });
}

function cachedMany(pass: Reading, read: ManyRead): unknown {
  const all = pass.env.cache.list(read.cacheKind, selected(pass, read)) as readonly KubernetesObject[];
  const objects = read.isOwned ? all.filter((object) => ownership(object, pass.object, pass.pipeline.before.names).type === "ours") : all;
  return Object.freeze(read.isMetadata ? objects.map((object) => metadataOf(object)) : objects);
}

async function got(pass: Reading, read: OneRead | SeveralRead, { ref, scope }: Asked): Promise<unknown> {
  return deepFreeze(await pass.env.client.get(read.liveKind, ref, { signal: scope.signal }));
}

async function listed(pass: Reading, read: ManyRead, scope: Scope): Promise<unknown> {
  const { matchLabels, namespace } = selected(pass, read);
  const within = namespace === undefined ? {} : { namespace };
  const { items } = await pass.env.client.list(read.liveKind, { ...within, labelSelector: matchLabels, signal: scope.signal });
  return deepFreeze(items);
}

function selected(pass: Reading, read: ManyRead): { readonly matchLabels: Readonly<Record<string, string>>; readonly namespace?: string } {
  const { matchLabels, namespace } = selectorOf(read, pass.object);
  // What a cluster-scoped object owns may be in any namespace.
  if (read.isOwned && pass.object.metadata.namespace === undefined) return { matchLabels };
  if (namespace === "*" || read.kind.scope === "Cluster") return { matchLabels };
  const within = inNamespaceOf(pass.object, read.kind, namespace === undefined ? { name: "" } : { name: "", namespace }).namespace;
  return within === undefined ? { matchLabels } : { matchLabels, namespace: within };
}
