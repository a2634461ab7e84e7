/**
 * Decides which kinds a step can use, and what it does without the others. Also finds out whether objects of a kind may still exist
 * when the version that we know is no longer served: a CRD may drop a version and keep the objects under another one.
 */
import { type ApiResponse, apiVersionOf, groupKindOf, type Kind, pathOf, kindIdOf } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { StepRuntime } from "../build/step-runtime.ts";
import { misuse } from "../internal/misuse.ts";
import type { AnyRead } from "../reads.ts";
import type { ReconcilerEnv } from "../env.ts";
import type { Pass } from "../record/pass-state.ts";
import { isServedByWatch } from "./pass-watches.ts";

/** This error says that the server does not serve a kind that a step needs, at least not in the version that the step uses. */
export class KindNotInstalled extends Error {
  constructor({ name, where = `step "${name}"` }: Pick<StepRuntime, "name"> & { readonly where?: string }, kind: Kind, servedAs?: string) {
    // Only defineResource() guarantees a correct plural.
    const nothing = kind.resource === undefined ? `: nothing is served at ${pathOf(kind)}; is \`plural\` right?` : "";
    const inOther =
      servedAs === undefined
        ? nothing
        : `: the server has ${kind.kind} as ${servedAs}, so its objects are still there; serve the version again, or build the operator with that one`;
    super(`${kind.kind} (${apiVersionOf(kind)}) is not installed, and ${where} needs it${inOther}`);
  }
}

/**
 * Returns the API version under which the server serves the kind, in any version. `undefined`: the kind and all of its objects no
 * longer exist. Asks discovery, which every user may read.
 *
 * @throws Error if the answer of the server does not show it
 */
export async function servedVersionOf(client: Client, kind: Kind, signal: AbortSignal): Promise<string | undefined> {
  const root = kind.group === "" ? "/api" : `/apis/${kind.group}`;
  const group = await ask(client, kind, { path: root, signal });
  // The names of the versions: in a group a list of objects, in the core a list of texts.
  const versions = ((group?.["versions"] ?? []) as readonly (string | { readonly version: string })[]).map((each) =>
    typeof each === "string" ? each : each.version,
  );
  for (const version of versions) {
    const found = await ask(client, kind, { path: `${root}/${version}`, signal });
    const apiVersion = kind.group === "" ? version : `${kind.group}/${version}`;
    // A version that is listed but not served is just being added or removed, so it counts as served.
    if (found === undefined) return apiVersion;
    const resources = (found["resources"] ?? []) as readonly { readonly kind: string }[];
    if (resources.some((resource) => resource.kind === kind.kind)) return apiVersion;
  }
  return undefined;
}

/** Gets a document of discovery; `undefined` if it does not exist. */
async function ask(
  client: Client,
  kind: Kind,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const response: ApiResponse = await client.raw({ method: "GET", path, headers: { accept: "application/json" }, signal });
  if (response.status === 404) return undefined;
  if (response.status !== 200 || response.body === undefined)
    throw new Error(
      `cannot find out whether ${kind.kind} (${apiVersionOf(kind)}) is still served: GET ${path} answered ${response.status}; its objects are assumed to exist`,
    );
  return JSON.parse(response.body) as Readonly<Record<string, unknown>>; // Discovery answers with an object.
}

/** What is known about kinds. */
interface Presence {
  readonly env: Pick<ReconcilerEnv, "isServed" | "refusalOf">;
}

/** The parts of a step that name kinds. */
type KindsOfStep = Pick<StepRuntime, "owns" | "optionalOwns" | "cleanupChecksKinds" | "reads">;

/** Whether a phase runs without a kind that the step owns. A cleanup must find all objects, unless it says that it checks that itself. */
function canDoWithout({ optionalOwns, cleanupChecksKinds }: KindsOfStep, kind: Kind, phase: string): boolean {
  return (phase !== "cleanup" || cleanupChecksKinds) && optionalOwns.includes(kind);
}

/**
 * Returns the kinds that the server does not serve and without which the phase does not run. In a cleanup, kinds that the step owns
 * are among them, unless it checks them itself: the caller finds out whether their objects still exist.
 */
export function missingKinds({ env }: Presence, step: KindsOfStep, phase: string): readonly Kind[] {
  const { owns, reads } = step;
  if (env.isServed === undefined) return NO_KINDS;
  let missing: Kind[] | undefined;
  const look = (kind: Kind): void => {
    if (env.isServed?.(kind) === false) (missing ??= []).push(kind);
  };
  for (const kind of owns) if (!canDoWithout(step, kind, phase)) look(kind);
  for (const { kind, ifNotServed } of Object.values(reads)) if (ifNotServed === "wait") look(kind);
  return missing ?? NO_KINDS;
}

/**
 * Returns why the server refuses the watch of a kind without which the phase does not run. A refused watch blocks a cleanup for all
 * kinds that the step owns and does not check itself, and for no other kind: the cleanup cannot see objects that it must delete.
 * Gates and posts use the last known objects.
 */
export function refusalOf({ env }: Presence, step: KindsOfStep, phase: string): string | undefined {
  const { owns, reads } = step;
  if (env.refusalOf === undefined || (phase !== "do" && phase !== "cleanup")) return undefined;
  for (const kind of owns) {
    const refusal = canDoWithout(step, kind, phase) ? undefined : env.refusalOf(kind);
    if (refusal !== undefined) return refusal;
  }
  if (phase === "cleanup") return undefined;
  for (const { kind, watches, ifNotServed } of Object.values(reads)) {
    const refusal = watches === undefined || ifNotServed === "skip" ? undefined : env.refusalOf(kind);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Whether the value of the read can be found: the server serves the kind, and allows its watch if the read needs one. */
export function isUsable({ env }: Presence, { kind, watches, ifNotServed }: AnyRead): boolean {
  if (env.isServed?.(kind) === false) return false;
  return ifNotServed === "wait" || watches === undefined || env.refusalOf?.(kind) === undefined;
}

/** Notes a kind that the server does not serve, as the answer to a request of this pass. No watch would report it. */
export function noteNotServed(pass: Pick<Pass, "notServed">, kind: Kind): void {
  (pass.notServed ??= new Set()).add(kindIdOf(kind));
}

/** Whether the server serves the kind and allows its watch, as far as is known. @throws TypeError for a kind that the handler does not declare */
export function isServedIn(pass: Pass, kind: Kind): boolean {
  const { pipeline } = pass;
  if (typeof (kind as Kind | undefined)?.kind !== "string") throw misuse("ERR_INVALID_STEP", "isServed: give it a kind");
  if (!pipeline.servableKinds.has(kindIdOf(kind))) {
    const isServed = isServedByWatch(pass, kind);
    if (isServed !== undefined) return isServed;
    throw misuse(
      "ERR_NOT_DECLARED",
      `isServed: ${kind.kind} (${apiVersionOf(kind)}) is not declared by handler "${pipeline.name}": name it in reads, owns or watch(), in this version`,
    );
  }
  return isServedNow(pass, kind);
}

/** Whether the server serves a declared kind and allows its watch, as far as is known. */
export function isServedNow({ pipeline, env, notServed }: Pass, kind: Kind): boolean {
  if (notServed?.has(kindIdOf(kind)) === true || env.isServed?.(kind) === false) return false;
  return !pipeline.watchedKinds.has(groupKindOf(kind)) || env.refusalOf?.(kind) === undefined;
}

const NO_KINDS: readonly Kind[] = [];
