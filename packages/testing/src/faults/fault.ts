/** The faults between a program and its API server, by name. */
import type { RequestFilter, Verb } from "../requests.ts";

/** A fault with its parameters; its name alone means the defaults. */
export type Fault =
  /** The connection breaks before the request reaches the server. */
  | { readonly type: "reset" }
  /** The server executes the request, and the connection breaks before the answer arrives. */
  | { readonly type: "lostResponse" }
  /** The request is sent after `ms`. @defaultValue 1_000 */
  | { readonly type: "delay"; readonly ms?: number }
  /** The request never reaches the server and gets no answer, until the caller times out. */
  | { readonly type: "halfOpen" }
  /** The answer is 410: the requested version is too old. */
  | { readonly type: "gone" }
  /** The answer is 409: another writer was faster. */
  | { readonly type: "conflict" }
  /** The answer is 429. @defaultValue Retry-After: 1 */
  | { readonly type: "tooManyRequests"; readonly retryAfterSeconds?: number }
  /** The answer is 5xx. @defaultValue 500, without Retry-After */
  | { readonly type: "serverError"; readonly status?: number; readonly retryAfterSeconds?: number }
  /** The watch stays open but delivers nothing, not even bookmarks. Its events arrive when the fault is removed. */
  | { readonly type: "frozenWatch" }
  /** An event of a watch arrives twice. */
  | { readonly type: "duplicateEvents" }
  /** An event of a watch arrives after the next one, or after `ms` if there is no next one. @defaultValue 1_000 */
  | { readonly type: "reorderEvents"; readonly ms?: number }
  /** An event of a watch arrives in small pieces over `ms`, and later events wait for it. @defaultValue 1_000 */
  | { readonly type: "slowEvents"; readonly ms?: number }
  /**
   * A list returns an older state, and so does the start of a watch that lists.
   * @defaultValue the newest version in the answers before the fault was added
   */
  | { readonly type: "staleList"; readonly resourceVersion?: string };

/** The name of a fault. */
export type FaultName = Fault["type"];

/** Faults of a request: an answer, or no answer. */
export type RequestFault = Exclude<Fault, { readonly type: EventFaultName | "frozenWatch" }>;
/** Faults of an event of a watch. */
export type EventFaultName = "duplicateEvents" | "reorderEvents" | "slowEvents";

const NAMES: ReadonlySet<string> = new Set<FaultName>([
  "reset",
  "lostResponse",
  "delay",
  "halfOpen",
  "gone",
  "conflict",
  "tooManyRequests",
  "serverError",
  "frozenWatch",
  "duplicateEvents",
  "reorderEvents",
  "slowEvents",
  "staleList",
]);

/** Completes a fault. @throws TypeError for an unknown fault, or one that can never apply to the selected requests */
export function checkedFault(given: Fault | FaultName, on: RequestFilter): Fault {
  const fault = typeof given === "string" ? ({ type: given } as Fault) : given; // Every member of the union may have its type only.
  if (!NAMES.has(fault.type))
    throw new TypeError(`faults: "${String(fault.type)}" is not a fault; the faults are ${[...NAMES].join(", ")}`);
  const verbs = on.verb === undefined ? undefined : typeof on.verb === "string" ? [on.verb] : on.verb;
  const needed = VERBS[fault.type];
  if (verbs !== undefined && needed !== undefined && !verbs.some((verb) => needed.includes(verb)))
    throw new TypeError(`faults: ${fault.type} applies to ${needed.join(" and ")}, never to ${verbs.join(" or ")}: leave \`verb\` out`);
  return fault;
}

/** Whether a fault can apply to requests of this verb. */
export function appliesTo({ type }: Fault, verb: Verb): boolean {
  return VERBS[type]?.includes(verb) ?? (type !== "lostResponse" || verb !== "watch");
}

const VERBS: Readonly<Partial<Record<FaultName, readonly Verb[]>>> = {
  frozenWatch: ["watch"],
  duplicateEvents: ["watch"],
  reorderEvents: ["watch"],
  slowEvents: ["watch"],
  staleList: ["list", "watch"],
};
