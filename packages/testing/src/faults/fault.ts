/** What can go wrong between a program and its API server, by name. */
import type { RequestFilter, Verb } from "../requests.ts";

/** A fault with its particulars; the name alone stands for the defaults. */
export type Fault =
  /** The connection breaks before the server hears of the request. */
  | { readonly type: "reset" }
  /** The server does what it was asked, and the connection breaks before the answer arrives. */
  | { readonly type: "lostResponse" }
  /** The request goes on its way after `ms`. @defaultValue 1_000 */
  | { readonly type: "delay"; readonly ms?: number }
  /** Neither an answer nor an end: the server never hears of the request, the caller gives up by its own deadline. */
  | { readonly type: "halfOpen" }
  /** 410: the version that was asked for is too old. */
  | { readonly type: "gone" }
  /** 409: somebody else was faster. */
  | { readonly type: "conflict" }
  /** 429. @defaultValue Retry-After: 1 */
  | { readonly type: "tooManyRequests"; readonly retryAfterSeconds?: number }
  /** 5xx. @defaultValue 500, without Retry-After */
  | { readonly type: "serverError"; readonly status?: number; readonly retryAfterSeconds?: number }
  /** A watch that says nothing any more, no bookmarks either, and does not end; what is left to say comes when the fault is removed. */
  | { readonly type: "frozenWatch" }
  /** An event of a watch comes twice. */
  | { readonly type: "duplicateEvents" }
  /** An event of a watch comes after the one that follows it, or after `ms` where none does. @defaultValue 1_000 */
  | { readonly type: "reorderEvents"; readonly ms?: number }
  /** An event of a watch comes in small pieces over `ms`, and what follows waits for it. @defaultValue 1_000 */
  | { readonly type: "slowEvents"; readonly ms?: number }
  /**
   * A list shows an older state, and so does the beginning of a watch that lists.
   * @defaultValue the state when the fault was added, as far as the answers that passed here tell
   */
  | { readonly type: "staleList"; readonly resourceVersion?: string };

export type FaultName = Fault["type"];

/** Those that an HTTP answer can say, or its absence. */
export type RequestFault = Exclude<Fault, { readonly type: EventFaultName | "frozenWatch" }>;
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

/** @throws TypeError for what is no fault, or can never strike where it is to */
export function checkedFault(given: Fault | FaultName, on: RequestFilter): Fault {
  const fault = typeof given === "string" ? ({ type: given } as Fault) : given; // every member may consist of its type alone
  if (!NAMES.has(fault.type)) throw new TypeError(`faults: "${String(fault.type)}" is no fault; there are ${[...NAMES].join(", ")}`);
  const verbs = on.verb === undefined ? undefined : typeof on.verb === "string" ? [on.verb] : on.verb;
  const needed = VERBS[fault.type];
  if (verbs !== undefined && needed !== undefined && !verbs.some((verb) => needed.includes(verb)))
    throw new TypeError(`faults: ${fault.type} strikes ${needed.join(" and ")}, never ${verbs.join(" or ")}: leave \`verb\` out`);
  return fault;
}

/** Whether a fault has a meaning for requests of this verb. */
export function strikes({ type }: Fault, verb: Verb): boolean {
  return VERBS[type]?.includes(verb) ?? (type !== "lostResponse" || verb !== "watch");
}

const VERBS: Readonly<Partial<Record<FaultName, readonly Verb[]>>> = {
  frozenWatch: ["watch"],
  duplicateEvents: ["watch"],
  reorderEvents: ["watch"],
  slowEvents: ["watch"],
  staleList: ["list", "watch"],
};
