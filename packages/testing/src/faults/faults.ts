/**
 * Faults: which requests go wrong, and how. One set of them serves every way to a server: a transport inside of the
 * process ({@link faultyTransport}) and a proxy on a socket.
 */
import { type Clock, type Kind, type Random, seededRandom, systemClock } from "@treadle/apimachinery";
import { fits, type RecordedRequest, type RequestFilter } from "../requests.ts";
import { checkedFault, type EventFaultName, type Fault, type FaultName, type RequestFault, strikes } from "./fault.ts";

export interface FaultRule {
  /** Which requests; of a watch, which events. @defaultValue all */
  readonly on?: RequestFilter;
  /**
   * The first that is struck, counted from 1 and from now on: events for `duplicateEvents`, `reorderEvents` and `slowEvents`,
   * requests for all others. @defaultValue every one
   */
  readonly nth?: number;
  /** How many are struck. @defaultValue 1 with `nth`, else no limit */
  readonly times?: number;
  readonly fault: Fault | FaultName;
}

export interface RandomFaults {
  /** The same seed strikes the same requests, where they come in the same order. */
  readonly seed: number;
  /** Which part of the requests is struck, from 0 to 1. */
  readonly rate: number;
  /** One of these each time. A fault that has no meaning for a request is not drawn for it. */
  readonly kinds: readonly (Fault | FaultName)[];
  /** @defaultValue all */
  readonly on?: RequestFilter;
}

/** A fault that was added. */
export interface FaultHandle extends Disposable {
  /** How often it struck. */
  readonly hits: number;
  /** What it struck, oldest first. */
  readonly struck: readonly Struck[];
  /** Ends it; what it held back comes now. Idempotent. */
  remove(): void;
}

/** A request, or an event by the resource, namespace and name of its object, and what struck it. */
export interface Struck {
  readonly fault: FaultName;
  readonly request: Omit<RecordedRequest, "status">;
}

/** How a watch may end: see {@link Faults.cutWatches}. */
export type WatchEnd =
  /** The connection breaks. */
  | "reset"
  /** The server ends it in good order, long before its time. */
  | "end"
  /** Half of an event comes, and then the end. */
  | "truncate"
  /** The server says with an event that the version is too old (410), and ends it. */
  | "gone"
  /** It never ends and never says anything again, not even that its connection is gone. */
  | "silence";

/** The faults of a connection. Of several that fit, the one that was added first strikes. */
export interface Faults {
  /** @throws TypeError for a fault or a number that does not exist, or can never strike */
  add(rule: FaultRule): FaultHandle;
  random(options: RandomFaults): FaultHandle;
  /** Ends the watches that are open now and fit, in this way. Returns how many. @defaultValue "reset" */
  cutWatches(on?: RequestFilter, how?: WatchEnd): number;
  /** Removes all. */
  clear(): void;
}

type Target = Omit<RecordedRequest, "status">;

interface Rule {
  readonly handle: FaultHandle;
  /** Decides and counts; `undefined`: not struck. */
  draw(target: Target, what: "request" | "event"): Fault | undefined;
  readonly freezes: boolean;
  /** Watches that are frozen whatever came before them. */
  readonly isForAll: boolean;
  fits(target: Target): boolean;
  strike(fault: Fault, target: Target): void;
}

/** An open watch. */
export interface OpenWatch {
  readonly target: Target;
  cut(how: WatchEnd): void;
}

/** The set behind {@link Faults}, as those see it who carry requests. */
export class FaultSet implements Faults {
  readonly clock: Clock;
  #rules: readonly Rule[] = [];
  readonly #watches = new Map<OpenWatch, Set<Rule>>();
  /** Rules that froze a watch by its request, before it is open. */
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
        throw new TypeError(`faults.add: ${name} is counted from 1, not ${value}`);
    const fault = given.type === "staleList" ? { ...given, resourceVersion: given.resourceVersion ?? this.#version ?? "1" } : given;
    const first = nth ?? 1;
    let seen = 0;
    return this.#register({
      on,
      freezes: fault.type === "frozenWatch",
      isForAll: fault.type === "frozenWatch" && nth === undefined && times === Number.POSITIVE_INFINITY,
      draw: (target, what) => {
        if ((what === "event") !== isOfEvents(fault.type) || !(what === "event" || strikes(fault, target.verb))) return undefined;
        if (fault.type === "staleList" && !lists(target)) return undefined;
        seen++;
        return seen >= first && seen < first + times ? fault : undefined;
      },
    });
  }

  random({ seed, rate, kinds, on = {} }: RandomFaults): FaultHandle {
    if (!(rate >= 0 && rate <= 1)) throw new TypeError(`faults.random: rate is from 0 to 1, not ${rate}`);
    if (kinds.length === 0) throw new TypeError("faults.random: kinds is empty");
    const faults = kinds.map((kind) => checkedFault(kind, on));
    const random = seededRandom(seed);
    return this.#register({
      on,
      freezes: faults.some(({ type }) => type === "frozenWatch"),
      isForAll: false,
      draw: (target, what) => {
        const able = faults.filter((one) => (what === "event" ? isOfEvents(one.type) : !isOfEvents(one.type) && strikes(one, target.verb)));
        const fault = pick(able, rate, random);
        if (fault?.type !== "staleList") return fault;
        return lists(target) ? { ...fault, resourceVersion: fault.resourceVersion ?? this.#version ?? "1" } : undefined;
      },
    });
  }

  cutWatches(on: RequestFilter = {}, how: WatchEnd = "reset"): number {
    const cut = [...this.#watches.keys()].filter(({ target }) => fits(target, on));
    for (const watch of cut) watch.cut(how);
    return cut.length;
  }

  clear(): void {
    for (const { handle } of this.#rules) handle.remove();
  }

  /** What strikes this request; counts it. Not for what strikes watches when they are open. */
  onRequest(target: Target): RequestFault | undefined {
    const fault = this.#draw(target, "request", (rule) => !rule.freezes || !rule.isForAll);
    return fault === undefined || fault.type === "frozenWatch" || isEventFault(fault) ? undefined : fault;
  }

  onEvent(target: Target): Extract<Fault, { readonly type: EventFaultName }> | undefined {
    const fault = this.#draw(target, "event", () => true);
    return fault !== undefined && isEventFault(fault) ? fault : undefined;
  }

  /** Notes that a watch is open, until the returned function is called. */
  opened(watch: OpenWatch): () => void {
    this.#watches.set(watch, this.#frozen.get(watch.target) ?? new Set());
    return () => void this.#watches.delete(watch);
  }

  isFrozen(watch: OpenWatch): boolean {
    const frozen = this.#watches.get(watch);
    if (frozen === undefined) return false;
    for (const rule of this.#rules) {
      if (!rule.freezes) continue;
      if (frozen.has(rule)) return true;
      if (!rule.isForAll || !rule.fits(watch.target)) continue;
      frozen.add(rule);
      rule.strike({ type: "frozenWatch" }, watch.target);
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

  /** Requests that a fault holds back: only time can end that. */
  waiting = 0;

  /** Waits for `work` as a request that is held back. */
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

  /** The newest version that passed. */
  saw(version: string | undefined): void {
    if (version !== undefined && /^\d+$/.test(version) && (this.#version === undefined || BigInt(version) > BigInt(this.#version)))
      this.#version = version;
  }

  #draw(target: Target, what: "request" | "event", wanted: (rule: Rule) => boolean): Fault | undefined {
    for (const rule of this.#rules) {
      if (!wanted(rule) || !rule.fits(target)) continue;
      const fault = rule.draw(target, what);
      if (fault === undefined) continue;
      rule.strike(fault, target);
      if (fault.type === "frozenWatch") this.#frozen.set(target, new Set([rule]));
      return fault;
    }
    return undefined;
  }

  #register(given: Pick<Rule, "draw" | "freezes" | "isForAll"> & { readonly on: RequestFilter }): FaultHandle {
    const struck: Struck[] = [];
    const remove = (): void => {
      this.#rules = this.#rules.filter((other) => other !== rule);
      this.#note();
    };
    const handle: FaultHandle = {
      get hits() {
        return struck.length;
      },
      struck,
      remove,
      [Symbol.dispose]: remove,
    };
    const { draw, freezes, isForAll, on } = given;
    const rule: Rule = {
      handle,
      draw,
      freezes,
      isForAll,
      fits: (target) => fits(target, on),
      strike: (fault, request) => void struck.push({ fault: fault.type, request }),
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
  // Drawn for each request alike, so that one kind more does not move all that follow.
  const [chance, choice] = [random.next(), random.next()];
  return chance < rate ? faults[Math.floor(choice * faults.length)] : undefined;
}
