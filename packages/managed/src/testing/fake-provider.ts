/**
 * A provider in memory, with what makes real ones hard: slow creates and deletes, reads that are eventually consistent, lost answers,
 * limits and refusals. It is for tests and for `explore()`. It is not a simulation of any product.
 */
import { type Clock, orAborted, sleep, systemClock } from "@treadle/apimachinery";
import type { ExternalState } from "../types.ts";
import { failAfter, failBefore, type FakeFailure, FakeProviderError, type FakeVerb, PlannedFailures } from "./fake-errors.ts";
import { type FakeItem, FakeItems, type FakeTimes, type SomeOf } from "./fake-items.ts";

/** One call of a fake provider. */
export interface FakeCall {
  /** The call. */
  readonly verb: FakeVerb;
  /** The name of the resource. For `recoverCreate`, and for a `create` whose name the provider assigns, it is the token. */
  readonly subject: string;
  /** The time at which the call arrived, in milliseconds since the epoch. */
  readonly atMs: number;
}

/**
 * Runs on both sides of each call: `"before"` it happens, and `"after"` it happened, while the caller does not know the answer. An error
 * that it throws becomes the error of the call.
 */
export type FakeHook = (call: FakeCall, when: "before" | "after") => void | Promise<void>;

/** What `observe` of a fake provider returns: the values of the resource, with its name, token and state. */
export type FakeSeen<Values> = Values & Pick<FakeItem<Values>, "name" | "token" | "state">;

/** The options of {@link fakeProvider}. */
export interface FakeProviderOptions<Values extends object> extends FakeTimes {
  /** The values of a new resource that the caller did not name. A function gets the named ones. */
  readonly defaults: Values | ((named: SomeOf<Values>) => Values);
  /**
   * Who names a resource. `"chosen"`: the caller does, and a create of a name that exists changes nothing. `"assigned"`: the provider
   * does, and each create makes another resource. @defaultValue `"assigned"`
   */
  readonly names?: "chosen" | "assigned";
  /** Returns the assigned name of the resource with this number, from 1. @defaultValue `item-<number>` */
  readonly assign?: (number: number, token: string) => string;
  /** Whether a create with the token of an existing resource returns that resource. @defaultValue false */
  readonly isIdempotentByToken?: boolean;
  /** Whether `update` and `delete` do not find a resource either that is not visible yet. @defaultValue false */
  readonly isEventualForWrites?: boolean;
  /** Time of each call, in milliseconds. It happens after half of this time, also if the caller has given up. @defaultValue 0 */
  readonly latencyMs?: number;
  /** Connection details that `create` returns once, such as a password. @defaultValue none */
  readonly connection?: (item: FakeItem<Values>) => Readonly<Record<string, string>>;
  /** The time. `explore()` gives one to `external`. @defaultValue the clock of the machine */
  readonly clock?: Clock;
  /** Called where a change happens, such as `effects.record` of `explore()`. If it throws, the change does not happen. */
  readonly record?: (what: string) => void;
}

/** The functions of a fake provider, in the form that `managed()` takes. They do not depend on `this`. */
export interface FakeFunctions<Values extends object> {
  /** Returns a visible resource. */
  readonly observe: (args: FakeCallArgs & { readonly name: string }) => Promise<FakeSeen<Values> | undefined>;
  /** Creates a resource. */
  readonly create: (
    args: FakeCallArgs & { readonly name: string; readonly token: string; readonly want: SomeOf<Values> },
  ) => Promise<FakeCreated>;
  /** Changes values. It rejects with the status 404 or 409 where a resource cannot be updated. */
  readonly update: (args: FakeCallArgs & { readonly name: string; readonly changes: SomeOf<Values> }) => Promise<void>;
  /** Begins to delete a resource. It also resolves if the resource does not exist. */
  readonly delete: (args: FakeCallArgs & { readonly name: string }) => Promise<void>;
  /** Finds a visible resource by the token of its create. */
  readonly recoverCreate: (args: FakeCallArgs & { readonly token: string }) => Promise<{ readonly name: string } | undefined>;
  /** Maps an observation to a state. */
  readonly state: (seen: FakeSeen<Values>) => ExternalState;
}

/** The signal of a call. */
export interface FakeCallArgs {
  /** A signal that ends the wait for the answer. */
  readonly signal?: AbortSignal;
}

/** The result of `create` of a fake provider. */
export interface FakeCreated {
  /** The name of the resource. */
  readonly name: string;
  /** What the option `connection` returned, for a resource that did not exist before. */
  readonly connection: Readonly<Record<string, string>>;
}

/** A provider in memory. A test uses it as the API, or spreads `functions` into the options of `managed()`. */
export interface FakeProvider<Values extends object> extends FakeFunctions<Values> {
  /** The functions alone, to spread. */
  readonly functions: FakeFunctions<Values>;
  /** All resources that cost money, also those that are not visible yet and those that are being deleted. */
  readonly items: readonly FakeItem<Values>[];
  /** The calls that arrived, oldest first. */
  readonly calls: readonly FakeCall[];
  /** Runs on both sides of each call. Assign to it. */
  hook: FakeHook | undefined;
  /** Returns the number of calls so far, of one verb or of all. */
  count(verb?: FakeVerb): number;
  /** Forgets the calls so far. */
  clearCalls(): void;
  /** Fails the next calls of a verb, or of any verb. `Infinity` times: until `heal()`. @throws RangeError for times below 1 */
  fail(verb: FakeVerb | "*", failure: FakeFailure, times?: number): void;
  /** Takes back the failures that have not happened. */
  heal(): void;
  /** Adds a resource by hand. It is complete and visible. */
  add(name: string, values?: SomeOf<Values>, token?: string): void;
  /** Changes a resource by hand. @throws FakeProviderError if it does not exist */
  change(name: string, values: SomeOf<Values>): void;
  /** Sets the state of a resource by hand; `undefined`: as the times say. @throws FakeProviderError if it does not exist */
  setState(name: string, state: FakeItem<Values>["state"] | undefined): void;
  /** Removes a resource by hand, at once. */
  remove(name: string): void;
}

/**
 * Creates a provider in memory.
 *
 * @throws TypeError when a value is named `name`, `token` or `state`, which `observe` returns beside the values
 */
export function fakeProvider<Values extends object>(options: FakeProviderOptions<Values>): FakeProvider<Values> {
  const { clock = systemClock } = options;
  const calls = new Calls(options.latencyMs ?? 0, clock);
  const items = new FakeItems<Values>(options, () => clock.now());
  const functions = functionsOf(options, items, calls);
  return {
    ...functions,
    functions,
    get items() {
      return items.all;
    },
    get calls() {
      return calls.all;
    },
    get hook() {
      return calls.hook;
    },
    set hook(hook) {
      calls.hook = hook;
    },
    count: (verb) => calls.all.filter((call) => verb === undefined || call.verb === verb).length,
    clearCalls: () => void calls.all.splice(0),
    fail: (verb, failure, times = 1) => calls.failures.add(verb, failure, times),
    heal: () => calls.failures.clear(),
    add: (name, values = {}, token) => items.add(name, token, completed(options, values)),
    change: (name, values) => items.change(name, values),
    setState: (name, state) => items.setState(name, state),
    remove: (name) => items.remove(name),
  };
}

function functionsOf<Values extends object>(
  options: FakeProviderOptions<Values>,
  items: FakeItems<Values>,
  calls: Calls,
): FakeFunctions<Values> {
  const { names = "assigned", record, assign = (number) => `item-${number}` } = options;
  let made = 0;
  const visible = (item: FakeItem<Values> | undefined): FakeItem<Values> | undefined => (item?.isVisible === true ? item : undefined);
  const writable = (name: string): FakeItem<Values> | undefined =>
    options.isEventualForWrites === true ? visible(items.get(name)) : items.get(name);
  const create = (name: string, token: string, want: SomeOf<Values>): FakeCreated => {
    const byToken = options.isIdempotentByToken === true ? items.byToken(token) : undefined;
    const existing = names === "chosen" ? items.get(name) : byToken;
    if (existing !== undefined) return { name: existing.name, connection: {} };
    const given = names === "chosen" ? name : assign(made + 1, token);
    const values = completed(options, want);
    record?.(`create ${given}`);
    made += 1;
    items.create(given, token, values);
    const item = items.get(given);
    return { name: given, connection: (item === undefined ? undefined : options.connection?.(item)) ?? {} };
  };
  return {
    observe: ({ name, signal }) =>
      calls.make("observe", name, signal, () => {
        const item = visible(items.get(name));
        return item === undefined ? undefined : { ...item.values, name, token: item.token, state: item.state };
      }),
    create: ({ name, token, want, signal }) =>
      calls.make("create", names === "chosen" ? name : token, signal, () => create(name, token, want)),
    update: ({ name, changes, signal }) =>
      calls.make("update", name, signal, () => {
        if (writable(name) === undefined) throw new FakeProviderError(`update ${name}: 404 not found`, { status: 404 });
        record?.(`update ${name}`);
        items.update(name, changes);
      }),
    delete: ({ name, signal }) =>
      calls.make("delete", name, signal, () => {
        const item = writable(name);
        if (item === undefined || item.state === "Deleting") return;
        record?.(`delete ${name}`);
        items.delete(name);
      }),
    recoverCreate: ({ token, signal }) =>
      calls.make("recoverCreate", token, signal, () => {
        const item = visible(items.byToken(token));
        return item === undefined ? undefined : { name: item.name };
      }),
    state: ({ state }) => (state === "Failed" ? { type: "Failed", message: "the resource failed" } : state),
  };
}

function completed<Values extends object>({ defaults }: FakeProviderOptions<Values>, named: SomeOf<Values>): Values {
  const others = typeof defaults === "function" ? defaults(named) : defaults;
  const values = Object.entries(named).filter(([, value]) => value !== undefined);
  // `others` has all values, and the named ones have the same types.
  const all = { ...others, ...Object.fromEntries(values) } as Values;
  for (const key of ["name", "token", "state"])
    if (key in all) throw new TypeError(`fakeProvider: a value cannot be named "${key}", which observe() returns beside the values`);
  return all;
}

/** The log of the calls, their faults and their times. */
class Calls {
  readonly all: FakeCall[] = [];
  readonly failures: PlannedFailures = new PlannedFailures();
  hook: FakeHook | undefined;
  readonly #latencyMs: number;
  readonly #clock: Clock;

  constructor(latencyMs: number, clock: Clock) {
    this.#latencyMs = latencyMs;
    this.#clock = clock;
  }

  async make<R>(verb: FakeVerb, subject: string, signal: AbortSignal | undefined, happen: () => R): Promise<R> {
    signal?.throwIfAborted();
    const call = { verb, subject, atMs: this.#clock.now() };
    this.all.push(call);
    const failure = this.failures.take(verb);
    const text = `${verb} ${subject}`;
    await this.hook?.(call, "before");
    await failBefore(failure, text, signal);
    const answer = this.#latencyMs === 0 ? happen() : await orAborted(this.#slowly(happen), signal);
    await this.hook?.(call, "after");
    failAfter(failure, text);
    return answer;
  }

  async #slowly<R>(happen: () => R): Promise<R> {
    await sleep(this.#clock, this.#latencyMs / 2);
    const answer = happen();
    await sleep(this.#clock, this.#latencyMs / 2);
    return answer;
  }
}
