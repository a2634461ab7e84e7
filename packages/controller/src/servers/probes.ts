/**
 * `/healthz` and `/readyz`, as Kubernetes components serve them: 200 or 500. `?verbose` shows every check, `/readyz/<check>`
 * runs one check, and `?exclude=<check>` leaves checks out.
 */
import type { Informer } from "@treadle/informer";
import { apiVersionOf, groupKindOf, isApiError, type Kind } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import { messageOf } from "../internal/error-text.ts";
import { type Answer, text } from "./http-server.ts";

/** A check of a probe. It fails when it throws, or returns a text that says what is wrong. */
export type Check = () => string | undefined | void | Promise<string | undefined | void>;

export type Checks = ReadonlyMap<string, Check>;

/** The checks behind one path, and those that are run only where they are asked for by name. */
export interface Probe {
  readonly checks: Checks;
  readonly leftOut: ReadonlySet<string>;
}

/** The answer to a request, or undefined when it is for something else. */
export async function probe(url: URL, probes: Readonly<Record<string, Probe>>): Promise<Answer | undefined> {
  const [, name = "", only, ...rest] = url.pathname.split("/");
  const found = Object.hasOwn(probes, name) ? probes[name] : undefined;
  if (found === undefined || rest.length > 0) return undefined;
  const excluded = found.leftOut.union(new Set(url.searchParams.getAll("exclude").flatMap((names) => names.split(","))));
  const asked = [...found.checks].filter(([check]) => (only === undefined || only === "" ? !excluded.has(check) : check === only));
  if (only !== undefined && only !== "" && asked.length === 0) return undefined;
  const results = await Promise.all(asked.map(async ([check, run]) => ({ check, problem: await problemOf(run) })));
  const isHealthy = results.every(({ problem }) => problem === undefined);
  if (isHealthy && !url.searchParams.has("verbose")) return text(200, "ok");
  const lines = results.map(({ check, problem }) => (problem === undefined ? `[+]${check} ok` : `[-]${check} failed: ${problem}`));
  return text(isHealthy ? 200 : 500, [...lines, `${name} check ${isHealthy ? "passed" : "failed"}`].join("\n"));
}

/**
 * Time without a message of the server after which a failed informer is not ready, in milliseconds: twice the inactivity
 * deadline of a reflector with bookmarks (90 s).
 */
const NOT_READY_MS = 180_000;
/** Twice the time that a server without bookmarks may be silent (600 s + 5 s), in milliseconds. */
const SILENT_MS = 1_210_000;
/** Time after which a new process may help, in milliseconds, so that the kubelet is asked for one. */
const NOT_ALIVE_MS = 900_000;

/** Why an informer is not up to date. A quiet watch that has not failed is fine. */
export function staleness(informer: Informer): string | undefined {
  const { ageMs, lastError, hasSynced } = informer.progress();
  if (!hasSynced) return `${informer.kind.kind} has not synced${because(lastError)}`;
  if (ageMs > SILENT_MS || (ageMs > NOT_READY_MS && lastError !== undefined))
    return `${informer.kind.kind}: no news for ${Math.round(ageMs / 1000)} s${because(lastError)}`;
  return undefined;
}

/** Why an informer needs a new process. It does not if the server answers, even with a refusal. */
export function deadness(informer: Informer): string | undefined {
  const { ageMs, lastError } = informer.progress();
  if (isApiError(lastError)) return undefined;
  return ageMs > SILENT_MS || (ageMs > NOT_ALIVE_MS && lastError !== undefined) ? staleness(informer) : undefined;
}

/** Joins the problems that `look` finds with the informers. */
export function informerProblem(
  informers: readonly Informer[],
  look: (informer: Informer) => string | readonly [] | undefined,
): string | undefined {
  const problems = informers.flatMap((informer) => look(informer) ?? []);
  return problems.length === 0 ? undefined : problems.join("; ");
}

/** The problem of a missing kind: a handler waits for its own kind; of other kinds the conditions report. */
export function missingKind(kind: Kind, handlers: readonly AnyHandler[]): string | readonly [] {
  const waiting = handlers.filter((handler) => groupKindOf(handler.kind) === groupKindOf(kind));
  if (waiting.length === 0) return [];
  const names = waiting.map(({ name }) => `"${name}"`).join(", ");
  return `${kind.kind} (${apiVersionOf(kind)}) is not installed: ${names} waits for it`;
}

function because(error: unknown): string {
  if (error === undefined) return "";
  return ` (${messageOf(error)})`;
}

async function problemOf(check: Check): Promise<string | undefined> {
  try {
    const problem = (await check()) ?? undefined;
    return problem === undefined ? undefined : messageOf(problem);
  } catch (error) {
    return messageOf(error);
  }
}
