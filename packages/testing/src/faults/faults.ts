/**
 * Faults: which requests fail, and how. The same set works for a transport in the process ({@link faultyTransport}) and for a
 * proxy on a socket.
 */
import { type Clock, type Kind, type Random, seededRandom, systemClock } from "@treadle/apimachinery";
import { matches } from "../internal/request-description.ts";
import type { RecordedRequest, RequestFilter } from "../requests.ts";
import { appliesTo, checkedFault, type EventFaultName, type Fault, type FaultName, type RequestFault } from "./fault.ts";

/** A fault to add: which requests or events fail, and how. */
export interface FaultRule {
  /** The requests, or for a fault of events the watches. @defaultValue all */
  readonly on?: RequestFilter;
  /**
   * Number of the first hit, from 1, counted from now on. Counts events for `duplicateEvents`, `reorderEvents` and `slowEvents`,
   * requests for all others. @defaultValue 1
   */
  readonly nth?: number;
  /** Number of hits. @defaultValue 1 with `nth`, otherwise no limit */
  readonly times?: number;
  /** The fault. */
  readonly fault: Fault | FaultName;
}

/** Faults at random requests. */
export interface RandomFaults {
  /** Seed of the choice: the same seed hits the same requests, if they come in the same order. */
  readonly seed: number;
  /** Share of the requests that fail, from 0 to 1. */
  readonly rate: number;
  /** The faults to choose from; a fault that does not apply to a request is not chosen for it. */
  readonly faults: readonly (Fault | FaultName)[];
  /** The requests. @defaultValue all */
  readonly on?: RequestFilter;
}

/** A fault that was added. */
export interface FaultHandle extends Disposable {
  /** The requests and events that the fault hit, oldest first. */
  readonly hits: readonly FaultHit[];
  /** Removes the fault and releases what it holds back. Idempotent. */
  remove(): void;
}

/** A request that a fault hit, or an event, described by the resource, namespace and name of its object. */
export interface FaultHit {
  /** The fault. */
  readonly fault: FaultName;
  /** The request. */
  readonly request: Omit<RecordedRequest, "status">;
}

/** A way to end a watch; see {@link Faults.cutWatches}. */
export type WatchEnd =
  /** The connection breaks. */
  | "reset"
  /** The server ends the watch regularly, but early. */
  | "end"
  /** Half of an event arrives, then the watch ends. */
  | "truncate"
  /** An event reports that the version is too old (410), then the watch ends. */
  | "gone"
  /** Nothing arrives any more, not even the end of the connection. */
  | "silence";

/** The faults of a connection. If several match a request, the one that was added first applies. */
export interface Faults {
  /** Adds a fault. @throws TypeError for a fault or a number that does not exist, or that can never apply */
  add(rule: FaultRule): FaultHandle;
  /** Adds faults at random requests. @throws TypeError for a rate outside of 0 to 1, or without faults */
  random(options: RandomFaults): FaultHandle;
  /** Ends the open watches that match. Returns their number. @defaultValue "reset" */
  cutWatches(on?: RequestFilter, how?: WatchEnd): number;
  /** Removes all faults. */
  clear(): void;
}

type Target = Omit<RecordedRequest, "status">;

interface Rule {
  readonly handle: FaultHandle;
  /** Decides whether the rule applies, and counts; undefined: it does not. */
  draw(target: Target, what: "request" | "event"): Fault | undefined;
  readonly freezes: boolean;
  /** Whether the rule freezes every matching watch, also those that are already open. */
  readonly isForAll: boolean;
  fits(target: Target): boolean;
  hit(fault: Fault, target: Target): void;
}

/** An open watch. */
export interface OpenWatch {
  readonly target: Target;
  cut(how: WatchEnd): void;
}

/** The implementation of {@link Faults}, for those who carry requests. */
export class FaultSet implements Faults {
  readonly clock: Clock;
  #rules: readonly Rule[] = [];
  readonly #watches = new Map<OpenWatch, Set<Rule>>();
  /** Rules that froze a watch at its request, before it was open. */
  readonly #frozen = new WeakMap<Target, Set<Rule>>();
  #changed = Promise.withResolvers<void>();
  #version: string | undefined;

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  add(rule: FaultRule): FaultHandle {
    const { on = {}, nth, times = nth === undefined ? Number.POSITIVE_INFINITY : 1 } = rule;
    const given = checkedFault(rule.fault, on);
    for (const [name, value] of Object.entries({ nth: nth ?? 1, times }))
      if (value !== Number.POSITIVE_INFINITY && !(Number.isInteger(value) && value >= 1))
        throw new TypeError(`faults.add: ${name} is counted from 1, but is ${value}`);
    const fault = given.type === "staleList" ? { ...given, resourceVersion: given.resourceVersion ?? this.#version ?? "1" } : given;
    const first = nth ?? 1;
    let seen = 0;
    return this.#register({
      on,
      freezes: fault.type === "frozenWatch",
      isForAll: fault.type === "frozenWatch" && nth === undefined && times === Number.POSITIVE_INFINITY,
      draw: (target, what) => {
        if ((what === "event") !== isOfEvents(fault.type) || !(what === "event" || appliesTo(fault, target.verb))) return undefined;
        if (fault.type === "staleList" && !lists(target)) return undefined;
        seen++;
        return seen >= first && seen < first + times ? fault : undefined;
      },
    });
  }

  random({ seed, rate, faults: given, on = {} }: RandomFaults): FaultHandle {
    if (!(rate >= 0 && rate <= 1)) throw new TypeError(`faults.random: rate must be from 0 to 1, but is ${rate}`);
    if (given.length === 0) throw new TypeError("faults.random: faults is empty");
    const faults = given.map((fault) => checkedFault(fault, on));
    const random = seededRandom(seed);
    return this.#register({
      on,
      freezes: faults.some(({ type }) => type === "frozenWatch"),
      isForAll: false,
      draw: (target, what) => {
        const able = faults.filter((one) =>
          what === "event" ? isOfEvents(one.type) : !isOfEvents(one.type) && appliesTo(one, target.verb),
        );
        const fault = pick(able, rate, random);
        if (fault?.type !== "staleList") return fault;
        return lists(target) ? { ...fault, resourceVersion: fault.resourceVersion ?? this.#version ?? "1" } : undefined;
      },
    });
  }

  cutWatches(on: RequestFilter = {}, how: WatchEnd = "reset"): number {
    const cut = [...this.#watches.keys()].filter(({ target }) => matches(target, on));
    for (const watch of cut) watch.cut(how);
    return cut.length;
  }

  clear(): void {
    for (const { handle } of this.#rules) handle.remove();
  }

  /** Returns the fault of this request and counts it; not for faults of open watches. */
  onRequest(target: Target): RequestFault | undefined {
    const fault = this.#draw(target, "request", (rule) => !rule.freezes || !rule.isForAll);
    return fault === undefined || fault.type === "frozenWatch" || isEventFault(fault) ? undefined : fault;
  }

  /** Returns the fault of an event and counts it. */
  onEvent(target: Target): Extract<Fault, { readonly type: EventFaultName }> | undefined {
    const fault = this.#draw(target, "event", () => true);
    return fault !== undefined && isEventFault(fault) ? fault : undefined;
  }

  /** Registers an open watch, until the returned function is called. */
  opened(watch: OpenWatch): () => void {
    this.#watches.set(watch, this.#frozen.get(watch.target) ?? new Set());
    return () => void this.#watches.delete(watch);
  }

  /** Whether a rule freezes the watch. */
  isFrozen(watch: OpenWatch): boolean {
    const frozen = this.#watches.get(watch);
    if (frozen === undefined) return false;
    for (const rule of this.#rules) {
      if (!rule.freezes) continue;
      if (frozen.has(rule)) return true;
      if (!rule.isForAll || !rule.fits(watch.target)) continue;
      frozen.add(rule);
      rule.hit({ type: "frozenWatch" }, watch.target);
      return true;
    }
    return false;
  }

  /** Whether an open watch of this kind is frozen. */
  freezes({ group, plural }: Pick<Kind, "group" | "plural">): boolean {
    if (this.isEmpty) return false;
    return [...this.#watches.keys()].some(
      (watch) => watch.target.group === group && watch.target.resource === plural && this.isFrozen(watch),
    );
  }

  /** Resolves when a rule was added or removed. */
  changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Number of requests that a fault holds back: only time can release them. */
  waiting = 0;

  /** Counts a request as held back while `work` runs. */
  async holding<T>(work: Promise<T>): Promise<T> {
    this.waiting++;
    try {
      return await work;
    } finally {
      this.waiting--;
    }
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** Notes the version of an answer. */
  saw(version: string | undefined): void {
    if (version !== undefined && /^\d+$/.test(version) && (this.#version === undefined || BigInt(version) > BigInt(this.#version)))
      this.#version = version;
  }

  #draw(target: Target, what: "request" | "event", wanted: (rule: Rule) => boolean): Fault | undefined {
    for (const rule of this.#rules) {
      if (!wanted(rule) || !rule.fits(target)) continue;
      const fault = rule.draw(target, what);
      if (fault === undefined) continue;
      rule.hit(fault, target);
      if (fault.type === "frozenWatch") this.#frozen.set(target, new Set([rule]));
      return fault;
    }
    return undefined;
  }

  #register(given: Pick<Rule, "draw" | "freezes" | "isForAll"> & { readonly on: RequestFilter }): FaultHandle {
    const hits: FaultHit[] = [];
    const remove = (): void => {
      this.#rules = this.#rules.filter((other) => other !== rule);
      this.#note();
    };
    const handle: FaultHandle = {
      hits,
      remove,
      [Symbol.dispose]: remove,
    };
    const { draw, freezes, isForAll, on } = given;
    const rule: Rule = {
      handle,
      draw,
      freezes,
      isForAll,
      fits: (target) => matches(target, on),
      hit: (fault, request) => void hits.push({ fault: fault.type, request }),
    };
    this.#rules = [...this.#rules, rule];
    this.#note();
    return handle;
  }

  #note(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function isOfEvents(type: FaultName): type is EventFaultName {
  return type === "duplicateEvents" || type === "reorderEvents" || type === "slowEvents";
}

function isEventFault(fault: Fault): fault is Extract<Fault, { readonly type: EventFaultName }> {
  return isOfEvents(fault.type);
}

/** Whether an answer shows a state: a list, or a watch that begins with one. */
function lists({ verb, path }: Target): boolean {
  return verb === "list" || (verb === "watch" && /[?&]sendInitialEvents=(true|1)(&|$)/.test(path));
}

function pick(faults: readonly Fault[], rate: number, random: Random): Fault | undefined {
  // Two numbers for each request, so that another fault in the list does not change all later choices.
  const [chance, choice] = [random.next(), random.next()];
  return chance < rate ? faults[Math.floor(choice * faults.length)] : undefined;
}
